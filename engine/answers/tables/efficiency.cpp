// Parallel efficiencies: of jobs, of their phases and steps, and of labels.
#include "tables/efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "analyze/host_use.hpp"
#include "analyze/steps.hpp"
#include "base/plural.hpp"
#include "job/job.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::HostUse;
using job::JobEfficiency;
using job::RunOfJob;

using job::Efficiency;
using job::Nccl;

Cell cell_of(const std::optional<job::Ratio>& ratio) {
  return ratio ? Cell(ratio->value()) : Cell();
}

/// What a row is about, beside its job.
struct RowScope {
  std::string_view scope = {};
  std::string_view phase = {};
  std::optional<int64_t> step = {};
  std::optional<int64_t> occurrence = {};
  int64_t steps = 1;
};

struct EfficiencyRow : Parts<NamedJob, Efficiency, RowScope> {
  Nccl reading;
  job::Scalability against;
};

/// A row by reading. `reference`: null if there is none, or it has no such scope.
void add_readings(const Source& source, const NamedJob& one, const RowScope& scope,
                  const Efficiency& of, const Efficiency* reference, Rows<EfficiencyRow>& rows) {
  for (const Nccl reading : source.efficiency.readings) {
    job::Scalability against;
    if (reference != nullptr) {
      against = job::scalability_of(*reference, of, reading, source.efficiency.scaling);
    } else if (source.baselines.empty()) {
      against.global = of.parallel(reading);
    }
    rows.add({{one, of, scope}, reading, against});
  }
}

template <auto factor>
Cell factor_of(const EfficiencyRow& row) {
  return cell_of((row.of<Efficiency>().*factor)(row.reading));
}

Columns<EfficiencyRow> factor_columns() {
  using Row = EfficiencyRow;
  return {
      {"devices", Unit::count, Role::measure, "Devices that have operations: N.",
       &Efficiency::devices},
      {"elapsed_ns", Unit::ns, Role::measure,
       "From the first start to the last end of the operations of all devices, of several steps "
       "added: E.",
       &Efficiency::elapsed_ns},
      {"elapsed_from", Unit::text, Role::detail,
       "`clock`: of all runs on one clock; `longest_span`: their clocks are not known to agree, "
       "and `elapsed_ns` is the longest span of a run, so that efficiencies are upper bounds.",
       [](const Efficiency& of) { return of.one_clock ? "clock" : "longest_span"; }},
      {"useful_ns", Unit::ns, Role::measure,
       "The time in which a useful kernel ran, of all devices added: the sum of U.",
       [](const Row& row) { return row.of<Efficiency>().useful_ns[row.reading]; }},
      {"max_useful_ns", Unit::ns, Role::detail, "The largest U of a device.",
       [](const Row& row) { return row.of<Efficiency>().max_useful_ns[row.reading]; }},
      {"max_active_ns", Unit::ns, Role::detail,
       "The largest time of a device in which any operation ran: the largest A.",
       &Efficiency::max_active_ns},
      {"parallel_efficiency", Unit::ratio, Role::measure,
       "`useful_ns` / (N·E), which is load balance · communication efficiency · orchestration "
       "efficiency.",
       factor_of<&Efficiency::parallel>, optional},
      {"load_balance", Unit::ratio, Role::measure,
       "The mean useful time of a device divided by the largest.",
       factor_of<&Efficiency::load_balance>, optional},
      {"communication_efficiency", Unit::ratio, Role::measure,
       "`max_useful_ns` / `max_active_ns`: what is lost to copies, and to communication where "
       "that is not useful.",
       factor_of<&Efficiency::communication>, optional},
      {"orchestration_efficiency", Unit::ratio, Role::measure,
       "`max_active_ns` / E: what is lost while no device has work.",
       [](const Efficiency& of) { return cell_of(of.orchestration()); }, optional},
      {"computation_scalability", Unit::factor, Role::measure,
       "The useful time of the reference (the first `--baseline`) divided by this; with "
       "`--scaling weak` times N / N of the reference.",
       [](const Row& row) { return cell_of(row.against.computation); }, optional},
      {"global_efficiency", Unit::factor, Role::measure,
       "Parallel efficiency · computation scalability; without a reference the former.",
       [](const Row& row) { return cell_of(row.against.global); }, optional},
      {"speedup", Unit::factor, Role::measure,
       "E of the reference divided by this; with `--scaling weak` times N / N of the reference.",
       [](const Row& row) { return cell_of(row.against.speedup); }, optional}};
}

