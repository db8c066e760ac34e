#include "trace/readers/ncu_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/integer.hpp"
#include "base/utf8.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

std::optional<size_t> find(const std::vector<std::string_view>& titles, std::string_view wanted) {
  for (size_t i = 0; i < titles.size(); ++i) {
    if (trimmed(titles[i]) == wanted) return i;
  }
  return std::nullopt;
}

constexpr size_t most_metrics = 5;  // that a message names

bool is_no_metric(std::string_view text) noexcept {
  return text.empty() || text == "n/a" || text == "N/A" || text == "nan";
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

std::optional<int> ncu_unit(std::string_view unit) noexcept {
  unit = trimmed(unit);
  if (unit.empty() || unit == "ns" || unit == "nsecond" || unit == "nsec") return 0;
  if (unit == "us" || unit == "usecond" || unit == "usec" || unit == "\xc2\xb5s") return 3;
  if (unit == "ms" || unit == "msecond" || unit == "msec") return 6;
  if (unit == "s" || unit == "second" || unit == "sec") return 9;
  return std::nullopt;
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
  layout.titles.assign(titles.begin(), titles.end());
  if (const auto metric = find(titles, "Metric Name")) {
    layout.metric = {*metric, find(titles, "Metric Value"), find(titles, "Metric Unit")};
    return layout;
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

bool may_be_ncu_csv(std::string_view head) noexcept {
  if (head.starts_with(byte_order_mark)) head.remove_prefix(3);
  bool message = false;
  CsvRow row;
  while (!head.empty()) {
    const size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = trimmed(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
    // What nsys prints is read as such, whatever stands before it.
    if (line.find("Start") != line.npos && line.find("Duration") != line.npos) return false;
    message = message || is_ncu_message(line);
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
  out.texts.clear();
  out.metrics.clear();
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
  // A second row of units, and what has no ID.
  if (trimmed(cells[layout_->id]).empty()) return;
  kernel(at);
  if (layout_->metric) {
    metric(at);
  } else if (layout_->duration) {
    const TimeColumn& column = *layout_->duration;
    duration(at, trimmed(cells[column.column]), 1, column.exponent, column.title);
  }
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
  if (!out_->kernels.empty()) {
    const NcuKernel& last = out_->kernels.back();
    if (last.id == found.id && last.process == found.process) return;
  }
  found.name = out_->texts.emplace_back(cursor_.row().cells[layout_->name]);
  out_->kernels.push_back(found);
}

void NcuRowParser::metric(size_t at) {
  const std::vector<std::string_view>& cells = cursor_.row().cells;
  const std::string_view name = trimmed(cells[layout_->metric->name]);
  const int rank = duration_rank(name);
  if (rank == 0) {
    remember_metric(name);
    return;
  }
  const auto unit_column = layout_->metric->unit;
  const std::string_view unit = unit_column ? cells[*unit_column] : std::string_view();
  const auto exponent = ncu_unit(unit);
  if (!exponent) {
    cursor_.fail(at, fmt::format("`{}` is in `{}`, which is not a unit of time", name,
                                 shown_text(trimmed(unit))));
  }
  duration(at, trimmed(cells[*layout_->metric->value]), rank, *exponent, name);
}

void NcuRowParser::duration(size_t at, std::string_view text, int rank, int exponent,
                            std::string_view title) {
  if (is_no_metric(text)) return;
  number_.clear();
  std::copy_if(text.begin(), text.end(), std::back_inserter(number_),
               [](char c) { return c != ','; });
  int64_t duration_ns = 0;
  const DecimalFault fault = read_decimal(number_, exponent, duration_ns);
  if (fault != DecimalFault::none) {
    cursor_.fail(at, describe(fault, title, text),
                 "`ncu --csv --print-units base` prints whole nanoseconds");
  }
  NcuKernel& kernel = out_->kernels.back();
  if (rank <= kernel.rank) return;
  const size_t point = number_.find('.');
  const size_t decimals = point == number_.npos ? 0 : number_.size() - point - 1;
  kernel.rounded_to = std::max(0, exponent - static_cast<int>(std::min<size_t>(decimals, 9)));
  kernel.duration_ns = duration_ns;
  kernel.rank = rank;
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
  if (name.empty() || known.size() == most_metrics) return;
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  known.push_back(out_->texts.emplace_back(name));
}

}  // namespace kr::trace
