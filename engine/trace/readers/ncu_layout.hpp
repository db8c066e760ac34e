// What the lines of `ncu --csv` are: `==PROF==` and what the profiled program printed, the header
// of a page with the places of its columns, and rows. Columns are found by name.
//
// `--page details` has a row a metric (`Metric Name`, `Metric Unit`, `Metric Value`), `--page raw`
// a column a metric, with a row of units below the header.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::trace {

struct NcuLayout {
  size_t columns = 0;
  size_t id = 0;
  size_t name = 0;
  std::optional<size_t> process, device, stream;
  /// Of a page with a row a metric.
  struct Metric {
    size_t name = 0;
    size_t value = 0;
    std::optional<size_t> unit;
  };
  std::optional<Metric> metric;
  /// Of a page with a column a metric: that of durations, and 10^exponent ns, its unit.
  struct Duration {
    size_t column = 0;
    std::string title;
    int exponent = 0;
  };
  std::optional<Duration> duration;
  std::vector<std::string> titles;

  /// Cells that a row needs to have: rows of metrics end before the columns of rules.
  size_t least() const;
};

struct NcuHeader {
  NcuLayout layout;
  std::string missing;  // the column it lacks
};

/// Nothing where these are no titles of a page of ncu.
std::optional<NcuHeader> read_ncu_header(const std::vector<std::string_view>& titles);

/// How well a metric tells what a kernel took; 0: it does not.
int duration_rank(std::string_view metric) noexcept;

/// 10^exponent ns; no unit is ns, which metrics of time are based on. Nothing: it is none of time.
std::optional<int> ncu_unit(std::string_view unit) noexcept;

/// What ncu itself says: `==PROF== …`, `==WARNING== …`.
bool is_ncu_message(std::string_view line) noexcept;

/// Whether a text that begins so is what ncu prints: it has such a message or header.
bool may_be_ncu_csv(std::string_view head) noexcept;

}  // namespace kr::trace
