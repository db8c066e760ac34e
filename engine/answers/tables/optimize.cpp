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

constexpr const char* roof_doc =
    "The roof that most of its time is nearest to: operations of a precision (`fp16`, `fp32`, "
    "`fp64`, `tensor`), `dram`, `l2`, or ncu's `compute` or `memory` throughput.";

/// A kernel of the run that was measured.
struct Candidate {
  const ncu::RunKernel* kernel;
  const analyze::NameSum* name;
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

/// Columns of both tables: the roof's ratio, the time at it, and what is saved.
void add_savings(Cells& row, const ncu::RoofTime& time, int64_t run_ns) {
  const bool roof = time.with_roof_ns > 0;
  row.insert(row.end(), {roof ? Cell(ratio_of(time.at_roof_ns, time.with_roof_ns)) : Cell(),
                         ns_if(roof, time.at_roof_ns), ns_if(roof, time.saved_ns()),
                         roof ? Cell(ratio_of(time.saved_ns(), run_ns)) : Cell()});
}

void add_optimize_first(const Source& source, RowSink& sink) {
  const std::vector<std::string> dimensions = dimensions_of(source);
  Cells row;
  for (const Run* const measured : measured_by_ncu(source)) {
    const Run& run = *measured;
    const int64_t run_ns = run.summary.gpu_total_ns;
    const auto shown = run.summary.dimension("substage") ? run.summary.dimension("substage")
                                                         : run.summary.dimension("kind");
    for (const Candidate& one : candidates_of(run)) {
      const ncu::Measures means = one.time.mean.measures();
      const analyze::NameSum::LabelResult* const label = one.name->label(shown);
      row.assign({run.summary.id, one.name->name, label != nullptr ? Cell(label->label) : Cell()});
      for (const std::string& dimension : dimensions) {
        const auto* found = one.name->label(run.summary.dimension(dimension));
        row.push_back(found != nullptr ? Cell(found->label) : Cell());
      }
      row.insert(row.end(),
                 {one.name->instances, one.name->total_ns, ratio_of(one.name->total_ns, run_ns),
                  table::cell_or_nothing(one.roof)});
      add_savings(row, one.time, run_ns);
      int64_t instances = 0;
      for (const ncu::TimeShare& share : one.kernel->time.shares) {
        instances += run.get<ncu::Joined>().kernels[share.kernel].instances;
      }
      row.insert(row.end(), {table::cell_or_nothing(ncu::verdict(means)),
                             table::cell(means.get(ncu::Measure::compute_ratio)),
                             table::cell(means.get(ncu::Measure::memory_ratio)),
                             ncu::to_string(*one.kernel->match),
                             static_cast<int64_t>(one.kernel->time.shares.size()), instances});
      sink.row(row);
    }
  }
}

void add_optimize_labels(const Source& source, RowSink& sink) {
  const std::vector<std::string> dimensions = dimensions_of(source);
  Cells row;
  for (const Run* const run : measured_by_ncu(source)) {
    const int64_t run_ns = run->summary.gpu_total_ns;
    std::vector<NcuLabel> labels = ncu_labels(*run, dimensions);
    std::stable_sort(labels.begin(), labels.end(), [](const NcuLabel& a, const NcuLabel& b) {
      return std::pair(a.dimension, b.time.saved_ns()) < std::pair(b.dimension, a.time.saved_ns());
    });
    for (const auto& [dimension, label, time] : labels) {
      row.assign({run->summary.id, dimensions[dimension], label, time.total_ns,
                  ratio_of(time.total_ns, run_ns), time.measured_ns});
      add_savings(row, time, run_ns);
      row.push_back(table::cell_or_nothing(ncu::verdict(time.mean.measures())));
      sink.row(row);
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
      const analyze::NameSum& name = run.summary.names[one.name];
      sums[{one.ambiguous ? "ambiguous" : "unmeasured", {}}].add({name.instances, name.total_ns});
      continue;
    }
    const std::string_view match = ncu::to_string(*one.match);
    if (one.time.by_shape.measured > 0) sums[{match, by_shape}].add(one.time.by_shape);
    if (one.time.by_name.measured > 0) sums[{match, by_name}].add(one.time.by_name);
  }
  for (const analyze::NameSum& name : run.summary.names) {
    if (name.kind == OperationKind::kernel) continue;
    sums[{"not_a_kernel", {}}].add({name.instances, name.total_ns});
  }
  if (!run.get<ncu::Joined>().not_in_run.empty()) {
    sums[{"not_in_run", {}}].found.measured =
        static_cast<int64_t>(run.get<ncu::Joined>().not_in_run.size());
  }
  return sums;
}

void add_ncu_match(const Source& source, RowSink& sink) {
  for (const Run* const run : measured_by_ncu(source)) {
    const auto sums = match_sums(*run);
    for (const char* const match :
         {"name", "demangled", "simplified", "without_parameters", "function", "ambiguous",
          "unmeasured", "not_a_kernel", "not_in_run"}) {
      for (const std::string_view found_by : {by_shape, by_name, std::string_view()}) {
        const auto found = sums.find({match, found_by});
        if (found == sums.end()) continue;
        const auto& [names, part] = found->second;
        sink.row({run->summary.id, match, table::cell_or_nothing(found_by), names, part.measured,
                  part.instances, part.total_ns,
                  ratio_of(part.total_ns, run->summary.gpu_total_ns)});
      }
    }
  }
}

std::vector<Column> savings_columns() {
  return {{"roof_ratio", Unit::ratio, Role::measure,
           "The part of its time that it would take at the nearest roof of each kernel; "
           "nothing if no roof is known.",
           true},
          {"at_roof_ns", Unit::ns, Role::detail, "That time.", true},
          {"saved_ns", Unit::ns, Role::measure, "The time that would be saved.", true},
          {"saved_share", Unit::ratio, Role::measure,
           "The same as a part of the time of all operations of the run.", true}};
}

}  // namespace

