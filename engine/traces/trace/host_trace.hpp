// What the host did while the GPUs worked, to attribute operations: the calls
// that launched them, and the ranges of modules and annotations that enclose the calls.
//
// Memory: 32 bytes a launch and a range, 4 an operation, 8 where nodes of graphs are known by their
// creation; while it is read 12 more an operation and 4 a launch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/growing_array.hpp"
#include "trace/host_ops.hpp"
#include "trace/host_waits.hpp"

namespace kr::trace {

/// A thread of a process, as the trace spells them.
struct HostThread {
  std::string process;
  std::string thread;
  /// None of them: ranges on it enclose the launches of all threads of the process.
  bool whole_process = false;
  /// Its ranges are on another clock: a thread of a reference, by which kernels of graphs were
  /// placed, or what the trace says of operations themselves (trace/operation_places.hpp).
  bool other_clock = false;

  friend auto operator<=>(const HostThread&, const HostThread&) = default;
};

/// A function of the runtime or the driver.
struct HostCall {
  std::string name;
  bool driver = false;
  std::string version = {};  // of its interface, `v3020`; empty: the trace names none
  /// With OpenOptions::reference, the kernel that the call launched or captured, where it says so.
  std::string kernel = {};

  friend auto operator<=>(const HostCall&, const HostCall&) = default;
};

/// One call of such a function.
struct Launch {
  static constexpr int64_t no_correlation = INT64_MIN;

  int64_t correlation;  // of the operations it launched
  int64_t start_ns;
  int64_t duration_ns;
  uint32_t call;    // in HostTrace::calls
  uint32_t thread;  // in HostTrace::threads

  int64_t end_ns() const noexcept { return start_ns + duration_ns; }
};
static_assert(sizeof(Launch) == 32);

/// [start, end) on one thread.
struct HostRange {
  static constexpr uint32_t none = UINT32_MAX;
  /// Ops only with OpenOptions::reference.
  enum class Kind : uint16_t { module, annotation, op };
  /// How the program marked it. `call`: it is a call that the profiler recorded by itself.
  enum class Form : uint16_t { call, push_pop, start_end };

  int64_t start_ns;
  int64_t end_ns;
  uint32_t name;  // in HostTrace::range_names
  uint32_t thread;
  /// The range that began last before this one on the thread and had not ended; none where there
  /// is none.
  uint32_t parent;
  Kind kind;
  Form form = Form::call;

  bool contains(int64_t time) const noexcept { return start_ns <= time && time < end_ns; }
};
static_assert(sizeof(HostRange) == 32);

/// The creation of a node of a CUDA graph, by a call that was captured into it: where the program
/// requested what the node does in every launch of the graph.
struct NodeCreation {
  int64_t time_ns;
  uint32_t thread;  // in HostTrace::threads
  /// Not of the trace itself, but of a reference: its place in HostTrace::aligned, counted from 1.
  /// 0: the trace recorded it, or says where it belongs.
  uint32_t aligned = 0;
  /// The innermost op of the reference around it, where the shapes there are surely those of the
  /// graph: its place in HostOps::captured, counted from 1. 0: there is none.
  uint32_t captured = 0;
  /// Not of a graph: the program requested the operation there, and another thread launched it.
  bool queued = false;
};

/// How a kernel of a graph was placed by a reference: what all best alignments agree on.
enum class Alignment : uint8_t { abstain, within, kind, instance };

struct AlignedNode {
  Alignment how = Alignment::abstain;
  std::string ops;  // that enclosed its launch, outermost first, with ` > ` between

  friend auto operator<=>(const AlignedNode&, const AlignedNode&) = default;
};

/// What a trace says of ranges beside their name. Ranges of one name may differ in it.
struct RangeText {
  std::string text;  // of a module whose name is a part of it, with shapes; empty: the name is all
  std::string domain;  // of NVTX; empty: the default

