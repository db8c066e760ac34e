#include "what_if/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "what_if/what_if.hpp"

namespace kr::what_if {
namespace {

using job::MatchedGroup;

std::string name_of(const job::CollectiveGroup& group) {
  if (group.kind == job::CollectiveKind::other && !group.kernel.empty()) return group.kernel;
  return job::to_string(group.kind);
}

/// The run whose job has more processes than there are runs.
std::string missing_ranks(std::span<const job::JobRun> of) {
  int64_t ranks = 0;
  bool communicates = false;
  for (const job::JobRun& run : of) {
    ranks = std::max(ranks, run.world_size.value_or(0));
    communicates |= !run.members.empty();
  }
  const auto here = static_cast<int64_t>(of.size());
  if (!communicates || ranks <= here) return {};
  if (here == 1) {
    return fmt::format(
        "the run is one of the {} ranks of a job, and communicates: how long it would wait for the "
        "others depends on their traces",
        ranks);
  }
  return fmt::format(
      "{} of the {} ranks of the job are here: how long they would wait for the others depends on "
      "their traces",
      here, ranks);
}

class WaitFinder {
 public:
  WaitFinder(std::span<const analyze::LabelledTrace* const> runs, std::span<const job::JobRun> of,
             const job::Job& job)
      : runs_(runs), of_(of), job_(job), unknown_(runs.size()) {
    out_ = JobWaits::none(runs.size());
    for (size_t run = 0; run < runs.size(); ++run) {
      out_.shift_ns[run] = job.clocks.shift_ns(run);
    }
    size_t members = 0;
    for (const job::JobRun& run : of) members += run.members.size();
    alone_ = members == 1;
  }

  JobWaits find() && {
    out_.unknown_reason = missing_ranks(of_);
    if (out_.unknown_reason.empty() && !job_.clocks.is_one()) {
      out_.unknown_reason = "the clocks of the ranks are not known to be one";
    }
    if (!out_.unknown_reason.empty()) return std::move(out_);
    add_pairs();
    for (const MatchedGroup& group : job_.groups) add(group);
    for (auto& parts : out_.parts) {
      std::sort(parts.begin(), parts.end(),
                [](const auto& a, const auto& b) { return a.operation < b.operation; });
    }
    find_unknown();
    out_.alone = alone_ && out_.unknown_reason.empty() && is_much(0, lone_ns_);
    return std::move(out_);
  }

 private:
  const job::Member& member_of(const MatchedGroup::Part& part) const {
    return of_[part.run].members[part.member];
  }

  /// A receive waits for its send. A send may be over before the receive begins, or waits, too.
  void add_pairs() {
    std::vector<job::PeerPair> pairs;
    (void)job::match_peers(of_, job_.clocks, &pairs);
    for (const job::PeerPair& one : pairs) {
      const job::CollectiveInstance& send = of_[one.from_run].members[0].collectives[one.send];
      const job::CollectiveInstance& receive = of_[one.to_run].members[0].collectives[one.receive];
      const bool both = job_.clocks.on_clock(one.from_run, send.end_ns) >
                        job_.clocks.on_clock(one.to_run, receive.start_ns);
      add_part(one.from_run, 0, one.send, true, both);
      add_part(one.to_run, 0, one.receive, both, true);
      ++collectives_;
      paired_.insert({one.from_run, one.send});
      paired_.insert({one.to_run, one.receive});
    }
  }

  void add_part(size_t run, size_t number, uint32_t place, bool is_needed, bool waits) {
    const job::Member& member = of_[run].members[number];
    const int64_t start_ns = member.collectives[place].start_ns;
    const int64_t common_ns = job_.clocks.on_clock(run, start_ns);
    out_.parts[run].push_back({member.operations[place], collectives_,
                               subtract_saturated(common_ns, start_ns), is_needed, waits});
  }

  void add(const MatchedGroup& group) {
    const std::string reason = reason_of(group);
    if (alone_ && group.group.size != 1) {
      lone_ns_ = add_saturated(lone_ns_, kernels_ns(group.parts[0], group.parts[0].instances));
    }
    for (const MatchedGroup::Part& part : group.parts) {
      if (!reason.empty()) leave(part, part.instances, reason);
      leave(part, part.others, "some of `" + name_of(group.group) + "` are of some ranks only");
    }
    if (!reason.empty() || !group.matched) return;
    for (size_t k = 0; k < group.instances(); ++k) add_matched(group, k);
  }

