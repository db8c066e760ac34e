#include "trees/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "trees/names.hpp"

namespace kr::trees {
namespace {

constexpr int64_t least_common_percent = 50;

template <class Sum>
int64_t change(const Sum& sum) {
  return std::abs(sum.b_ns - sum.a_ns);
}

struct Sides {
  int64_t ns[2] = {0, 0};
};

std::map<std::string, size_t> steps_by_phase(const LabelledModules& modules) {
  std::map<std::string, size_t> counts;
  for (const classify::Phase& phase : modules.phases) ++counts[std::string(phase.label)];
  return counts;
}

/// Why the runs did different work; empty if there is no sign of that.
std::string unlike(const LabelledModules& a, const LabelledModules& b) {
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

class ModuleComparison {
 public:
  ModuleComparison(const match::CompiledRules& rules, Level level) : rules_(rules), level_(level) {}

  void add(const LabelledModules& modules, int side) {
    const sema::Program& program = rules_.program();
    for (const sema::Table& table : program.models.get(modules.choice.model).tables) {
      const std::string& dimension = program.dimensions.get(table.dimension).name;
      ViewOptions options;
      options.level = {Level::Kind::kernel, 0};
      options.dimension = dimension;
      options.by_label = true;
      options.ruleset_folds = false;
      const TreeView view(rules_, modules, options);
      for (const ViewEntry& entry : view.entries()) {
        labels_[{table.dimension.index, dimension, entry.name}].ns[side] += entry.total_ns;
      }
    }
    ViewOptions options;
    options.level = level_;
    const TreeView view(rules_, modules, options);
    std::vector<int64_t> sums(modules.trace.paths.size(), 0);
    std::vector<trace::ModuleNode> nodes;
    std::vector<ViewRow> rows;
    for (size_t i = 0; i < view.steps().size(); ++i) {
      view.rows(i, nodes, rows);
      for (const ViewRow& row : rows) sums[row.path.index] += row.total_ns;
    }
    for (uint32_t i = 0; i < sums.size(); ++i) {
      if (sums[i] != 0) names_[path_text(modules.trace, {i}, true)].ns[side] += sums[i];
    }
  }

  void report(RunDifference& out) const {
    for (const auto& [key, sides] : labels_) {
      out.labels.push_back({std::get<1>(key), std::get<2>(key), sides.ns[0], sides.ns[1]});
    }
    for (const auto& [name, sides] : names_) out.names.push_back({name, sides.ns[0], sides.ns[1]});
  }

 private:
  const match::CompiledRules& rules_;
  Level level_;
  std::map<std::tuple<uint32_t, std::string, std::string>, Sides> labels_;
  std::map<std::string, Sides> names_;
};

}  // namespace

bool RunDifference::same() const {
  return std::all_of(labels.begin(), labels.end(),
                     [](const auto& one) { return change(one) == 0; }) &&
         std::all_of(names.begin(), names.end(), [](const auto& one) { return change(one) == 0; });
}

void finish(RunDifference& difference) {
  // Labels are sorted by dimension.
  for (auto begin = difference.labels.begin(); begin != difference.labels.end();) {
    const auto end = std::find_if(begin, difference.labels.end(), [&](const LabelDifference& one) {
      return one.dimension != begin->dimension;
    });
    std::stable_sort(begin, end, [](const LabelDifference& x, const LabelDifference& y) {
      return change(x) > change(y);
    });
    begin = end;
  }
  std::stable_sort(
      difference.names.begin(), difference.names.end(),
      [](const NameDifference& x, const NameDifference& y) { return change(x) > change(y); });
  int64_t a_common = 0, b_common = 0;
  for (const NameDifference& name : difference.names) {
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

RunDifference compare_modules(const match::CompiledRules& rules, const LabelledModules& a,
                              const LabelledModules& b, Level level) {
  RunDifference difference;
  difference.a_ns = a.trace.total_ns;
  difference.b_ns = b.trace.total_ns;
  difference.why = unlike(a, b);
  difference.comparable = difference.why.empty();
  ModuleComparison comparison(rules, level);
  comparison.add(a, 0);
  comparison.add(b, 1);
  comparison.report(difference);
  finish(difference);
  return difference;
}

}  // namespace kr::trees
