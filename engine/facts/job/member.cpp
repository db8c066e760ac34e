#include "job/member.hpp"

namespace kr::job {

const char* to_string(CollectiveKind kind) noexcept {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "allreduce";
    case CollectiveKind::all_gather:
      return "allgather";
    case CollectiveKind::reduce_scatter:
      return "reducescatter";
    case CollectiveKind::all_to_all:
      return "alltoall";
    case CollectiveKind::broadcast:
      return "broadcast";
    case CollectiveKind::reduce:
      return "reduce";
    case CollectiveKind::gather:
      return "gather";
    case CollectiveKind::scatter:
      return "scatter";
    case CollectiveKind::barrier:
      return "barrier";
    case CollectiveKind::send:
      return "send";
    case CollectiveKind::receive:
      return "recv";
    case CollectiveKind::send_receive:
      return "sendrecv";
    case CollectiveKind::dispatch:
      return "dispatch";
    case CollectiveKind::combine:
      return "combine";
    case CollectiveKind::other:
      break;
  }
  return "other";
}

std::optional<CollectiveKind> collective_kind_from(std::string_view name) noexcept {
  for (int i = 0; i <= static_cast<int>(CollectiveKind::other); ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

bool needs_all(CollectiveKind kind) noexcept {
  switch (kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
    case CollectiveKind::barrier:
    case CollectiveKind::send_receive:
      return true;
    default:
      return false;
  }
}

bool ends_together(CollectiveKind kind) noexcept {
  switch (kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::all_gather:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::barrier:
      return true;
    default:
      return false;
  }
}

bool is_one_sided(CollectiveKind kind) noexcept {
  return kind == CollectiveKind::send || kind == CollectiveKind::receive;
}

bool has_source(CollectiveKind kind) noexcept {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::scatter;
}

bool has_target(CollectiveKind kind) noexcept {
  return kind == CollectiveKind::reduce || kind == CollectiveKind::gather;
}

}  // namespace kr::job
