#include "trace/readers/ncu_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/integer.hpp"
#include "base/utf8.hpp"
#include "trace/readers/messages.hpp"
#include "trace/readers/ncu_units.hpp"
#include "trace/time_fault.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

std::optional<size_t> find(const std::vector<std::string_view>& titles, std::string_view wanted) {
  for (size_t i = 0; i < titles.size(); ++i) {
    if (trimmed(titles[i]) == wanted) return i;
  }
  return std::nullopt;
}

constexpr size_t max_metrics = 5;  // that a message names

constexpr char key_separator = '\x1f';

/// What a page of `raw` has beside metrics. Columns of NVTX have colons in their titles, and the
/// texts of users in them.
bool is_metric_column(std::string_view title) {
  constexpr std::array others{"ID"sv,          "Process ID"sv,  "Process Name"sv, "Host Name"sv,
                              "Kernel Name"sv, "Kernel Time"sv, "Context"sv,      "Stream"sv,
                              "Block Size"sv,  "Grid Size"sv,   "Device"sv,       "CC"sv};
  return !title.empty() && title.find(':') == title.npos &&
         std::find(others.begin(), others.end(), title) == others.end();
}

}  // namespace

size_t NcuLayout::least() const {
  size_t last = std::max(id, name);
  if (duration) last = std::max(last, duration->column);
  if (metric)
    last = std::max({last, metric->name, metric->value.value_or(0), metric->unit.value_or(0)});
  return last + 1;
}

int duration_rank(std::string_view metric) noexcept {
  constexpr std::array ranks{"Duration"sv, "gpu__time_duration.min"sv, "gpu__time_duration.avg"sv,
                             "gpu__time_duration.max"sv, "gpu__time_duration.sum"sv};
  const auto found = std::find(ranks.begin(), ranks.end(), trimmed(metric));
  return found == ranks.end() ? 0 : static_cast<int>(found - ranks.begin()) + 1;
}

std::string ncu_metric_key(const std::array<std::string_view, 4>& parts) {
  std::string key;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) key += key_separator;
    std::remove_copy(parts[i].begin(), parts[i].end(), std::back_inserter(key), key_separator);
  }
  return key;
}

