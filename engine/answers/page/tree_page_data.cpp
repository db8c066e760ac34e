#include "page/tree_page_data.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "picture/tree_bars.hpp"

namespace kr::page {
namespace {

constexpr uint32_t unused = std::numeric_limits<uint32_t>::max();

/// Sums of one place; it occurs if `count` is not 0.
struct PlaceSum {
  void add(const PlaceSum& more) {
    ns += more.ns;
    calls = trees::bounded_sum(calls, more.calls);
    count += more.count;
  }
  int64_t ns = 0, calls = 0, count = 0;
};

/// Of the places that occur.
TreePageData::Nodes occurring(const std::vector<PlaceSum>& sums) {
  TreePageData::Nodes nodes;
  for (uint32_t place = 0; place < sums.size(); ++place) {
    if (sums[place].count == 0) continue;
    nodes.places.push_back(place);
    nodes.ns.push_back(sums[place].ns);
    nodes.calls.push_back(sums[place].calls);
    nodes.counts.push_back(sums[place].count);
  }
  return nodes;
}

class Collector {
 public:
  Collector(const trees::TreeView& view, const TreePageLimits& limits)
      : view_(view), trace_(view.modules().trace), limits_(limits) {
    std::vector<bool> seen(trace_.shapes.size(), false);
    for (size_t i = 0; i < view.steps().size(); ++i) {
      const uint32_t shape = trace_.steps[view.steps()[i].of[0]].shape;
      if (!seen[shape]) shapes_.push_back({shape, i});
      seen[shape] = true;
    }
  }

