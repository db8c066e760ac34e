// A JSON list in windows that end between its items, in buffers that are used again.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "trace/input.hpp"
#include "trace/readers/list_scan.hpp"

namespace kr::trace {

/// A buffer and the text in it; json_padding zero bytes follow.
struct EventWindow {
  std::unique_ptr<char[]> bytes;
  size_t size = 0;
  size_t room = 0;
  uint64_t offset = 0;  // of its first byte in the decompressed text
  bool first = false;   // the list begins with it

  std::string_view text() const noexcept { return {bytes.get(), size}; }
};

class EventWindows {
 public:
  /// An item may have this many bytes.
  static constexpr size_t longest_item = size_t{64} << 20;

  /// `rest`, at `offset`, is what was read of `input` and stands behind the list's opening bracket.
  EventWindows(Input& input, std::string_view rest, uint64_t offset, size_t window_size);

  /// The next items, whole, with the commas between and before them. False behind the last.
  bool next(EventWindow& window);

  /// The last was given.
  bool done() const noexcept { return done_; }

  // Then:

  /// What was read and belongs to no window: it begins with the list's closing bracket, or with
  /// what is cut off or too long.
  std::string_view rest() const noexcept { return {rest_.data(), rest_.size()}; }
  uint64_t rest_offset() const noexcept { return offset_; }
  bool input_ended() const noexcept { return ended_; }
  /// It begins an item of more than `longest_item` bytes.
  bool too_long() const noexcept { return too_long_; }

 private:
  bool cut(EventWindow& window, uint64_t end);

  Input* input_;
  size_t window_size_;
  ListScan scan_;
  std::vector<char> rest_;
  uint64_t offset_;    // of rest_ in the text
  uint64_t base_ = 0;  // of rest_ in what was scanned
  bool begun_ = false;
  bool done_ = false;
  bool ended_ = false;
  bool too_long_ = false;
};

}  // namespace kr::trace
