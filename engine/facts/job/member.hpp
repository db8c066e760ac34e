// What the analysis of a job needs of one device of one run. It is made while the operations of the
// run are in memory, and stays when they are gone: 52 bytes per operation that communicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/warning.hpp"
#include "facts/fact.hpp"

namespace kr::job {

enum class CollectiveKind : uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  barrier,
  send,
  receive,
  send_receive,
  dispatch,  // of tokens to the devices of their experts
  combine,   // of what the experts made
  other,
};
/// `allreduce`: as libraries spell it.
const char* to_string(CollectiveKind kind) noexcept;
/// The kind that is spelled so; nullopt: none.
std::optional<CollectiveKind> collective_kind_from(std::string_view name) noexcept;
/// Whether it ends on no member before the last has begun, since each needs data of all.
bool needs_all(CollectiveKind kind) noexcept;
/// Whether it ends on all members at about the same time: each needs data of all, and as much of
/// it. Members of an alltoall or sendrecv end when they have what is theirs.
bool ends_together(CollectiveKind kind) noexcept;
/// Whether the k-th on one member has nothing to do with the k-th on another.
bool is_one_sided(CollectiveKind kind) noexcept;
/// Whether all need data of one member, the root: none ends before the root has begun.
bool has_source(CollectiveKind kind) noexcept;
/// Whether the root needs data of all: it does not end before the last has begun.
bool has_target(CollectiveKind kind) noexcept;

/// What PyTorch calls a collective: `allreduce`, `_allgather_base`, `nccl:all_to_allv`.
CollectiveKind kind_of_call(std::string_view name);
/// What kernels of NCCL, RCCL, MSCCL, vLLM, SGLang, NVSHMEM are called. Dispatches and combines are
/// known by their label (job/exchanges.hpp).
CollectiveKind kind_of_kernel(std::string_view name);

/// What counts for the bandwidth of one member, by what the profiler tells of the call; negative:
/// not known.
int64_t bytes_of(CollectiveKind kind, int64_t in_elements, int64_t out_elements,
                 std::string_view type) noexcept;
/// Bus bandwidth divided by algorithm bandwidth, as numerator and denominator; 0 and 0: not known.
std::pair<int64_t, int64_t> bus_factor(CollectiveKind kind, int64_t group_size) noexcept;

/// The k-th operation of a group on one member is the k-th on all of its members.
struct CollectiveGroup {
  static constexpr int64_t unknown = -1;

  std::string name;         // of the process group; empty: the trace does not tell
  std::string ranks;        // of the process group, as the source spells them; may be empty
  std::string description;  // of the process group: `TP`; may be empty
  CollectiveKind kind = CollectiveKind::other;
  std::string kernel;      // of kind `other`: the operations of a group have one name
  int64_t size = unknown;  // members

  friend auto operator<=>(const CollectiveGroup&, const CollectiveGroup&) = default;
};

struct CollectiveInstance {
  static constexpr int64_t unknown = -1;

  int64_t start_ns;  // times are those of the run's own clock
  int64_t end_ns;
  /// The time in which the device was busy before the start, from its first operation on.
  int64_t busy_before_ns;
  int64_t bytes;     // that the bandwidth counts, of one member; unknown
  int64_t sequence;  // among those of its process group; unknown
  uint32_t group;    // in Member::groups
  /// Rank in the job of the root; of a send or receive, of the other end; unknown.
  int32_t peer = unknown;

  int64_t duration_ns() const noexcept { return end_ns - start_ns; }
  /// It runs itself until then.
  int64_t busy_before_end_ns() const noexcept { return busy_before_ns + duration_ns(); }
};
static_assert(sizeof(CollectiveInstance) == 48);

/// Operations of a group of which only sums are known.
struct CollectiveRest {
  int64_t instances = 0;
  int64_t total_ns = 0;
  std::optional<int64_t> bytes = 0;  // nullopt: unknown, of all or of some

  friend bool operator==(const CollectiveRest&, const CollectiveRest&) = default;
};

/// Time of operations that communicate: their union, and what of it no compute kernel covers.
struct OverlapTimes {
  int64_t instances = 0;
  int64_t busy_ns = 0;
  int64_t exposed_ns = 0;