constexpr table::Head nccl_column{"nccl", Unit::text, Role::key,
                                  "What communication kernels count as: `useful` work, as TALP has "
                                  "it, or `communication`, as BasicAnalysis has it."};
constexpr table::Head job_column{"run", Unit::text, Role::key,
                                 "The run; nothing: all runs, the ranks of one job.", optional};

/// The job that others are compared with; null: there is none.
const JobEfficiency* reference_of(const std::vector<NamedJob>& baselines) {
  return baselines.empty() ? nullptr : &baselines.front().efficiency;
}

void add_efficiency(const Source& source, Rows<EfficiencyRow>& rows) {
  const std::vector<NamedJob> baselines = baseline_jobs(source);
  const JobEfficiency* const reference = reference_of(baselines);
  for (const NamedJob& one : jobs_of(source)) {
    add_readings(source, one, {.scope = one.run.empty() ? "job" : "run"}, one.efficiency.whole(),
                 reference ? &reference->whole() : nullptr, rows);
  }
}

using StepKey = std::tuple<std::string, std::optional<int64_t>, int64_t>;

void add_efficiency_steps(const Source& source, Rows<EfficiencyRow>& rows) {
  const std::vector<NamedJob> baselines = baseline_jobs(source);
  std::map<std::string, Efficiency> phases;  // of the reference
  std::map<StepKey, Efficiency> steps;
  if (const JobEfficiency* const reference = reference_of(baselines)) {
    for (const job::PhaseEfficiency& one : reference->phases()) phases[one.phase] = one.efficiency;
    for (const job::StepEfficiency& one : reference->steps()) {
      steps[{one.phase, one.step, one.occurrence}] = one.efficiency;
    }
  }
  const auto find = [](const auto& before, const auto& key) {
    const auto found = before.find(key);
    return found == before.end() ? nullptr : &found->second;
  };
  for (const NamedJob& one : jobs_of(source)) {
    for (const job::PhaseEfficiency& of : one.efficiency.phases()) {
      add_readings(source, one, {.scope = "phase", .phase = of.phase, .steps = of.steps},
                   of.efficiency, find(phases, of.phase), rows);
    }
    for (const job::StepEfficiency& of : one.efficiency.steps()) {
      add_readings(source, one, {"step", of.phase, of.step, of.occurrence}, of.efficiency,
                   find(steps, StepKey(of.phase, of.step, of.occurrence)), rows);
    }
  }
}

/// With the devices of its job, for the scalability of a label.
Efficiency label_sums(const Efficiency& whole, const job::LabelUse& use, Nccl reading) {
  Efficiency of;
  of.devices = whole.devices;
  (reading == Nccl::useful ? of.useful_ns.useful : of.useful_ns.communication) = use.useful_ns;
  return of;
}

struct LabelEfficiencyRow : Parts<NamedJob, job::LabelEfficiency, job::LabelUse> {
  Nccl reading;
  std::optional<job::Ratio> scalability;

  const Efficiency& whole() const { return of<NamedJob>().efficiency.whole(); }
};

