// Bytes on their way out, handed over in pieces of 64 KiB, so that a table may have any size.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>

#include "render/render.hpp"

namespace kr::render {

/// Ends with `finish`. Not to outlive the function that takes the bytes.
class OutputBuffer {
 public:
  static constexpr size_t piece_size = size_t{64} << 10;

  explicit OutputBuffer(const Bytes& to)
      : to_(to), bytes_(new char[piece_size]), at_(bytes_.get()), end_(at_ + piece_size) {}

  void append(std::string_view text) {
    while (text.size() > room()) {
      const size_t fits = room();
      put(text.substr(0, fits));
      hand_over();
      text.remove_prefix(fits);
    }
    put(text);
  }
  void append(char byte) {
    if (at_ == end_) hand_over();
    *at_++ = byte;
  }
  void append(int64_t number) {
    constexpr size_t max_digits = 20;
    char* const begin = space(max_digits);
    advance(std::to_chars(begin, begin + max_digits, number).ptr);
  }
  /// Room for `size` bytes, fewer than a piece has; then `advance` to the end of what was written.
  char* space(size_t size) {
    if (size > room()) hand_over();
    return at_;
  }
  void advance(char* to) { at_ = to; }
  void finish() {
    if (at_ != bytes_.get()) hand_over();
  }

 private:
  size_t room() const { return static_cast<size_t>(end_ - at_); }
  void put(std::string_view text) { at_ = std::copy_n(text.data(), text.size(), at_); }
  void hand_over() {
    to_(std::string_view(bytes_.get(), static_cast<size_t>(at_ - bytes_.get())));
    at_ = bytes_.get();
  }

  const Bytes& to_;
  std::unique_ptr<char[]> bytes_;
  char* at_;
  char* end_;
};

}  // namespace kr::render
