// `kr diff`: the runs of both sides one by one.
#include <string_view>

#include "tables/columns.hpp"
#include "tables/difference.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using changes::TrendLine;
using changes::TrendPoint;
using changes::TrendRun;

struct TrendRow : Parts<changes::Trend, TrendLine, TrendRun, TrendPoint> {
  int64_t position;

  /// Of the second side together; nothing where it is not judged.
  std::string_view verdict() const {
    return of<TrendRun>().in_b ? of<changes::Trend>().verdict_of(of<TrendLine>())
                               : std::string_view();
  }

  /// Why there is no number, or no verdict of the second side.
  std::string_view reason() const {
    const TrendPoint& point = of<TrendPoint>();
    if (!point.ns) return point.why_none;
    if (!of<TrendRun>().in_b || !verdict().empty()) return {};
    const std::string& why = of<changes::Trend>().no_verdict;
    return why.empty() ? of<changes::Trend>().few_values() : why;
  }
};

void add_trend(const Source& source, Rows<TrendRow>& rows) {
  const changes::Trend& trend = source.run_difference->trend;
  for (const TrendLine& line : trend.lines) {
    for (size_t i = 0; i < line.points.size(); ++i) {
      rows.add({{trend, line, trend.runs[i], line.points[i]}, static_cast<int64_t>(i)});
    }
  }
}

}  // namespace

const Definition trend_table = TableOf<TrendRow>{
    {"trend",
     "trend",
     "One row per quantity and run of a comparison: the numbers whose medians are compared, run by "
     "run, those of the first side first. With `kr diff --baseline` these are the saved runs of a "
     "folder, then the new ones.",
     {{"scope", Unit::text, Role::key, "`run`: all work; `phase`: its steps; `label`: its work.",
       [](const TrendLine& line) { return changes::to_string(line.scope); }},
      {"dimension", Unit::text, Role::key, "The dimension of a label.", &TrendLine::dimension,
       optional},
      {"key", Unit::text, Role::key,
       "The label, or the phase; without steps, the block of kernels that repeats. Nothing of a "
       "run.",
       &TrendLine::key, optional},
      {"measure", Unit::text, Role::key,
       "`work`: the sum of the durations; of steps also `wall`, the time to the start of the next "
       "step, and what of it is `idle` or `busy`.",
       [](const TrendLine& line) { return changes::to_string(line.measure); }},
      {"position", Unit::id, Role::key, "The place of the run in the comparison, from 0.",
       &TrendRow::position},
      {"source", Unit::text, Role::measure, "The file of the run.", &TrendRun::name},
      {"side", Unit::text, Role::measure, "`a`, or `b` of a new run.",
       [](const TrendRun& run) { return std::string_view(run.in_b ? "b" : "a"); }},
      {"per_unit_ns", Unit::ns, Role::measure,
       "The time, of what `per` says: the median of the steps of the run, or its mean per block or "
       "operation. Nothing if the run has none (`reason` says why).",
       [](const TrendPoint& point) { return point.ns; }, optional},
      {"per", Unit::text, Role::measure,
       "What the time is of: `step of decode`, `repeated block`, `operation of common names`, "
       "`run`. Of work the unit of the table `comparison`.",
       &TrendLine::per},
      {"verdict", Unit::text, Role::measure,
       "Of the new runs together, by their medians, as in `changes` and `phase_changes`: `within "
       "noise`, or `more` or `less`, of wall times `slower` or `faster`. Nothing of runs of the "
       "first side.",
       &TrendRow::verdict, optional},
      {"reason", Unit::text, Role::measure,
       "Why a row has no `per_unit_ns`, or a new run no `verdict`.", &TrendRow::reason, optional}}},
    needs<RunPair>,
    add_trend};

}  // namespace kr::tables
