// RunSummaries as files and tables: one function an output, one source file each.
//
// Machine formats carry names unchanged: JSON and JSONL as base/json.hpp writes bytes that are no
// UTF-8, CSV as they are. result.csv alone disarms cells that a spreadsheet would run as formulas:
// it is the file that people open in one.
//
// Lines of CSV end in LF, not in the CRLF of RFC 4180: spreadsheets, pandas and csv modules take
// both, while awk, cut and diff would carry the CR along in the last column.
#pragma once

#include <string>
#include <vector>

#include "analyze/summary.hpp"
#include "diag/printable.hpp"

namespace kr {

/// How labels are shown: titles, colours, order. Made once from the Program so that every run and
/// page shows a label the same way.
struct LabelStyle {
  std::string dimension;
  std::string label;
  std::string title;
  std::string color;  // `#rrggbb`, always set
  std::string doc;
};

struct Report {
  std::string title;
  std::string by = "substage";  // the dimension tables and charts begin with
  std::vector<RunSummary> runs;
  std::vector<LabelStyle> styles;  // for every label that occurs
};

/// One style for every label that occurs in `runs`. Titles, colours and docs are those declared by
/// the runs' models, the first that has one; a label without a colour gets one that depends on its
/// text alone, so that it looks the same in every run and page.
std::vector<LabelStyle> label_styles(const Program& program, const std::vector<RunSummary>& runs);
/// That of one label of one model.
LabelStyle label_style(const Program& program, ModelId model, std::string_view dimension,
                       std::string_view label);

/// result.csv: a row a distinct name and run, by run, substage and elapsed falling; the row
/// `CPU(non-GPU)` closes each run and stands outside the sums. Columns: `Model_Engine,Substage,
/// Instances,Name,Elapsed Time (sec),Stage,Total Time (sec),Elapsed (ns),Total (ns)`, then `Kind of
/// operation,Engine,Model,Rule` (that of the substage), then further dimensions by name. A run
/// without GPU work and without an elapsed time of its own has no rows.
std::string to_csv(const Report& report);
/// `kr report --format json`: see docs/cli.md. One kernel a line.
std::string to_json(const Report& report);
/// A page that needs nothing else: data, script and style in one file.
std::string to_html(const Report& report);

struct TableOptions {
  bool color = false;
  int width = 0;  // 0: no limit
};
/// For a terminal: labels by runs, a total row (GPU time), non-GPU time below it, then devices and
/// the names that take longest. Runs that do not fit side by side go below each other.
std::string to_table(const Report& report, TableOptions options);

/// kr classify: `name,instances,total_ns,elapsed_ns,stage,substage,rule`, then each further
/// dimension, by name, with its `rule_DIM`. An absent dimension is an empty cell. JSONL has the
/// same keys and `operation_kind` (`kernel`, `memcpy`, `memset`); what is absent or has no rule is
/// null there.
std::string classify_csv(const RunSummary& run);
std::string classify_jsonl(const RunSummary& run);
std::string classify_table(const RunSummary& run, TableOptions options);

/// ns as seconds with nine decimals: `0.000123456`. Exact.
std::string seconds(int64_t ns);
/// For people: `1.234 ms`, the unit by size, four significant digits, rounded half away from zero.
std::string human_time(int64_t ns);

}  // namespace kr
