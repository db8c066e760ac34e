#include "trace/readers/cupti_merge.hpp"

#include <fmt/format.h>

#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

constexpr int64_t in_a_microsecond = 1000;

void add_stretch(std::vector<std::pair<size_t, size_t>>& to, size_t begin, size_t size) {
  if (size == 0) return;
  if (!to.empty() && to.back().second == begin) {
    to.back().second += size;
  } else {
    to.emplace_back(begin, begin + size);
  }
}

bool fits(const Launch& launch) noexcept {
  return launch.end_ns() <= longest_microseconds;
}

void from_microseconds(Launch& launch) noexcept {
  launch.start_ns *= in_a_microsecond;
  launch.duration_ns *= in_a_microsecond;
}

// Times that cannot be right stay, and those that do not fit become such.
void from_microseconds(Operation& operation) noexcept {
  if (fault_of_start(operation.start_ns)) return;
  if (operation.start_ns > longest_microseconds) {
    operation.start_ns = no_start(TimeFault::too_large);
    operation.duration_ns = 0;
    return;
  }
  if (operation.duration_ns >= 0) {
    const bool fits = operation.duration_ns <= longest_microseconds - operation.start_ns;
    operation.duration_ns =
        fits ? operation.duration_ns * in_a_microsecond : no_duration(TimeFault::too_large);
  }
  operation.start_ns *= in_a_microsecond;
}

}  // namespace

CuptiMerge::CuptiMerge(TraceBuilder& out, HostDetail host) : out_(&out) {
  if (host == HostDetail::all) host_ = &out.host();
}

void CuptiMerge::file(std::string shown, std::string dropped_prefix, const CuptiLayout& layout) {
  shown_ = std::move(shown);
  dropped_prefix_ = std::move(dropped_prefix);
  unit_known_ = layout.unit_known();
}

void CuptiMerge::add(CuptiRows& rows, const TextPlace& place) {
  for (DroppedRecords& records : rows.dropped) records.what.insert(0, dropped_prefix_);
  if (!unit_known_) {
    rows_without_unit_ += rows.rows;
    settle(rows, place);
  }
  const size_t operations = std::min(rows.whole, rows.operations.size());
  const size_t launches = std::min(rows.whole, rows.launches.size());
  if (fraction_.empty()) {
    add_stretch(whole_operations_, out_->operations(), operations);
    if (host_ != nullptr) add_stretch(whole_launches_, host_->launches.size(), launches);
  } else {
    for (size_t i = 0; i < operations; ++i) from_microseconds(rows.operations[i]);
    if (launches != 0) scale(rows.launches, {{0, launches}});
  }
  add_block(rows, *out_);
}

void CuptiMerge::settle(const CuptiRows& rows, const TextPlace& place) {
  if (rows.too_large && !too_large_) too_large_ = place.error(*rows.too_large);
  // Before anything is scaled: what is too large for it would overflow.
  if ((rows.fraction || !fraction_.empty()) && too_large_) throw Error(*too_large_);
  if (!rows.fraction || !fraction_.empty()) return;
  fraction_ = fmt::format("`{}` in {}:{}", shown_text(rows.fraction->title), shown_,
                          *place.where(rows.fraction->at).line);
  microseconds_from_now_on();
}

void CuptiMerge::microseconds_from_now_on() {
  for (const auto& [begin, end] : whole_operations_) {
    for (size_t i = begin; i < end; ++i) from_microseconds(out_->added()[i]);
  }
  whole_operations_.clear();
  if (host_ != nullptr) scale(host_->launches, whole_launches_);
  whole_launches_.clear();
}

/// Those in `stretches`; what is too large then is dropped.
void CuptiMerge::scale(GrowingArray<Launch>& launches, const Stretches& stretches) {
  GrowingArray<Launch> kept;
  kept.reserve(launches.size());
  size_t next = 0;
  for (const auto& [begin, end] : stretches) {
    for (; next < begin; ++next) kept.push_back(launches[next]);
    for (; next < end; ++next) {
      Launch& launch = launches[next];
      if (!fits(launch)) {
        out_->add_dropped(dropped_prefix_ + unsound_call, 0);
        continue;
      }
      from_microseconds(launch);
      kept.push_back(launch);
    }
  }
  for (; next < launches.size(); ++next) kept.push_back(launches[next]);
  launches = std::move(kept);
}

void CuptiMerge::finish() {
  if (rows_without_unit_ == 0) return;
  if (fraction_.empty()) {
    out_->warn(
        "assumed-unit",
        "No header contains a unit and no time has a fraction: times are read as nanoseconds.");
  } else {
    out_->warn(
        "assumed-unit",
        fmt::format(
            "No header contains a unit and {} has a fraction: times are read as microseconds.",
            fraction_));
  }
}

}  // namespace kr::trace
