// Durations by type of activity: kernels, copies, sets, and calls of the host.
#include "analyze/activity.hpp"

#include <array>

#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::ActivityRatio;
using analyze::ActivityStatistics;
using analyze::Longest;

std::vector<ActivityRatio> activity_ratios(const Source& source) {
  std::vector<const std::vector<ActivityStatistics>*> all;
  all.reserve(source.runs.size());
  for (const Run& run : source.runs) all.push_back(&run.get<analyze::Activity>().types);
  return analyze::compare_activity(all);
}

std::string without_activity_pairs(const Source& source) {
  return activity_ratios(source).empty() ? "there are not two types of activity to compare"
                                         : std::string();
}

using ActivityRow = Parts<Run, ActivityStatistics>;
void add_activity(const Source& source, Rows<ActivityRow>& rows) {
  for (const Run& run : source.runs) {
    for (const ActivityStatistics& one : run.get<analyze::Activity>().types) {
      rows.add({run, one});
    }
  }
}

using ActivityLongestRow = Parts<Run, ActivityStatistics, Longest>;
void add_activity_longest(const Source& source, Rows<ActivityLongestRow>& rows) {
  for (const Run& run : source.runs) {
    for (const ActivityStatistics& one : run.get<analyze::Activity>().types) {
      for (const Longest& longest : one.longest) {
        rows.add({run, one, longest});
      }
    }
  }
}

struct ActivityRatioRow : Parts<ActivityRatio> {
  std::string_view run_a;
  std::string_view run_b;
  int64_t percent;
  std::optional<double> ratio;
};

void add_activity_ratios(const Source& source, Rows<ActivityRatioRow>& rows) {
  for (const ActivityRatio& one : activity_ratios(source)) {
    const std::string& run_a = source.runs[one.run_a].summary.id;
    const std::string& run_b = source.runs[one.run_b].summary.id;
    const auto add = [&](int64_t percent, const std::optional<double>& ratio) {
      rows.add({{one}, run_a, run_b, percent, ratio});
    };
    add(100, one.all);
    constexpr std::array<int64_t, 3> percents{1, 5, 10};
    for (size_t i = 0; i < percents.size(); ++i) add(percents[i], one.longest[i]);
  }
}

}  // namespace

const Definition activity_part = TableOf<ActivityRow>{
    {"activity",
     "activity summary",
     "One row per run and type of activity that occurs, on devices and on the host.",
     {run_column,
      {"type", Unit::text, Role::key,
       "Operations: `kernel`, `memcpy` or `memset`; calls of the host: `runtime` or `driver`.",
       &ActivityStatistics::type},
      {"instances", Unit::count, Role::measure, "Operations or calls of the type.",
       &ActivityStatistics::instances},
      {head::total_ns, &ActivityStatistics::total_ns},
      {head::min_ns, &ActivityStatistics::min_ns},
      {head::max_duration_ns, &ActivityStatistics::max_ns},
      {head::mean_duration_ns,
       [](const ActivityStatistics& one) { return ratio_of(one.total_ns, one.instances); }}}},
    needs<analyze::Activity>,
    add_activity};

const Definition activity_longest_part = TableOf<ActivityLongestRow>{
    {"activity_longest",
     "activity summary: longest operations",
     "One row per run, type of activity and percent: the longest 1, 5 and 10 % of the type.",
     {run_column,
      {"type", Unit::text, Role::key, "The type, as in `activity`.", &ActivityStatistics::type},
      {"percent", Unit::id, Role::key, "1, 5 or 10: so many of 100 by number, the longest first.",
       &Longest::percent},
      {"instances", Unit::count, Role::measure,
       "The number of these, rounded down; 0 if the type has few.", &Longest::instances},
      {"share", Unit::ratio, Role::measure, "Their part of `total_ns` of the type.",
       &Longest::share, read_with("total_ns")},
      {"mean_ns", Unit::ns, Role::measure, "Their mean duration; empty if there are none.",
       [](const Longest& longest) {
         return longest.instances > 0 ? Cell(longest.mean_ns) : Cell();
       },
       optional},
      {head::total_ns, &Longest::total_ns}},
     false,
     false},
    needs<analyze::Activity>,
    add_activity_longest};

const Definition activity_ratios_table = TableOf<ActivityRatioRow>{
    {"activity_ratios",
     "activity ratios",
     "One row per pair of types and percent: each type of a later run with the same type of the "
     "first, then within a run each type with those before it.",
     {{"run_a", Unit::text, Role::key, "The run of a.", &ActivityRatioRow::run_a},
      {"type_a", Unit::text, Role::key, "The type a, as in `activity`.", &ActivityRatio::type_a},
      {"run_b", Unit::text, Role::key, "The run of b.", &ActivityRatioRow::run_b},
      {"type_b", Unit::text, Role::key, "The type b, as in `activity`.", &ActivityRatio::type_b},
      {"percent", Unit::id, Role::key,
       "100: of all; 1, 5 or 10: of the longest so many of 100, as in `activity`.",
       &ActivityRatioRow::percent},
      {"ratio", Unit::factor, Role::measure,
       "The mean duration of b divided by that of a; empty if one of them has none.",
       &ActivityRatioRow::ratio, optional}},
     false,
     false},
    needs<analyze::Activity>,
    add_activity_ratios,
    without_activity_pairs};

const Definition activity_table =
    scoped("activity", "activity summary",
           "One row per run and type of activity, on devices and on the host, and per type and "
           "percent of its longest.",
           {{.part = activity_part, .name = "all"},
            {.part = activity_longest_part, .name = "longest", .key = "percent"}});

}  // namespace kr::tables
