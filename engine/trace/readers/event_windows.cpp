#include "trace/readers/event_windows.hpp"

#include <algorithm>
#include <cstring>

#include "trace/readers/json_scan.hpp"

namespace kr::trace {
namespace {

void reserve(EventWindow& window, size_t bytes) {
  if (window.bytes && bytes <= window.room) return;
  auto grown = std::make_unique_for_overwrite<char[]>(bytes + json_padding);
  if (window.size != 0) std::memcpy(grown.get(), window.bytes.get(), window.size);
  window.bytes = std::move(grown);
  window.room = bytes;
}

}  // namespace

EventWindows::EventWindows(Input& input, std::string_view rest, uint64_t offset, size_t window_size)
    : input_(&input), window_size_(window_size), rest_(rest.begin(), rest.end()), offset_(offset) {}

bool EventWindows::next(EventWindow& window) {
  if (done_) return false;
  window.size = 0;
  size_t room = std::max(window_size_, rest_.size());
  reserve(window, room);
  std::copy(rest_.begin(), rest_.end(), window.bytes.get());
  window.size = rest_.size();
  window.offset = offset_;
  window.first = !begun_;
  begun_ = true;
  while (true) {
    const size_t wanted = room - window.size;
    const size_t got = input_->read(window.bytes.get() + window.size, wanted);
    window.size += got;
    ended_ = got < wanted;
    std::memset(window.bytes.get() + window.size, 0, json_padding);
    // The padding is scanned too where nothing else follows.
    const size_t scanned = scan_.scanned() - base_;
    const size_t left = window.size - std::min(scanned, window.size);
    scan_.scan(window.bytes.get() + scanned,
               (left + (ended_ ? ListScan::step - 1 : 0)) / ListScan::step);
    if (scan_.list_ended()) {
      done_ = true;
      return cut(window, scan_.scanned());
    }
    if (ended_) done_ = true;
    if (ended_ || scan_.last_item_end() > base_) {
      return cut(window, std::max(scan_.last_item_end(), base_));
    }
    if (room >= longest_item) {
      done_ = too_long_ = true;
      return cut(window, base_);
    }
    room *= 2;
    reserve(window, room);
  }
}

// `end` counts in what was scanned.
bool EventWindows::cut(EventWindow& window, uint64_t end) {
  const auto size = static_cast<size_t>(end - base_);
  rest_.assign(window.bytes.get() + size, window.bytes.get() + window.size);
  window.size = size;
  std::memset(window.bytes.get() + size, 0, json_padding);
  base_ = end;
  offset_ += size;
  return size != 0;
}

}  // namespace kr::trace
