// Which kernels of an nsys export do what calls of NCCL requested.
//
// A call launches its kernel itself, inside its range. Calls between ncclGroupStart and
// ncclGroupEnd of a thread are launched by the outermost ncclGroupEnd, as one kernel: it has the
// sum of their bytes. A call of no bytes launches none, nor does one that is captured into a CUDA
// graph; kernels of graphs have no call.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/readers/nccl_payload.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// A range of NCCL.
struct NcclEvent {
  int64_t start_ns;
  int64_t end_ns;
  int64_t process;
  uint32_t thread;  // in HostTrace::threads
  uint32_t call;    // in NcclCalls; of an operation without a readable payload: no_call
  NcclFunction function;

  static constexpr uint32_t no_call = UINT32_MAX;
};

/// What is the same for many of them.
struct NcclCall {
  std::string range;  // `ncclAllReduce`
  NcclArguments arguments;

  friend auto operator<=>(const NcclCall&, const NcclCall&) = default;
};

class NcclCalls {
 public:
  uint32_t call(const NcclCall& call);
  void add(const NcclEvent& event) { events_.push_back(event); }
  /// Fills Trace::collectives, once all operations, launches and events are there.
  void finish(TraceBuilder& out);

 private:
  /// Launches of a thread between its times are those of some operations.
  struct Window {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t first;  // in `operations_`
    uint32_t last;   // one beyond
    uint32_t kernels = 0;
  };
  /// What a process calls a communicator; without a communicator, the process.
  struct Place {
    int64_t process;
    std::optional<uint64_t> communicator;

    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Kernel {
    uint32_t operation;
    uint32_t window;
  };

  void find_communicators();
  void find_windows();
  std::vector<Kernel> find_kernels(TraceBuilder& out);
  void find_devices(const std::vector<Kernel>& kernels, TraceBuilder& out);
  std::optional<int64_t> ranks_of(const NcclArguments& arguments) const;
  CollectiveCall described(const NcclEvent& event) const;
  CollectiveCall described(const Window& window) const;
  int32_t device_of(const NcclEvent& event) const;
  void add_kernels(const std::vector<Kernel>& kernels, TraceBuilder& out) const;
  void add_requests(TraceBuilder& out) const;
  /// Of an event with a call.
  const NcclCall& call_of(const NcclEvent& event) const { return calls_[event.call]; }

  std::vector<NcclCall> calls_;
  std::map<NcclCall, uint32_t> numbers_;
  std::vector<NcclEvent> events_;
  std::vector<NcclEvent> operations_;                     // by thread, then start
  std::vector<Window> windows_;                           // by thread, then start
  std::vector<std::pair<uint32_t, uint32_t>> of_thread_;  // windows: the first, and one beyond
  // Nullopt: they are said to be several.
  std::map<uint64_t, std::optional<int64_t>> ranks_;  // by communicator
  std::map<Place, std::optional<int64_t>> rank_;
  std::map<Place, std::optional<int32_t>> device_;
};

}  // namespace kr::trace