const Definition optimize_first_part{
    {"optimize_first", "optimize first",
     "One row per kernel of the run that ncu measured, by the time that would be saved if it ran "
     "at its nearest roof. Rates are those of ncu, times those of the run.",
     columns_of_lists(
         {{{"run", Unit::text, Role::key, "The run."},
           {"name", Unit::name, Role::key, "The kernel as the run names it."},
           {"label", Unit::text, Role::short_form, "Its label in `substage`, or `kind`.", true},
           {std::string(table::dimension_columns), Unit::text, Role::detail,
            "One column per dimension of the models, named after it: the label.", true},
           {"instances", Unit::count, Role::detail, "Operations of that name in the run."},
           {"total_ns", Unit::ns, Role::measure, "The sum of their durations in the run."},
           {"share", Unit::ratio, Role::measure,
            "The same as a part of the time of all operations of the run.", false, false,
            "total_ns"},
           {"roof", Unit::text, Role::measure, roof_doc, true}},
          savings_columns(),
          {{"verdict", Unit::text, Role::measure, "As ncu gives it: see `ncu_kernels`.", true},
           {"compute_ratio", Unit::ratio, Role::detail,
            "ncu's compute throughput, weighted by time.", true},
           {"memory_ratio", Unit::ratio, Role::detail, "ncu's memory throughput, weighted by time.",
            true},
           {"match", Unit::text, Role::detail,
            "How its name is equal to that of ncu: see `ncu_match`."},
           {"measured", Unit::count, Role::detail,
            "Measured kernels (name, grid and block) that its time is divided among."},
           {"measured_instances", Unit::count, Role::detail, "Instances of these."}}})},
    needs<analyze::RunSummary>,
    add_optimize_first,
    not_measured_by_ncu};

const Definition optimize_labels_part{
    {"optimize_labels", "optimize first, by label",
     "One row per run, dimension and label: how much of its kernels' time ncu measured, and what "
     "would be saved if they ran at their nearest roofs.",
     columns_of_lists(
         {{{"run", Unit::text, Role::key, "The run."},
           {"dimension", Unit::text, Role::key, "The dimension, such as `substage`."},
           {"label", Unit::text, Role::key, "The label."},
           {"total_ns", Unit::ns, Role::measure, "Time of the run's kernels with the label."},
           {"share", Unit::ratio, Role::measure,
            "The same as a part of the time of all operations of the run.", false, false,
            "total_ns"},
           {"measured_ns", Unit::ns, Role::measure, "Of it, of kernels that ncu measured."}},
          savings_columns(),
          {{"verdict", Unit::text, Role::measure, "Of the means: see `ncu_kernels`.", true}}})},
    needs<analyze::RunSummary>,
    add_optimize_labels,
    not_measured_by_ncu};

const Definition ncu_match_table{
    {"ncu_match",
     "time that ncu measured",
     "One row per run and way in which its kernels were found among those of ncu. The rows of a "
     "run add up to its time; a name with several launch shapes may be in two of them.",
     {{"run", Unit::text, Role::key, "The run."},
      {"match", Unit::text, Role::key,
       "How the names are equal. `name`: byte by byte. `demangled`: after decoding. `simplified`: "
       "without namespaces, casts and punctuation. `without_parameters`: also without return type "
       "and parameters. `function`: the function alone, which only one kernel of the run has. "
       "`ambiguous`: several have it, so none is measured. `unmeasured`: ncu has no such kernel. "
       "`not_a_kernel`: copies and sets. `not_in_run`: kernels of ncu that the run does not have."},
      {"found_by", Unit::text, Role::key,
       "`name, grid and block`: operations whose launch shape ncu measured, each the kernel of "
       "that shape. `name`: of others, or if the run has no shapes, the time is shared out "
       "among all measured kernels of the name as ncu's own times are.",
       true},
      {"names", Unit::count, Role::measure, "Distinct names of the run."},
      {"measured", Unit::count, Role::measure,
       "Measured kernels (name, grid and block) that their time is taken as that of."},
      {"instances", Unit::count, Role::measure, "Operations in the run."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"share", Unit::ratio, Role::measure,
       "The same as a part of the time of all operations of the run.", false, false, "total_ns"}}},
    needs<analyze::RunSummary>,
    add_ncu_match,
    not_measured_by_ncu};

const Definition optimize_first_table =
    scoped("optimize_first", "optimize first",
           "One row per run and kernel or label, by the time that would be saved.",
           {{.part = optimize_first_part, .name = "kernel", .key = "name"},
            {.part = optimize_labels_part, .by = "dimension", .key = "label"}});

}  // namespace kr::tables
