#include "trees/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "sema/abbreviate.hpp"
#include "text/names.hpp"
#include "trees/names.hpp"

namespace kr::trees {
namespace {

void add_row(ViewRow& to, const ViewRow& row) {
  to.path = {};
  to.nodes += row.nodes;
  to.invocations = bounded_sum(to.invocations, row.invocations);
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
  several_.assign(trace().paths.size(), false);
  if (options_.merge_siblings || options_.by_phase) merge();
  if (shown_.empty()) {
    shown_.resize(single_);
    std::iota(shown_.begin(), shown_.end(), size_t{0});
  }
  collect();
}

/// Of the run's trace.
void TreeView::find_labels(const match::CompiledRules& rules) {
  const trace::ModuleTrace& trace = modules_->trace;
  const MatchedPaths matched(rules.program(), rules.database, trace);
  const bool of_operations = modules_->order_dimension.has_value();
  // What is hidden below a node has labels of its own.
  const bool ruleset_folds = options_.ruleset_folds && !(of_operations && options_.by_label);
  folded_ = matched.folded(ruleset_folds ? model_->folds : std::vector<sema::Fold>{},
                           options_.folds, !options_.compat);
  if (of_operations) {
    KR_CHECK(rules.program().dimension(options_.dimension) == modules_->order_dimension);
    take_operation_labels(options_.dimension);
    return;
  }
  const sema::DimensionId dimension =
      classify::named_name_dimension(rules.program(), options_.dimension);
  if (const sema::Table* table = model_->table(dimension)) {
    labels_ = matched.labels(*table);
  } else {
    labels_.assign(trace.paths.size(), {});
  }
  std::vector<bool> leaf(trace.paths.size(), true);  // never has children
  for (uint32_t i = 0; i < leaf.size(); ++i) {
    if (const trace::PathId parent = trace.paths.parent({i}); parent.valid())
      leaf[parent.index] = false;
  }
  labelled_.reserve(leaf.size());
  for (uint32_t i = 0; i < leaf.size(); ++i) {
    const classify::LabelResult& result = labels_[i];
    labelled_.push_back(result.rule && trace.paths.name({i}) != trace::ModuleTrace::self_name &&
                        (result.explained || (leaf[i] && result.label != trace.name({i}))));
  }
}

void TreeView::take_operation_labels(std::string_view dimension) {
  const trace::ModuleTrace& trace = modules_->trace;
  const size_t size = trace.paths.size();
  labels_.assign(size, {});
  labelled_.assign(size, false);
  std::vector<bool> inner(size, false), several(size, false);
  // A path comes after its parent.
  for (auto i = static_cast<uint32_t>(size); i-- > 0;) {
    if (!inner[i]) labels_[i].label = label_of_operation(trace, {i}, dimension);
    labelled_[i] = !several[i] && !labels_[i].label.empty();
    const trace::PathId parent = trace.paths.parent({i});
    if (!parent.valid()) continue;
    std::string_view& above = labels_[parent.index].label;
    const bool other = inner[parent.index] && above != labels_[i].label;
    several[parent.index] = several[parent.index] || other || !labelled_[i];
    inner[parent.index] = true;
    above = labels_[i].label;
  }
}

/// Only nodes with equal labels and folds are merged, so that the sums of labels stay the same.
void TreeView::merge() {
  const trace::PathTable& paths = modules_->trace.paths;
  std::map<std::pair<std::string_view, bool>, uint32_t> known;
  std::vector<uint32_t> kinds;
  kinds.reserve(paths.size());
  for (uint32_t i = 0; i < paths.size(); ++i) {
    const std::string_view label = labelled_[i] ? labels_[i].label : std::string_view();
    const auto next = static_cast<uint32_t>(known.size());
    kinds.push_back(known.try_emplace({label, folded_[i]}, next).first->second);
  }
  merger_.emplace(modules_->trace, kinds, options_.merge_siblings);
  for (ViewStep& step : steps_) step.tree = merger_->add(step.of, step.key);
  if (options_.by_phase) add_phases();
  merger_->finish();
  const size_t size = trace().paths.size();
  std::vector<bool> folded(size, false), labelled(size, false);
  std::vector<classify::LabelResult> labels(size);
  for (uint32_t i = 0; i < paths.size(); ++i) {
    const uint32_t merged = merger_->merged_of({i}).index;
    folded[merged] = folded_[i];
    labelled[merged] = labelled_[i];
    labels[merged] = labels_[i];
  }
  folded_ = std::move(folded);
  labelled_ = std::move(labelled);
  labels_ = std::move(labels);
  several_.resize(size);
  for (uint32_t i = 0; i < size; ++i) several_[i] = merger_->several({i});
}

/// One tree per phase with several steps; the others are shown as they are.
void TreeView::add_phases() {
  std::vector<std::pair<std::string_view, std::vector<size_t>>> phases;
  std::unordered_map<std::string_view, size_t> known;
  for (size_t i = 0; i < single_; ++i) {
    const std::string_view phase = modules_->phases[steps_[i].of[0]].label;
    const auto [at, added] = known.try_emplace(phase, phases.size());
    if (added) phases.push_back({phase, {}});
    phases[at->second].second.push_back(i);
  }
  for (const auto& [phase, steps] : phases) {
    shown_.push_back(steps.size() == 1 ? steps[0] : steps_.size());
    if (steps.size() == 1) continue;
    ViewStep all = steps_[steps[0]];
    all.key = phase;
    for (const size_t i : std::span(steps).subspan(1)) {
      const ViewStep& one = steps_[i];
      all.of.push_back(one.of[0]);
      all.total_ns += one.total_ns;
      for (const auto member : {&ViewStep::step, &ViewStep::layer, &ViewStep::running_seqs,
                                &ViewStep::batch, &ViewStep::tokens}) {
        if (all.*member != one.*member) (all.*member).reset();
      }
    }
    all.tree = merger_->add(all.of, all.key);
    steps_.push_back(std::move(all));
  }
}

std::span<const uint32_t> TreeView::counts(size_t step) const {
  return merger_ ? merger_->counts(steps_[step].tree) : std::span<const uint32_t>();
}

std::vector<Siblings> TreeView::siblings(size_t step) const {
  if (!merger_ || !options_.merge_siblings) return {};
  return merger_->siblings(steps_[step].of);
}

std::string TreeView::number_text(trace::PathId of_run) const {
  return merger_ ? merger_->number_text(of_run) : std::string();
}

void TreeView::choose_steps() {
  std::map<std::string_view, std::vector<size_t>> of_phase;
  const trace::ModuleTrace& trace = modules_->trace;
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    const classify::Phase& phase = modules_->phases[i];
    if (!options_.phase.empty() && phase.label != options_.phase) continue;
    if (options_.step && phase.step != options_.step) continue;
    of_phase[phase.label].push_back(i);
  }
  if (of_phase.empty() && !trace.steps.empty()) refuse_selection();
  std::vector<size_t> chosen;
  const uint64_t interval = std::max<uint64_t>(1, options_.step_interval);
  for (const auto& [phase, all] : of_phase) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (i % interval == 0 || i + 1 == all.size()) chosen.push_back(all[i]);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  for (const size_t i : chosen) {
    const trace::ModuleStep& step = trace.steps[i];
    const classify::Phase& phase = modules_->phases[i];
    steps_.push_back({{i},
                      i,
                      step.key,
                      std::string(phase.label),
                      phase.step,
                      phase.layer,
                      step.running_seqs,
                      phase.batch,
                      phase.tokens,
                      step.total_ns});
  }
  single_ = steps_.size();
}

void TreeView::refuse_selection() const {
  std::set<std::string> known;
  for (const classify::Phase& phase : modules_->phases) known.emplace(phase.label);
  if (!options_.phase.empty() && !known.contains(options_.phase)) {
    throw Error(modules_->trace.source, fmt::format("unknown phase `{}`", options_.phase),
                near_or_all(options_.phase, std::vector(known.begin(), known.end())));
  }
  std::optional<int64_t> first, last;
  for (const classify::Phase& phase : modules_->phases) {
    if (!options_.phase.empty() && phase.label != options_.phase) continue;
    if (!phase.step) continue;
    first = std::min(first.value_or(*phase.step), *phase.step);
    last = std::max(last.value_or(*phase.step), *phase.step);
  }
  throw Error(modules_->trace.source, fmt::format("no step {}", *options_.step),
              first ? fmt::format("steps are numbered {} to {}", *first, *last)
                    : "its steps have no numbers");
}

/// The nodes shown of a step, before entries are merged.
void TreeView::cut(size_t step, std::vector<trace::ModuleNode>& nodes,
                   std::vector<uint32_t>& places, Cutter& cutter, int64_t& lost) const {
  trace().expand(steps_[step].tree, nodes);
  if (options_.compat) {
    cut_like_vllm(trace(), nodes, options_.level, folded_, places, lost);
  } else {
    cutter.cut(nodes, places);
  }
}

/// All entries, ranked over all trees shown. What is shown of a single step only, because its tree
/// is cut elsewhere than that of its phase, has an entry, too.
void TreeView::collect() {
  std::vector<int64_t> sums(trace().paths.size(), 0);
  std::vector<uint64_t> siblings(trace().paths.size(), 0);
  std::vector<bool> met(trace().paths.size(), false);
  std::vector<trace::PathId> paths;  // in the order first shown
  std::vector<trace::ModuleNode> nodes;
  std::vector<uint32_t> places;
  Cutter cutter = this->cutter();
  const auto add = [&](size_t step, bool is_shown) {
    int64_t lost = 0;
    cut(step, nodes, places, cutter, lost);
    if (is_shown) {
      lost_ns_ += lost;
      without_layers_ |= options_.level.kind == Level::Kind::layer && !cutter.found_layers();
    }
    const std::span<const uint32_t> counts = this->counts(step);
    for (const uint32_t place : places) {
      const uint32_t path = nodes[place].path.index;
      if (!met[path]) paths.push_back({path});
      met[path] = true;
      if (!is_shown) continue;
      sums[path] += nodes[place].total_ns;
      if (!counts.empty()) siblings[path] = std::max<uint64_t>(siblings[path], counts[place]);
    }
  };
  for (const size_t step : shown_) add(step, true);
  for (size_t step = 0; options_.by_phase && step < single_; ++step) add(step, false);
  make_entries(paths);
  for (const trace::PathId path : paths) {
    ViewEntry& entry = entries_[entry_of_[path.index]];
    entry.total_ns += sums[path.index];
    entry.siblings = entry.siblings == 0 ? std::max<uint64_t>(siblings[path.index], 1) : 1;
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

/// Abbreviates and cuts names; different names stay different. Short names are cut by what shows
/// them.
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
    shown = text::short_names(names);
  }
  for (size_t i = 0; i < entries_.size(); ++i) entries_[i].name = std::move(shown[i]);
}

/// How many of the entries in this order are shown: top_k, or with `limit_others` so many more that
/// the rest is at most a fifth of each tree, or less than every entry shown of it.
size_t TreeView::enough_entries(const std::vector<uint32_t>& order) const {
  const size_t size = order.size();
  if (options_.top_k >= size || !options_.limit_others) return std::min(options_.top_k, size);
  std::vector<uint32_t> place(size);
  for (uint32_t i = 0; i < size; ++i) place[order[i]] = i;
  std::vector<bool> too_few(size, false);  // by number of entries
  std::vector<trace::ModuleNode> nodes;
  std::vector<uint32_t> places;
  Cutter cutter = this->cutter();
  int64_t lost = 0;
  for (const size_t step : shown_) {
    cut(step, nodes, places, cutter, lost);
    std::vector<int64_t> times(size, 0);
    int64_t total = 0, named = 0;
    for (const uint32_t at : places) {
      times[place[entry_of_[nodes[at].path.index]]] += nodes[at].total_ns;
      total += nodes[at].total_ns;
    }
    int64_t smallest = std::numeric_limits<int64_t>::max();
    for (size_t count = 0; count < size; ++count) {
      const int64_t rest = total - named;
      too_few[count] = too_few[count] || (rest > total / 5 && rest > smallest);
      named += times[count];
      if (times[count] > 0) smallest = std::min(smallest, times[count]);
    }
  }
  size_t count = options_.top_k;
  while (count < size && too_few[count]) ++count;
  return count;
}

void TreeView::rank() {
  std::vector<uint32_t> order(entries_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const ViewEntry &left = entries_[a], &right = entries_[b];
    return left.total_ns != right.total_ns ? left.total_ns > right.total_ns
                                           : left.name < right.name;
  });
  const bool cuts = options_.top_k > 0;
  const size_t kept = cuts && !options_.compat ? enough_entries(order) : order.size();
  const bool some_dropped = kept < order.size() || (cuts && options_.compat);
  std::vector<ViewEntry> ranked;
  std::vector<uint32_t> place(entries_.size(), 0);
  for (size_t i = 0; i < kept; ++i) {
    place[order[i]] = static_cast<uint32_t>(ranked.size());
    ranked.push_back(std::move(entries_[order[i]]));
  }
  if (some_dropped) {
    others_ = static_cast<uint32_t>(ranked.size());
    ViewEntry rest{
        std::string(sema::reserved::others), std::string(sema::reserved::others), 0, 1, true, true};
    for (size_t i = kept; i < order.size(); ++i) {
      place[order[i]] = others_;
      rest.total_ns += entries_[order[i]].total_ns;
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
  Cutter cutter = this->cutter();
  int64_t lost = 0;
  cut(step, nodes, places, cutter, lost);
  const std::span<const uint32_t> counts = this->counts(step);
  rows.clear();
  rows.reserve(places.size());
  for (const uint32_t place : places) {
    const trace::ModuleNode& node = nodes[place];
    rows.push_back({entry_of_[node.path.index], node.path, place,
                    counts.empty() ? 1 : counts[place], node.invocations, node.total_ns});
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
    view.modules().trace.expand(step.of[0], nodes);
    for (uint32_t root = 0; root < nodes.size(); root = nodes[root].end) {
      const bool leaf = nodes[root].end == root + 1;
      classify::AttributionSums::Part& part =
          sums[leaf ? classify::PlaceEvidence::none : classify::PlaceEvidence::launch];
      part.operations += nodes[root].invocations;
      part.total_ns += nodes[root].total_ns;
    }
  }
  return sums;
}

}  // namespace kr::trees