void add_efficiency_labels(const Source& source, Rows<LabelEfficiencyRow>& rows) {
  const std::vector<NamedJob> baselines = baseline_jobs(source);
  const JobEfficiency* const reference = reference_of(baselines);
  std::map<std::pair<std::string, std::string>, job::LabelEfficiency> before;
  if (reference != nullptr) {
    for (job::LabelEfficiency& label : reference->labels()) {
      std::pair key(label.dimension, label.label);
      before[std::move(key)] = std::move(label);
    }
  }
  for (const NamedJob& one : jobs_of(source)) {
    const Efficiency& whole = one.efficiency.whole();
    for (const job::LabelEfficiency& label : one.efficiency.labels()) {
      const auto found = before.find({label.dimension, label.label});
      for (const Nccl reading : source.efficiency.readings) {
        const job::LabelUse& use = label[reading];
        if (use.useful_ns == 0) continue;
        std::optional<job::Ratio> scalability;
        if (found != before.end()) {
          scalability = job::scalability_of(
                            label_sums(reference->whole(), found->second[reading], reading),
                            label_sums(whole, use, reading), reading, source.efficiency.scaling)
                            .computation;
        }
        rows.add({{one, label, use}, reading, scalability});
      }
    }
  }
}

void add_scaling(const Source& source, Rows<EfficiencyRow>& rows) {
  std::vector<NamedJob> jobs = baseline_jobs(source);
  for (NamedJob& one : jobs_of(source)) jobs.push_back(std::move(one));
  for (const NamedJob& one : jobs) {
    add_readings(source, one, {}, one.efficiency.whole(), &jobs[0].efficiency.whole(), rows);
  }
}

struct HostEfficiencyRow : Parts<Run, HostUse> {
  int64_t rank;
  double efficiency;
};

void add_efficiency_host(const Source& source, Rows<HostEfficiencyRow>& rows) {
  for (const Run& run : source.runs) {
    if (run.find<analyze::HostUse>() == nullptr) continue;
    const HostUse& host = run.get<analyze::HostUse>();
    const job::Wide all = job::Wide{host.threads} * host.span_ns;
    if (all <= 0) continue;
    rows.add({{run, host},
              source.rank(static_cast<size_t>(&run - source.runs.data())),
              job::Ratio{all - host.in_calls_ns, all}.value()});
  }
}

std::string without_jobs(const Source& source) {
  return jobs_of(source).empty() ? "no device has operations" : "";
}

std::string without_step_jobs(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(), [](const Run& run) {
    return !run.get<analyze::StepSums>().steps.empty();
  });
  if (std::string why = only_sampled_steps(source); !why.empty()) return why;
  return any ? without_jobs(source) : "no steps are known";
}

std::string without_kernel_times(const Source& source) {
  const bool any = std::any_of(source.runs.begin(), source.runs.end(),
                               [](const Run& run) { return !run.summary.kernel_times.empty(); });
  return any ? "" : "no run has kernels";
}

std::string without_baseline(const Source& source) {
  if (source.baselines.empty()) return "no --baseline is given";
  return without_jobs(source);
}

/// To the clock of the first run; nullopt where nothing relates a run to it.
job::Shifts shifts_of(const job::Job* job) {
  if (job == nullptr) return {};
  job::Shifts shifts;
  for (size_t run = 0; run < job->clocks.ranks.size(); ++run) {
    shifts.push_back(job->clocks.comparable(0, run) ? std::optional(job->clocks.shift_ns(run))
                                                    : std::nullopt);
  }
  return shifts;
}

std::vector<RunOfJob> ranks_of(const std::vector<Run>& runs) {
  std::vector<RunOfJob> ranks;
  ranks.reserve(runs.size());
  for (const Run& run : runs) {
    ranks.push_back({&run.summary, run.find<analyze::StepSums>()});
  }
  return ranks;
}

std::optional<int64_t> larger_job(std::span<const RunOfJob> ranks) {
  for (const RunOfJob& rank : ranks) {
    const std::optional<int64_t>& size = rank.summary->distributed.world_size;
    if (size && *size > static_cast<int64_t>(ranks.size())) return size;
  }
  return std::nullopt;
}

}  // namespace

