#include "trace/readers/csv_layout.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "trace/readers/csv_cursor.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

struct Title {
  std::string_view name;
  std::string_view unit;  // may be empty
};

Title title_of(std::string_view cell) {
  cell = trimmed(cell);
  const size_t open = cell.rfind('(');
  if (!cell.ends_with(')') || open == cell.npos || open == 0) return {cell, {}};
  return {trimmed(cell.substr(0, open)), cell.substr(open + 1, cell.size() - open - 2)};
}

std::optional<int> exponent_of(std::string_view unit) {
  if (unit.empty() || unit == "ns" || unit == "nsec") return 0;
  if (unit == "us" || unit == "usec" || unit == "µs") return 3;
  if (unit == "ms" || unit == "msec") return 6;
  if (unit == "s" || unit == "sec") return 9;
  return std::nullopt;
}

std::optional<size_t> find_column(const std::vector<std::string>& titles, std::string_view name) {
  for (size_t i = 0; i < titles.size(); ++i) {
    if (title_of(titles[i]).name == name) return i;
  }
  return std::nullopt;
}

// Columns that only reports of GPU work have; traces of API calls and of ranges have Start,
// Duration and Name too, with the columns of the third list.
constexpr std::array gpu_columns{"GrdX"sv,     "BlkX"sv,     "Reg/Trd"sv, "StcSMem"sv, "DymSMem"sv,
                                 "SrcMemKd"sv, "DstMemKd"sv, "Device"sv,  "Ctx"sv,     "Strm"sv};
constexpr std::array wanted_columns{"Start"sv, "Duration"sv, "Name"sv};
constexpr std::array foreign_columns{"Result"sv, "Pid"sv, "PID"sv,   "Tid"sv,     "TID"sv,
                                     "End"sv,    "Lvl"sv, "T-Pri"sv, "RangeId"sv, "Metric Name"sv};
// First columns of the other reports of nsys and of ncu.
constexpr std::array report_columns{
    "Time"sv,   "Total Time"sv, "Total"sv,       "Start"sv,           "API Start"sv,
    "RowID"sv,  "Count"sv,      "Operation"sv,   "Kernel Start"sv,    "ID"sv,
    "Name"sv,   "NVTX Range"sv, "Avg"sv,         "Num Calls"sv,       "Projected Start"sv,
    "CorrID"sv, "Instances"sv,  "Kernel Name"sv, "Range"sv,           "Duration"sv,
    "Type"sv,   "Event Type"sv, "Domain"sv,      "Virtual Address"sv, "CorrId"sv};

constexpr std::array<std::pair<std::string_view, DetailField>, 9> detail_titles{
    {{"GrdX", DetailField::grid_x},
     {"GrdY", DetailField::grid_y},
     {"GrdZ", DetailField::grid_z},
     {"BlkX", DetailField::block_x},
     {"BlkY", DetailField::block_y},
     {"BlkZ", DetailField::block_z},
     {"Reg/Trd", DetailField::registers},
     {"Ctx", DetailField::context},
     {"GreenCtx", DetailField::green_context}}};

bool is_number(std::string_view cell) {
  cell = trimmed(cell);
  return !cell.empty() && cell.find_first_not_of("0123456789.-") == cell.npos;
}

template <class Names>
size_t count_columns(const std::vector<std::string>& titles, const Names& names) {
  return static_cast<size_t>(std::count_if(names.begin(), names.end(), [&](std::string_view name) {
    return find_column(titles, name).has_value();
  }));
}

bool is_gpu_trace(const std::vector<std::string>& titles) {
  if (count_columns(titles, foreign_columns) != 0) return false;
  const size_t wanted = count_columns(titles, wanted_columns);
  const size_t own = count_columns(titles, gpu_columns);
  return wanted == wanted_columns.size() || own >= 3 || (wanted == 2 && own != 0);
}

std::string report_of(const std::vector<std::string>& titles) {
  const auto has = [&](std::string_view name) { return find_column(titles, name).has_value(); };
  if (has("Metric Name") || (has("ID") && has("Kernel Name"))) return "an ncu page";
  if (has("API Start")) return "cuda_kern_exec_trace";
  if (has("Num Calls")) return "a sum of API calls";
  if (has("Instances") && has("Total Time") && has("Name")) return "cuda_gpu_kern_sum";
  if (has("Operation")) return "cuda_gpu_mem_size_sum or cuda_gpu_mem_time_sum";
  if (has("Result")) return "cuda_api_trace";
  return "another report";
}

bool time_column(const std::vector<std::string>& titles, std::string_view name, TimeColumn& out,
                 std::string& missing) {
  const auto column = find_column(titles, name);
  if (!column) {
    missing = name;
    return false;
  }
  const auto exponent = exponent_of(title_of(titles[*column]).unit);
  if (!exponent) {
    missing = std::string(name) + " in ns, us, ms or sec";
    return false;
  }
  out = {*column, *exponent, std::string(trimmed(titles[*column]))};
  return true;
}

void lay_out(Line& line) {
  CsvLayout& layout = line.layout;
  layout.columns = line.titles.size();
  if (!time_column(line.titles, "Start", layout.start, line.missing)) return;
  if (!time_column(line.titles, "Duration", layout.duration, line.missing)) return;
  const auto name = find_column(line.titles, "Name");
  if (!name) {
    line.missing = "Name";
    return;
  }
  layout.name = *name;
  layout.device = find_column(line.titles, "Device");
  layout.stream = find_column(line.titles, "Strm");
  layout.correlation = find_column(line.titles, "CorrId");
  for (const auto& [name_of_field, field] : detail_titles) {
    if (const auto column = find_column(line.titles, name_of_field)) {
      layout.details.emplace_back(field, *column);
    }
  }
}

// What nsys prints around its reports.
LineKind prose_kind(std::string_view text) {
  constexpr std::array heads{"Processing ["sv, "NOTICE:"sv,  "Exporting "sv, "Generating "sv,
                             "Generated"sv,    "WARNING:"sv, "Warning:"sv,   "ERROR:"sv,
                             "Using "sv,       "** "sv};
  if (text.starts_with("SKIPPED:")) {
    return text.find("does not contain") != text.npos ? LineKind::skipped : LineKind::preamble;
  }
  for (const std::string_view head : heads) {
    if (text.starts_with(head)) return LineKind::preamble;
  }
  // `[3/8] Executing 'cuda_gpu_trace' stats report`
  if (text.starts_with('[') && text.find("] Executing ") != text.npos) return LineKind::preamble;
  return LineKind::other;
}

}  // namespace

Line classify_line(std::string_view text) {
  Line line;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(3);
  const std::string_view bare = trimmed(text);
  if (bare.empty()) {
    line.kind = LineKind::blank;
    return line;
  }
  line.kind = prose_kind(bare);
  if (line.kind != LineKind::other || bare.find(',') == bare.npos) return line;
  CsvRow row;
  row.read(bare);
  const bool whole = row.end == CsvRow::End::text_ended && row.cells.size() >= 2;
  if (!whole || std::any_of(row.cells.begin(), row.cells.end(), is_number)) return line;
  line.titles.assign(row.cells.begin(), row.cells.end());
  if (is_gpu_trace(line.titles)) {
    line.kind = LineKind::gpu_trace_header;
    lay_out(line);
    return line;
  }
  const std::string_view first = title_of(line.titles.front()).name;
  const bool known =
      std::find(report_columns.begin(), report_columns.end(), first) != report_columns.end();
  if (known && line.titles.size() >= 3) {
    line.kind = LineKind::other_header;
    line.report = report_of(line.titles);
  }
  return line;
}

}  // namespace kr::trace
