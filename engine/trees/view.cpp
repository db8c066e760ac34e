#include "trees/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "classify/phases.hpp"
#include "classify/run_spec.hpp"
#include "sema/abbreviate.hpp"
#include "trees/labels.hpp"
#include "trees/names.hpp"

namespace kr::trees {
namespace {

std::vector<int64_t> leaf_times(const trace::ModuleTrace& trace) {
  std::vector<int64_t> times(trace.paths.size(), 0);
  std::vector<trace::ModuleNode> nodes;
  for (size_t step = 0; step < trace.steps.size(); ++step) {
    trace.expand(step, nodes);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].end == i + 1) times[nodes[i].path.index] += nodes[i].total_ns;
    }
  }
  return times;
}

constexpr uint32_t no_entry = std::numeric_limits<uint32_t>::max();

}  // namespace

std::unique_ptr<LabelledModules> label_modules(const match::CompiledRules& rules,
                                               const classify::RunSpec& spec,
                                               trace::ModuleTrace trace) {
  auto modules = std::make_unique<LabelledModules>();
  modules->trace = std::move(trace);
  const trace::ModuleTrace& of = modules->trace;
  const MatchedPaths matched(rules.program(), rules.database, of);
  modules->choice =
      matched.choose(rules.database, leaf_times(of),
                     {.engine = spec.engine, .model = spec.model, .rules_given = rules.named});
  classify::PhaseReader reader(rules.program(), rules.database, modules->choice.model);
  for (const trace::ModuleStep& step : of.steps) {
    const classify::Phase phase = reader.read(step.key);
    const NumberedName name = numbered(step.key);
    modules->phases.emplace_back(phase.label.empty() ? name.stem : phase.label);
    modules->step_numbers.push_back(phase.step ? phase.step : name.number);
    modules->layers.push_back(phase.layer);
    modules->batches.push_back(phase.batch);
    modules->tokens.push_back(phase.tokens);
  }
  return modules;
}

struct TreeView::Impl {
  const LabelledModules& modules;
  const trace::ModuleTrace& trace;
  ViewOptions options;
  const sema::Model& model;
  MatchedPaths matched;
  std::vector<bool> folded;
  std::vector<classify::LabelResult> labels;  // by path
  std::vector<bool> leaf;                     // by path: never has children
  std::vector<ViewStep> steps;
  std::vector<ViewEntry> entries;
  std::vector<uint32_t> entry_of;  // by path; no_entry: never shown
  uint32_t others = no_entry;
  int64_t lost_ns = 0;
  bool without_layers = false;

  Impl(const match::CompiledRules& rules, const LabelledModules& of, const ViewOptions& how)
      : modules(of),
        trace(of.trace),
        options(how),
        model(rules.program().models.get(of.choice.model)),
        matched(rules.program(), rules.database, of.trace),
        folded(
            matched.folded(how.ruleset_folds ? model.folds : std::vector<sema::Fold>{}, how.folds)),
        leaf(of.trace.paths.size(), true) {
    label(rules.program());
    choose_steps();
    collect();
  }

  void label(const sema::Program& program) {
    for (uint32_t i = 0; i < trace.paths.size(); ++i) {
      if (const trace::PathId parent = trace.paths.parent({i}); parent.valid())
        leaf[parent.index] = false;
    }
    const sema::DimensionId dimension = classify::named_dimension(program, options.dimension);
    if (const sema::Table* table = model.table(dimension)) {
      labels = matched.labels(*table);
    } else {
      labels.assign(trace.paths.size(), {});
    }
  }

  /// Whether a node's label is one, not its name for want of one: what falls to `otherwise` is a
  /// label of kernels; of a module it would say nothing.
  bool labelled(trace::PathId path) const {
    const classify::LabelResult& given = labels[path.index];
    if (!given.rule || trace.paths.name(path) == trace::ModuleTrace::self_name) return false;
    return given.explained || (leaf[path.index] && given.label != trace.name(path));
  }

  void choose_steps() {
    std::map<std::string_view, std::vector<size_t>> of_phase;
    for (size_t i = 0; i < trace.steps.size(); ++i) {
      if (!options.phase.empty() && modules.phases[i] != options.phase) continue;
      if (options.step && modules.step_numbers[i] != options.step) continue;
      of_phase[modules.phases[i]].push_back(i);
    }
    if (of_phase.empty() && !trace.steps.empty()) refuse_selection();
    std::vector<size_t> chosen;
    const uint64_t interval = std::max<uint64_t>(1, options.step_interval);
    for (const auto& [phase, all] : of_phase) {
      for (size_t i = 0; i < all.size(); ++i) {
        if (i % interval == 0 || i + 1 == all.size()) chosen.push_back(all[i]);
      }
    }
    std::sort(chosen.begin(), chosen.end());
    for (const size_t i : chosen) {
      const trace::ModuleStep& step = trace.steps[i];
      steps.push_back({i, step.key, modules.phases[i], modules.step_numbers[i], modules.layers[i],
                       step.running_seqs, modules.batches[i], modules.tokens[i], step.total_ns});
    }
  }

