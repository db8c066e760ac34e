// Results of commands on a terminal, and the CSV files that existed before tables.
//
// CSV has names unchanged. Only result.csv escapes cells that a spreadsheet would run as formulas:
// it is the file that people open in one.
//
// Lines of CSV end in LF, not in the CRLF of RFC 4180: spreadsheets, pandas and csv modules accept
// both, while awk, cut and diff would keep the CR in the last column.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/summary.hpp"
#include "base/printable.hpp"
#include "picture/label_styles.hpp"
#include "tables/source.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"
#include "trees/view.hpp"

namespace kr::overview {

/// Gets a text in pieces.
using Write = std::function<void(std::string_view)>;

/// Which time of operations is shown; the sums of all labels are
enum class Measure : uint8_t {
  busy,     // the busy time of all devices, added up
  elapsed,  // the time in which any device was busy
  total,    // the sum of all durations
};
std::string_view to_string(Measure measure) noexcept;
/// As an option spells it. Throws Error.
Measure measure_named(const std::string& name);

struct Report {
  std::string title;
  std::string by = "substage";                   // the dimension tables and charts begin with
  std::vector<const analyze::RunSummary*> runs;  // owned by the caller
  std::vector<picture::LabelStyle> styles;       // for every label that occurs
  // Of the user, for commands that show more: those of any verb over runs, those of reports alone.
  std::vector<std::string> options = {};
  std::vector<std::string> report_options = {};
  Measure measure = Measure::busy;
};

/// A command to run after a report.
struct NextStep {
  std::string text;     // why; a sentence that ends in a colon
  std::string command;  // for a POSIX shell
};
/// `kr coverage` of the runs of which the rules of `report.by` explain less than 95 % of the total
/// time; nothing if there are none.
std::optional<NextStep> next_step(const Report& report);
/// The runs as words of a POSIX shell, with `*` for what many files of one folder differ in, and
/// the rules that the user named.
std::string runs_as_words(const Report& report);

/// How much of the total time of a run is explained: that of operations that a rule of the
/// dimension other than `otherwise` labels.
int64_t explained_ns(const analyze::RunSummary& run, std::string_view dimension);
/// At least 95 %.
bool is_well_explained(const analyze::RunSummary& run, std::string_view dimension);

/// result.csv: one row per run and distinct name, by run, substage and elapsed time falling; the
/// last row of each run is `CPU(non-GPU)`, which is not part of its sums. Columns:
/// `Model_Engine,Substage, Instances,Name,Elapsed Time (sec),Stage,Total Time (sec),Elapsed
/// (ns),Total (ns)`, then `Kind of operation,Engine,Model,Rule` (that of the substage), then
/// further dimensions by name. A run without GPU work and without an elapsed time of its own has no
/// rows.
std::string to_csv(const Report& report);

struct TableOptions {
  bool color = false;
  int width = 0;          // 0: no limit
  bool all_rows = false;  // else the first of each table

  size_t columns() const { return static_cast<size_t>(std::max(width, 0)); }
  std::string ink(std::string_view text, text::Ink ink) const {
    return text::inked(text, ink, color);
  }
};
/// `dropped records: 3 × kernels (first at 12)`.
std::string dropped_text(const trace::DroppedRecords& records);

/// For a terminal: of each run its file, how its rules were chosen, how much the rules of the
/// dimension `by` explain, and warnings. Several runs are one table.
std::string run_facts(const tables::Source& source, std::string_view by, TableOptions options);
/// For a terminal, in about 30 lines, or 45 for a job: the runs, verdicts, devices, steps by phase,
/// labels in the measure of the report, causes of idle time, and two commands that show more.
/// `source` has the same runs as the report.
std::string answer_text(const tables::Source& source, const Report& report, TableOptions options);

/// `kr classify --format csv`: `name,instances,total_ns,elapsed_ns,stage,substage,rule`, then each
/// further dimension, by name, with its `rule_DIM`. An absent dimension is an empty cell.
std::string classify_csv(const analyze::RunSummary& run);
/// With `--each`: one row per operation, where `instances` is 1, and the columns
/// `operation_kind,start_ns,duration_ns,device,stream`.
void classify_each_csv(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                       const Write& write);

/// `kr tree --format csv`: `phase,step,layer,depth,path,name,label,invocations,total_ns` and the
/// chosen metric, one row per node shown. Formulas are not escaped.
void write_tree_csv(const trees::TreeView& view, std::optional<trees::Metric> metric,
                    const Write& write);
/// `kr tree` for a terminal: one tree per step, down to the level, then steps compared. With labels
/// or vLLM's cut one list per step.
void write_tree_text(const trees::TreeView& view, const trees::TreeRun& run, trees::Metric metric,
                     TableOptions options, const Write& write);

/// The same for what its profile itself says of FLOPs and bytes; empty if it says nothing.
std::string module_costs_text(const tables::Source& source, TableOptions options);

/// `kr coverage` for a terminal. `source` has the runs that were measured.
std::string coverage_text(const tables::Source& source, const coverage::TimeCoverage& coverage,
                          TableOptions options);

/// `part` of `whole` in percent with two decimals, rounded down: 100.00 is all of it. Of nothing,
/// all is explained.
std::string share_explained(int64_t part, int64_t whole);
/// What is said of a trace without operations.
std::string_view no_operations(bool known_layout) noexcept;

/// `kr why` for a person: the name with the matched parts underlined, a block a dimension.
std::string why_text(const match::CompiledRules& rules, const tables::Explanation& report,
                     TableOptions options);

}  // namespace kr::overview
