#include "trees/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "sema/abbreviate.hpp"
#include "table/names.hpp"
#include "trees/names.hpp"

namespace kr::trees {
namespace {

void add_row(ViewRow& to, const ViewRow& row) {
  to.path = {};
  to.nodes += row.nodes;
  to.invocations += row.invocations;
  to.total_ns += row.total_ns;
}

/// One row per entry, in the order of entries.
void merge_entries(std::vector<ViewRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ViewRow& a, const ViewRow& b) { return a.entry < b.entry; });
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (kept > 0 && rows[kept - 1].entry == rows[i].entry) {
      add_row(rows[kept - 1], rows[i]);
    } else {
      rows[kept++] = rows[i];
    }
  }
  rows.resize(kept);
}

}  // namespace

TreeView::TreeView(const match::CompiledRules& rules, const LabelledModules& modules,
                   const ViewOptions& options)
    : modules_(&modules),
      options_(options),
      model_(&rules.program().models.get(modules.choice.model)) {
  find_labels(rules);
  choose_steps();
  collect();
}

void TreeView::find_labels(const match::CompiledRules& rules) {
  const MatchedPaths matched(rules.program(), rules.database, trace());
  folded_ = matched.folded(options_.ruleset_folds ? model_->folds : std::vector<sema::Fold>{},
                           options_.folds);
  leaf_.assign(trace().paths.size(), true);
  for (uint32_t i = 0; i < trace().paths.size(); ++i) {
    if (const trace::PathId parent = trace().paths.parent({i}); parent.valid())
      leaf_[parent.index] = false;
  }
  const sema::DimensionId dimension =
      classify::named_dimension(rules.program(), options_.dimension);
  if (const sema::Table* table = model_->table(dimension)) {
    labels_ = matched.labels(*table);
  } else {
    labels_.assign(trace().paths.size(), {});
  }
}

bool TreeView::labelled(trace::PathId path) const {
  const classify::LabelResult& result = labels_[path.index];
  if (!result.rule || trace().paths.name(path) == trace::ModuleTrace::self_name) return false;
  return result.explained || (leaf_[path.index] && result.label != trace().name(path));
}

void TreeView::choose_steps() {
  std::map<std::string_view, std::vector<size_t>> of_phase;
  for (size_t i = 0; i < trace().steps.size(); ++i) {
    const classify::Phase& phase = modules_->phases[i];
    if (!options_.phase.empty() && phase.label != options_.phase) continue;
    if (options_.step && phase.step != options_.step) continue;
    of_phase[phase.label].push_back(i);
  }
  if (of_phase.empty() && !trace().steps.empty()) refuse_selection();
  std::vector<size_t> chosen;
  const uint64_t interval = std::max<uint64_t>(1, options_.step_interval);
  for (const auto& [phase, all] : of_phase) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % interval == 0 || i + 1 == all.size()) chosen.push_back(all[i]);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  for (const size_t i : chosen) {
    const trace::ModuleStep& step = trace().steps[i];
    const classify::Phase& phase = modules_->phases[i];
    steps_.push_back({i, step.key, std::string(phase.label), phase.step, phase.layer,
                      step.running_seqs, phase.batch, phase.tokens, step.total_ns});
  }
}

void TreeView::refuse_selection() const {
  std::set<std::string> known;
  for (const classify::Phase& phase : modules_->phases) known.emplace(phase.label);
  if (!options_.phase.empty() && !known.contains(options_.phase)) {
    throw Error(trace().source, fmt::format("unknown phase `{}`", options_.phase),
                near_or_all(options_.phase, std::vector(known.begin(), known.end())));
  }
  std::optional<int64_t> first, last;
  for (const classify::Phase& phase : modules_->phases) {
    if (!options_.phase.empty() && phase.label != options_.phase) continue;
    if (!phase.step) continue;
    first = std::min(first.value_or(*phase.step), *phase.step);
    last = std::max(last.value_or(*phase.step), *phase.step);
  }
  throw Error(trace().source, fmt::format("no step {}", *options_.step),
              first ? fmt::format("steps are numbered {} to {}", *first, *last)
                    : "its steps have no numbers");
}