  int64_t overlapped_ns() const noexcept { return busy_ns - exposed_ns; }
};

/// What job/overlap.hpp says of one device. Each row is of one process group and kind.
struct CollectiveOverlap {
  struct Row {
    uint32_t group = 0;  // in `groups`
    OverlapTimes times = {};
    std::string dimension = {};              // of a label
    std::string label = {};                  // or phase
    std::optional<int64_t> number = {};      // of a layer or step
    std::optional<int64_t> step_layer = {};  // of a step: the layer that its annotation has
    size_t step_id = 0;                      // of a step: its place among those of the run
  };
  std::vector<CollectiveGroup> groups;
  std::vector<Row> whole;   // by group
  std::vector<Row> labels;  // by dimension, label, group
  std::vector<Row> layers;  // by number, group; without a number: in no layer
  std::vector<Row> phases;  // in order of first occurrence
  std::vector<Row> steps;   // by start; those that launched some of it
};

/// What job/exchanges.hpp says of one device.
struct MemberExchanges {
  /// A dispatch with its combine, or one of them alone.
  struct Exchange {
    // In Member::collectives.
    std::optional<uint32_t> dispatch;
    std::optional<uint32_t> combine;
    size_t phase = 0;                    // in `phases`
    std::optional<size_t> step_id = {};  // the innermost step of its first operation
    std::optional<int64_t> step = {};    // the number of the step, if its annotation has one
    std::optional<int64_t> layer = {};   // in a repeated block, else that of the annotation
    /// From the end of the dispatch to the start of the combine; the four below add up to it.
    int64_t between_ns = 0;
    int64_t compute_ns = 0;
    int64_t communication_ns = 0;  // no compute kernel runs
    int64_t memory_ns = 0;         // neither runs
    int64_t idle_ns = 0;
  };
  /// What else the rules know of exchanges.
  struct Others {
    int64_t instances = 0;
    int64_t total_ns = 0;
  };
  struct Phase {
    std::string name;  // empty: the trace has no steps
    Others preparation;
    Others unknown;  // neither dispatch nor combine by their names
  };
  /// Of the time between dispatches and combines of a phase, what no earlier operation covers.
  /// With `idle_ns` of the exchanges, the labels of a dimension add up to `between_ns`.
  struct BetweenLabel {
    size_t phase = 0;
    std::string dimension;
    std::string label;
    int64_t instances = 0;  // parts of operations
    int64_t busy_ns = 0;
  };
  std::vector<Phase> phases;         // in order of first occurrence
  std::vector<Exchange> exchanges;   // in order of launch of their first operation
  std::vector<BetweenLabel> labels;  // by phase, dimension, label
};

struct Member {
  int32_t device = 0;
  int64_t first_start_ns = 0;  // of all operations of the device
  std::vector<CollectiveGroup> groups;
  /// By launch; those without a launch by start.
  std::vector<CollectiveInstance> collectives;
  /// By collective: its place in Trace::operations. Empty of a saved run.
  std::vector<uint32_t> operations;
  /// By group: those after these, which a saved run keeps as sums. Empty: there are none.
  std::vector<CollectiveRest> rest;
  std::optional<CollectiveOverlap> overlap;  // if asked for
  std::optional<MemberExchanges> exchanges;  // with `overlap`, of devices with dispatch or combine
};

/// What of a run communicates.
struct Members {
  static constexpr facts::Set uses = facts::Set::of<analyze::RunSummary>();
  static constexpr facts::Reads reads = facts::Reads::host | facts::Reads::collectives;
  static facts::Computed<Members> compute(const facts::Input& run);
  /// Of each device the first collectives one by one (job/packed_collectives.hpp), the others as
  /// sums.
  void saved(facts::Fields& io, const analyze::RunSummary& run);
  std::optional<Warning> note(const facts::Input& run) const;

  std::vector<Member> all;  // see members_of
};

/// A demand for Members where there may be several ranks: of several runs, and of a file with
/// several.
struct RankMembers {};

/// A demand for Member::overlap and Member::exchanges of Members.
struct Overlaps {
  static constexpr facts::Set uses = facts::Set::of<Members>();
  static facts::Computed<Overlaps> compute(const facts::Input&) { return Overlaps{}; }
};

}  // namespace kr::job
