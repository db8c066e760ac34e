#include "job/communications.hpp"

#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "base/integer.hpp"

namespace kr::job {
namespace {

/// The calls of operations, asked in the order of operations.
class Calls {
 public:
  explicit Calls(const trace::Trace& trace) : collectives_(trace.collectives.get()) {}

  /// Null if the trace tells nothing of the operation.
  const trace::CollectiveOperation* of(size_t operation) {
    if (collectives_ == nullptr) return nullptr;
    const std::vector<trace::CollectiveOperation>& all = collectives_->operations;
    while (next_ < all.size() && all[next_].operation < operation) ++next_;
    return next_ < all.size() && all[next_].operation == operation ? &all[next_] : nullptr;
  }

 private:
  const trace::Collectives* collectives_;
  size_t next_ = 0;
};

int32_t peer_of(CollectiveKind kind, const trace::CollectiveCall& call) {
  std::optional<int64_t> peer;
  if (kind == CollectiveKind::send) peer = call.destination_rank;
  if (kind == CollectiveKind::receive) peer = call.source_rank;
  if ((has_source(kind) || has_target(kind)) && call.rank_argument) {
    peer = rank_in_list(call.ranks, *call.rank_argument);
  }
  const bool fits = peer && *peer >= 0 && *peer <= std::numeric_limits<int32_t>::max();
  return fits ? static_cast<int32_t>(*peer) : static_cast<int32_t>(CollectiveInstance::unknown);
}

/// What is the same for operations of one name and call.
struct Known {
  CollectiveGroup group;
  int64_t bytes = CollectiveInstance::unknown;
  int32_t peer = CollectiveInstance::unknown;
};

CollectiveKind kind_of_exchange(Direction direction, std::string_view name) {
  const CollectiveKind kind = kind_of_kernel(name);
  // A collective of NCCL or RCCL stays what it is: each of its members needs data of all.
  const bool stays = name.starts_with("nccl") || name.starts_with("rccl");
  if (kind != CollectiveKind::other && stays) return kind;
  if (direction == Direction::dispatch) return CollectiveKind::dispatch;
  return direction == Direction::combine ? CollectiveKind::combine : kind;
}

Known known_of(const trace::Trace& trace, trace::NameId name, Direction direction,
               const trace::CollectiveCall* call) {
  Known known;
  const std::string_view text = trace.names.get(name).text;
  CollectiveGroup& group = known.group;
  if (call != nullptr) {
    group.name = call->group;
    group.ranks = call->ranks;
    group.description = call->description;
    group.size = call->group_size.value_or(CollectiveGroup::unknown);
    group.kind = kind_of_call(call->name);
  }
  if (group.kind == CollectiveKind::other) group.kind = kind_of_exchange(direction, text);
  if (group.kind == CollectiveKind::other) group.kernel = text;
  if (call != nullptr) {
    known.bytes = call->bytes.value_or(bytes_of(group.kind, call->in_elements.value_or(-1),
                                                call->out_elements.value_or(-1), call->type));
    known.peer = peer_of(group.kind, *call);
  }
  return known;
}

}  // namespace

std::optional<int64_t> rank_in_list(std::string_view ranks, int64_t place) noexcept {
  if (!ranks.starts_with('[') || !ranks.ends_with(']') || place < 0) return std::nullopt;
  ranks.remove_prefix(1);
  ranks.remove_suffix(1);
  for (;; --place) {
    const size_t comma = ranks.find(',');
    std::string_view entry = ranks.substr(0, comma);
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    const auto rank = integer_from<int64_t>(entry);
    if (!rank) return std::nullopt;
    if (place == 0) return rank;
    if (comma == ranks.npos) return std::nullopt;
    ranks.remove_prefix(comma + 1);
  }
}

int64_t launched_ns(const trace::Trace& trace, size_t operation) {
  const trace::Launch* const launch = trace.host ? trace.host->launch(operation) : nullptr;
  return launch != nullptr ? launch->start_ns : trace.operations[operation].start_ns;
}

Communications communications_of(const analyze::LabelledTrace& run,
                                 const std::vector<analyze::Kind>& kinds,
                                 const std::vector<Direction>& directions) {
  const trace::Trace& trace = run.trace;
  Communications out;
  std::map<CollectiveGroup, uint32_t> groups;
  struct OfKnown {
    int64_t bytes;
    uint32_t group;
    int32_t peer;
  };
  std::map<std::pair<uint32_t, int64_t>, OfKnown> known;  // by row, call
  Calls calls(trace);
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& operation = trace.operations[i];
    const uint32_t row = run.labelled.row(i, operation);
    if (kinds[row] != analyze::Kind::communication) continue;
    const trace::CollectiveOperation* const told = calls.of(i);
    const auto [at, added] = known.try_emplace({row, told != nullptr ? told->call : int64_t{-1}});
    if (added) {
      const Known one = known_of(trace, operation.name, directions[row],
                                 told != nullptr ? &trace.collectives->calls[told->call] : nullptr);
      const auto [group, is_new] =
          groups.try_emplace(one.group, static_cast<uint32_t>(out.groups.size()));
      if (is_new) out.groups.push_back(one.group);
      at->second = {one.bytes, group->second, one.peer};
    }
    out.operations.push_back(
        {.operation = i,
         .device = trace.track(operation.track).device,
         .group = at->second.group,
         .bytes = at->second.bytes,
         .sequence = told != nullptr ? told->sequence : CollectiveInstance::unknown,
         .peer = at->second.peer});
  }
  return out;
}

}  // namespace kr::job
