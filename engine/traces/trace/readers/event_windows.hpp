// A JSON list in windows that end between its items, in buffers that are used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/input.hpp"
#include "trace/readers/text_blocks.hpp"

namespace kr::trace {

/// Finds where items of a JSON list end, at the speed of memory: 64 bytes at a time, and
/// distinguishes what is in a string (AVX2 where the processor has it, SSE2 or plain C++
/// elsewhere).
///
/// In JSON the places found are exact, whatever strings contain. In what is not JSON they are some
/// places, and all of the text before the first mistake is still cut between items.
class ListScan {
 public:
  /// Bytes in a step.
  static constexpr size_t step = 64;

  /// Goes on with `steps` × 64 bytes, which follow on those of the last call; the first byte of all
  /// follows the list's opening bracket. Stops at the list's end.
  void scan(const char* bytes, size_t steps) noexcept;

  /// Bytes scanned so far: all of them, or those before the list's closing bracket.
  uint64_t scanned() const noexcept { return scanned_; }
  /// Behind the last bracket that closed an item; 0 where there was none.
  uint64_t last_item_end() const noexcept { return last_item_end_; }
  /// The list's own closing bracket was met, at `scanned()`.
  bool list_ended() const noexcept { return list_ended_; }

 private:
  void scan_avx2(const char* bytes, size_t steps) noexcept;
  uint64_t escaped(uint64_t backslashes) noexcept;
  void follow(uint64_t parity, uint64_t opened, uint64_t closed) noexcept;
  void walk(uint64_t opened, uint64_t closed) noexcept;

  uint64_t scanned_ = 0;
  uint64_t last_item_end_ = 0;
  uint64_t depth_ = 0;          // of brackets, in the list
  uint64_t in_string_ = 0;      // all ones, or none
  uint64_t first_escaped_ = 0;  // 1: the next byte follows a backslash that counts
  bool list_ended_ = false;
};

class EventWindows {
 public:
  /// An item may have this many bytes.
  static constexpr size_t longest_item = size_t{64} << 20;

  /// `rest`, at `offset`, is what was read of `input` and follows the list's opening bracket.
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
