// RunSummaries as files and tables: one function an output, one source file each.
//
// CSV carries names unchanged. result.csv alone escapes cells that a spreadsheet would run as
// formulas: it is the file that people open in one.
//
// Lines of CSV end in LF, not in the CRLF of RFC 4180: spreadsheets, pandas and csv modules take
// both, while awk, cut and diff would carry the CR along in the last column.
#pragma once

#include <string>
#include <vector>

#include "analyze/summary.hpp"
#include "base/printable.hpp"
#include "picture/label_styles.hpp"
#include "table/numbers.hpp"

namespace kr::overview {

struct Report {
  std::string title;
  std::string by = "substage";                   // the dimension tables and charts begin with
  std::vector<const analyze::RunSummary*> runs;  // owned by the caller
  std::vector<picture::LabelStyle> styles;       // for every label that occurs
};

/// result.csv: a row a distinct name and run, by run, substage and elapsed falling; the row
/// `CPU(non-GPU)` closes each run and stands outside the sums. Columns: `Model_Engine,Substage,
/// Instances,Name,Elapsed Time (sec),Stage,Total Time (sec),Elapsed (ns),Total (ns)`, then `Kind of
/// operation,Engine,Model,Rule` (that of the substage), then further dimensions by name. A run
/// without GPU work and without an elapsed time of its own has no rows.
std::string to_csv(const Report& report);

struct TableOptions {
  bool color = false;
  int width = 0;  // 0: no limit
};
/// For a terminal: of each run what was read, how its rules were chosen, and what is wrong with it.
std::string run_facts(const std::vector<const analyze::RunSummary*>& runs, TableOptions options);
/// For a terminal: labels by runs, a total row (GPU time), non-GPU time below it, then devices and
/// the names that take longest. Runs that do not fit side by side go below each other.
std::string to_table(const Report& report, TableOptions options);

/// kr classify: `name,instances,total_ns,elapsed_ns,stage,substage,rule`, then each further
/// dimension, by name, with its `rule_DIM`. An absent dimension is an empty cell.
std::string classify_csv(const analyze::RunSummary& run);
std::string classify_table(const analyze::RunSummary& run, TableOptions options);

}  // namespace kr::overview