  TreePageData collect() {
    choose_entries();
    choose_phases();
    choose_bars();
    choose_places();
    merge_places();
    find_entries();
    add_up();
    add_up_entries();
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

  /// Places that occur in a step shown, down to the depth that the limit allows.
  void choose_places() {
    std::vector<bool> occurs(trace_.paths.size(), false);
    for (const auto& [shape, step] : shapes_) {
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
    const size_t most = limits_.path_cells / std::max<size_t>(1, data_.phases.size() + 2);
    size_t count = 0;
    for (size_t depth = 0; depth < at_depth.size() && count + at_depth[depth] <= most; ++depth) {
      count += at_depth[depth];
      data_.deepest = static_cast<int64_t>(depth);
    }
    data_.cut_in_depth = data_.deepest + 1 < static_cast<int64_t>(at_depth.size());
    place_of_.assign(trace_.paths.size(), unused);
    for (uint32_t i = 0; i < occurs.size(); ++i) {
      if (!occurs[i] || trace_.paths.depth({i}) > data_.deepest) continue;
      place_of_[i] = static_cast<uint32_t>(places().size());
      const trace::PathId parent = trace_.paths.parent({i});
      places().push_back(
          {.parent = parent.valid() ? static_cast<int32_t>(place_of_[parent.index]) : -1,
           .name = trace_.name({i}),
           .label = label_of(view_.merged_of({i})),
           .ordinal = trace_.paths.ordinal({i}),
           .number = view_.number_text({i})});
    }
  }

  /// The label; nothing if no rule gives one.
  std::string_view label_of(trace::PathId path) const {
    return view_.labelled(path) ? view_.label(path) : std::string_view();
  }

  void merge_places() {
    merged_place_.assign(view_.trace().paths.size(), unused);
    std::vector<TreePageData::Place>& merged = data_.merged.places;
    data_.merged_of.reserve(places().size());
    for (uint32_t i = 0; i < place_of_.size(); ++i) {
      if (place_of_[i] == unused) continue;
      const trace::PathId path = view_.merged_of({i});
      uint32_t& place = merged_place_[path.index];
      if (place == unused) {
        place = static_cast<uint32_t>(merged.size());
        const trace::PathId parent = view_.trace().paths.parent(path);
        merged.push_back(
            {.parent = parent.valid() ? static_cast<int32_t>(merged_place_[parent.index]) : -1,
             .name = view_.trace().name(path),
             .label = label_of(path),
             .ordinal = view_.trace().paths.ordinal(path),
             .number = {}});
      }
      data_.merged_of.push_back(place);
    }
  }

  /// The same for all steps of a shape: what the view cuts depends only on the shape.
  void find_entries() {
    std::vector<trace::ModuleNode> nodes;
    std::vector<trees::ViewRow> rows;
    for (const auto& [shape, step] : shapes_) {
      view_.rows_apart(step, nodes, rows);
      for (const trees::ViewRow& row : rows) {
        const uint32_t place = merged_place_[row.path.index];
        if (place == unused) continue;
        data_.merged.places[place].entry = static_cast<int32_t>(data_.page_entry(row.entry));
      }
    }
    for (size_t i = 0; i < places().size(); ++i) {
      places()[i].entry = data_.merged.places[data_.merged_of[i]].entry;
    }
  }

  void add_up() {
    std::vector<std::vector<PlaceSum>> sums(data_.phases.size() + 1,
                                            std::vector<PlaceSum>(places().size()));
    std::vector<trace::ModuleNode> nodes;
    for (size_t i = 0; i < view_.steps().size(); ++i) {
      trace_.expand(view_.steps()[i].of[0], nodes);
      for (const trace::ModuleNode& node : nodes) {
        const uint32_t place = place_of_[node.path.index];
        if (place == unused) continue;
        for (auto* to : {&sums[data_.phase_of[i]], &sums.back()}) {
          (*to)[place].add({node.total_ns, node.invocations, 0});
          (*to)[place].count = 1;
        }
      }
    }
    for (const std::vector<PlaceSum>& plain : sums) {
      std::vector<PlaceSum> merged(data_.merged.places.size());
      for (size_t i = 0; i < plain.size(); ++i) merged[data_.merged_of[i]].add(plain[i]);
      data_.plain.sums.push_back(occurring(plain));
      data_.merged.sums.push_back(occurring(merged));
    }
  }

  void add_up_entries() {
    const size_t size = data_.entries + 2;  // with `others` and all
    data_.entry_sums.assign(data_.phases.size() + 1,
                            {std::vector<int64_t>(size), std::vector<int64_t>(size)});
    data_.phase_ns.assign(data_.phases.size() + 1, 0);
    std::vector<trace::ModuleNode> nodes;
    std::vector<trees::ViewRow> rows;
    for (size_t i = 0; i < view_.steps().size(); ++i) {
      view_.rows(i, nodes, rows);
      data_.phase_ns[data_.phase_of[i]] += view_.steps()[i].total_ns;
      data_.phase_ns.back() += view_.steps()[i].total_ns;
      for (TreePageData::EntrySums* to :
           {&data_.entry_sums[data_.phase_of[i]], &data_.entry_sums.back()}) {
        for (const trees::ViewRow& row : rows) {
          for (const size_t entry : {size_t{data_.page_entry(row.entry)}, size - 1}) {
            to->ns[entry] += row.total_ns;
            to->calls[entry] = trees::bounded_sum(to->calls[entry], row.invocations);
          }
        }
      }
    }
  }

  /// Values of a tree of this shape, as it is and merged.
  size_t size_of(uint32_t shape) {
    const auto [found, fresh] = sizes_.try_emplace(shape, 0);
    if (!fresh) return found->second;
    std::unordered_set<uint32_t> merged;
    for (const trace::ModuleTrace::ShapeNode& node : trace_.shapes[shape]) {
      const uint32_t place = place_of_[node.path.index];
      if (place == unused) continue;
      ++found->second;
      merged.insert(data_.merged_of[place]);
    }
    return found->second += merged.size();
  }

  /// The values of the trees of these steps, with their shapes.
  size_t cost(const std::vector<size_t>& steps) {
    size_t cost = 0;
    std::vector<bool> seen(trace_.shapes.size(), false);
    for (const size_t step : steps) {
      const uint32_t shape = trace_.steps[view_.steps()[step].of[0]].shape;
      cost += 1 + size_of(shape) * (seen[shape] ? 1 : 2);
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
      const uint32_t shape = trace_.steps[view_.steps()[step].of[0]].shape;
      const auto [at, fresh] = known.try_emplace(shape, static_cast<uint32_t>(known.size()));
      if (fresh) {
        add_shape(data_.plain, trace_.shapes[shape], false);
        add_shape(data_.merged, trace_.shapes[shape], true);
      }
      data_.trees.push_back({step, at->second});
    }
  }

  void add_shape(TreePageData::Forest& forest,
                 const std::vector<trace::ModuleTrace::ShapeNode>& nodes, bool merge) {
    TreePageData::Nodes& shape = forest.shapes.emplace_back();
    std::vector<int32_t>& slots = forest.slots.emplace_back(nodes.size(), -1);
    std::unordered_map<uint32_t, size_t> known;
    for (size_t i = 0; i < nodes.size(); ++i) {
      uint32_t place = place_of_[nodes[i].path.index];
      if (place == unused) continue;
      if (merge) place = data_.merged_of[place];
      const auto [at, fresh] = known.try_emplace(place, shape.places.size());
      if (fresh) {
        shape.places.push_back(place);
        shape.calls.push_back(0);
        shape.counts.push_back(0);
      }
      const size_t slot = at->second;
      shape.calls[slot] = trees::bounded_sum(shape.calls[slot], nodes[i].invocations);
      ++shape.counts[slot];
      slots[i] = static_cast<int32_t>(slot);
    }
  }

  std::vector<TreePageData::Place>& places() { return data_.plain.places; }

  const trees::TreeView& view_;
  const trace::ModuleTrace& trace_;
  const TreePageLimits& limits_;
  TreePageData data_;
  std::vector<std::pair<uint32_t, size_t>> shapes_;  // and the first step of each
  std::vector<uint32_t> place_of_;                   // by path of the trace
  std::vector<uint32_t> merged_place_;               // by path of the trees shown
  std::unordered_map<uint32_t, size_t> sizes_;       // by shape
};

}  // namespace

TreePageData tree_page_data(const trees::TreeView& view, const TreePageLimits& limits) {
  return Collector(view, limits).collect();
}

}  // namespace kr::page