std::vector<NamedJob> jobs_of(const Source& source) {
  std::vector<NamedJob> jobs;
  const auto add = [&](std::string name, std::string run, std::vector<RunOfJob> ranks,
                       job::Shifts shifts) {
    const size_t count = ranks.size();
    const std::optional<int64_t> larger = larger_job(ranks);
    JobEfficiency efficiency(std::move(ranks), std::move(shifts));
    if (efficiency.whole().devices == 0) return;
    jobs.push_back({std::move(name), std::move(run), std::move(efficiency), count, larger});
  };
  std::vector<RunOfJob> ranks = ranks_of(source.runs);
  if (ranks.size() > 1 && not_ranks(source).empty()) {
    const std::optional<int64_t> larger = larger_job(ranks);
    std::string name = larger ? fmt::format("{} of {} ranks", ranks.size(), *larger)
                              : plural(ranks.size(), "rank");
    add(std::move(name), "", std::move(ranks), shifts_of(source.job()));
    return jobs;
  }
  for (const RunOfJob& rank : ranks) {
    add(source.run_name(rank.summary->id), rank.summary->id, {rank}, {});
  }
  return jobs;
}

std::vector<NamedJob> baseline_jobs(const Source& source) {
  std::vector<NamedJob> jobs;
  for (size_t i = 0; i < source.baselines.size(); ++i) {
    const Baseline& baseline = source.baselines[i];
    std::vector<RunOfJob> ranks = ranks_of(baseline.runs);
    const size_t count = ranks.size();
    const std::optional<int64_t> larger = larger_job(ranks);
    jobs.push_back({baseline.name, "",
                    JobEfficiency(std::move(ranks), shifts_of(source.baseline_job(i))), count,
                    larger});
  }
  return jobs;
}

bool has_parallel_jobs(const Source& source) {
  if (!source.baselines.empty()) return true;
  const std::vector<NamedJob> jobs = jobs_of(source);
  return std::any_of(jobs.begin(), jobs.end(),
                     [](const NamedJob& one) { return one.efficiency.whole().devices > 1; });
}

// People see both as a tree of factors: overview/efficiency_text.hpp.
const Definition efficiency_part = TableOf<EfficiencyRow>{
    {.id = "efficiency",
     .title = "parallel efficiency",
     .doc = "One row per job (or per run, if the runs are not ranks of one job) and reading of "
            "communication kernels: how well the devices are used, as a product of factors. If "
            "only some ranks of the job are there (note `ranks-missing`), it is of these, and the "
            "load balance and efficiencies of the job are not known.",
     .columns = {{job_column, &NamedJob::run},
                 {"scope", Unit::text, Role::key,
                  "`job`: all runs, which are its ranks; `run`: one run by itself.",
                  &RowScope::scope},
                 {nccl_column, &EfficiencyRow::reading},
                 factor_columns()},
     .in_short_form = false},
    needs<analyze::RunSummary>,
    add_efficiency,
    without_jobs};

const Definition efficiency_steps_part = TableOf<EfficiencyRow>{
    {.id = "efficiency_steps",
     .title = "parallel efficiency by phase and step",
     .doc = "One row per phase, or step, and reading of communication kernels: the operations that "
            "its steps launched. The k-th step of a phase and number on one rank is the k-th on "
            "all.",
     .columns =
         {{job_column, &NamedJob::run},
          {"scope", Unit::text, Role::key, "`phase`: all its steps, added; `step`: one of them.",
           &RowScope::scope},
          {head::phase, &RowScope::phase},
          {head::step_key, &RowScope::step},
          {"occurrence", Unit::id, Role::key,
           "The place of the step among those of its rank with this phase and number, from 0.",
           &RowScope::occurrence, optional},
          {nccl_column, &EfficiencyRow::reading},
          {"steps", Unit::count, Role::measure,
           "Of a phase: its steps that are not inside another step of it.", &RowScope::steps},
          factor_columns()},
     .in_short_form = false},
    needs<analyze::StepSums>,
    add_efficiency_steps,
    without_step_jobs};

