#include "job/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace kr::job {
namespace {

using Part = MatchedGroup::Part;

const CollectiveInstance& instance_of(std::span<const JobRun> runs, const Part& part,
                                      uint32_t place) {
  return runs[part.run].members[part.member].collectives[place];
}

/// Whether the profiler numbers the operations of a part, each with a number of its own.
bool is_numbered(std::span<const JobRun> runs, const Part& part) {
  int64_t last = CollectiveInstance::unknown;
  return std::all_of(part.instances.begin(), part.instances.end(), [&](uint32_t place) {
    const int64_t before = std::exchange(last, instance_of(runs, part, place).sequence);
    return last > before;
  });
}

/// Keeps of the operations of each part those whose numbers all parts have. Numbers rise.
void match_by_number(std::span<const JobRun> runs, MatchedGroup& group) {
  std::vector<int64_t> common, numbers, both;
  for (const Part& part : group.parts) {
    numbers.clear();
    for (const uint32_t place : part.instances) {
      numbers.push_back(instance_of(runs, part, place).sequence);
    }
    if (&part == &group.parts.front()) {
      common = numbers;
    } else if (numbers != common) {
      both.clear();
      std::set_intersection(common.begin(), common.end(), numbers.begin(), numbers.end(),
                            std::back_inserter(both));
      common.swap(both);
    }
  }
  for (Part& part : group.parts) {
    if (part.instances.size() == common.size()) continue;
    std::vector<uint32_t> all = std::exchange(part.instances, {});
    auto next = common.begin();
    for (const uint32_t place : all) {
      const bool is_common =
          next != common.end() && *next == instance_of(runs, part, place).sequence;
      (is_common ? part.instances : part.others).push_back(place);
      if (is_common) ++next;
    }
  }
}

/// Keeps of the operations of each part as many as are known of every part.
void match_by_place(MatchedGroup& group) {
  size_t least = group.parts.front().instances.size();
  for (const Part& part : group.parts) least = std::min(least, part.instances.size());
  for (Part& part : group.parts) {
    const auto from = part.instances.begin() + static_cast<std::ptrdiff_t>(least);
    part.others.assign(from, part.instances.end());
    part.instances.erase(from, part.instances.end());
  }
}

bool is_complete(std::span<const JobRun> runs, const MatchedGroup& group) {
  const int64_t size = group.group.size;
  if (size != CollectiveGroup::unknown) return group.parts.size() >= static_cast<size_t>(size);
  return std::none_of(runs.begin(), runs.end(), [&](const JobRun& run) {
    return run.world_size && *run.world_size > static_cast<int64_t>(runs.size());
  });
}

/// Of a group without a name: whether its members have process groups of that kind that are not the
/// same. Then what has no name is of several groups, too: kernels of CUDA graphs beside others.
bool is_of_several(std::span<const JobRun> runs, const MatchedGroup& group) {
  if (!group.group.name.empty()) return false;
  using Named = std::set<std::pair<std::string_view, std::string_view>>;  // name, ranks
  std::optional<Named> first;
  for (const Part& part : group.parts) {
    Named named;
    for (const CollectiveGroup& one : runs[part.run].members[part.member].groups) {
      if (one.kind == group.group.kind && !one.name.empty()) named.emplace(one.name, one.ranks);
    }
    if (!first)
      first = std::move(named);
    else if (*first != named)
      return true;
  }
  return false;
}

/// `members`: of the job.
void match(std::span<const JobRun> runs, size_t members, MatchedGroup& group) {
  std::vector<Part>& parts = group.parts;
  if (is_one_sided(group.group.kind)) return;
  if (parts.size() < 2) {
    // Of a named group, others may have no trace here.
    if (members > 1 && group.group.name.empty()) {
      group.why_not = fmt::format("one of {} devices has it", members);
    }
    return;
  }
  if (is_of_several(runs, group)) {
    group.why_not = "its process group is not known, and devices have different ones of the kind";
    return;
  }
  const int64_t size = group.group.size;
  if (size != CollectiveGroup::unknown && static_cast<size_t>(size) < parts.size()) {
    group.why_not =
        fmt::format("{} devices have it, but the group has {} members", parts.size(), size);
    return;
  }
  const auto [least, most] = std::minmax_element(
      parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.all() < b.all(); });
  const int64_t fewest = least->all(), largest = most->all();
  if (std::all_of(parts.begin(), parts.end(),
                  [&](const Part& part) { return is_numbered(runs, part); })) {
    match_by_number(runs, group);
    group.matched = group.instances() > 0;
    if (!group.matched) group.why_not = "no number of one is that of another";
  } else if (fewest == largest) {
    match_by_place(group);
    group.matched = group.instances() > 0;
    if (!group.matched) group.why_not = "only sums are known of it";
  } else {
    group.why_not = fmt::format("they have {} to {} of it", fewest, largest);
  }
}

/// Sizes of process groups that have a name and ranks. A trace that began after a group was made
/// may lack the size that the trace of another rank has.
class GroupSizes {
 public:
  explicit GroupSizes(std::span<const JobRun> runs) {
    for (const JobRun& run : runs) {
      for (const Member& member : run.members) {
        for (const CollectiveGroup& group : member.groups) add(group);
      }
    }
  }
  /// With its size, if any trace has one and none has another.
  CollectiveGroup with_size(CollectiveGroup group) const {
    if (group.size != CollectiveGroup::unknown || group.name.empty()) return group;
    const auto known = sizes_.find({group.name, group.ranks});
    if (known != sizes_.end()) group.size = known->second;
    return group;
  }

 private:
  void add(const CollectiveGroup& group) {
    if (group.size == CollectiveGroup::unknown || group.name.empty()) return;
    const auto [at, added] = sizes_.try_emplace({group.name, group.ranks}, group.size);
    if (!added && at->second != group.size) at->second = CollectiveGroup::unknown;
  }

  std::map<std::pair<std::string, std::string>, int64_t> sizes_;  // by name and ranks
};

}  // namespace

std::vector<MatchedGroup> match_collectives(std::span<const JobRun> runs) {
  const GroupSizes sizes(runs);
  std::map<CollectiveGroup, MatchedGroup> groups;
  std::vector<MatchedGroup*> of_member;
  size_t members = 0;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t member = 0; member < runs[run].members.size(); ++member) {
      const Member& one = runs[run].members[member];
      ++members;
      of_member.clear();
      for (size_t group = 0; group < one.groups.size(); ++group) {
        MatchedGroup& to = groups[sizes.with_size(one.groups[group])];
        to.parts.push_back(
            {run, member, {}, {}, one.rest.empty() ? CollectiveRest() : one.rest[group]});
        of_member.push_back(&to);
      }
      for (size_t i = 0; i < one.collectives.size(); ++i) {
        of_member[one.collectives[i].group]->parts.back().instances.push_back(
            static_cast<uint32_t>(i));
      }
    }
  }
  std::vector<MatchedGroup> out;
  out.reserve(groups.size());
  for (auto& [key, group] : groups) {
    group.group = key;
    group.complete = is_complete(runs, group);
    match(runs, members, group);
    out.push_back(std::move(group));
  }
  return out;
}

}  // namespace kr::job
