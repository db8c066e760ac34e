#include "ncu/joined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "classify/classify.hpp"

namespace kr::ncu {
namespace {

using Kernels = std::vector<uint32_t>;

/// Measured kernels by name: byte by byte first, which is enough for most runs. Other spellings are
/// only looked at where that fails.
class MeasuredNames {
 public:
  explicit MeasuredNames(const std::vector<MeasuredKernel>& kernels) {
    for (uint32_t i = 0; i < kernels.size(); ++i) by_name_[kernels[i].name].push_back(i);
  }

  const Kernels* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
  }

  /// By another way than `name`.
  const Kernels* find(const NameKeys& keys, NameMatch match) {
    if (!has_keys_) make_keys();
    const ByKey& names = by_key_[static_cast<size_t>(match)];
    const auto found = names.find(keys.key(match));
    if (found != names.end()) return &found->second;
    // The run has only functions.
    if (match != NameMatch::function || !keys.is_function) return nullptr;
    const auto full = full_functions_.find(keys.function);
    return full == full_functions_.end() ? nullptr : &full->second;
  }

 private:
  using ByKey = std::unordered_map<std::string, Kernels>;

  void make_keys() {
    has_keys_ = true;
    const auto add = [](Kernels& to, const Kernels& members) {
      to.insert(to.end(), members.begin(), members.end());
    };
    for (const auto& [name, members] : by_name_) {
      const NameKeys keys(name);
      for (const NameMatch match : all_name_matches) {
        if (match == NameMatch::name) continue;
        const bool full = match == NameMatch::function && !keys.is_function;
        add(full ? full_functions_[keys.function]
                 : by_key_[static_cast<size_t>(match)][keys.key(match)],
            members);
      }
    }
  }

  std::map<std::string_view, Kernels> by_name_;
  bool has_keys_ = false;
  std::array<ByKey, std::size(all_name_matches)> by_key_;
  ByKey full_functions_;  // of names with more than the function
};

/// Functions of which the run has several names: a function alone does not identify the name.
std::unordered_set<std::string> ambiguous_functions(const analyze::RunSummary& run) {
  std::unordered_map<std::string, std::string_view> first;
  std::unordered_set<std::string> several;
  for (const analyze::NameSum& name : run.names) {
    if (name.kind != OperationKind::kernel) continue;
    const NameKeys keys(name.name);
    const auto [known, added] = first.try_emplace(keys.function, name.name);
    if (known->second != name.name) several.insert(keys.function);
  }
  return several;
}

/// Finds the kernels of a run among those that were measured.
class RunFinder {
 public:
  /// `labelled`: see JoinOptions.
  RunFinder(const analyze::RunSummary& run, const analyze::LabelledTrace* labelled,
            const std::vector<MeasuredKernel>& kernels)
      : run_(run), kernels_(kernels), measured_(kernels), seen_(kernels.size()) {
    const bool has_shapes = labelled != nullptr && labelled->trace.details != nullptr;
    shapes_.resize(run.names.size());
    if (has_shapes) shapes_ = shapes_of(run, *labelled);
  }

  RunKernel find(size_t name) {
    RunKernel one;
    one.name = name;
    const analyze::NameSum& sum = run_.names[name];
    if (const Kernels* const found = measured_.find(sum.name)) {
      take(one, *found, NameMatch::name);
      return one;
    }
    const NameKeys keys(sum.name);
    for (const NameMatch match : all_name_matches) {
      const Kernels* const found = match == NameMatch::name ? nullptr : measured_.find(keys, match);
      if (found == nullptr) continue;
      one.ambiguous = match == NameMatch::function && is_ambiguous(keys.function);
      take(one, *found, match);
      break;
    }
    return one;
  }

  std::vector<uint32_t> not_found() const {
    std::vector<uint32_t> out;
    for (uint32_t i = 0; i < seen_.size(); ++i) {
      if (!seen_[i]) out.push_back(i);
    }
    return out;
  }

 private:
  void take(RunKernel& one, const Kernels& found, NameMatch match) {
    if (one.ambiguous) {
      for (const uint32_t kernel : found) seen_[kernel] = true;
      return;
    }
    one.match = match;
    one.time = divide_time(run_.names[one.name], shapes_[one.name], found, kernels_);
    for (const TimeShare& share : one.time.shares) seen_[share.kernel] = true;
  }

