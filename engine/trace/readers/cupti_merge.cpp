#include "trace/readers/cupti_merge.hpp"

#include <fmt/format.h>

#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

constexpr int64_t in_a_microsecond = 1000;

void add_stretch(std::vector<std::pair<size_t, size_t>>& to, size_t begin, size_t end) {
  if (begin == end) return;
  if (!to.empty() && to.back().second == begin) {
    to.back().second = end;
  } else {
    to.emplace_back(begin, end);
  }
}

bool fits(const Launch& launch) noexcept {
  return launch.end_ns() <= longest_microseconds;
}

template <class Record>
void scale(Record& record) noexcept {
  record.start_ns *= in_a_microsecond;
  record.duration_ns *= in_a_microsecond;
}

}  // namespace

CuptiMerge::CuptiMerge(TraceBuilder& out, bool host_side) : out_(&out) {
  if (host_side) host_ = &out.host();
}

void CuptiMerge::file(std::string shown, std::string loss_prefix, const CuptiLayout& layout) {
  shown_ = std::move(shown);
  loss_prefix_ = std::move(loss_prefix);
  unit_told_ = layout.unit_told();
  driver_ = layout.kind == CuptiKind::driver;
}

void CuptiMerge::restart(size_t parser) {
  if (parser >= parsers_.size()) parsers_.resize(parser + 1);
  parsers_[parser] = {};
}

void CuptiMerge::add(const CuptiRows& rows, size_t parser) {
  Numbers& numbers = parsers_[parser];
  for (const CuptiRows::NewName& name : rows.new_names) {
    numbers.names.push_back(out_->name(name.text, name.kind));
  }
  for (const Track& track : rows.new_tracks) numbers.tracks.push_back(out_->track(track));
  if (host_ != nullptr) {
    for (const std::string_view name : rows.new_calls) numbers.calls.push_back(call(name));
    for (const HostThread& on : rows.new_threads) numbers.threads.push_back(thread(on));
  }
  rows_ += rows.rows;
  if (!unit_told_) {
    untold_rows_ += rows.rows;
    settle(rows);
  }
  const int64_t whole_factor = fraction_.empty() ? 1 : in_a_microsecond;
  add_operations(rows, numbers, whole_factor);
  add_launches(rows, numbers, whole_factor);
  for (const Loss& loss : rows.losses) {
    out_->loss(loss_prefix_ + loss.what, loss.first_offset, loss.count);
  }
  if (rows.fault) throw Error(*rows.fault);
}

void CuptiMerge::settle(const CuptiRows& rows) {
  if (rows.too_large && !too_large_) too_large_ = rows.too_large;
  // Before anything is scaled: what is too large for it would overflow.
  if ((rows.fraction || !fraction_.empty()) && too_large_) throw Error(*too_large_);
  if (rows.fraction && fraction_.empty()) microseconds_from_now_on(*rows.fraction);
}

void CuptiMerge::microseconds_from_now_on(const CuptiRows::Fraction& fraction) {
  fraction_ = fmt::format("`{}` in {}:{}", shown_text(fraction.title), shown_, fraction.line);
  for (const auto& [begin, end] : whole_operations_) {
    for (size_t i = begin; i < end; ++i) scale(out_->added()[i]);
  }
  whole_operations_.clear();
  if (host_ != nullptr) scale_launches();
}

void CuptiMerge::scale_launches() {
  GrowingArray<Launch> kept;
  kept.reserve(host_->launches.size());
  size_t next = 0;
  for (const auto& [begin, end] : whole_launches_) {
    for (; next < begin; ++next) kept.push_back(host_->launches[next]);
    for (; next < end; ++next) {
      Launch& launch = host_->launches[next];
      if (!fits(launch)) {
        out_->loss(loss_prefix_ + unsound_call, 0);
        continue;
      }
      scale(launch);
      kept.push_back(launch);
    }
  }
  for (; next < host_->launches.size(); ++next) kept.push_back(host_->launches[next]);
  host_->launches = std::move(kept);
  whole_launches_.clear();
}

void CuptiMerge::add_operations(const CuptiRows& rows, const Numbers& numbers,
                                int64_t whole_factor) {
  const size_t first = out_->operations();
  Operation* to = out_->add(rows.operations.size());
  for (size_t i = 0; i < rows.operations.size(); ++i) {
    const Operation& operation = rows.operations[i];
    const int64_t factor = i < rows.whole ? whole_factor : 1;
    *to++ = {operation.start_ns * factor, operation.duration_ns * factor,
             numbers.names[operation.name.index], numbers.tracks[operation.track.index]};
  }
  if (fraction_.empty()) {
    add_stretch(whole_operations_, first, first + std::min(rows.whole, rows.operations.size()));
  }
  if (host_ != nullptr) out_->add_correlations(rows.correlations.begin(), rows.correlations.size());
}

void CuptiMerge::add_launches(const CuptiRows& rows, const Numbers& numbers, int64_t whole_factor) {
  if (host_ == nullptr) return;
  const size_t first = host_->launches.size();
  for (size_t i = 0; i < rows.launches.size(); ++i) {
    const Launch& launch = rows.launches[i];
    const int64_t factor = i < rows.whole ? whole_factor : 1;
    if (factor != 1 && !fits(launch)) {
      out_->loss(loss_prefix_ + unsound_call, 0);
      continue;
    }
    host_->launches.push_back({launch.correlation, launch.start_ns * factor,
                               launch.duration_ns * factor, numbers.calls[launch.call],
                               numbers.threads[launch.thread]});
  }
  if (fraction_.empty()) {
    add_stretch(whole_launches_, first, first + std::min(rows.whole, rows.launches.size()));
  }
}

uint32_t CuptiMerge::call(std::string_view name) {
  key_.assign(driver_ ? "d" : "r").append(name);
  const auto [known, added] = calls_.try_emplace(key_, static_cast<uint32_t>(host_->calls.size()));
  if (added) host_->calls.push_back({std::string(name), driver_});
  return known->second;
}

uint32_t CuptiMerge::thread(const HostThread& thread) {
  key_ = std::to_string(thread.process.size());
  key_.append(1, ' ').append(thread.process).append(thread.thread);
  const auto [known, added] =
      threads_.try_emplace(key_, static_cast<uint32_t>(host_->threads.size()));
  if (added) host_->threads.push_back(thread);
  return known->second;
}

void CuptiMerge::finish() {
  if (untold_rows_ == 0) return;
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