std::array<std::string_view, 4> parts_of_ncu_metric(std::string_view key) {
  std::array<std::string_view, 4> parts;
  for (std::string_view& part : parts) {
    const size_t end = std::min(key.find(key_separator), key.size());
    part = key.substr(0, end);
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return parts;
}

std::optional<NcuLayout> read_ncu_header(const std::vector<std::string_view>& titles) {
  const auto id = find(titles, "ID");
  const auto name = find(titles, "Kernel Name");
  if (!id || !name) return std::nullopt;
  NcuLayout layout;
  layout.columns = titles.size();
  layout.id = *id;
  layout.name = *name;
  layout.process = find(titles, "Process ID");
  layout.device = find(titles, "Device");
  layout.stream = find(titles, "Stream");
  layout.grid = find(titles, "Grid Size");
  layout.block = find(titles, "Block Size");
  layout.cc = find(titles, "CC");
  layout.titles.assign(titles.begin(), titles.end());
  if (const auto metric = find(titles, "Metric Name")) {
    layout.metric = {.name = *metric,
                     .value = find(titles, "Metric Value"),
                     .unit = find(titles, "Metric Unit"),
                     .section = find(titles, "Section Name"),
                     .item = find(titles, "Body Item Label"),
                     .rule = find(titles, "Rule Name"),
                     .rule_type = find(titles, "Rule Type"),
                     .rule_text = find(titles, "Rule Description"),
                     .speedup_type = find(titles, "Estimated Speedup Type"),
                     .speedup = find(titles, "Estimated Speedup")};
    return layout;
  }
  for (size_t i = 0; i < titles.size(); ++i) {
    const std::string_view title = trimmed(titles[i]);
    if (is_metric_column(title))
      layout.metrics.emplace_back(i, ncu_metric_key({"", "", title, ""}));
  }
  int best = 0;
  for (size_t i = 0; i < titles.size(); ++i) {
    const int rank = duration_rank(titles[i]);
    if (rank <= best) continue;
    best = rank;
    layout.duration = {i, 0, std::string(trimmed(titles[i]))};
  }
  return layout;
}

bool is_ncu_message(std::string_view line) noexcept {
  constexpr std::array heads{"==PROF=="sv, "==WARNING=="sv, "==ERROR=="sv};
  return std::any_of(heads.begin(), heads.end(),
                     [&](std::string_view head) { return line.starts_with(head); });
}

bool is_semicolon_header(std::string_view line) {
  if (line.find(';') == line.npos) return false;
  std::string text(line);
  std::replace(text.begin(), text.end(), ';', ',');
  CsvRow row;
  row.read(text);
  return read_ncu_header(row.cells).has_value();
}

bool may_be_ncu_csv(std::string_view head) noexcept {
  if (head.starts_with(byte_order_mark)) head.remove_prefix(3);
  bool message = false;
  CsvRow row;
  while (!head.empty()) {
    const size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = trimmed(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    // What nsys prints is read as such, whatever comes before it.
    if (line.find("Start") != line.npos && line.find("Duration") != line.npos) return false;
    message = message || is_ncu_message(line);
    if (is_semicolon_header(line)) return true;
    if (line.find(',') == line.npos) continue;
    row.read(line);
    if (read_ncu_header(row.cells)) return true;
  }
  return message;
}

void NcuRowParser::parse(const TextPlace& place, const NcuLayout& layout, NcuRows& out) {
  cursor_.begin(place, {layout.least(), layout.columns}, out);
  layout_ = &layout;
  out_ = &out;
  out.kernels.clear();
  out.durations.clear();
  out.cells.clear();
  out.rules.clear();
  out.keys = {};
  exponents_.clear();
  out.texts.clear();
  out.metrics.clear();
  out.one_row_each = !layout.metric;
  out.without_id = 0;
  cursor_.each([this](size_t at) { return row(at); });
}

size_t NcuRowParser::row(size_t at) {
  if (!cursor_.read(at)) return odd_line(at);
  const CsvRow& row = cursor_.row();
  if (cursor_.unfinished(at)) return 0;
  // Another page begins.
  if (trimmed(row.cells[layout_->id]) == "ID") return cursor_.stop(CsvStop::line, at);
  take(at);
  return row.size;
}

size_t NcuRowParser::odd_line(size_t at) {
  const auto line = cursor_.line(at);
  if (!line) return 0;
  if (trimmed(*line).empty() || is_ncu_message(*line)) return cursor_.past(*line, at);
  CsvRow titles;
  titles.read(trimmed(*line));
  if (read_ncu_header(titles.cells)) return cursor_.stop(CsvStop::line, at);
  cursor_.refuse(at);
  return 0;
}

void NcuRowParser::take(size_t at) {
  const std::vector<std::string_view>& cells = cursor_.row().cells;
  if (trimmed(cells[layout_->id]).empty()) {
    // A second row of units has no name, either.
    if (!layout_->metric && trimmed(cells[layout_->name]).empty()) return;
    if (out_->without_id++ == 0) out_->first_without_id = at;
    return;
  }
  kernel(at);
  if (layout_->metric) {
    metric(at);
    rule(at);
    return;
  }
  for (const auto& [column, key] : layout_->metrics) {
    if (column < cells.size()) value(at, key, cells[column]);
  }
  if (layout_->duration) {
    const TimeColumn& column = *layout_->duration;
    const auto exponent =
        layout_->duration_has_unit ? std::optional(column.exponent) : std::nullopt;
    duration(at, trimmed(cells[column.column]), duration_rank(column.title), exponent,
             column.title);
  }
}

std::string_view NcuRowParser::cell(std::optional<size_t> column) const {
  const std::vector<std::string_view>& cells = cursor_.row().cells;
  return column && *column < cells.size() ? trimmed(cells[*column]) : std::string_view();
}

// The one that this row is about. Every row is read whole: what is wrong in one does not depend on
// where blocks begin.
void NcuRowParser::kernel(size_t at) {
  NcuKernel found{.offset = cursor_.place().offset + at};
  found.id = number(at, layout_->id, "ID");
  if (layout_->process) found.process = number(at, *layout_->process, "Process ID");
  if (layout_->device) {
    const int64_t device = number(at, *layout_->device, "Device");
    if (device < 0 || device > INT32_MAX) {
      cursor_.fail(at, fmt::format("`Device` is not a device number: {}", device));
    }
    found.device = static_cast<int32_t>(device);
  }
  if (layout_->stream) found.stream = number(at, *layout_->stream, "Stream");
  if (!out_->one_row_each && !out_->kernels.empty()) {
    const NcuKernel& last = out_->kernels.back();
    if (last.id == found.id && last.process == found.process) return;
  }
  found.name = keep(cursor_.row().cells[layout_->name]);
  found.cc = keep(cell(layout_->cc));
  found.grid = read_launch_shape(cell(layout_->grid));
  found.block = read_launch_shape(cell(layout_->block));
  out_->kernels.push_back(found);
}

void NcuRowParser::metric(size_t at) {
  const std::vector<std::string_view>& cells = cursor_.row().cells;
  const std::string_view name = trimmed(cells[layout_->metric->name]);
  if (name.empty()) return;
  const int rank = duration_rank(name);
  key_ = ncu_metric_key({cell(layout_->metric->section), cell(layout_->metric->item), name,
                         cell(layout_->metric->unit)});
  if (rank == 0) {
    value(at, key_, cell(layout_->metric->value));
    remember_metric(name);
    return;
  }
  const std::string_view unit = cell(layout_->metric->unit);
  const auto exponent = ncu_time_unit(unit);
  if (!exponent) {
    cursor_.fail(at,
                 fmt::format("`{}` is in `{}`, which is not a unit of time", name,
                             shown_text(trimmed(unit))),
                 base_units_remedy);
  }
  duration(at, trimmed(cells[*layout_->metric->value]), rank,
           trimmed(unit).empty() ? std::nullopt : exponent, name);
  value(at, key_, cell(layout_->metric->value));
}

void NcuRowParser::value(size_t at, std::string_view key, std::string_view text) {
  const uint32_t number = out_->keys.add(key);
  if (number == exponents_.size()) {
    exponents_.push_back(ncu_unit(parts_of_ncu_metric(key)[3]).exponent);
  }
  const NcuNumber read = read_ncu_number(text, exponents_[number]);
  if (read.is == NcuNumberIs::missing) return;
  if (read.is == NcuNumberIs::decimal_comma) {
    cursor_.fail(at,
                 fmt::format("`{}` is `{}`, with a comma as decimal sign",
                             parts_of_ncu_metric(key)[2], shown_text(text)),
                 decimal_point_remedy);
  }
  out_->cells.push_back({.kernel = this_kernel(),
                         .key = number,
                         .number = read.value,
                         .rounding = read.rounding,
                         .at = at});
  if (read.is == NcuNumberIs::text) out_->cells.back().text = keep(trimmed(text));
}

void NcuRowParser::rule(size_t at) {
  const NcuLayout::Metric& columns = *layout_->metric;
  const std::string_view name = cell(columns.rule);
  if (name.empty()) return;
  NcuRuleCell found{.kernel = this_kernel()};
  found.rule = {.section = keep(cell(columns.section)),
                .name = keep(name),
                .type = keep(cell(columns.rule_type)),
                .text = keep(cell(columns.rule_text))};
  const NcuNumber speedup = read_ncu_number(cell(columns.speedup), 0);
  if (speedup.is == NcuNumberIs::decimal_comma) {
    cursor_.fail(at,
                 fmt::format("the estimated speedup is `{}`, with a comma as decimal sign",
                             shown_text(cell(columns.speedup))),
                 decimal_point_remedy);
  }
  if (speedup.is == NcuNumberIs::number) {
    found.rule.speedup_type = keep(cell(columns.speedup_type));
    found.rule.speedup = speedup.value;
  }
  out_->rules.push_back(found);
}

void NcuRowParser::duration(size_t at, std::string_view text, int rank, std::optional<int> exponent,
                            std::string_view title) {
  const NcuNumber read = read_ncu_number(text, 0);
  if (read.is == NcuNumberIs::missing) return;
  if (read.is == NcuNumberIs::decimal_comma) {
    cursor_.fail(at,
                 fmt::format("`{}` is `{}`, with a comma as decimal sign", title, shown_text(text)),
                 decimal_point_remedy);
  }
  number_.clear();
  std::copy_if(text.begin(), text.end(), std::back_inserter(number_),
               [](char c) { return c != ','; });
  int64_t duration_ns = 0;
  const size_t point = number_.find('.');
  if (!exponent && point != number_.npos) {
    cursor_.fail(at,
                 fmt::format("`{}` is `{}`, without a unit: only whole nanoseconds need none",
                             title, shown_text(text)),
                 base_units_remedy);
  }
  const DecimalFault fault = read_decimal(number_, exponent.value_or(0), duration_ns);
  if (const auto wrong = time_fault_of(fault); wrong && !strict_) {
    out_->durations.push_back({this_kernel(), rank, no_duration(*wrong), 0});
    return;
  }
  if (fault != DecimalFault::none) {
    cursor_.fail(at, describe(fault, title, text),
                 "`ncu --csv --print-units base` prints whole nanoseconds");
  }
  const size_t decimals = point == number_.npos ? 0 : number_.size() - point - 1;
  const int rounded_to =
      std::max(0, exponent.value_or(0) - static_cast<int>(std::min<size_t>(decimals, 9)));
  out_->durations.push_back({this_kernel(), rank, duration_ns, rounded_to});
}

int64_t NcuRowParser::number(size_t at, size_t column, std::string_view title) const {
  const std::vector<std::string_view>& cells = cursor_.row().cells;
  const std::string_view text = column < cells.size() ? trimmed(cells[column]) : "";
  if (const auto value = integer_from(text)) return *value;
  if (text.empty() && column != layout_->id) return 0;
  cursor_.fail(at, fmt::format("`{}` is not a number: `{}`", title, shown_text(text)));
}

void NcuRowParser::remember_metric(std::string_view name) {
  std::vector<std::string_view>& known = out_->metrics;
  if (name.empty() || known.size() == max_metrics) return;
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  known.push_back(out_->texts.emplace_back(name));
}

}  // namespace kr::trace