const Definition efficiency_labels_part = TableOf<LabelEfficiencyRow>{
    {.id = "efficiency_labels",
     .title = "parallel efficiency by label",
     .doc = "One row per label and reading of communication kernels: its part of the parallel "
            "efficiency, and how even it is over devices.",
     .columns =
         {{job_column, &NamedJob::run},
          {head::the_dimension, &job::LabelEfficiency::dimension},
          {head::label, &job::LabelEfficiency::label},
          {nccl_column, &LabelEfficiencyRow::reading},
          {"useful_ns", Unit::ns, Role::measure,
           "The time of its useful kernels that no earlier useful kernel of the device covers, of "
           "all devices added; the labels add up to `useful_ns` of `efficiency`.",
           &job::LabelUse::useful_ns},
          {"max_useful_ns", Unit::ns, Role::measure, "The largest of a device.",
           &job::LabelUse::max_useful_ns},
          {"part", Unit::ratio, Role::measure,
           "`useful_ns` / (N·E): the labels add up to the parallel efficiency.",
           [](const LabelEfficiencyRow& row) {
             return cell_of(row.of<job::LabelUse>().part(row.whole()));
           },
           optional},
          {"load_balance", Unit::ratio, Role::measure,
           "`useful_ns` / (N · `max_useful_ns`): 1 if all devices have as much of it.",
           [](const LabelEfficiencyRow& row) {
             return cell_of(row.of<job::LabelUse>().load_balance(row.whole()));
           },
           optional},
          {"computation_scalability", Unit::factor, Role::measure,
           "The useful time of the label in the reference divided by this; with `--scaling weak` "
           "times N / N of the reference.",
           [](const LabelEfficiencyRow& row) { return cell_of(row.scalability); }, optional}},
     .in_short_form = false},
    needs<analyze::RunSummary>,
    add_efficiency_labels,
    without_kernel_times};

const Definition efficiency_host_table = TableOf<HostEfficiencyRow>{
    {.id = "efficiency_host",
     .title = "device offload efficiency",
     .doc = "One row per run whose trace has calls of the host: how much of the time of its "
            "threads is not spent in calls of the GPU's runtime and driver.",
     .columns =
         {run_column,
          {"rank", Unit::id, Role::measure, "The rank of the run in the distributed job.",
           &HostEfficiencyRow::rank},
          {"host_threads", Unit::count, Role::measure, "Threads that made such calls.",
           &HostUse::threads},
          {"span_ns", Unit::ns, Role::measure,
           "From the start of the first call of the run to the end of the last.",
           &HostUse::span_ns},
          {"in_calls_ns", Unit::ns, Role::measure,
           "The time of the threads inside calls, added; calls inside calls count once.",
           &HostUse::in_calls_ns},
          {"device_offload_efficiency", Unit::ratio, Role::measure,
           "1 - `in_calls_ns` / (`host_threads` · `span_ns`): an upper bound of that of TALP, "
           "because a trace does not show useful work of the host, and all time outside calls "
           "counts as such.",
           &HostEfficiencyRow::efficiency}},
     .in_short_form = false},
    needs<analyze::HostUse>,
    add_efficiency_host};

const Definition scaling_table = TableOf<EfficiencyRow>{
    {.id = "scaling",
     .title = "scaling of jobs",
     .doc = "One row per job (each `--baseline`, then those of the runs) and reading of "
            "communication kernels: its efficiencies, against the first.",
     .columns = {{"job", Unit::text, Role::key, "The job; the first is the reference.",
                  &NamedJob::name},
                 {nccl_column, &EfficiencyRow::reading},
                 factor_columns()},
     .in_short_form = false},
    needs<analyze::RunSummary>,
    add_scaling,
    without_baseline};

const Definition efficiency_table = scoped(
    "efficiency", "parallel efficiency",
    "One row per job (or per run, if the runs are not ranks of one job), what it is about, "
    "and reading of communication kernels.",
    {{.part = efficiency_part, .by = "scope", .by_doc = "`job` or `run`"},
     {.part = efficiency_steps_part, .by = "scope", .by_doc = "`phase` or `step`", .key = "phase"},
     {.part = efficiency_labels_part, .by = "dimension", .key = "label"}});

}  // namespace kr::tables