/// The nodes shown of a step, before entries are merged.
void TreeView::cut(size_t step, std::vector<trace::ModuleNode>& nodes,
                   std::vector<uint32_t>& places, Cutter& cutter, int64_t& lost) const {
  trace().expand(steps_[step].index, nodes);
  if (options_.compat) {
    cut_like_vllm(trace(), nodes, options_.level, folded_, places, lost);
  } else {
    cutter.cut(nodes, places);
  }
}

/// All entries, ranked over all steps.
void TreeView::collect() {
  struct Shown {
    int64_t total_ns = 0;
    uint64_t nodes = 0;
  };
  std::vector<Shown> sums(trace().paths.size());
  std::vector<trace::PathId> paths;  // in the order first shown
  std::vector<trace::ModuleNode> nodes;
  std::vector<uint32_t> places;
  Cutter cutter(trace(), options_.level, folded_);
  for (size_t step = 0; step < steps_.size(); ++step) {
    cut(step, nodes, places, cutter, lost_ns_);
    without_layers_ |= options_.level.kind == Level::Kind::layer && !cutter.found_layers();
    for (const uint32_t place : places) {
      Shown& sum = sums[nodes[place].path.index];
      if (sum.nodes++ == 0) paths.push_back(nodes[place].path);
      sum.total_ns += nodes[place].total_ns;
    }
  }
  make_entries(paths);
  for (const trace::PathId path : paths) {
    ViewEntry& entry = entries_[entry_of_[path.index]];
    entry.total_ns += sums[path.index].total_ns;
    entry.nodes += sums[path.index].nodes;
  }
  rank();
}

void TreeView::make_entries(const std::vector<trace::PathId>& paths) {
  std::vector<std::string> names;
  if (options_.unique_names && !options_.by_label) {
    names = unique_names(trace(), paths);
  } else {
    for (const trace::PathId path : paths) {
      names.emplace_back(options_.by_label ? label(path) : trace().name(path));
    }
  }
  entry_of_.assign(trace().paths.size(), no_entry);
  std::unordered_map<std::string, uint32_t> known;
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto [at, added] = known.try_emplace(names[i], static_cast<uint32_t>(entries_.size()));
    const std::string_view its_label =
        labelled(paths[i]) ? labels_[paths[i].index].label : std::string_view();
    if (added) {
      entries_.push_back(
          {names[i], std::string(its_label), 0, 0, options_.by_label && labelled(paths[i]), false});
    } else if (entries_[at->second].label != its_label) {
      entries_[at->second].label.clear();
    }
    entry_of_[paths[i].index] = at->second;
  }
  shorten();
}

/// Abbreviates and cuts names; different names stay different.
void TreeView::shorten() {
  std::vector<std::string> shown;
  shown.reserve(entries_.size());
  for (const ViewEntry& entry : entries_) {
    std::string name = entry.name;
    if (options_.abbreviate) name = kr::sema::abbreviate(std::move(name), model_->abbreviations);
    shown.push_back(options_.short_names ? std::move(name)
                                         : cut_at_end(std::move(name), options_.width));
  }
  make_distinct(shown, options_.short_names ? 0 : options_.width);
  if (options_.short_names) {
    const std::vector<std::string_view> names(shown.begin(), shown.end());
    shown = table::cut_names(table::short_names(names), options_.width);
  }
  for (size_t i = 0; i < entries_.size(); ++i) entries_[i].name = std::move(shown[i]);
}

