#include "trace/readers/event_windows.hpp"

#include <algorithm>

#include "trace/readers/csv_scan.hpp"
#include "trace/readers/json_scan.hpp"

namespace kr::trace {

static_assert(scan_padding >= json_padding && scan_padding >= ListScan::step);

EventWindows::EventWindows(Input& input, std::string_view rest, uint64_t offset)
    : input_(&input), rest_(rest), offset_(offset) {}

bool EventWindows::next(TextBlock& window) {
  if (done_) return false;
  window.assign(rest_);
  window.offset = offset_;
  size_t room = std::max(input_->options().block_size, rest_.size());
  while (true) {
    ended_ = window.fill(*input_, room);
    // The padding is scanned too where nothing else follows.
    const std::string_view text = window.text();
    const size_t scanned = std::min(static_cast<size_t>(scan_.scanned() - base_), text.size());
    const size_t left = text.size() - scanned + (ended_ ? ListScan::step - 1 : 0);
    scan_.scan(text.data() + (scan_.scanned() - base_), left / ListScan::step);
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
  }
}

// `end` counts in what was scanned.
bool EventWindows::cut(TextBlock& window, uint64_t end) {
  const auto size = static_cast<size_t>(end - base_);
  rest_.assign(window.text().substr(size));
  window.shrink(size);
  base_ = end;
  offset_ += size;
  return size != 0;
}

}  // namespace kr::trace
