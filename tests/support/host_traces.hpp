// Random traces with what the host did: calls on threads of two processes, modules and annotations
// that overlap as they like, and what a slow reading says of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "trace/trace.hpp"

namespace kr::test {

struct HostTraces {
  struct Call {
    int64_t start, duration, correlation;
    std::string process, thread, api;
  };
  struct Range {
    int64_t start, end;
    std::string process, thread;
    bool whole_process;
    bool module;
    std::string name;

    bool holds(const Call& call) const {
      return process == call.process && (whole_process || thread == call.thread) &&
             start <= call.start && call.start < end;
    }
  };
  struct Work {
    int64_t start, duration, correlation;
    std::string name;
    OperationKind kind;
    int32_t device;
    int64_t stream;
  };

  std::vector<Call> calls;
  std::vector<Range> ranges;
  std::vector<Work> work;

  /// No two ranges begin at once, and no two calls: which came first is plain.
  explicit HostTraces(std::mt19937& random, bool nested_modules) {
    const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
    const std::vector<std::string> processes{"1", "1", "2"};
    const auto pick = [&](const auto& of) { return of[random() % of.size()]; };
    const std::vector<std::string> modules{"Attn_0", "Attn_1", "Mlp_0", "Model_0", "Norm_3"};
    const std::vector<std::string> annotations{"prefill", "decode_1", "decode_2", "nccl:sum", ""};
    const std::vector<std::string> names{"gemm", "norm", "copy", "flash"};
    int64_t now = 0;
    for (int64_t i = below(14); i > 0; --i) {
      now += 1 + below(12);
      const bool module = below(2) == 0;
      const bool whole = !module && below(4) == 0;
      Range range{now,
                  now + below(60),
                  pick(processes),
                  whole ? "" : std::to_string(below(2)),
                  whole,
                  module,
                  pick(module ? modules : annotations)};
      if (module && nested_modules) nest(range);
      ranges.push_back(range);
    }
    now = 0;
    for (int64_t i = 0; i < below(20); ++i) {
      now += 1 + below(9);
      calls.push_back({now, below(9), i, pick(processes), std::to_string(below(2)),
                       below(4) == 0 ? "cudaGraphLaunch" : "cudaLaunchKernel"});
      for (int64_t k = below(4); k > 0; --k) {
        work.push_back({now + below(40), below(9), below(8) == 0 ? 1000 + i : i, pick(names),
                        below(5) == 0 ? OperationKind::memcpy : OperationKind::kernel,
                        static_cast<int32_t>(below(2)), below(2)});
      }
    }
    if (below(3) == 0) plant(random, now, below(2) == 0);
    // What is equal in all that orders operations cannot be told apart.
    std::sort(work.begin(), work.end(), before);
    work.erase(
        std::unique(work.begin(), work.end(),
                    [](const Work& a, const Work& b) { return !before(a, b) && !before(b, a); }),
        work.end());
  }

  const Call* call_of(const Work& one) const {
    for (const Call& call : calls) {
      if (call.correlation == one.correlation) return &call;
    }
    return nullptr;
  }
  /// What holds the launch of an operation, in the order of begin.
  std::vector<const Range*> around(const Work& one) const {
    std::vector<const Range*> out;
    const Call* call = call_of(one);
    if (call == nullptr) return out;
    for (const Range& range : ranges) {
      if (range.holds(*call)) out.push_back(&range);
    }
    std::sort(out.begin(), out.end(),
              [](const Range* a, const Range* b) { return a->start < b->start; });
    return out;
  }

  /// As a reader would, everything in any order. `work` is in the order of the trace's operations.
  trace::Trace read(std::mt19937& random) const {
    trace::TraceBuilder builder("t.json", "kineto-json");
    trace::HostTrace& host = builder.host();
    const auto number = [](auto& list, auto value) {
      const auto at = std::find(list.begin(), list.end(), value);
      if (at != list.end()) return static_cast<uint32_t>(at - list.begin());
      list.push_back(value);
      return static_cast<uint32_t>(list.size() - 1);
    };
    const auto shuffled = [&](auto list) {
      std::shuffle(list.begin(), list.end(), random);
      return list;
    };
    for (const Call& call : shuffled(calls)) {
      host.launches.push_back({call.correlation, call.start, call.duration,
                               number(host.calls, trace::HostCall{call.api, false}),
                               number(host.threads, trace::HostThread{call.process, call.thread})});
    }
    for (const Range& range : shuffled(ranges)) {
      host.ranges.push_back(
          {range.start, range.end, number(host.range_names, range.name),
           number(host.threads,
                  trace::HostThread{range.process, range.thread, range.whole_process}),
           trace::HostRange::none,
           range.module ? trace::HostRange::Kind::module : trace::HostRange::Kind::annotation});
    }
    for (const Work& one : shuffled(work)) {
      trace::Track track;
      track.device = one.device;
      track.stream = one.stream;
      builder.add(
          {one.start, one.duration, builder.name(one.name, one.kind), builder.track(track)});
      builder.add_correlations(&one.correlation, 1);
    }
    return std::move(builder).finish();
  }

 private:
  static bool before(const Work& a, const Work& b) {
    return std::tie(a.start, b.duration, a.name, a.kind, a.device, a.stream, a.correlation) <
           std::tie(b.start, a.duration, b.name, b.kind, b.device, b.stream, b.correlation);
  }
  /// Layers: the same kernels again and again, launched at once or one by one.
  void plant(std::mt19937& random, int64_t now, bool graph) {
    const std::vector<std::string> layer{"gemm", "norm", "flash", "gemm", "copy"};
    const std::string process = calls.empty() ? "1" : calls.back().process;
    const std::string thread = std::to_string(random() % 2);
    const auto repeats = static_cast<int64_t>(7 + random() % 4);
    for (int64_t k = 0; k < repeats * static_cast<int64_t>(layer.size()); ++k) {
      const int64_t correlation = graph ? 500 : 500 + k;
      if (k == 0 || !graph) {
        now += 1;
        calls.push_back({now, 1, correlation, process, thread, "cudaGraphLaunch"});
      }
      work.push_back({now + 40 + 3 * k, 2, correlation,
                      layer[static_cast<size_t>(k) % layer.size()], OperationKind::kernel, 0, 0});
    }
  }
  /// Ends it with the modules of its thread that it began in.
  void nest(Range& range) const {
    for (const Range& other : ranges) {
      const bool open = other.start <= range.start && range.start < other.end;
      if (other.module && other.process == range.process && other.thread == range.thread && open) {
        range.end = std::min(range.end, other.end);
      }
    }
  }
};

}  // namespace kr::test