  bool is_ambiguous(const std::string& function) {
    if (!ambiguous_) ambiguous_ = ambiguous_functions(run_);
    return ambiguous_->count(function) > 0;
  }

  const analyze::RunSummary& run_;
  const std::vector<MeasuredKernel>& kernels_;
  MeasuredNames measured_;
  std::vector<std::vector<ShapeSum>> shapes_;  // by name of the run
  std::vector<bool> seen_;
  std::optional<std::unordered_set<std::string>> ambiguous_;  // made when it is needed
};

std::vector<std::vector<std::string>> labels_of(const match::CompiledRules& rules,
                                                const analyze::RunSummary& run,
                                                const trace::Trace& pages,
                                                const std::vector<MeasuredKernel>& kernels) {
  const sema::Program& program = rules.program();
  std::vector<std::vector<std::string>> labels(kernels.size(),
                                               std::vector<std::string>(run.name_dimensions()));
  const auto engine = program.engine(run.engine);
  const auto model = engine ? program.model(*engine, run.model) : std::nullopt;
  if (!model) return labels;
  const classify::TraceSubjects subjects(program, rules.database, pages,
                                         {run.engine, run.model, rules.named});
  const classify::Labelled labelled = classify::classify(subjects, *model);
  std::unordered_map<std::string_view, uint32_t> row_of;
  for (uint32_t i = 0; i < pages.names.size(); ++i) {
    row_of.emplace(pages.names.get(trace::NameId{i}).text, i);
  }
  for (const classify::DimensionLabels& one : labelled.dimensions) {
    const auto at = run.dimension(program.dimensions.get(one.dimension).name);
    if (!at) continue;
    for (size_t i = 0; i < kernels.size(); ++i) {
      const auto row = row_of.find(kernels[i].name);
      if (row != row_of.end()) labels[i][*at] = one.by_row[row->second].label;
    }
  }
  return labels;
}

void find_in_run(Joined& to, const analyze::RunSummary& run,
                 const analyze::LabelledTrace* labelled) {
  RunFinder finder(run, labelled, to.kernels);
  for (size_t i = 0; i < run.names.size(); ++i) {
    if (run.names[i].kind == OperationKind::kernel) to.run.push_back(finder.find(i));
  }
  to.not_in_run = finder.not_found();
}

/// What the user has to know before the numbers.
void warn_of_rest(Joined& to, const analyze::RunSummary& run) {
  if (to.is_itself) return;
  RoofTime all;
  for (const RunKernel& one : to.run) {
    all.total_ns += run.names[one.name].total_ns;
    for (const TimeShare& share : one.time.shares) all.measured_ns += share.time_ns;
  }
  if (all.total_ns == 0) return;
  const double rest =
      100 * (1 - static_cast<double>(all.measured_ns) / static_cast<double>(all.total_ns));
  to.warnings.push_back(
      {"ncu-unmeasured",
       fmt::format("{:.1f} % of the time of kernels has no measurement of ncu.", rest),
       all.measured_ns == 0 ? "warning" : "info"});
}

}  // namespace

void RoofTime::add(const MeasuredKernel& kernel, int64_t time_ns) {
  measured_ns += time_ns;
  mean.add(kernel.measures, static_cast<double>(time_ns), static_cast<double>(kernel.instances));
  const auto roof = nearest_roof(kernel.measures);
  if (!roof) return;
  with_roof_ns += time_ns;
  at_roof_ns += std::llround(roof->ratio * static_cast<double>(time_ns));
}

Joined join(const match::CompiledRules& rules, const analyze::RunSummary& run,
            std::shared_ptr<const trace::Trace> pages, const JoinOptions& options) {
  Joined out;
  out.is_itself = options.is_itself;
  std::vector<MeasuredKernel> measured = measure(*pages->ncu, out.warnings);
  out.roofs = roofs_of(measured, options.gpu);
  if (options.gpu != nullptr) {
    out.gpu = options.gpu->name;
    for (MeasuredKernel& kernel : measured) fill_peaks(kernel, *options.gpu);
  }
  std::vector<uint32_t> group_of;
  out.kernels = group(measured, group_of);
  measured = {};
  out.labels = labels_of(rules, run, *pages, out.kernels);
  out.pages = std::move(pages);
  find_in_run(out, run, options.labelled);
  warn_of_rest(out, run);
  return out;
}

}  // namespace kr::ncu
