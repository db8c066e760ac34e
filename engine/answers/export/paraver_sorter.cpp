#include "export/paraver_sorter.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "trace/sort_in_place.hpp"

namespace kr::exports {
namespace {

/// Fewer make reading a part from a disk slow.
constexpr size_t min_read = 64;

}  // namespace

ParaverSorter::ParaverSorter(std::string shown, size_t memory_bytes)
    : shown_(std::move(shown)), most_(std::max<size_t>(memory_bytes / sizeof(ParaverRecord), 1)) {}

void ParaverSorter::begin_group() {
  end_part();
  ++groups_;
}

/// What was added stays in memory, in order.
void ParaverSorter::end_part() {
  if (records_.empty()) return;
  trace::sort_in_place(records_.begin(), records_.end(), ParaverOrder());
  held_ += records_.size();
  parts_.push_back({.group = groups_ - 1, .read = std::move(records_)});
  records_ = {};
}

void ParaverSorter::spill() {
  end_part();
  if (!file_) file_ = std::make_unique<PartFile>(temporary_folder() / "kr", shown_, 0600);
  for (Part& part : parts_) {
    if (part.left != 0) continue;
    const std::string_view bytes(reinterpret_cast<const char*>(part.read.begin()),
                                 part.read.size() * sizeof(ParaverRecord));
    if (const int code = write_all(file_->descriptor(), bytes); code != 0) {
      throw Error(shown_, std::string("cannot write a temporary file: ") + std::strerror(code),
                  "set TMPDIR to a folder with more room");
    }
    part.offset = file_size_;
    part.left = part.read.size();
    part.read = {};
    file_size_ += bytes.size();
  }
  held_ = 0;
}

void ParaverSorter::begin_merge(const std::vector<int64_t>& shifts_ns) {
  end_part();
  if (file_) spill();
  shifts_ns_ = shifts_ns;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].left == 0) {
      shift(parts_[i]);
    } else {
      refill(parts_[i]);
    }
    heap_.push_back(i);
  }
  std::make_heap(heap_.begin(), heap_.end(), [&](size_t a, size_t b) { return later(a, b); });
}

void ParaverSorter::shift(Part& part) const {
  const int64_t shift_ns = shifts_ns_[part.group];
  for (ParaverRecord& record : part.read) {
    record.time_ns += shift_ns;
    if (record.order == ParaverRecord::Order::communication) record.number += shift_ns;
  }
}

bool ParaverSorter::later(size_t a, size_t b) const noexcept {
  const ParaverRecord& left = parts_[a].read[parts_[a].at];
  const ParaverRecord& right = parts_[b].read[parts_[b].at];
  if (ParaverOrder()(right, left)) return true;
  return !ParaverOrder()(left, right) && a > b;
}

/// The next records of a part. False where there are none.
bool ParaverSorter::refill(Part& part) {
  const size_t wanted = std::min(part.left, std::max(most_ / parts_.size(), min_read));
  part.read.clear();
  part.at = 0;
  if (wanted == 0) return false;
  char* to = reinterpret_cast<char*>(part.read.extend(wanted));
  size_t bytes = wanted * sizeof(ParaverRecord);
  part.left -= wanted;
  while (bytes != 0) {
    const ssize_t got = ::pread(file_->descriptor(), to, bytes, static_cast<off_t>(part.offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw Error(shown_, std::string("cannot read a temporary file: ") +
                              (got == 0 ? "it was cut off" : std::strerror(errno)));
    }
    to += got;
    bytes -= static_cast<size_t>(got);
    part.offset += static_cast<size_t>(got);
  }
  shift(part);
  return true;
}

const ParaverRecord* ParaverSorter::next() {
  const auto is_later = [&](size_t a, size_t b) { return later(a, b); };
  if (std::exchange(taken_, true)) {
    // That of the last call is done with.
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    Part& part = parts_[heap_.back()];
    if (++part.at != part.read.size() || refill(part)) {
      std::push_heap(heap_.begin(), heap_.end(), is_later);
    } else {
      heap_.pop_back();
    }
  }
  if (heap_.empty()) return nullptr;
  const Part& first = parts_[heap_.front()];
  return &first.read[first.at];
}

}  // namespace kr::exports
