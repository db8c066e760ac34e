// RunSummaries as files and tables: one function an output, one source file each.
// Machine formats carry names unchanged; result.csv disarms cells that a spreadsheet would run.
#pragma once

#include <string>
#include <vector>

#include "analyze/summary.hpp"

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

/// Declared colours of the runs' models; for others a colour that depends on the label alone.
std::vector<LabelStyle> label_styles(const Program& program, const std::vector<RunSummary>& runs);

/// result.csv: the columns fixed by the contract of outputs, and `Kind,Device…` after them.
std::string to_csv(const Report& report);
std::string to_json(const Report& report);
/// A page that needs nothing else: data, script and style in one file.
std::string to_html(const Report& report);

struct TableOptions {
  bool color = false;
  int width = 0;  // 0: no limit
};
/// For a terminal: labels by runs, a total row, non-GPU time below it.
std::string to_table(const Report& report, TableOptions options);

/// kr classify.
std::string classify_csv(const RunSummary& run);
std::string classify_jsonl(const RunSummary& run);
std::string classify_table(const RunSummary& run, TableOptions options);

/// ns as seconds with nine decimals: `0.000123456`. Exact.
std::string seconds(int64_t ns);
/// For people: `1.234 ms`, the unit by size, four significant digits.
std::string human_time(int64_t ns);
/// Control bytes as `\xNN`, for a terminal. UTF-8 is kept.
std::string printable(std::string_view text);

}  // namespace kr
