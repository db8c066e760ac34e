#include "trace/readers/ncu_layout.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "trace/readers/csv_row.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

std::optional<size_t> find(const std::vector<std::string_view>& titles, std::string_view wanted) {
  for (size_t i = 0; i < titles.size(); ++i) {
    if (trimmed(titles[i]) == wanted) return i;
  }
  return std::nullopt;
}

}  // namespace

size_t NcuLayout::least() const {
  size_t last = std::max(id, name);
  if (duration) last = std::max(last, duration->column);
  if (metric) last = std::max({last, metric->name, metric->value, metric->unit.value_or(0)});
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

std::optional<NcuHeader> read_ncu_header(const std::vector<std::string_view>& titles) {
  const auto id = find(titles, "ID");
  const auto name = find(titles, "Kernel Name");
  if (!id || !name) return std::nullopt;
  NcuHeader header;
  NcuLayout& layout = header.layout;
  layout.columns = titles.size();
  layout.id = *id;
  layout.name = *name;
  layout.process = find(titles, "Process ID");
  layout.device = find(titles, "Device");
  layout.stream = find(titles, "Stream");
  layout.titles.assign(titles.begin(), titles.end());
  if (const auto metric = find(titles, "Metric Name")) {
    const auto value = find(titles, "Metric Value");
    if (!value) header.missing = "Metric Value";
    layout.metric = {*metric, value.value_or(0), find(titles, "Metric Unit")};
    return header;
  }
  int best = 0;
  for (size_t i = 0; i < titles.size(); ++i) {
    const int rank = duration_rank(titles[i]);
    if (rank <= best) continue;
    best = rank;
    layout.duration = {i, std::string(trimmed(titles[i])), 0};
  }
  return header;
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

}  // namespace kr::trace