  /// The k-th of each part.
  void add_matched(const MatchedGroup& group, size_t k) {
    const job::CollectiveKind kind = group.group.kind;
    const MatchedGroup::Part* const root = root_of(group, k);
    if (!job::needs_all(kind) && root == nullptr) {
      for (const MatchedGroup::Part& part : group.parts) {
        leave(part, {part.instances[k]},
              fmt::format("the root of a `{}` is not known", name_of(group.group)));
      }
      return;
    }
    for (const MatchedGroup::Part& part : group.parts) {
      const bool is_root = &part == root;
      add_part(part.run, part.member, part.instances[k], !job::has_source(kind) || is_root,
               job::needs_all(kind) || job::has_source(kind) != is_root);
    }
    ++collectives_;
  }

  /// Of a collective from or to one member; null: it has none, or which is not known.
  const MatchedGroup::Part* root_of(const MatchedGroup& group, size_t k) const {
    if (job::needs_all(group.group.kind)) return nullptr;
    const int32_t rank = member_of(group.parts[0]).collectives[group.parts[0].instances[k]].peer;
    for (const MatchedGroup::Part& part : group.parts) {
      const bool is_it = rank != job::CollectiveInstance::unknown && of_[part.run].rank == rank;
      if (is_it && of_[part.run].members.size() == 1) return &part;
    }
    return nullptr;
  }

  /// Why the waits of a group are not known; empty: they are, or it does not wait.
  std::string reason_of(const MatchedGroup& group) const {
    const std::string name = name_of(group.group);
    const job::CollectiveKind kind = group.group.kind;
    const int64_t size = group.group.size;
    const auto here = static_cast<int64_t>(group.parts.size());
    if (here == 1 && (size == 1 || (size == job::CollectiveGroup::unknown && alone_))) return {};
    if (job::is_one_sided(kind)) {
      return fmt::format("the other rank of a `{}` is not known, or not here", name);
    }
    if (!group.complete && size != job::CollectiveGroup::unknown) {
      return fmt::format("{} of the {} members of a process group are here", here, size);
    }
    if (!job::needs_all(kind) && !job::has_source(kind) && !job::has_target(kind)) {
      return fmt::format("kr does not know for whom `{}` waits", name);
    }
    if (!group.matched) {
      return fmt::format("`{}` of several ranks could not be matched{}{}", name,
                         group.why_not.empty() ? "" : ": ", group.why_not);
    }
    return {};
  }

  /// Copies do not wait for others.
  int64_t kernels_ns(const MatchedGroup::Part& part, const std::vector<uint32_t>& places) const {
    const trace::Trace& trace = runs_[part.run]->trace;
    int64_t sum_ns = 0;
    for (const uint32_t place : places) {
      if (paired_.contains({part.run, place})) continue;
      const trace::Operation& one = trace.operations[member_of(part).operations[place]];
      if (trace.names.get(one.name).kind != OperationKind::kernel) continue;
      sum_ns = add_saturated(sum_ns, one.duration_ns);
    }
    return sum_ns;
  }
  void leave(const MatchedGroup::Part& part, const std::vector<uint32_t>& places,
             const std::string& reason) {
    int64_t& ns = unknown_[part.run][reason];
    ns = add_saturated(ns, kernels_ns(part, places));
  }

  /// More than what a replay may be off.
  bool is_much(size_t run, int64_t ns) const {
    replay::Extent extent;
    for (const trace::Operation& one : runs_[run]->trace.operations) {
      extent.add(one.start_ns, one.end_ns());
    }
    return !reproduces(extent.span_ns(), subtract_saturated(extent.span_ns(), ns));
  }

  void find_unknown() {
    for (size_t run = 0; run < runs_.size(); ++run) {
      int64_t total_ns = 0;
      std::pair<std::string_view, int64_t> most;
      for (const auto& [reason, ns] : unknown_[run]) {
        total_ns = add_saturated(total_ns, ns);
        if (ns > most.second) most = {reason, ns};
      }
      if (!is_much(run, total_ns)) continue;
      out_.unknown_reason =
          fmt::format("{}: how long ranks would wait for each other is not known", most.first);
      for (auto& parts : out_.parts) parts.clear();
      return;
    }
  }

  std::span<const analyze::LabelledTrace* const> runs_;
  std::span<const job::JobRun> of_;
  const job::Job& job_;
  std::vector<std::map<std::string, int64_t>> unknown_;  // by run, by reason: time
  JobWaits out_;
  std::set<std::pair<size_t, uint32_t>> paired_;  // run and place of sends and receives
  uint32_t collectives_ = 0;
  bool alone_ = false;   // one device of the job communicates
  int64_t lone_ns_ = 0;  // its time in communication
};

}  // namespace

JobWaits JobWaits::none(size_t runs) {
  JobWaits out;
  out.parts.resize(runs);
  out.shift_ns.resize(runs);
  return out;
}

JobWaits waits_of(std::span<const analyze::LabelledTrace* const> runs,
                  std::span<const job::JobRun> of, const job::Job& job) {
  return WaitFinder(runs, of, job).find();
}

}  // namespace kr::what_if
