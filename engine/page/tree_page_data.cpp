#include "page/tree_page_data.hpp"

#include <algorithm>
#include <limits>

#include "picture/tree_bars.hpp"

namespace kr::page {
namespace {

constexpr uint32_t unused = std::numeric_limits<uint32_t>::max();

class Collector {
 public:
  Collector(const trees::TreeView& view, const TreePageLimits& limits)
      : view_(view), trace_(view.trace()), limits_(limits) {}

  TreePageData collect() {
    choose_entries();
    choose_phases();
    choose_bars();
    choose_places();
    find_entries();
    add_up();
    choose_trees();
    return std::move(data_);
  }

 private:
  void choose_entries() {
    const std::vector<trees::ViewEntry>& entries = view_.entries();
    const bool has_others = !entries.empty() && entries.back().others;
    const size_t named = entries.size() - (has_others ? 1 : 0);
    data_.entries = static_cast<uint32_t>(std::min(named, limits_.entries));
    data_.others = has_others || named > limits_.entries;
  }

  void choose_phases() {
    std::unordered_map<std::string_view, uint32_t> known;
    for (const trees::ViewStep& step : view_.steps()) {
      const auto [at, fresh] = known.try_emplace(step.phase, known.size());
      if (fresh && at->second < limits_.phases) data_.phases.push_back(step.phase);
      data_.phase_of.push_back(std::min(at->second, static_cast<uint32_t>(limits_.phases)));
    }
    if (known.size() > limits_.phases) data_.phases.emplace_back("all other phases");
  }

  /// Every k-th step of each phase, and the last. `of`: steps of the view.
  std::vector<size_t> every(const std::vector<size_t>& of, uint64_t interval) const {
    std::vector<size_t> last(data_.phases.size(), unused), count(data_.phases.size(), 0);
    for (const size_t step : of) last[data_.phase_of[step]] = step;
    std::vector<size_t> kept;
    for (const size_t step : of) {
      const uint32_t phase = data_.phase_of[step];
      if (count[phase]++ % interval == 0 || step == last[phase]) kept.push_back(step);
    }
    return kept;
  }

  void choose_bars() {
    std::vector<size_t> all(view_.steps().size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    const size_t cells = all.size() * std::max<size_t>(1, data_.entries);
    data_.bars = every(all, 1 + cells / std::max<size_t>(1, limits_.bar_cells));
  }

  /// Places that occur in a step shown, as deep as there is room for.
  void choose_places() {
    std::vector<bool> shape_seen(trace_.shapes.size(), false);
    std::vector<bool> occurs(trace_.paths.size(), false);
    for (const trees::ViewStep& step : view_.steps()) {
      const uint32_t shape = trace_.steps[step.index].shape;
      if (shape_seen[shape]) continue;
      shape_seen[shape] = true;
      for (const trace::ModuleTrace::ShapeNode& node : trace_.shapes[shape])
        occurs[node.path.index] = true;
    }
    std::vector<size_t> at_depth;
    for (uint32_t i = 0; i < occurs.size(); ++i) {
      if (!occurs[i]) continue;
      const uint32_t depth = trace_.paths.depth({i});
      if (at_depth.size() <= depth) at_depth.resize(depth + 1, 0);
      ++at_depth[depth];
    }
    const size_t room = limits_.path_cells / std::max<size_t>(1, data_.phases.size() + 2);
    size_t count = 0;
    for (size_t depth = 0; depth < at_depth.size() && count + at_depth[depth] <= room; ++depth) {
      count += at_depth[depth];
      data_.deepest = static_cast<int64_t>(depth);
    }
    data_.cut_in_depth = data_.deepest + 1 < static_cast<int64_t>(at_depth.size());
    place_of_.assign(trace_.paths.size(), unused);
    for (uint32_t i = 0; i < occurs.size(); ++i) {
      if (!occurs[i] || trace_.paths.depth({i}) > data_.deepest) continue;
      place_of_[i] = static_cast<uint32_t>(data_.paths.size());
      const trace::PathId parent = trace_.paths.parent({i});
      data_.parents.push_back(parent.valid() ? static_cast<int32_t>(place_of_[parent.index]) : -1);
      data_.paths.push_back({i});
    }
    data_.entry_of.assign(data_.paths.size(), -1);
  }

  /// The same for all steps of a shape: the view cuts by shape alone.
  void find_entries() {
    std::vector<bool> shape_seen(trace_.shapes.size(), false);
    std::vector<trace::ModuleNode> nodes;
    std::vector<trees::ViewRow> rows;
    for (size_t i = 0; i < view_.steps().size(); ++i) {
      const uint32_t shape = trace_.steps[view_.steps()[i].index].shape;
      if (shape_seen[shape]) continue;
      shape_seen[shape] = true;
      view_.rows_apart(i, nodes, rows);
      for (const trees::ViewRow& row : rows) {
        const uint32_t place = place_of_[row.path.index];
        if (place == unused) continue;
        data_.entry_of[place] = static_cast<int32_t>(data_.page_entry(row.entry));
      }
    }
  }

  void add_up() {
    std::vector<std::vector<int64_t>> ns(data_.phases.size()), calls(data_.phases.size());
    std::vector<std::vector<bool>> occurs(data_.phases.size());
    for (size_t phase = 0; phase < data_.phases.size(); ++phase) {
      ns[phase].assign(data_.paths.size(), 0);
      calls[phase].assign(data_.paths.size(), 0);
      occurs[phase].assign(data_.paths.size(), false);
    }
    std::vector<trace::ModuleNode> nodes;
    for (size_t i = 0; i < view_.steps().size(); ++i) {
      const uint32_t phase = data_.phase_of[i];
      trace_.expand(view_.steps()[i].index, nodes);
      for (const trace::ModuleNode& node : nodes) {
        const uint32_t place = place_of_[node.path.index];
        if (place == unused) continue;
        occurs[phase][place] = true;
        ns[phase][place] += node.total_ns;
        calls[phase][place] = picture::bounded_sum(calls[phase][place], node.invocations);
      }
    }
    data_.sums.resize(data_.phases.size());
    for (size_t phase = 0; phase < data_.phases.size(); ++phase) {
      TreePageData::Sum& sum = data_.sums[phase];
      for (uint32_t place = 0; place < data_.paths.size(); ++place) {
        if (!occurs[phase][place]) continue;
        sum.places.push_back(place);
        sum.ns.push_back(ns[phase][place]);
        sum.calls.push_back(calls[phase][place]);
      }
    }
  }

  /// Nodes and leaves of a shape that are held.
  struct Size {
    size_t nodes = 0;
    size_t leaves = 0;
  };
  Size size_of(uint32_t shape) {
    const auto [found, fresh] = sizes_.try_emplace(shape);
    if (!fresh) return found->second;
    const std::vector<trace::ModuleTrace::ShapeNode>& nodes = trace_.shapes[shape];
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (place_of_[nodes[i].path.index] == unused) continue;
      ++found->second.nodes;
      if (is_leaf(nodes, i)) ++found->second.leaves;
    }
    return found->second;
  }
  bool is_leaf(const std::vector<trace::ModuleTrace::ShapeNode>& nodes, uint32_t i) const {
    return nodes[i].end == i + 1 || place_of_[nodes[i + 1].path.index] == unused;
  }

