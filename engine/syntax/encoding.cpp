#include "syntax/encoding.hpp"

#include "base/utf8.hpp"

namespace kr::syntax {
Encoding encoding_of(std::string_view text) {
  using Verdict = Encoding::Verdict;
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    return {Verdict::binary, 0, 0, "it starts like UTF-16"};
  }
  if (const size_t at = text.find('\0'); at != text.npos) {
    return {Verdict::binary, at, 0, "it contains a NUL byte"};
  }
  Encoding encoding;
  if (text.starts_with(byte_order_mark)) encoding.head = 3;
  if (const size_t at = utf8_end(text); at < text.size()) {
    encoding.verdict = Verdict::broken;
    encoding.at = at;
    encoding.what = "a byte that is not part of a character";
  }
  return encoding;
}

}  // namespace kr::syntax
