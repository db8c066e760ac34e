// What the lines of `ncu --csv` are: `==PROF==` and what the profiled program printed, the header
// of a page with the places of its columns, and rows. Columns are found by name.
//
// `--page details` has one row per metric (`Metric Name`, `Metric Unit`, `Metric Value`), `--page
// raw` one column per metric, with a row of units below the header.
//
// Rows become kernels: what one thread does with one block of text.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/distinct_texts.hpp"
#include "trace/ncu_profile.hpp"
#include "trace/readers/csv_cursor.hpp"

namespace kr::trace {

struct NcuLayout {
  size_t columns = 0;
  size_t id = 0;
  size_t name = 0;
  std::optional<size_t> process, device, stream, grid, block, cc;
  /// Of a page with one row per metric.
  struct Metric {
    size_t name = 0;
    std::optional<size_t> value;  // there in all layouts that are used
    std::optional<size_t> unit;
    std::optional<size_t> section, item;
    std::optional<size_t> rule, rule_type, rule_text, speedup_type, speedup;
  };
  std::optional<Metric> metric;
  /// Of a page with a column a metric: that of durations.
  std::optional<TimeColumn> duration;
  bool duration_has_unit = false;
  /// Of such a page: the columns of all metrics, as `NcuRows::keys` has them.
  std::vector<std::pair<size_t, std::string>> metrics;
  std::vector<std::string> titles;

  /// Cells that a row needs to have: rows of metrics end before the columns of rules.
  size_t least() const;
};

/// Nothing if these are not titles of a page of ncu.
std::optional<NcuLayout> read_ncu_header(const std::vector<std::string_view>& titles);

/// How well a metric shows the time of a kernel; 0: it does not.
int duration_rank(std::string_view metric) noexcept;

/// A metric with its unit as one text: section, body item label, name, unit as printed.
std::string ncu_metric_key(const std::array<std::string_view, 4>& parts);
std::array<std::string_view, 4> parts_of_ncu_metric(std::string_view key);

/// Whether a line has the titles of a page, but between semicolons: it was written in a locale with
/// a comma as decimal sign.
bool is_semicolon_header(std::string_view line);
constexpr const char* decimal_point_remedy =
    "kr reads `.` as decimal sign: export it again with `LC_ALL=C ncu --csv --print-units base`";

constexpr const char* base_units_remedy =
    "export the page again with `ncu --csv --print-units base`";

/// What ncu itself says: `==PROF== …`, `==WARNING== …`.
bool is_ncu_message(std::string_view line) noexcept;

/// Whether a text that begins so is what ncu prints: it has such a message or header.
bool may_be_ncu_csv(std::string_view head) noexcept;

/// What rows that follow each other say of one kernel, which is its ID, not its name.
struct NcuKernel {
  int64_t id = 0;
  int64_t process = 0;
  int32_t device = 0;
  int64_t stream = 0;
  std::string_view name{}, cc{};  // of NcuRows::texts
  LaunchShape grid{}, block{};
  uint64_t offset = 0;
};

/// What a metric says of a kernel's duration.
struct NcuDuration {
  uint32_t kernel = 0;      // in NcuRows::kernels
  int rank = 0;             // of the metric: see duration_rank
  int64_t duration_ns = 0;  // no_duration where it cannot be right
  int rounded_to = 0;       // 10^rounded_to ns
};

/// A metric of a kernel. `text`: of NcuRows::texts, if the value is not a number.
struct NcuCell {
  uint32_t kernel = 0;  // in NcuRows::kernels
  uint32_t key = 0;     // in NcuRows::keys
  double number = 0;    // in the base unit
  float rounding = 0;
  std::optional<std::string_view> text{};
  size_t at = 0;
};

struct NcuRuleCell {
  uint32_t kernel = 0;
  NcuProfile::Rule rule{};  // of NcuRows::texts
};

struct NcuRows : CsvProgress {
  std::vector<NcuKernel> kernels;
  DistinctTexts keys;  // ncu_metric_key
  std::vector<NcuDuration> durations;
  std::vector<NcuCell> cells;
  std::vector<NcuRuleCell> rules;
  std::deque<std::string> texts;
  std::vector<std::string_view> metrics;  // some that are not durations; of `texts`
  bool one_row_each = false;              // of `kernels`: a page of `raw`
  uint64_t without_id = 0;                // rows
  size_t first_without_id = 0;            // of these
};

class NcuRowParser {
 public:
  explicit NcuRowParser(bool strict) : strict_(strict) {}
  /// Throws CsvFault where a row breaks the format, and if `strict`, at a duration that cannot be
  /// right.
  void parse(const TextPlace& place, const NcuLayout& layout, NcuRows& out);

 private:
  size_t row(size_t at);
  size_t odd_line(size_t at);
  void take(size_t at);
  void kernel(size_t at);
  void metric(size_t at);
  /// `exponent`: of its unit; nothing where it is printed without one.
  void duration(size_t at, std::string_view text, int rank, std::optional<int> exponent,
                std::string_view title);
  int64_t number(size_t at, size_t column, std::string_view title) const;
  void value(size_t at, std::string_view key, std::string_view text);
  void rule(size_t at);
  std::string_view cell(std::optional<size_t> column) const;
  uint32_t this_kernel() const { return static_cast<uint32_t>(out_->kernels.size() - 1); }
  std::string_view keep(std::string_view text) { return out_->texts.emplace_back(text); }
  void remember_metric(std::string_view name);

  bool strict_;
  CsvCursor cursor_;
  std::vector<int> exponents_;  // by key
  std::string key_;
  const NcuLayout* layout_ = nullptr;
  NcuRows* out_ = nullptr;
  std::string number_;
};

}  // namespace kr::trace
