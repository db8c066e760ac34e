// What to optimize first: the time of a run that is far from its roofs, and how much of the run ncu
// measured.
#include <algorithm>
#include <map>
#include <utility>

#include "analyze/found_phases.hpp"
#include "ncu/joined.hpp"
#include "tables/ncu_rows.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::NameSum;

/// A kernel of the run that was measured.
struct Candidate {
  const ncu::RunKernel* kernel;
  const NameSum* name;
  ncu::RoofTime time;
  std::string_view roof;
};

Candidate candidate_of(const Run& run, const ncu::RunKernel& kernel) {
  Candidate one{&kernel, &run.summary.names[kernel.name], {}, {}};
  one.time.total_ns = one.name->total_ns;
  int64_t longest = -1;
  for (const ncu::TimeShare& share : kernel.time.shares) {
    const ncu::MeasuredKernel& measured = run.get<ncu::Joined>().kernels[share.kernel];
    one.time.add(measured, share.time_ns);
    const auto roof = ncu::nearest_roof(measured.measures);
    if (!roof || share.time_ns <= longest) continue;
    longest = share.time_ns;
    one.roof = roof->roof;
  }
  return one;
}

std::vector<Candidate> candidates_of(const Run& run) {
  std::vector<Candidate> out;
  for (const ncu::RunKernel& kernel : run.get<ncu::Joined>().run) {
    if (kernel.match) out.push_back(candidate_of(run, kernel));
  }
  std::stable_sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) {
    return a.time.saved_ns() > b.time.saved_ns();
  });
  return out;
}

struct OptimizeRow : Parts<Run, Candidate, NameSum, ncu::RoofTime, ncu::Measures> {
  const std::vector<std::string>& dimensions;
};

Cell label_of(const OptimizeRow& row, std::string_view dimension) {
  const auto at = row.of<Run>().summary.dimension(dimension);
  const NameSum::LabelResult* const label = row.of<NameSum>().label(at);
  return label != nullptr ? Cell(label->label) : Cell();
}

void add_labels_of(const OptimizeRow& row, Cells& cells) {
  for (const std::string& dimension : row.dimensions) cells.push_back(label_of(row, dimension));
}

int64_t measured_instances(const OptimizeRow& row) {
  int64_t instances = 0;
  for (const ncu::TimeShare& share : row.of<Candidate>().kernel->time.shares) {
    instances += row.of<Run>().get<ncu::Joined>().kernels[share.kernel].instances;
  }
  return instances;
}

void add_optimize_first(const Source& source, Rows<OptimizeRow>& rows) {
  const std::vector<std::string> dimensions = name_dimensions_of(source);
  for (const Run* const run : measured_by_ncu(source)) {
    for (const Candidate& one : candidates_of(*run)) {
      rows.add({{*run, one, *one.name, one.time, one.time.mean.measures()}, dimensions});
    }
  }
}

struct OptimizeLabelRow : Parts<Run, NcuLabel, ncu::RoofTime> {
  std::string_view dimension;
};

void add_optimize_labels(const Source& source, Rows<OptimizeLabelRow>& rows) {
  const std::vector<std::string> dimensions = name_dimensions_of(source);
  for (const Run* const run : measured_by_ncu(source)) {
    std::vector<NcuLabel> labels = ncu_labels(*run, dimensions);
    std::stable_sort(labels.begin(), labels.end(), [](const NcuLabel& a, const NcuLabel& b) {
      return std::pair(a.dimension, b.time.saved_ns()) < std::pair(b.dimension, a.time.saved_ns());
    });
    for (const NcuLabel& one : labels) {
      rows.add({{*run, one, one.time}, dimensions[one.dimension]});
    }
  }
}

/// A row of `ncu_match`.
struct MatchSum {
  int64_t names = 0;
  ncu::FoundPart found;

  void add(const ncu::FoundPart& part) {
    ++names;
    found.measured += part.measured;
    found.instances += part.instances;
    found.total_ns += part.total_ns;
  }
};

constexpr std::string_view by_shape = "name, grid and block";
constexpr std::string_view by_name = "name";

