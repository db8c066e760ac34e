// A JSON list in windows that end between its items, in buffers that are used again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/input.hpp"
#include "trace/readers/list_scan.hpp"
#include "trace/readers/text_blocks.hpp"

namespace kr::trace {

class EventWindows {
 public:
  /// An item may have this many bytes.
  static constexpr size_t longest_item = size_t{64} << 20;

  /// `rest`, at `offset`, is what was read of `input` and stands behind the list's opening bracket.
  EventWindows(Input& input, std::string_view rest, uint64_t offset);

  /// The next items, whole, with the commas between and before them. False behind the last.
  bool next(TextBlock& window);

  /// The last was given.
  bool done() const noexcept { return done_; }

  // Then:

  /// What was read and belongs to no window: it begins with the list's closing bracket, or with
  /// what is cut off or too long.
  std::string_view rest() const noexcept { return rest_; }
  uint64_t rest_offset() const noexcept { return offset_; }
  bool input_ended() const noexcept { return ended_; }
  /// It begins an item of more than `longest_item` bytes.
  bool too_long() const noexcept { return too_long_; }

 private:
  bool cut(TextBlock& window, uint64_t end);

  Input* input_;
  ListScan scan_;
  std::string rest_;
  uint64_t offset_;    // of rest_ in the text
  uint64_t base_ = 0;  // of rest_ in what was scanned
  bool done_ = false;
  bool ended_ = false;
  bool too_long_ = false;
};

}  // namespace kr::trace
