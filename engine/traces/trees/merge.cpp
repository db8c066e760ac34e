#include "trees/merge.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/ascii.hpp"
#include "trees/level.hpp"

namespace kr::trees {
namespace {

/// The part of a name that is compared, and what is shown if the numbers of merged nodes differ.
struct Stem {
  std::string_view text;
  bool relative = false;     // to the name of the parent
  std::string_view joint{};  // between both
};

bool only_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// The number of a kernel is a part of its name, such as the size of a tile.
Stem stem_of(std::string_view name, std::string_view parent, bool has_children) {
  Stem stem{name};
  if (!parent.empty() && name.size() > parent.size() + 1 && name.starts_with(parent)) {
    const std::string_view joint = name.substr(parent.size(), 1);
    if (std::string_view("._/").find(joint) != std::string_view::npos) {
      stem = {name.substr(parent.size() + 1), true, joint};
    }
  }
  if (has_children) {
    stem.text = only_digits(stem.text) ? std::string_view() : numbered(stem.text).stem;
  }
  return stem;
}

/// The nodes that become one.
struct Group {
  trace::PathId first;
  uint32_t parent = UINT32_MAX;
  bool same_name = true;
  bool same_class = true;
  bool several = false;  // below one parent
  Stem stem;
};

}  // namespace

int64_t bounded_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

TreeMerger::TreeMerger(const trace::ModuleTrace& trace, std::span<const uint32_t> kinds,
                       bool siblings)
    : trace_(&trace), builder_(trace.source, trace.format) {
  choose_paths(kinds, siblings);
}

void TreeMerger::choose_paths(std::span<const uint32_t> kinds, bool siblings) {
  const trace::PathTable& paths = trace_->paths;
  const auto size = static_cast<uint32_t>(paths.size());
  std::vector<bool> has_children(size, false);
  for (uint32_t i = 0; i < size; ++i) {
    if (const trace::PathId parent = paths.parent({i}); parent.valid())
      has_children[parent.index] = true;
  }
  using Key = std::tuple<uint32_t, std::string_view, bool, uint32_t, uint32_t>;
  std::map<Key, uint32_t> known;
  std::vector<Group> groups;
  std::vector<uint32_t> group_of(size);
  std::unordered_set<uint64_t> parents;  // groups, and parents that have one of their nodes
  for (uint32_t i = 0; i < size; ++i) {
    const trace::PathId parent = paths.parent({i});
    const std::string_view name = trace_->name({i});
    const uint32_t parent_group = parent.valid() ? group_of[parent.index] : none;
    Stem stem{name};
    if (siblings) {
      stem = stem_of(name, parent.valid() ? trace_->name(parent) : std::string_view(),
                     has_children[i]);
    }
    // A node of the trace may be named like kr's own `(self)`.
    const bool self = paths.name({i}) == trace::ModuleTrace::self_name;
    const uint32_t ordinal = siblings && !self ? 0 : paths.ordinal({i});
    const auto [at, added] =
        known.try_emplace({parent_group, stem.text, stem.relative, kinds[i], ordinal},
                          static_cast<uint32_t>(groups.size()));
    if (added) groups.push_back({{i}, parent_group, true, true, false, stem});
    Group& group = groups[at->second];
    group.same_name = group.same_name && trace_->name(group.first) == name;
    group.same_class = group.same_class && trace_->class_of(group.first) == trace_->class_of({i});
    group.several |= !parents.insert(uint64_t{at->second} << 32 | parent.index).second;
    group_of[i] = at->second;
  }
  std::vector<trace::PathId> merged(groups.size());
  std::vector<std::string> names(groups.size());
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> ordinals;
  for (uint32_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    if (group.same_name) {
      names[i] = trace_->name(group.first);
    } else {
      names[i] = group.stem.text.empty() ? "*" : std::string(group.stem.text);
      if (group.stem.relative) {
        names[i].insert(0, names[group.parent] + std::string(group.stem.joint));
      }
    }
    const trace::PathId parent = group.parent == none ? trace::PathId() : merged[group.parent];
    merged[i] = builder_.path(parent, names[i], ++ordinals[{group.parent, names[i]}]);
    if (const std::string_view of = trace_->class_of(group.first);
        group.same_class && !of.empty()) {
      builder_.class_of(merged[i], of);
    }
    renamed_.push_back(!group.same_name);
    several_.push_back(group.several);
  }
  merged_of_.reserve(size);
  for (uint32_t i = 0; i < size; ++i) merged_of_.push_back(merged[group_of[i]]);
  sums_.resize(groups.size());
  seen_.assign(size, 0);
}

TreeMerger::Sum& TreeMerger::sum_of(trace::PathId merged) {
  if (merged.index >= sums_.size()) {
    sums_.resize(merged.index + 1);
    renamed_.resize(merged.index + 1, false);
    several_.resize(merged.index + 1, false);
  }
  Sum& sum = sums_[merged.index];
  if (!sum.occurs) occurring_.push_back(merged);
  sum.occurs = true;
  return sum;
}

void TreeMerger::add_up(std::span<const size_t> steps) {
  const uint64_t tree = counts_of_.size() + 1;
  for (const size_t step : steps) {
    trace_->expand(step, nodes_);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      const trace::ModuleNode& node = nodes_[i];
      const trace::PathId path = merged_of_[node.path.index];
      Sum& sum = sum_of(path);
      sum.calls = bounded_sum(sum.calls, node.invocations);
      if (node.end == i + 1) sum.own_ns += node.total_ns;
      if (std::exchange(seen_[node.path.index], tree) != tree) ++sum.count;
      if (const trace::PathId parent = builder_.paths().parent(path); parent.valid()) {
        sums_[parent.index].has_children = true;
      }
    }
  }
}

