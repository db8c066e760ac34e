#include "job/peers.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/saturated.hpp"
#include "job/communications.hpp"

namespace kr::job {
namespace {

/// Sends or receives of one run, in order of launch.
struct OneSide {
  std::vector<std::pair<size_t, const CollectiveInstance*>> all;  // with the run

  /// Each with a number of its own, in rising order.
  bool is_numbered() const {
    int64_t last = CollectiveInstance::unknown;
    return std::all_of(all.begin(), all.end(), [&](const auto& one) {
      return std::exchange(last, one.second->sequence) < one.second->sequence;
    });
  }
  bool of_one_run() const {
    return std::all_of(all.begin(), all.end(),
                       [&](const auto& one) { return one.first == all.front().first; });
  }
};

struct BothSides {
  OneSide sends, receives;
  bool of_two = false;  // the group has two members
};

std::optional<int64_t> other_of_two(const CollectiveGroup& group, std::optional<int64_t> rank) {
  const auto first = rank_in_list(group.ranks, 0), second = rank_in_list(group.ranks, 1);
  if (!rank || !first || !second || rank_in_list(group.ranks, 2)) return std::nullopt;
  if (group.size != CollectiveGroup::unknown && group.size != 2) return std::nullopt;
  if (*rank == *first) return second;
  return *rank == *second ? first : std::nullopt;
}

using PeerKey =
    std::tuple<std::string, std::string, std::optional<int64_t>, std::optional<int64_t>>;

class PeerMatcher {
 public:
  PeerMatcher(std::span<const JobRun> runs, const PeerKey& key, const BothSides& sides,
              const ClockTable& clocks, std::vector<PeerPair>* pairs)
      : runs_(runs), sides_(sides), clocks_(clocks), pairs_(pairs) {
    std::tie(out_.group, out_.ranks, out_.from, out_.to) = key;
    out_.sends = static_cast<int64_t>(sides.sends.all.size());
    out_.receives = static_cast<int64_t>(sides.receives.all.size());
  }

  PeerTimes match() && {
    const auto &sends = sides_.sends.all, &receives = sides_.receives.all;
    if (!out_.from || !out_.to) {
      out_.why_not = "it is not known which ranks they are between";
    } else if (sends.empty() || receives.empty()) {
      out_.why_not = "the other rank is not among the runs, or has none";
    } else if (!sides_.sends.of_one_run() || !sides_.receives.of_one_run()) {
      out_.why_not = "several runs have the same rank";
    } else {
      out_.one_clock = clocks_.comparable(sends.front().first, receives.front().first);
      if (sides_.of_two && sides_.sends.is_numbered() && sides_.receives.is_numbered()) {
        match_by_number();
      } else if (sends.size() == receives.size()) {
        for (size_t k = 0; k < sends.size(); ++k) add(sends[k], receives[k]);
      } else {
        out_.why_not = "there are not as many sends as receives";
      }
    }
    if (out_.matched == 0) out_.bytes.reset();
    return std::move(out_);
  }

 private:
  using One = std::pair<size_t, const CollectiveInstance*>;

  void match_by_number() {
    auto send = sides_.sends.all.begin();
    auto receive = sides_.receives.all.begin();
    while (send != sides_.sends.all.end() && receive != sides_.receives.all.end()) {
      const int64_t a = send->second->sequence, b = receive->second->sequence;
      if (a == b) add(*send, *receive);
      if (a <= b) ++send;
      if (b <= a) ++receive;
    }
    if (out_.matched < std::max(out_.sends, out_.receives)) {
      out_.why_not = "the number of some is that of no other";
    }
  }

  void add(const One& send, const One& receive) {
    const int64_t send_ns = send.second->duration_ns();
    const int64_t receive_ns = receive.second->duration_ns();
    if (++out_.matched == 1) out_.bytes = 0;
    const int64_t bytes = std::max(send.second->bytes, receive.second->bytes);
    if (bytes == CollectiveInstance::unknown) out_.bytes.reset();
    if (out_.bytes) out_.bytes = add_saturated(*out_.bytes, bytes);
    if (pairs_ != nullptr) {
      pairs_->push_back({send.first, receive.first, place_of(send), place_of(receive)});
    }
    out_.send_ns = add_saturated(out_.send_ns, send_ns);
    out_.receive_ns = add_saturated(out_.receive_ns, receive_ns);
    if (!out_.one_clock) return;
    const int64_t later =
        subtract_saturated(clocks_.on_clock(send.first, send.second->start_ns),
                           clocks_.on_clock(receive.first, receive.second->start_ns));
    const int64_t earlier = subtract_saturated(0, later);
    out_.receive_waiting_ns =
        add_saturated(out_.receive_waiting_ns, std::clamp<int64_t>(later, 0, receive_ns));
    out_.send_waiting_ns =
        add_saturated(out_.send_waiting_ns, std::clamp<int64_t>(earlier, 0, send_ns));
  }

  uint32_t place_of(const One& one) const {
    return static_cast<uint32_t>(one.second - runs_[one.first].members[0].collectives.data());
  }

  std::span<const JobRun> runs_;
  const BothSides& sides_;
  const ClockTable& clocks_;
  std::vector<PeerPair>* pairs_;
  PeerTimes out_;
};

}  // namespace

std::vector<PeerTimes> match_peers(std::span<const JobRun> runs, const ClockTable& clocks,
                                   std::vector<PeerPair>* pairs) {
  std::map<PeerKey, BothSides> found;
  for (size_t run = 0; run < runs.size(); ++run) {
    const std::optional<int64_t> own =
        runs[run].members.size() == 1 ? runs[run].rank : std::nullopt;
    for (const Member& member : runs[run].members) {
      for (const CollectiveInstance& one : member.collectives) {
        const CollectiveGroup& group = member.groups[one.group];
        if (!is_one_sided(group.kind)) continue;
        const std::optional<int64_t> only = other_of_two(group, own);
        std::optional<int64_t> other = only;
        if (one.peer != CollectiveInstance::unknown) other = one.peer;
        const bool sends = group.kind == CollectiveKind::send;
        BothSides& sides = found[sends ? PeerKey{group.name, group.ranks, own, other}
                                       : PeerKey{group.name, group.ranks, other, own}];
        sides.of_two = only.has_value();
        (sends ? sides.sends : sides.receives).all.emplace_back(run, &one);
      }
    }
  }
  std::vector<PeerTimes> out;
  out.reserve(found.size());
  for (const auto& [key, sides] : found)
    out.push_back(PeerMatcher(runs, key, sides, clocks, pairs).match());
  return out;
}

}  // namespace kr::job