  [[noreturn]] void refuse_selection() const {
    std::vector<std::string> phases = modules.phases;
    std::sort(phases.begin(), phases.end());
    phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
    if (!options.phase.empty() &&
        std::find(phases.begin(), phases.end(), options.phase) == phases.end()) {
      throw Error(trace.source, fmt::format("unknown phase `{}`", options.phase),
                  near_or_all(options.phase, phases));
    }
    std::optional<int64_t> first, last;
    for (size_t i = 0; i < trace.steps.size(); ++i) {
      if (!options.phase.empty() && modules.phases[i] != options.phase) continue;
      if (!modules.step_numbers[i]) continue;
      if (!first || *modules.step_numbers[i] < *first) first = modules.step_numbers[i];
      if (!last || *modules.step_numbers[i] > *last) last = modules.step_numbers[i];
    }
    throw Error(trace.source, fmt::format("no step {}", *options.step),
                first ? fmt::format("steps are numbered {} to {}", *first, *last)
                      : "its steps have no numbers");
  }

  /// What is shown of a step before entries are merged.
  void shown(size_t step, std::vector<trace::ModuleNode>& nodes, std::vector<uint32_t>& places,
             Cutter& cutter, int64_t& lost) const {
    trace.expand(steps[step].index, nodes);
    if (options.compat) {
      cut_like_vllm(trace, nodes, options.level, folded, places, lost);
    } else {
      cutter.cut(nodes, places);
    }
  }

  /// All entries, ranked over all steps.
  void collect() {
    struct Shown {
      int64_t total_ns = 0;
      uint64_t nodes = 0;
    };
    std::vector<Shown> sums(trace.paths.size());
    std::vector<trace::PathId> paths;  // in the order first shown
    std::vector<trace::ModuleNode> nodes;
    std::vector<uint32_t> places;
    Cutter cutter(trace, options.level, folded);
    for (size_t step = 0; step < steps.size(); ++step) {
      shown(step, nodes, places, cutter, lost_ns);
      without_layers |= options.level.kind == Level::Kind::layer && !cutter.found_layers();
      for (const uint32_t place : places) {
        Shown& sum = sums[nodes[place].path.index];
        if (sum.nodes++ == 0) paths.push_back(nodes[place].path);
        sum.total_ns += nodes[place].total_ns;
      }
    }
    make_entries(paths);
    for (const trace::PathId path : paths) {
      ViewEntry& entry = entries[entry_of[path.index]];
      entry.total_ns += sums[path.index].total_ns;
      entry.nodes += sums[path.index].nodes;
    }
    rank();
  }

  void make_entries(const std::vector<trace::PathId>& paths) {
    std::vector<std::string> names;
    if (options.unique_names && !options.by_label) {
      names = unique_names(trace, paths);
    } else {
      for (const trace::PathId path : paths) {
        names.emplace_back(options.by_label ? shown_label(path) : trace.name(path));
      }
    }
    entry_of.assign(trace.paths.size(), no_entry);
    std::unordered_map<std::string, uint32_t> known;
    for (size_t i = 0; i < paths.size(); ++i) {
      const auto [at, added] = known.try_emplace(names[i], static_cast<uint32_t>(entries.size()));
      const std::string_view its_label =
          labelled(paths[i]) ? labels[paths[i].index].label : std::string_view();
      if (added) {
        entries.push_back({names[i], std::string(its_label), 0, 0,
                           options.by_label && labelled(paths[i]), false});
      } else if (entries[at->second].label != its_label) {
        entries[at->second].label.clear();
      }
      entry_of[paths[i].index] = at->second;
    }
    shorten();
  }

  /// Abbreviates and cuts; what told entries apart before still does.
  void shorten() {
    std::vector<std::string> shown;
    shown.reserve(entries.size());
    for (const ViewEntry& entry : entries) {
      std::string name = entry.name;
      if (options.abbreviate) name = kr::sema::abbreviate(std::move(name), model.abbreviations);
      shown.push_back(cut_at_end(std::move(name), options.width));
    }
    make_distinct(shown, options.width);
    for (size_t i = 0; i < entries.size(); ++i) entries[i].name = std::move(shown[i]);
  }