  /// What trees of these steps would take, in values.
  size_t cost(const std::vector<size_t>& steps) {
    size_t cost = 0;
    std::vector<bool> seen(trace_.shapes.size(), false);
    for (const size_t step : steps) {
      const uint32_t shape = trace_.steps[view_.steps()[step].index].shape;
      const Size size = size_of(shape);
      cost += 1 + size.leaves + (seen[shape] ? 0 : size.nodes);
      seen[shape] = true;
    }
    return cost;
  }

  void choose_trees() {
    std::vector<size_t> steps = data_.bars;
    while (cost(steps) > limits_.tree_values) {
      const size_t before = steps.size();
      data_.tree_interval *= 2;
      steps = every(data_.bars, data_.tree_interval);
      if (steps.size() == before && data_.tree_interval > data_.bars.size()) {
        steps.clear();  // not even one of each phase
        break;
      }
    }
    std::unordered_map<uint32_t, uint32_t> known;
    for (const size_t step : steps) {
      const uint32_t shape = trace_.steps[view_.steps()[step].index].shape;
      const auto [at, fresh] = known.try_emplace(shape, static_cast<uint32_t>(data_.shapes.size()));
      if (fresh) add_shape(trace_.shapes[shape]);
      data_.trees.push_back({step, at->second});
    }
  }

  void add_shape(const std::vector<trace::ModuleTrace::ShapeNode>& nodes) {
    TreePageData::Shape& shape = data_.shapes.emplace_back();
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      const uint32_t place = place_of_[nodes[i].path.index];
      if (place == unused) continue;
      shape.places.push_back(place);
      shape.calls.push_back(nodes[i].invocations);
      if (is_leaf(nodes, i)) shape.leaves.push_back(i);
    }
  }

  const trees::TreeView& view_;
  const trace::ModuleTrace& trace_;
  const TreePageLimits& limits_;
  TreePageData data_;
  std::vector<uint32_t> place_of_;  // by path
  std::unordered_map<uint32_t, Size> sizes_;
};

}  // namespace

TreePageData tree_page_data(const trees::TreeView& view, const TreePageLimits& limits) {
  return Collector(view, limits).collect();
}

}  // namespace kr::page
