#include "analyze/compare_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "trees/names.hpp"

namespace kr::analyze {
namespace {

constexpr int64_t least_common_percent = 50;

int64_t change(const Difference& one) {
  return std::abs(one.b_ns - one.a_ns);
}

bool changes_more(const Difference& one, const Difference& other) {
  return change(one) > change(other);
}

std::map<std::string, size_t> steps_by_phase(const trees::LabelledModules& modules) {
  std::map<std::string, size_t> counts;
  for (const classify::Phase& phase : modules.phases) ++counts[std::string(phase.label)];
  return counts;
}

/// Why the runs did different work; empty if there is no sign of that.
std::string unlike(const trees::LabelledModules& a, const trees::LabelledModules& b) {
  const auto left = steps_by_phase(a), right = steps_by_phase(b);
  std::vector<std::string> counts;
  for (const auto& [phase, count] : left) {
    const auto other = right.find(phase);
    const size_t there = other == right.end() ? 0 : other->second;
    if (count != there) {
      counts.push_back(fmt::format("steps of {1}: {0} and {2}", count, phase, there));
    }
  }
  for (const auto& [phase, count] : right) {
    if (!left.contains(phase)) counts.push_back(fmt::format("steps of {}: 0 and {}", phase, count));
  }
  if (!counts.empty()) return fmt::format("{}", fmt::join(counts, ", "));
  if (a.trace.model_text != b.trace.model_text) {
    return fmt::format("different models: {} and {}", a.trace.model_text, b.trace.model_text);
  }
  return {};
}

struct Compared {
  std::map<std::pair<uint32_t, std::string>, Difference> labels;  // by dimension and label
  std::map<std::string, Difference> names;
};

void add(const match::CompiledRules& rules, const trees::LabelledModules& modules,
         trees::Level level, int64_t Difference::*side, Compared& out) {
  const sema::Program& program = rules.program();
  for (const sema::Table& table : program.models.get(modules.choice.model).tables) {
    trees::ViewOptions options;
    options.level = {trees::Level::Kind::kernel, 0};
    options.dimension = program.dimensions.get(table.dimension).name;
    options.by_label = true;
    options.ruleset_folds = false;
    const trees::TreeView view(rules, modules, options);
    for (const trees::ViewEntry& entry : view.entries()) {
      const auto at = out.labels.try_emplace({table.dimension.index, entry.name},
                                             Difference{options.dimension, entry.name});
      at.first->second.*side += entry.total_ns;
    }
  }
  trees::ViewOptions options;
  options.level = level;
  const trees::TreeView view(rules, modules, options);
  std::vector<int64_t> sums(modules.trace.paths.size(), 0);
  std::vector<trace::ModuleNode> nodes;
  std::vector<trees::ViewRow> rows;
  for (size_t i = 0; i < view.steps().size(); ++i) {
    view.rows(i, nodes, rows);
    for (const trees::ViewRow& row : rows) sums[row.path.index] += row.total_ns;
  }
  for (uint32_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    const std::string name = trees::path_text(modules.trace, {i}, true);
    out.names.try_emplace(name, Difference{"", name}).first->second.*side += sums[i];
  }
}

/// Sorts, and sets `comparable` and `why` by the share of time under common names, if it is still
/// true.
void finish(RunDifference& difference) {
  // Labels are sorted by dimension.
  for (auto begin = difference.labels.begin(); begin != difference.labels.end();) {
    const auto end = std::find_if(begin, difference.labels.end(), [&](const Difference& one) {
      return one.dimension != begin->dimension;
    });
    std::stable_sort(begin, end, changes_more);
    begin = end;
  }
  std::stable_sort(difference.names.begin(), difference.names.end(), changes_more);
  int64_t a_common = 0, b_common = 0;
  for (const Difference& name : difference.names) {
    if (name.a_ns == 0 || name.b_ns == 0) continue;
    a_common += name.a_ns;
    b_common += name.b_ns;
  }
  const auto share = [](int64_t part, int64_t whole) {
    return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 100.0;
  };
  const double a = share(a_common, difference.a_ns), b = share(b_common, difference.b_ns);
  if (!difference.comparable) return;
  difference.comparable = a >= least_common_percent && b >= least_common_percent;
  difference.why =
      fmt::format("{:.1f} % and {:.1f} % of the time is in names that both runs have", a, b);
}

void add_labels(const RunSummary& run, int64_t Difference::*side, std::vector<Difference>& out) {
  for (const DimensionSum& dimension : run.dimensions) {
    for (const LabelSum& sum : dimension.labels) {
      auto at = out.begin();
      auto last = out.end();  // one past the last of the dimension
      for (; at != out.end(); ++at) {
        if (at->dimension != dimension.dimension) continue;
        last = at + 1;
        if (at->name == sum.label) break;
      }
      if (at == out.end()) at = out.insert(last, {dimension.dimension, sum.label, 0, 0});
      (*at).*side += sum.elapsed_ns;
    }
  }
}

}  // namespace

bool RunDifference::same() const {
  const auto changes = [](const Difference& one) { return change(one) != 0; };
  return std::none_of(labels.begin(), labels.end(), changes) &&
         std::none_of(names.begin(), names.end(), changes);
}

RunDifference compare_runs(const RunSummary& a, const RunSummary& b) {
  RunDifference difference;
  difference.a_ns = a.gpu_elapsed_ns;
  difference.b_ns = b.gpu_elapsed_ns;
  if ((a.operations == 0) != (b.operations == 0)) {
    difference.comparable = false;
    difference.why = fmt::format("no GPU work in {}", (a.operations == 0 ? a : b).source);
  }
  add_labels(a, &Difference::a_ns, difference.labels);
  add_labels(b, &Difference::b_ns, difference.labels);
  // A name with two kinds of operation is two names.
  std::map<std::pair<std::string, OperationKind>, Difference> names;
  const auto add_names = [&](const RunSummary& run, int64_t Difference::*side) {
    for (const NameSum& sum : run.names) {
      Difference& name = names[{sum.name, sum.kind}];
      name.name = sum.name;
      name.*side += sum.elapsed_ns;
    }
  };
  add_names(a, &Difference::a_ns);
  add_names(b, &Difference::b_ns);
  for (auto& [key, name] : names) difference.names.push_back(std::move(name));
  finish(difference);
  return difference;
}

RunDifference compare_modules(const match::CompiledRules& rules, const trees::LabelledModules& a,
                              const trees::LabelledModules& b, trees::Level level) {
  RunDifference difference;
  difference.a_ns = a.trace.total_ns;
  difference.b_ns = b.trace.total_ns;
  difference.why = unlike(a, b);
  difference.comparable = difference.why.empty();
  Compared compared;
  add(rules, a, level, &Difference::a_ns, compared);
  add(rules, b, level, &Difference::b_ns, compared);
  for (auto& [key, one] : compared.labels) difference.labels.push_back(std::move(one));
  for (auto& [key, one] : compared.names) difference.names.push_back(std::move(one));
  finish(difference);
  return difference;
}

}  // namespace kr::analyze