  void rank() {
    std::vector<uint32_t> order(entries.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const ViewEntry &left = entries[a], &right = entries[b];
      return left.total_ns != right.total_ns ? left.total_ns > right.total_ns
                                             : left.name < right.name;
    });
    const bool some_dropped = options.top_k > 0 && (options.compat || order.size() > options.top_k);
    const size_t kept = some_dropped && !options.compat ? options.top_k : order.size();
    std::vector<ViewEntry> ranked;
    std::vector<uint32_t> place(entries.size(), 0);
    for (size_t i = 0; i < kept; ++i) {
      place[order[i]] = static_cast<uint32_t>(ranked.size());
      ranked.push_back(std::move(entries[order[i]]));
    }
    if (some_dropped) {
      others = static_cast<uint32_t>(ranked.size());
      ViewEntry rest{std::string(sema::reserved::others),
                     std::string(sema::reserved::others),
                     0,
                     0,
                     true,
                     true};
      for (size_t i = kept; i < order.size(); ++i) {
        place[order[i]] = others;
        rest.total_ns += entries[order[i]].total_ns;
        rest.nodes += entries[order[i]].nodes;
      }
      ranked.push_back(std::move(rest));
    }
    entries = std::move(ranked);
    for (uint32_t& entry : entry_of) {
      if (entry != no_entry) entry = place[entry];
    }
  }

  std::string_view shown_label(trace::PathId path) const {
    return labelled(path) ? labels[path.index].label : trace.name(path);
  }

  static void add(ViewRow& to, const ViewRow& row) {
    to.path = {};
    to.nodes += row.nodes;
    to.invocations += row.invocations;
    to.total_ns += row.total_ns;
  }

  void rows_apart(size_t step, std::vector<trace::ModuleNode>& nodes,
                  std::vector<ViewRow>& rows) const {
    std::vector<uint32_t> places;
    Cutter cutter(trace, options.level, folded);
    int64_t lost = 0;
    shown(step, nodes, places, cutter, lost);
    rows.clear();
    for (const uint32_t place : places) {
      const trace::ModuleNode& node = nodes[place];
      rows.push_back(
          {entry_of[node.path.index], node.path, place, 1, node.invocations, node.total_ns});
    }
  }

  void rows(size_t step, std::vector<trace::ModuleNode>& nodes, std::vector<ViewRow>& rows) const {
    rows_apart(step, nodes, rows);
    ViewRow rest{others, {}, 0, 0, 0, 0};
    size_t kept = 0;
    for (const ViewRow& row : rows) {
      if (row.entry != others) {
        rows[kept++] = row;
      } else {
        if (rest.nodes == 0) rest.node = row.node;
        add(rest, row);
      }
    }
    rows.resize(kept);
    // Nodes are chosen before those of one name are put together, as by vLLM's script.
    if (options.compat && options.top_k > 0) keep_first_of_step(rows, rest);
    if (options.by_label || options.compat) merge_entries(rows);
    if (rest.nodes > 0) rows.push_back(rest);
  }

  /// A row an entry, in the order of entries.
  static void merge_entries(std::vector<ViewRow>& rows) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const ViewRow& a, const ViewRow& b) { return a.entry < b.entry; });
    size_t kept = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (kept > 0 && rows[kept - 1].entry == rows[i].entry) {
        add(rows[kept - 1], rows[i]);
      } else {
        rows[kept++] = rows[i];
      }
    }
    rows.resize(kept);
  }

  /// Of those that take equally long the later ones are kept: pandas' nsmallest drops the first.
  void keep_first_of_step(std::vector<ViewRow>& rows, ViewRow& rest) const {
    if (rows.size() < options.top_k) return;
    std::vector<size_t> order(rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return rows[a].total_ns < rows[b].total_ns; });
    order.resize(rows.size() - (options.top_k - 1));
    std::sort(order.begin(), order.end());
    std::vector<bool> dropped(rows.size(), false);
    for (const size_t i : order) {
      if (rest.nodes == 0) rest.node = rows[i].node;
      add(rest, rows[i]);
      dropped[i] = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!dropped[i]) rows[kept++] = rows[i];
    }
    rows.resize(kept);
  }
};

TreeView::TreeView(const match::CompiledRules& rules, const LabelledModules& modules,
                   const ViewOptions& options)
    : impl_(std::make_unique<Impl>(rules, modules, options)) {}
TreeView::~TreeView() = default;
TreeView::TreeView(TreeView&&) noexcept = default;

const trace::ModuleTrace& TreeView::trace() const noexcept {
  return impl_->trace;
}
const LabelledModules& TreeView::modules() const noexcept {
  return impl_->modules;
}
const ViewOptions& TreeView::options() const noexcept {
  return impl_->options;
}
const std::vector<ViewStep>& TreeView::steps() const noexcept {
  return impl_->steps;
}
const std::vector<ViewEntry>& TreeView::entries() const noexcept {
  return impl_->entries;
}
void TreeView::rows(size_t step, std::vector<trace::ModuleNode>& nodes,
                    std::vector<ViewRow>& rows) const {
  impl_->rows(step, nodes, rows);
}
void TreeView::rows_apart(size_t step, std::vector<trace::ModuleNode>& nodes,
                          std::vector<ViewRow>& rows) const {
  impl_->rows_apart(step, nodes, rows);
}
std::string_view TreeView::label(trace::PathId path) const {
  return impl_->shown_label(path);
}
bool TreeView::labelled(trace::PathId path) const {
  return impl_->labelled(path);
}
std::optional<int64_t> TreeView::layer(size_t step, const ViewRow& row) const {
  if (impl_->options.level.kind == Level::Kind::layer && row.path.valid()) {
    const std::string_view name = impl_->trace.name(row.path);
    if (const auto number = numbered(name).number) return number;
  }
  return impl_->steps[step].layer;
}
int64_t TreeView::lost_ns() const noexcept {
  return impl_->lost_ns;
}
bool TreeView::without_layers() const noexcept {
  return impl_->without_layers;
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
