// Finds where items of a JSON list end, at the speed of memory: 64 bytes at a time, with what is in
// a string told from what is not (AVX2 where the processor has it, SSE2 or plain C++ elsewhere).
//
// In JSON the places found are exact, whatever strings hold. In what is not JSON they are some
// places, and all of the text before the first mistake is still cut between items.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kr::trace {

class ListScan {
 public:
  /// Bytes in a step.
  static constexpr size_t step = 64;

  /// Goes on with `steps` × 64 bytes, which follow on those of the last call; the first byte of all
  /// stands behind the list's opening bracket. Stops at the list's end.
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
  uint64_t first_escaped_ = 0;  // 1: the next byte stands behind a backslash that counts
  bool list_ended_ = false;
};

}  // namespace kr::trace
