#include "syntax/encoding.hpp"

#include <cstdint>
#include <cstring>

#include "base/printable.hpp"

namespace kr::syntax {
namespace {

/// The end of the ASCII bytes that start at `at`. NUL does not count as ASCII.
size_t past_ascii(std::string_view text, size_t at) {
  constexpr uint64_t high = 0x8080808080808080;
  constexpr uint64_t low = 0x0101010101010101;
  for (uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & high) != 0 || ((word - low) & ~word & high) != 0) break;
  }
  while (at < text.size() && text[at] != '\0' && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

Encoding encoding_of(std::string_view text) {
  using Verdict = Encoding::Verdict;
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return {Verdict::binary, 0, 0, "it starts like UTF-16"};
  }
  Encoding encoding;
  if (text.starts_with("\xef\xbb\xbf")) encoding.head = 3;
  for (size_t at = past_ascii(text, 0); at < text.size(); at = past_ascii(text, at)) {
    if (text[at] == '\0') return {Verdict::binary, at, 0, "it contains a NUL byte"};
    const size_t bytes = utf8_length(text.substr(at, 4));
    if (bytes == 0 && encoding.verdict == Verdict::utf8) {
      encoding.verdict = Verdict::broken;
      encoding.at = at;
      encoding.what = "a byte that is not part of a character";
    }
    at += bytes > 0 ? bytes : 1;
  }
  return encoding;
}

}  // namespace kr::syntax
