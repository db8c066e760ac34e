// What the analysis of a job needs of one device of one run. It is made while the operations of the
// run are in memory, and stays when they are gone: 48 bytes per operation that communicates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  other,
};
/// `allreduce`: as libraries spell it.
const char* to_string(CollectiveKind kind) noexcept;
/// Whether it ends on no member before the last has begun, since each needs data of all.
bool needs_all(CollectiveKind kind) noexcept;

/// The k-th operation of a group on one member is the k-th on all of its members.
struct CollectiveGroup {
  std::string name;  // of the process group; empty: the trace does not tell
  CollectiveKind kind = CollectiveKind::other;

  friend auto operator<=>(const CollectiveGroup&, const CollectiveGroup&) = default;
};

struct CollectiveInstance {
  static constexpr int64_t unknown = -1;

  int64_t start_ns;  // times are those of the run's own clock
  int64_t end_ns;
  /// The time in which the device was busy before the start and before the end, from its first
  /// operation on.
  int64_t busy_before_start_ns;
  int64_t busy_before_end_ns;
  int64_t bytes;       // that the bandwidth counts, of one member; unknown
  uint32_t group;      // in Member::groups
  int32_t group_size;  // members; unknown

  int64_t duration_ns() const noexcept { return end_ns - start_ns; }
};

struct Member {
  size_t run = 0;
  int32_t device = 0;
  std::vector<CollectiveGroup> groups;
  std::vector<CollectiveInstance> collectives;  // by launch; where there is none, by start
};

}  // namespace kr::job
