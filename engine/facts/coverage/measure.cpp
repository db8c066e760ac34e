#include "coverage/measure.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "classify/why.hpp"
#include "trees/labels.hpp"

namespace kr::coverage {
namespace {

void sort_names(MeasuredRun& run) {
  std::sort(run.names.begin(), run.names.end(), [](const MeasuredName& a, const MeasuredName& b) {
    return std::tie(b.total_ns, a.name, a.kind, b.explained) <
           std::tie(a.total_ns, b.name, b.kind, a.explained);
  });
}

/// The node that the time belongs to: `(self)` belongs to its parent.
trace::PathId owner_of(const trace::ModuleTrace& trace, trace::PathId path) {
  while (trace.paths.name(path) == trace::ModuleTrace::self_name &&
         trace.paths.parent(path).valid()) {
    path = trace.paths.parent(path);
  }
  return path;
}

struct LeafSum {
  int64_t instances = 0;
  int64_t total_ns = 0;
};

/// By path.
std::vector<LeafSum> leaf_sums(const trace::ModuleTrace& trace) {
  std::vector<LeafSum> sums(trace.paths.size());
  std::vector<trace::ModuleNode> nodes;
  for (size_t step = 0; step < trace.steps.size(); ++step) {
    trace.expand(step, nodes);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].end != i + 1) continue;
      LeafSum& sum = sums[owner_of(trace, nodes[i].path).index];
      sum.instances += nodes[i].invocations;
      sum.total_ns += nodes[i].total_ns;
    }
  }
  return sums;
}

}  // namespace

MeasuredRun measure_run(const match::CompiledRules& rules, sema::DimensionId dimension,
                        sema::ModelId model, const analyze::RunSummary& summary) {
  MeasuredRun run;
  run.id = summary.id;
  run.source = summary.source;
  run.format = summary.format;
  run.choice_why = summary.choice_why;
  run.dropped = summary.dropped;
  run.known_layout = analyze::knows_layout(summary.warnings);
  run.model = model;
  const auto at = summary.dimension(rules.program().dimensions.get(dimension).name);
  run.has_dimension = at.has_value();
  run.names.reserve(summary.names.size());
  for (const analyze::NameSum& name : summary.names) {
    const analyze::NameSum::LabelResult* label = name.label(at);
    run.names.push_back({name.name, name.kind, name.instances, name.total_ns,
                         label ? label->label : std::string(sema::reserved::unclassified),
                         label != nullptr && label->explained,
                         label != nullptr && label->common_words});
  }
  run.total_ns = summary.gpu_total_ns;
  if (at) {
    run.explained_ns = summary.dimensions[*at].explained_ns;
    run.common_words_ns = summary.dimensions[*at].common_words_ns;
  }
  sort_names(run);
  return run;
}

MeasuredRun measure_run(const match::CompiledRules& rules, sema::DimensionId dimension,
                        const trees::LabelledModules& modules, const std::string& id) {
  const trace::ModuleTrace& trace = modules.trace;
  MeasuredRun run;
  run.id = id;
  run.source = trace.source;
  run.format = trace.format;
  run.choice_why = modules.choice.why;
  run.dropped = trace.dropped;
  run.model = modules.choice.model;
  const sema::Table* table = rules.program().models.get(run.model).table(dimension);
  run.has_dimension = table != nullptr;
  std::vector<classify::LabelResult> labels;
  if (table != nullptr) {
    labels = trees::MatchedPaths(rules.program(), rules.database, trace).labels(*table);
  }
  const std::vector<LeafSum> sums = leaf_sums(trace);
  const auto by_common_words = [&](const classify::LabelResult& label) {
    return label.explained && classify::has_only_common_words(rules, *label.rule);
  };
  std::map<std::tuple<uint32_t, std::string_view, bool, bool>, size_t> places;
  for (uint32_t i = 0; i < sums.size(); ++i) {
    if (sums[i].instances == 0 && sums[i].total_ns == 0) continue;
    const classify::LabelResult none{sema::reserved::unclassified, std::nullopt, false};
    const classify::LabelResult& one = table != nullptr ? labels[i] : none;
    const trace::NameId id_of_name = trace.paths.name({i});
    const bool common_words = by_common_words(one);
    const auto [at, added] = places.try_emplace(
        {id_of_name.index, one.label, one.explained, common_words}, run.names.size());
    if (added) {
      const trace::OperationName& name = trace.names.get(id_of_name);
      run.names.push_back({std::string(name.text), name.kind, 0, 0, std::string(one.label),
                           one.explained, common_words});
    }
    run.names[at->second].instances += sums[i].instances;
    run.names[at->second].total_ns += sums[i].total_ns;
  }
  for (const MeasuredName& name : run.names) {
    if (__builtin_add_overflow(run.total_ns, name.total_ns, &run.total_ns)) {
      throw Error(run.source, "the sum of the times exceeds 292 years", "check its unit of time");
    }
    if (name.explained) run.explained_ns += name.total_ns;
    if (name.common_words) run.common_words_ns += name.total_ns;
  }
  sort_names(run);
  return run;
}

}  // namespace kr::coverage