/// By `match` and `found_by`, which may be empty.
std::map<std::pair<std::string_view, std::string_view>, MatchSum> match_sums(const Run& run) {
  std::map<std::pair<std::string_view, std::string_view>, MatchSum> sums;
  for (const ncu::RunKernel& one : run.get<ncu::Joined>().run) {
    if (!one.match) {
      const NameSum& name = run.summary.names[one.name];
      sums[{one.ambiguous ? "ambiguous" : "unmeasured", {}}].add({name.instances, name.total_ns});
      continue;
    }
    const std::string_view match = ncu::to_string(*one.match);
    if (one.time.by_shape.measured > 0) sums[{match, by_shape}].add(one.time.by_shape);
    if (one.time.by_name.measured > 0) sums[{match, by_name}].add(one.time.by_name);
  }
  for (const NameSum& name : run.summary.names) {
    if (name.kind == OperationKind::kernel) continue;
    sums[{"not_a_kernel", {}}].add({name.instances, name.total_ns});
  }
  if (!run.get<ncu::Joined>().not_in_run.empty()) {
    sums[{"not_in_run", {}}].found.measured =
        static_cast<int64_t>(run.get<ncu::Joined>().not_in_run.size());
  }
  return sums;
}

struct MatchRow : Parts<Run, MatchSum, ncu::FoundPart> {
  std::string_view match;
  std::string_view found_by;
};

void add_ncu_match(const Source& source, Rows<MatchRow>& rows) {
  for (const Run* const run : measured_by_ncu(source)) {
    const auto sums = match_sums(*run);
    for (const char* const match :
         {"name", "demangled", "simplified", "without_parameters", "function", "ambiguous",
          "unmeasured", "not_a_kernel", "not_in_run"}) {
      for (const std::string_view found_by : {by_shape, by_name, std::string_view()}) {
        const auto found = sums.find({match, found_by});
        if (found == sums.end()) continue;
        rows.add({{*run, found->second, found->second.found}, match, found_by});
      }
    }
  }
}

/// `Of`: a part of the row, with `total_ns`.
template <class Of, class Row>
double share_of_run(const Row& row) {
  return ratio_of(row.template of<Of>().total_ns, row.template of<Run>().summary.gpu_total_ns);
}

template <class Row>
Columns<Row> savings_columns() {
  using ncu::RoofTime;
  return {
      {"roof_ratio", Unit::ratio, Role::measure,
       "The part of its time that it would take at the nearest roof of each kernel; "
       "nothing if no roof is known.",
       [](const RoofTime& time) { return ratio_or_nothing(time.at_roof_ns, time.with_roof_ns); },
       optional},
      {"at_roof_ns", Unit::ns, Role::detail, "That time.",
       [](const RoofTime& time) { return cell_if(time.with_roof_ns > 0, time.at_roof_ns); },
       optional},
      {"saved_ns", Unit::ns, Role::measure, "The time that would be saved.",
       [](const RoofTime& time) { return cell_if(time.with_roof_ns > 0, time.saved_ns()); },
       optional},
      {"saved_share", Unit::ratio, Role::measure,
       "The same as a part of the time of all operations of the run.",
       [](const Row& row) {
         const RoofTime& time = row;
         return cell_if(time.with_roof_ns > 0,
                        ratio_of(time.saved_ns(), row.template of<Run>().summary.gpu_total_ns));
       },
       optional}};
}

}  // namespace

