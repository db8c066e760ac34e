// Sections that hold runs, ranks and types of activity against each other.
#include "report/analysis_parts.hpp"

namespace kr {
namespace {

using Rows = SectionRows;
using Role = SectionColumn::Role;

int64_t rank(const Ranks& ranks, size_t run) {
  return ranks.runs[run].number.rank;
}

void add_ranks(const std::vector<AnalyzedRun>& runs, Rows& rows) {
  const Ranks ranks = ranks_of(runs);
  if (!ranks.why_not.empty() || ranks.devices.size() < 2) return;
  for (size_t i = 0; i < ranks.devices.size(); ++i) {
    const RankDevice& one = ranks.devices[i];
    const RankOfRun& run = ranks.runs[one.run];
    // What is known of the whole rank stands in the row of its first device.
    const bool first = i == 0 || ranks.devices[i - 1].run != one.run;
    const int64_t span = one.time.span_ns;
    rows.push_back({runs[one.run].summary.id, run.number.rank, to_string(run.number.from),
                    int64_t{one.device}, span, share_of(one.time.compute_ns, span),
                    share_of(one.time.exposed_communication_ns, span),
                    share_of(one.time.exposed_memory_ns, span), share_of(one.time.idle_ns, span),
                    first ? optional_cell(run.waiting_ns) : SectionCell(),
                    first ? optional_cell(run.slowest_steps) : SectionCell()});
  }
}

void add_balance(const std::vector<AnalyzedRun>& runs, Rows& rows) {
  const Ranks ranks = ranks_of(runs);
  for (const Balance& one : ranks.balance) {
    const RankDevice& least = ranks.devices[one.least];
    const RankDevice& most = ranks.devices[one.most];
    rows.push_back({one.what.substr(0, one.what.rfind('_')), one.min_ns, one.mean_ns, one.max_ns,
                    one.max_over_mean, rank(ranks, least.run), int64_t{least.device},
                    rank(ranks, most.run), int64_t{most.device}});
  }
}

void add_rank_steps(const std::vector<AnalyzedRun>& runs, Rows& rows) {
  const Ranks ranks = ranks_of(runs);
  for (const RankStep& step : ranks.steps) {
    const RankStep::Part& slowest = step.parts[step.slowest];
    const RankStep::Part& waits = step.parts[step.waits_most];
    rows.push_back({step.phase, optional_cell(step.step), step.occurrence,
                    static_cast<int64_t>(step.parts.size()), rank(ranks, slowest.run),
                    slowest.own_ns(), step.mean_own_ns, step.slowest_over_mean,
                    rank(ranks, waits.run), waits.time.exposed_communication_ns,
                    runs[slowest.run].statistics.steps.steps[slowest.step].text});
  }
}

void add_collectives(const std::vector<AnalyzedRun>& runs, Rows& rows) {
  const Ranks ranks = ranks_of(runs);
  for (const Collective& one : ranks.collectives) {
    size_t least = 0, most = 0;
    int64_t total_ns = 0;
    for (size_t run = 0; run < runs.size(); ++run) {
      total_ns += one.total_ns[run];
      if (one.waiting_ns[run] < one.waiting_ns[least]) least = run;
      if (one.waiting_ns[run] > one.waiting_ns[most]) most = run;
    }
    rows.push_back({one.instances, total_ns, one.waited_ns(), share_of(one.waited_ns(), total_ns),
                    rank(ranks, most), rank(ranks, least), one.name});
  }
}

void add_compare(const std::vector<AnalyzedRun>& runs, Rows& rows) {
  for (const ActivityRatio& one : activity_ratios(runs)) {
    SectionRow row{runs[one.run_a].summary.id, one.type_a, runs[one.run_b].summary.id, one.type_b};
    const auto cell = [](const std::optional<double>& ratio) {
      return ratio ? SectionCell(*ratio) : SectionCell();
    };
    row.push_back(cell(one.all));
    for (const auto& ratio : one.longest) row.push_back(cell(ratio));
    rows.push_back(std::move(row));
  }
}

void add_names_only_in(const std::vector<AnalyzedRun>& runs, Rows& rows) {
  for (const NameOnlyIn& one : names_only_in(summaries_of(runs))) {
    rows.push_back({runs[one.run].summary.id, one.instances, one.total_ns, one.name});
  }
}

}  // namespace

std::vector<const RunSummary*> summaries_of(const std::vector<AnalyzedRun>& runs) {
  std::vector<const RunSummary*> out;
  out.reserve(runs.size());
  for (const AnalyzedRun& run : runs) out.push_back(&run.summary);
  return out;
}

Ranks ranks_of(const std::vector<AnalyzedRun>& runs) {
  std::vector<RankInput> inputs;
  inputs.reserve(runs.size());
  for (const AnalyzedRun& run : runs) inputs.push_back({&run.summary, &run.statistics});
  return compare_ranks(inputs);
}

std::vector<ActivityRatio> activity_ratios(const std::vector<AnalyzedRun>& runs) {
  std::vector<const std::vector<ActivityStatistics>*> all;
  all.reserve(runs.size());
  for (const AnalyzedRun& run : runs) all.push_back(&run.statistics.activity);
  return compare_activity(all);
}

AnalysisPart ranks_part() {
  return {"ranks",
          "ranks and devices: shares of their span, and time in collectives beyond the shortest of "
          "the same",
          true,
          {{"run", Unit::text, Role::run},
           {"rank", Unit::text},
           {"rank_from", Unit::text},
           {"device", Unit::text},
           {"span_ns", Unit::time},
           {"compute", Unit::share},
           {"exposed_communication", Unit::share},
           {"exposed_memory", Unit::share},
           {"idle", Unit::share},
           {"waiting_ns", Unit::time},
           {"slowest_in_steps", Unit::count}},
          add_ranks};
}

AnalysisPart balance_part() {
  return {"balance",
          "balance of all ranks and devices",
          true,
          {{"what", Unit::text},
           {"min_ns", Unit::time},
           {"mean_ns", Unit::time},
           {"max_ns", Unit::time},
           {"max_over_mean", Unit::number},
           {"min_rank", Unit::text},
           {"min_device", Unit::text},
           {"max_rank", Unit::text},
           {"max_device", Unit::text}},
          add_balance};
}

AnalysisPart rank_steps_part() {
  return {"rank_steps",
          "the slowest rank a step: by its span without exposed communication; and who waits most",
          true,
          {{"phase", Unit::text},
           {"step", Unit::text},
           {"occurrence", Unit::count},
           {"ranks", Unit::count},
           {"slowest_rank", Unit::text},
           {"slowest_ns", Unit::time},
           {"mean_ns", Unit::time},
           {"slowest_over_mean", Unit::number},
           {"waiting_rank", Unit::text},
           {"exposed_communication_ns", Unit::time},
           {"text", Unit::text}},
          add_rank_steps};
}

AnalysisPart collectives_part() {
  return {"collectives",
          "collectives that all ranks have, and the time they take beyond the shortest of the same",
          true,
          {{"instances", Unit::count},
           {"total_ns", Unit::time},
           {"waiting_ns", Unit::time},
           {"waiting", Unit::share},
           {"waits_most_rank", Unit::text},
           {"waits_least_rank", Unit::text},
           {"name", Unit::text}},
          add_collectives};
}

AnalysisPart compare_part() {
  return {"compare",
          "how many times longer b takes than a: on average, and by its longest 1, 5 and 10 %",
          true,
          {{"run_a", Unit::text, Role::run},
           {"type_a", Unit::text},
           {"run_b", Unit::text, Role::run},
           {"type_b", Unit::text},
           {"ratio", Unit::number},
           {"ratio_longest_1", Unit::number},
           {"ratio_longest_5", Unit::number},
           {"ratio_longest_10", Unit::number}},
          add_compare};
}

AnalysisPart names_only_in_part() {
  return {"names_only_in",
          "names that some runs have and others lack",
          true,
          {{"run", Unit::text, Role::run},
           {"instances", Unit::count},
           {"total_ns", Unit::time},
           {"name", Unit::text}},
          add_names_only_in};
}

}  // namespace kr
