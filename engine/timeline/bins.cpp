#include "timeline/bins.hpp"

#include <algorithm>
#include <limits>

#include "timeline/varint.hpp"

namespace kr::timeline {
namespace {

constexpr int64_t least_bins = 64;
/// A bin has a number, a count, a name's place and time, and those of `busy`.
constexpr int64_t least_bytes_of_bin = 8;

/// The narrowest bins of which there are at most `bins`.
int shift_for(int64_t span_ns, int64_t bins) {
  int shift = 0;
  while (span_ns >> shift > bins) ++shift;
  return shift;
}

}  // namespace

BinSums::BinSums(size_t places, int64_t span_ns, size_t most_bytes)
    : shift_(shift_for(
          span_ns, std::max(least_bins, static_cast<int64_t>(most_bytes) / least_bytes_of_bin))),
      most_shift_(shift_for(span_ns, least_bins)),
      most_bytes_(most_bytes),
      ns_(places) {}

void BinSums::move_to(int64_t time) {
  while (now_ < time >> shift_) {
    close();
    if (!counted_.empty()) continue;  // bins became wider
    now_ = open_.empty() ? time >> shift_ : now_ + 1;
    count_open();
  }
}

bool BinSums::finish() {
  for (;;) {
    close();
    if (!counted_.empty()) continue;  // bins became wider
    if (open_.empty()) return !failed_;
    ++now_;
    count_open();
  }
}

/// What the current bin has of the open intervals.
void BinSums::count_open() {
  const int64_t end = (now_ + 1) << shift_;
  size_t left = 0;
  for (Open& open : open_) {
    if (open.from < end) {
      count(open.place, std::min(open.to, end) - open.from);
      open.from = end;
    }
    if (open.to > end) open_[left++] = open;
  }
  open_.resize(left);
}

/// Ends the current bin. If the result is too large then, bins become wider, and the current one
/// continues.
void BinSums::close() {
  if (counted_.empty()) return;
  append_counted(now_, bins_.size(), sums_.size());
  bool wider = false;
  while (bytes_ > most_bytes_ && shift_ < most_shift_) {
    double_width();
    wider = true;
  }
  if (bytes_ > most_bytes_) {
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