  friend auto operator<=>(const RangeText&, const RangeText&) = default;
};

/// A module's dotted path below another's: without that, where it begins with it.
std::string_view module_below(std::string_view path, std::string_view above) noexcept;

struct HostTrace {
  std::vector<HostThread> threads;  // sorted
  std::vector<HostCall> calls;      // sorted
  /// Sorted. Of a module, its class or its dotted path. With `range_texts`, a name occurs as often
  /// as there are texts of it.
  std::vector<std::string> range_names;
  /// By name; empty: there is nothing to say of any.
  std::vector<RangeText> range_texts;
  GrowingArray<Launch> launches;   // by start, then correlation, call and thread
  GrowingArray<HostRange> ranges;  // by thread, start, the longer first
  /// By time. Of nodes that are in `creation_of`.
  GrowingArray<NodeCreation> creations;
  std::vector<AlignedNode> aligned;  // see NodeCreation
  /// By operation of the trace: its launch, or HostRange::none.
  GrowingArray<uint32_t> launch_of;
  /// By operation: the creation of its node, or HostRange::none. Empty: of no operation.
  GrowingArray<uint32_t> creation_of;
  /// With OpenOptions::waits; empty where the format has none.
  std::unique_ptr<HostWaits> waits = {};
  /// With OpenOptions::ops; null where the format has none.
  std::unique_ptr<HostOps> ops = {};
  /// With OpenOptions::call_sites: calls of Python's functions, but for those of the framework (see
  /// trace/call_sites.hpp); null where the format has none.
  std::unique_ptr<HostOps> frames = {};
  /// Of a part of a run: the starts of the annotations of steps that are not followed here by the
  /// step that followed in the run, or that are not whole. Rising. Their wall times are not known.
  std::vector<int64_t> cut_steps = {};
  uint64_t orphans = 0;       // operations without a launch, for one reason or another
  uint64_t uncorrelated = 0;  // of these, those that name none

  const Launch* launch(size_t operation) const noexcept {
    const uint32_t at = launch_of[operation];
    return at == HostRange::none ? nullptr : &launches[at];
  }
  const NodeCreation* creation(size_t operation) const noexcept {
    if (creation_of.empty() || creation_of[operation] == HostRange::none) return nullptr;
    return &creations[creation_of[operation]];
  }
  /// How a reference placed an operation; null: there was none.
  const AlignedNode* alignment(size_t operation) const noexcept {
    const NodeCreation* const one = creation(operation);
    return one == nullptr || one->aligned == 0 ? nullptr : &aligned[one->aligned - 1];
  }
  /// The innermost module of a thread at a time; none: there is none.
  uint32_t module_at(uint32_t thread, int64_t time) const noexcept;
  /// All ranges of a kind on a thread at a time, the outermost first.
  std::vector<uint32_t> ranges_at(uint32_t thread, int64_t time, HostRange::Kind kind) const;
  std::vector<uint32_t> modules_at(uint32_t thread, int64_t time) const {
    return ranges_at(thread, time, HostRange::Kind::module);
  }
  /// The name of a module below another one: without the other's dotted path, where it begins with
  /// it. `outer` none: its whole name.
  std::string_view module_name(uint32_t range, uint32_t outer) const noexcept;

  /// The ranges of a thread, as places in `ranges`: [first, second).
  std::pair<uint32_t, uint32_t> ranges_of(uint32_t thread) const noexcept {
    return {first_range_[thread], first_range_[thread + 1]};
  }
  /// The thread that has the ranges of this one's whole process; none: no range needs it.
  uint32_t whole_process(uint32_t thread) const noexcept { return whole_process_[thread]; }

  // For the TraceBuilder that fills it, in any order.

  /// Sorts, numbers anew and nests. `launch_of` is not yet there.
  void order();
  /// The launch of that correlation; of several, the first. None: there is none. The search begins
  /// at `near`, and leaves there where it ended: correlations mostly rise.
  uint32_t find_launch(int64_t correlation, size_t& near) const noexcept;
  /// The same after threads, ranges, names of them and creations were added to a finished trace.
  /// Launches keep their places.
  void order_added();
  /// No more is searched by correlation.
  void linked() { by_correlation_ = {}; }

 private:
  // By old number of a thread the new one.
  void order_launches(const std::vector<uint32_t>& thread);
  void order_ranges(const std::vector<uint32_t>& thread);
  void group_ranges();
  void order_names();
  void order_creations(const std::vector<uint32_t>& thread);
  void nest();
  void index_launches();
  uint32_t enclosing(uint32_t range, int64_t time, HostRange::Kind kind) const noexcept;
  uint32_t innermost_at(uint32_t thread, int64_t time, HostRange::Kind kind) const noexcept;
  std::vector<uint32_t> first_range_;      // by thread, and the end
  std::vector<uint32_t> whole_process_;    // by thread
  GrowingArray<uint32_t> by_correlation_;  // launches
};

}  // namespace kr::trace