const Definition optimize_first_part = TableOf<OptimizeRow>{
    {"optimize_first",
     "optimize first",
     "One row per kernel of the run that ncu measured, by the time that would be saved if it ran "
     "at its nearest roof. Rates are those of ncu, times those of the run.",
     {run_column,
      {"name", Unit::name, Role::key, "The kernel as the run names it.", &NameSum::name},
      {head::shown_label,
       [](const OptimizeRow& row) { return label_of(row, shown_dimension(row)); }},
      {head::labels, Value<OptimizeRow>::several(add_labels_of)},
      {"instances", Unit::count, Role::detail, "Operations of that name in the run.",
       &NameSum::instances},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations in the run.",
       &NameSum::total_ns},
      {head::share_of_run, share_of_run<NameSum, OptimizeRow>},
      {"roof", Unit::text, Role::measure,
       "The roof that most of its time is nearest to: operations of a precision (`fp16`, `fp32`, "
       "`fp64`, `tensor`), `dram`, `l2`, or ncu's `compute` or `memory` throughput.",
       &Candidate::roof, optional},
      savings_columns<OptimizeRow>(),
      {"verdict", Unit::text, Role::measure, "As ncu gives it: see `ncu_kernels`.", ncu::verdict,
       optional},
      {"compute_ratio", Unit::ratio, Role::detail, "ncu's compute throughput, weighted by time.",
       [](const ncu::Measures& of) { return of.get(ncu::Measure::compute_ratio); }, optional},
      {"memory_ratio", Unit::ratio, Role::detail, "ncu's memory throughput, weighted by time.",
       [](const ncu::Measures& of) { return of.get(ncu::Measure::memory_ratio); }, optional},
      {"match", Unit::text, Role::detail, "How its name is equal to that of ncu: see `ncu_match`.",
       [](const Candidate& one) { return one.kernel->match; }},
      {"measured", Unit::count, Role::detail,
       "Measured kernels (name, grid and block) that its time is divided among.",
       [](const Candidate& one) { return one.kernel->time.shares.size(); }},
      {"measured_instances", Unit::count, Role::detail, "Instances of these.",
       measured_instances}}},
    needs<analyze::RunSummary>,
    add_optimize_first,
    not_measured_by_ncu};

const Definition optimize_labels_part = TableOf<OptimizeLabelRow>{
    {"optimize_labels",
     "optimize first, by label",
     "One row per run, dimension and label: how much of its kernels' time ncu measured, and what "
     "would be saved if they ran at their nearest roofs.",
     {run_column,
      {head::dimension, &OptimizeLabelRow::dimension},
      {head::label, &NcuLabel::label},
      {head::total_of_kernels_ns, &ncu::RoofTime::total_ns},
      {head::share_of_run, share_of_run<ncu::RoofTime, OptimizeLabelRow>},
      {"measured_ns", Unit::ns, Role::measure, "Of it, of kernels that ncu measured.",
       &ncu::RoofTime::measured_ns},
      savings_columns<OptimizeLabelRow>(),
      {"verdict", Unit::text, Role::measure, "Of the means: see `ncu_kernels`.",
       [](const ncu::RoofTime& time) { return ncu::verdict(time.mean.measures()); }, optional}}},
    needs<analyze::RunSummary>,
    add_optimize_labels,
    not_measured_by_ncu};

const Definition ncu_match_table = TableOf<MatchRow>{
    {"ncu_match",
     "time that ncu measured",
     "One row per run and way in which its kernels were found among those of ncu. The rows of a "
     "run add up to its time; a name with several launch shapes may be in two of them.",
     {run_column,
      {"match", Unit::text, Role::key,
       "How the names are equal. `name`: byte by byte. `demangled`: after decoding. `simplified`: "
       "without namespaces, casts and punctuation. `without_parameters`: also without return type "
       "and parameters. `function`: the function alone, which only one kernel of the run has. "
       "`ambiguous`: several have it, so none is measured. `unmeasured`: ncu has no such kernel. "
       "`not_a_kernel`: copies and sets. `not_in_run`: kernels of ncu that the run does not have.",
       &MatchRow::match},
      {"found_by", Unit::text, Role::key,
       "`name, grid and block`: operations whose launch shape ncu measured, each the kernel of "
       "that shape. `name`: of others, or if the run has no shapes, the time is shared out "
       "among all measured kernels of the name as ncu's own times are.",
       &MatchRow::found_by, optional},
      {"names", Unit::count, Role::measure, "Distinct names of the run.", &MatchSum::names},
      {"measured", Unit::count, Role::measure,
       "Measured kernels (name, grid and block) that their time is taken as that of.",
       &ncu::FoundPart::measured},
      {"instances", Unit::count, Role::measure, "Operations in the run.",
       &ncu::FoundPart::instances},
      {head::total_ns, &ncu::FoundPart::total_ns},
      {head::share_of_run, share_of_run<ncu::FoundPart, MatchRow>}}},
    needs<analyze::RunSummary>,
    add_ncu_match,
    not_measured_by_ncu};

const Definition optimize_first_table =
    scoped("optimize_first", "optimize first",
           "One row per run and kernel or label, by the time that would be saved.",
           {{.part = optimize_first_part, .name = "kernel", .key = "name"},
            {.part = optimize_labels_part, .by = "dimension", .key = "label"}});

}  // namespace kr::tables
