// What a Kineto trace has beside events with a duration: memory (`[memory]` instants) and counters
// of GPUs (phase `C`).
//
//     {"ph": "i", "name": "[memory]", "pid": 41, "tid": 41, "ts": 1462.4, "args": {"Device Type":
//     1,
//      "Device Id": 3, "Bytes": 4096, "Total Allocated": 917504, "Total Reserved": 2097152}}
//     {"ph": "C", "name": "SM Active (%)", "pid": "GPU 3 Counters", "ts": 1464.5, "args":
//     {"": 88.16}}
//     {"ph": "C", "cat": "xpu_scope_profiler", "name": "metrics", "pid": 0, "ts": 1470.0,
//      "args": {"XVE_ACTIVE": 61.2, "GpuTime": 8000}}
//
// The last form has one event 1 ns before a kernel and, with zeros, one 1 ns after it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/decimal.hpp"
#include "trace/memory.hpp"
#include "trace/readers/json_tokens.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// What a part of the text has of them.
struct KinetoSamples {
  struct MemoryRow {
    int64_t type;     // of the device, as PyTorch numbers types
    int64_t device;   // -1: the host
    uint32_t thread;  // in `threads`
    bool out_of_memory;
    MemoryEvent event;
  };
  struct Metric {
    int32_t gpu;
    std::string process;  // as written
    std::string name;

    friend auto operator<=>(const Metric&, const Metric&) = default;
  };
  struct CounterRow {
    uint32_t metric;  // in `metrics`
    bool stop;        // there is no value from here on
    MetricSample sample;
  };

  /// Distinct values by number.
  template <class Value>
  class Distinct {
   public:
    uint32_t add(Value value) {
      if (!all_.empty() && all_.back() == value) return static_cast<uint32_t>(all_.size() - 1);
      const auto [at, added] =
          numbers_.try_emplace(std::move(value), static_cast<uint32_t>(all_.size()));
      if (added) all_.push_back(at->first);
      return at->second;
    }
    const std::vector<Value>& all() const noexcept { return all_; }
    void clear() {
      all_.clear();
      numbers_.clear();
    }

   private:
    std::vector<Value> all_;
    std::map<Value, uint32_t> numbers_;
  };

  Distinct<HostThread> threads;
  std::vector<MemoryRow> memory;
  Distinct<Metric> metrics;
  std::vector<CounterRow> counters;

  void clear();
};

/// An event as its reader knows it, without escapes.
struct KinetoSampleEvent {
  std::string_view name;
  std::string_view category;
  std::string_view process;
  std::string_view thread;
  int64_t time_ns = 0;
  DecimalFault time_fault = DecimalFault::none;
};

/// Both read an event from its `{` on. False: `what` has what was dropped.
bool read_kineto_memory(JsonWalk& json, const KinetoSampleEvent& event, KinetoSamples& out,
                        std::string_view& what);
bool read_kineto_counter(JsonWalk& json, const KinetoSampleEvent& event, KinetoSamples& out,
                         std::string_view& what);

/// Those of all parts, in the order of the text.
class KinetoSampleSums {
 public:
  void add(const KinetoSamples& part);
  /// Once all operations are there.
  void finish(TraceBuilder& out);

 private:
  void finish_metrics(TraceBuilder& out);

  Memory memory_;
  GpuMetrics metrics_;
  std::map<HostThread, uint32_t> threads_;
  std::map<std::tuple<std::string, int64_t, int64_t>, size_t> series_;  // member, type, device
  using MetricKey = std::tuple<std::string, int32_t, std::string>;      // member, GPU, name
  std::map<MetricKey, size_t> numbers_;
  std::map<MetricKey, std::vector<int64_t>> stops_;
};

}  // namespace kr::trace