void TreeView::rank() {
  std::vector<uint32_t> order(entries_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const ViewEntry &left = entries_[a], &right = entries_[b];
    return left.total_ns != right.total_ns ? left.total_ns > right.total_ns
                                           : left.name < right.name;
  });
  const bool some_dropped =
      options_.top_k > 0 && (options_.compat || order.size() > options_.top_k);
  const size_t kept = some_dropped && !options_.compat ? options_.top_k : order.size();
  std::vector<ViewEntry> ranked;
  std::vector<uint32_t> place(entries_.size(), 0);
  for (size_t i = 0; i < kept; ++i) {
    place[order[i]] = static_cast<uint32_t>(ranked.size());
    ranked.push_back(std::move(entries_[order[i]]));
  }
  if (some_dropped) {
    others_ = static_cast<uint32_t>(ranked.size());
    ViewEntry rest{
        std::string(sema::reserved::others), std::string(sema::reserved::others), 0, 0, true, true};
    for (size_t i = kept; i < order.size(); ++i) {
      place[order[i]] = others_;
      rest.total_ns += entries_[order[i]].total_ns;
      rest.nodes += entries_[order[i]].nodes;
    }
    ranked.push_back(std::move(rest));
  }
  entries_ = std::move(ranked);
  for (uint32_t& entry : entry_of_) {
    if (entry != no_entry) entry = place[entry];
  }
}

void TreeView::rows_apart(size_t step, std::vector<trace::ModuleNode>& nodes,
                          std::vector<ViewRow>& rows) const {
  std::vector<uint32_t> places;
  Cutter cutter(trace(), options_.level, folded_);
  int64_t lost = 0;
  cut(step, nodes, places, cutter, lost);
  rows.clear();
  for (const uint32_t place : places) {
    const trace::ModuleNode& node = nodes[place];
    rows.push_back(
        {entry_of_[node.path.index], node.path, place, 1, node.invocations, node.total_ns});
  }
}

void TreeView::rows(size_t step, std::vector<trace::ModuleNode>& nodes,
                    std::vector<ViewRow>& rows) const {
  rows_apart(step, nodes, rows);
  ViewRow rest{others_, {}, 0, 0, 0, 0};
  size_t kept = 0;
  for (const ViewRow& row : rows) {
    if (row.entry != others_) {
      rows[kept++] = row;
    } else {
      if (rest.nodes == 0) rest.node = row.node;
      add_row(rest, row);
    }
  }
  rows.resize(kept);
  // Nodes are chosen before those of one name are merged, as in vLLM's script.
  if (options_.compat && options_.top_k > 0) keep_first_of_step(rows, rest);
  if (options_.by_label || options_.compat) merge_entries(rows);
  if (rest.nodes > 0) rows.push_back(rest);
}

/// Of rows with equal time the later ones are kept: pandas' nsmallest drops the first.
void TreeView::keep_first_of_step(std::vector<ViewRow>& rows, ViewRow& rest) const {
  if (rows.size() < options_.top_k) return;
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rows[a].total_ns < rows[b].total_ns; });
  order.resize(rows.size() - (options_.top_k - 1));
  std::sort(order.begin(), order.end());
  std::vector<bool> dropped(rows.size(), false);
  for (const size_t i : order) {
    if (rest.nodes == 0) rest.node = rows[i].node;
    add_row(rest, rows[i]);
    dropped[i] = true;
  }
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!dropped[i]) rows[kept++] = rows[i];
  }
  rows.resize(kept);
}

std::optional<int64_t> TreeView::layer(size_t step, const ViewRow& row) const {
  if (options_.level.kind == Level::Kind::layer && row.path.valid()) {
    if (const auto number = numbered(trace().name(row.path)).number) return number;
  }
  return steps_[step].layer;
}

classify::AttributionSums attribution_of(const TreeView& view) {
  if (view.modules().attribution) return *view.modules().attribution;
  classify::AttributionSums sums;
  std::vector<trace::ModuleNode> nodes;
  for (const ViewStep& step : view.steps()) {
    view.trace().expand(step.index, nodes);
    for (uint32_t root = 0; root < nodes.size(); root = nodes[root].end) {
      (nodes[root].end == root + 1 ? sums.none_ns : sums.module_ns) += nodes[root].total_ns;
    }
  }
  return sums;
}

}  // namespace kr::trees