/// The time of a node is the sum of its children's: what it has where it has no children becomes a
/// child of its own.
void TreeMerger::add_own_times() {
  for (size_t i = 0; i < occurring_.size(); ++i) {
    const trace::PathId path = occurring_[i];
    const int64_t own_ns = sums_[path.index].own_ns;
    if (!sums_[path.index].has_children || own_ns == 0) continue;
    const std::string_view self = trace_->names.get(trace::ModuleTrace::self_name).text;
    Sum& sum = sum_of(builder_.path(path, self, 1));
    sum.own_ns += own_ns;
    sum.count = std::max<uint32_t>(sum.count, 1);
    sums_[path.index].own_ns = 0;
  }
}

/// In preorder, to `nodes_`. Returns the time of all.
int64_t TreeMerger::write_nodes() {
  const trace::PathTable& paths = builder_.paths();
  std::vector<Children> children(paths.size());
  uint32_t roots = none;
  for (size_t i = occurring_.size(); i-- > 0;) {
    const trace::PathId path = occurring_[i];
    const trace::PathId parent = paths.parent(path);
    uint32_t& first = parent.valid() ? children[parent.index].first : roots;
    children[path.index].next = std::exchange(first, path.index);
  }
  nodes_.clear();
  node_counts_.clear();
  int64_t total_ns = 0;
  std::vector<uint32_t> open;  // nodes
  for (uint32_t at = roots; at != none || !open.empty();) {
    if (at == none) {
      trace::ModuleNode& node = nodes_[open.back()];
      node.end = static_cast<uint32_t>(nodes_.size());
      at = children[node.path.index].next;
      open.pop_back();
      continue;
    }
    const Sum& sum = sums_[at];
    open.push_back(static_cast<uint32_t>(nodes_.size()));
    nodes_.push_back({{at}, 0, sum.own_ns, sum.calls});
    node_counts_.push_back(sum.count);
    total_ns += sum.own_ns;
    at = children[at].first;
  }
  return total_ns;
}

size_t TreeMerger::add(std::span<const size_t> steps, std::string key) {
  add_up(steps);
  add_own_times();
  trace::ModuleStep step;
  step.key = std::move(key);
  step.total_ns = write_nodes();
  for (const trace::PathId path : occurring_) sums_[path.index] = {};
  occurring_.clear();
  const auto next = static_cast<uint32_t>(tree_counts_.size());
  uint32_t counts = next;
  if (steps.size() == 1) {
    counts = counts_of_shape_.try_emplace(trace_->steps[steps[0]].shape, next).first->second;
    // A child `(self)` is there only if it has time.
    if (counts != next && tree_counts_[counts] != node_counts_) counts = next;
  }
  if (counts == next) tree_counts_.push_back(node_counts_);
  counts_of_.push_back(counts);
  return builder_.add_step(std::move(step), nodes_);
}

std::vector<Siblings> TreeMerger::siblings(std::span<const size_t> steps) const {
  std::vector<int64_t> sums(merged_of_.size(), -1);  // by path of the trace; -1: does not occur
  std::vector<trace::ModuleNode> nodes;
  for (const size_t step : steps) {
    trace_->expand(step, nodes);
    for (const trace::ModuleNode& node : nodes) {
      int64_t& sum = sums[node.path.index];
      sum = std::max<int64_t>(sum, 0) + node.total_ns;
    }
  }
  std::vector<trace::PathId> order;
  for (uint32_t i = 0; i < sums.size(); ++i) {
    if (sums[i] >= 0) order.push_back({i});
  }
  std::sort(order.begin(), order.end(), [&](trace::PathId a, trace::PathId b) {
    const auto key = [&](trace::PathId path) {
      return std::tuple(merged_of_[path.index].index, sums[path.index], path.index);
    };
    return key(a) < key(b);
  });
  std::vector<Siblings> siblings(several_.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const trace::PathId merged = merged_of_[order[begin].index];
    while (end < order.size() && merged_of_[order[end].index] == merged) ++end;
    const auto time = [&](size_t at) { return sums[order[at].index]; };
    size_t most = end - 1;
    while (most > begin && time(most - 1) == time(end - 1)) --most;
    const size_t high = begin + (end - begin) / 2, low = begin + (end - begin - 1) / 2;
    siblings[merged.index] = {
        end - begin,  time(begin),
        time(most),   static_cast<double>(time(low)) / 2 + static_cast<double>(time(high)) / 2,
        order[begin], order[most]};
  }
  return siblings;
}

std::string TreeMerger::number_text(trace::PathId path) const {
  std::vector<std::string> numbers;  // innermost first
  for (; path.valid(); path = trace_->paths.parent(path)) {
    const trace::PathId merged = merged_of_[path.index];
    if (!several_[merged.index]) continue;
    const std::string_view name = trace_->name(path);
    numbers.push_back(renamed_[merged.index]
                          ? std::string(name.substr(name.find_last_not_of("0123456789") + 1))
                          : "#" + std::to_string(trace_->paths.ordinal(path)));
  }
  std::string text;
  for (size_t i = numbers.size(); i-- > 0;) {
    if (!text.empty()) text += '.';
    text += numbers[i];
  }
  return text;
}

}  // namespace kr::trees
