#include "timeline/bins.hpp"

#include <algorithm>
#include <limits>

#include "timeline/varint.hpp"

namespace kr::timeline {
namespace {

constexpr int64_t min_bins = 64;
/// A bin has a number, a count, a name's place and time, and those of `busy`.
constexpr int64_t min_bytes_of_bin = 8;

/// The narrowest bins of which there are at most `bins`.
int shift_for(int64_t span_ns, int64_t bins) {
  int shift = 0;
  while (span_ns >> shift > bins) ++shift;
  return shift;
}

}  // namespace

BinSums::BinSums(size_t places, int64_t span_ns, size_t max_bytes)
    : shift_(shift_for(span_ns,
                       std::max(min_bins, static_cast<int64_t>(max_bytes) / min_bytes_of_bin))),
      max_shift_(shift_for(span_ns, min_bins)),
      max_bytes_(max_bytes),
      ns_(places),
      open_from_(width()),
      open_count_(places) {}

void BinSums::move_to(int64_t time) {
  while (now_ < time >> shift_) {
    close();
    if (!counted_.empty()) continue;  // bins became wider
    next_bin(time >> shift_);
  }
}

/// The one after the current bin, or `number` if there is nothing in between.
void BinSums::next_bin(int64_t number) {
  const bool is_open = !ends_.empty() || !later_.empty();
  now_ = is_open ? now_ + 1 : number;
  open_from_ = now_ << shift_;
  count_open();
}

bool BinSums::finish() {
  for (;;) {
    close();
    if (!counted_.empty()) continue;  // bins became wider
    if (ends_.empty() && later_.empty()) return !failed_;
    next_bin(now_ + 1);
  }
}

/// What the current bin has of earlier intervals, from `open_from_` on.
void BinSums::count_open() {
  const int64_t begin = open_from_;
  const int64_t end = (now_ + 1) << shift_;
  if (begin >= end) return;
  open_from_ = end;
  for (const uint32_t place : open_places_) count(place, open_count_[place] * (end - begin));
  for (; !ends_.empty() && ends_.top().to <= end; ends_.pop()) {
    ns_[ends_.top().place] -= end - ends_.top().to;
    --open_count_[ends_.top().place];
  }
  open_places_.erase(std::remove_if(open_places_.begin(), open_places_.end(),
                                    [&](uint32_t place) { return open_count_[place] == 0; }),
                     open_places_.end());
  for (; !later_.empty() && later_.top().from < end; later_.pop()) {
    const Later& one = later_.top();
    count(one.place, std::min(one.to, end) - one.from);
    if (one.to <= end) continue;
    ends_.push({one.to, one.place});
    if (open_count_[one.place]++ == 0) open_places_.push_back(one.place);
  }
}

/// Ends the current bin. If the result is too large then, bins become wider, and the current one
/// continues.
void BinSums::close() {
  if (counted_.empty()) return;
  append_counted(now_, bins_.size(), sums_.size());
  bool wider = false;
  while (bytes_ > max_bytes_ && shift_ < max_shift_) {
    double_width();
    wider = true;
  }
  if (bytes_ > max_bytes_) {
    failed_ = true;
    bins_.clear();
    sums_.clear();
    bytes_ = 0;
  } else if (wider) {
    reopen();
    count_open();
  }
}

void BinSums::double_width() {
  ++shift_;
  now_ >>= 1;
  bytes_ = 0;
  size_t bins = 0;
  size_t sums = 0;
  for (size_t i = 0; i < bins_.size();) {
    const int64_t number = bins_[i].number >> 1;
    const size_t from = bins_[i].first;
    while (i < bins_.size() && bins_[i].number >> 1 == number) ++i;
    const size_t to = i < bins_.size() ? bins_[i].first : sums_.size();
    for (size_t at = from; at < to; ++at) count(sums_[at].place, sums_[at].ns);
    sums = append_counted(number, bins++, sums);
  }
  bins_.resize(bins);
  sums_.resize(sums);
}

/// The last bin becomes the current one.
void BinSums::reopen() {
  const Bin last = bins_.back();
  bins_.pop_back();
  for (size_t at = last.first; at < sums_.size(); ++at) count(sums_[at].place, sums_[at].ns);
  sums_.resize(last.first);
  bytes_ -= last_bytes_;
}

/// Writes what was counted as bin number `bin` of the result, its sums from `at` on; returns their
/// end. There may be later bins and sums, which have been read.
size_t BinSums::append_counted(int64_t number, size_t bin, size_t at) {
  const int64_t before = bin > 0 ? bins_[bin - 1].number : 0;
  last_bytes_ = varint_size(static_cast<uint64_t>(number - before)) + varint_size(counted_.size());
  if (bin == bins_.size()) bins_.emplace_back();
  bins_[bin] = {number, at};
  if (sums_.size() < at + counted_.size()) sums_.resize(at + counted_.size());
  for (const uint32_t place : counted_) {
    last_bytes_ += varint_size(place) + varint_size(static_cast<uint64_t>(ns_[place]));
    sums_[at++] = {place, ns_[place]};
    ns_[place] = 0;
  }
  counted_.clear();
  bytes_ += last_bytes_;
  return at;
}

}  // namespace kr::timeline
