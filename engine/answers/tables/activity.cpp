// Durations by type of activity: kernels, copies, sets, and calls of the host.
#include "analyze/activity.hpp"

#include <array>

#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

std::vector<analyze::ActivityRatio> activity_ratios(const Source& source) {
  std::vector<const std::vector<analyze::ActivityStatistics>*> all;
  all.reserve(source.runs.size());
  for (const Run& run : source.runs) all.push_back(&run.get<analyze::Activity>().types);
  return analyze::compare_activity(all);
}

std::string without_activity_pairs(const Source& source) {
  return activity_ratios(source).empty() ? "there are not two types of activity to compare"
                                         : std::string();
}

void add_activity(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::ActivityStatistics& one : run.get<analyze::Activity>().types) {
      sink.row({run.summary.id, one.type, one.instances, one.total_ns, one.min_ns, one.max_ns,
                ratio_of(one.total_ns, one.instances)});
    }
  }
}

void add_activity_longest(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::ActivityStatistics& one : run.get<analyze::Activity>().types) {
      for (const analyze::Longest& longest : one.longest) {
        sink.row({run.summary.id, one.type, int64_t{longest.percent}, longest.instances,
                  longest.share, longest.instances > 0 ? Cell(longest.mean_ns) : Cell(),
                  longest.total_ns});
      }
    }
  }
}

void add_activity_ratios(const Source& source, RowSink& sink) {
  for (const analyze::ActivityRatio& one : activity_ratios(source)) {
    const std::string& run_a = source.runs[one.run_a].summary.id;
    const std::string& run_b = source.runs[one.run_b].summary.id;
    const auto add = [&](int64_t percent, const std::optional<double>& ratio) {
      sink.row({run_a, one.type_a, run_b, one.type_b, percent, table::cell(ratio)});
    };
    add(100, one.all);
    constexpr std::array<int64_t, 3> percents{1, 5, 10};
    for (size_t i = 0; i < percents.size(); ++i) add(percents[i], one.longest[i]);
  }
}

}  // namespace

const Definition activity_table{
    {"activity",
     "activity summary",
     "One row per run and type of activity that occurs, on devices and on the host.",
     {{"run", Unit::text, Role::key, "The run."},
      {"type", Unit::text, Role::key,
       "Operations: `kernel`, `memcpy` or `memset`; calls of the host: `runtime` or `driver`."},
      {"instances", Unit::count, Role::measure, "Operations or calls of the type."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"min_ns", Unit::ns, Role::measure, "The shortest duration."},
      {"max_ns", Unit::ns, Role::measure, "The longest duration."},
      {"mean_ns", Unit::ns, Role::measure, "The mean duration."}}},
    needs<analyze::Activity>,
    add_activity};

const Definition activity_longest_table{
    {"activity_longest",
     "activity summary: longest operations",
     "One row per run, type of activity and percent: the longest 1, 5 and 10 % of the type.",
     {{"run", Unit::text, Role::key, "The run."},
      {"type", Unit::text, Role::key, "The type, as in `activity`."},
      {"percent", Unit::id, Role::key, "1, 5 or 10: so many of 100 by number, the longest first."},
      {"instances", Unit::count, Role::measure,
       "The number of these, rounded down; 0 if the type has few."},
      {"share", Unit::ratio, Role::measure, "Their part of `total_ns` of the type.", false, false,
       "total_ns"},
      {"mean_ns", Unit::ns, Role::measure, "Their mean duration; empty if there are none.", true},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."}},
     false,
     false},
    needs<analyze::Activity>,
    add_activity_longest};

const Definition activity_ratios_table{
    {"activity_ratios",
     "activity ratios",
     "One row per pair of types and percent: each type of a later run with the same type of the "
     "first, then within a run each type with those before it.",
     {{"run_a", Unit::text, Role::key, "The run of a."},
      {"type_a", Unit::text, Role::key, "The type a, as in `activity`."},
      {"run_b", Unit::text, Role::key, "The run of b."},
      {"type_b", Unit::text, Role::key, "The type b, as in `activity`."},
      {"percent", Unit::id, Role::key,
       "100: of all; 1, 5 or 10: of the longest so many of 100, as in `activity_longest`."},
      {"ratio", Unit::factor, Role::measure,
       "The mean duration of b divided by that of a; empty if one of them has none.", true}},
     false,
     false},
    needs<analyze::Activity>,
    add_activity_ratios,
    without_activity_pairs};

}  // namespace kr::tables
