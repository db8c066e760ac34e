// NVTX ranges as tables named after reports of `nsys stats` group them.
//
// A range encloses an operation if the call that launched it lies within the range, on the same
// thread. Ranges that end on another thread enclose none here, as in nsys.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tables/nsys_stats.hpp"
#include "trace/trace.hpp"

namespace kr::tables {

/// Whether the program marked it through NVTX.
inline bool is_nvtx(const trace::HostRange& range) noexcept {
  return range.form != trace::HostRange::Form::call;
}

/// What a range is called, and the domain of NVTX that it is in; empty: the default one.
struct RangeTitle {
  std::string_view domain;
  std::string_view name;
  trace::HostRange::Form form = trace::HostRange::Form::call;

  bool is_range() const noexcept { return form != trace::HostRange::Form::call; }
  friend auto operator<=>(const RangeTitle&, const RangeTitle&) = default;
};
/// `PushPop` or `StartEnd`, as nsys has it.
std::string_view style_of(const RangeTitle& title) noexcept;

/// Ranges of one title are one group.
class RangeGroups {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  explicit RangeGroups(const trace::HostTrace& host);
  /// Of a range of NVTX.
  uint32_t group(const trace::HostRange& range) const noexcept {
    return by_name_[range.name][place(range)];
  }
  const std::vector<RangeTitle>& titles() const noexcept { return titles_; }
  std::vector<SpreadGroup> spread_groups() const;

 private:
  static size_t place(const trace::HostRange& range) noexcept {
    return range.form == trace::HostRange::Form::start_end ? 1 : 0;
  }
  std::vector<std::array<uint32_t, 2>> by_name_;
  std::vector<RangeTitle> titles_;
};

/// When the last range begins or ends: one that was open when profiling ended is shown to last till
/// then.
int64_t last_time(const trace::HostTrace& host);
/// Its duration on the host, with that as the end of one that was open; at most the largest number.
int64_t length_of(const trace::HostRange& range, int64_t last) noexcept;

/// Calls `to(range)` for each that encloses the call, the innermost first.
template <class To>
void each_enclosing(const trace::HostTrace& host, const trace::Launch& launch, const To& to) {
  const auto [first, end] = host.ranges_of(launch.thread);
  const trace::HostRange* const ranges = host.ranges.begin();
  const trace::HostRange* const after = std::upper_bound(
      ranges + first, ranges + end, launch.start_ns,
      [](int64_t time, const trace::HostRange& range) { return time < range.start_ns; });
  if (after == ranges + first) return;
  for (auto at = static_cast<uint32_t>(after - ranges - 1); at != trace::HostRange::none;
       at = ranges[at].parent) {
    if (is_nvtx(ranges[at]) && ranges[at].end_ns >= launch.end_ns()) to(at);
  }
}

/// run, domain, name and style; nothing of a title of no range.
template <class Row>
Columns<Row> range_columns() {
  return {run_column,
          {"domain", Unit::text, Role::key, "The domain of NVTX; empty: the default one.",
           &RangeTitle::domain, optional},
          {"name", Unit::text, Role::key, "The text of the range.",
           [](const RangeTitle& title) { return cell_if(title.is_range(), title.name); }},
          {"style", Unit::text, Role::key,
           "As nsys names it: `PushPop`, or `StartEnd` for a range that may end out of order.",
           [](const RangeTitle& title) { return cell_if(title.is_range(), style_of(title)); }}};
}

/// Why no run has ranges of NVTX; empty: one has.
std::string without_ranges(const Source& source);

}  // namespace kr::tables
