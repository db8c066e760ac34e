// Checks whether a file is UTF-8 text.
#pragma once

#include <string_view>

namespace kr::syntax {

struct Encoding {
  enum class Verdict { utf8, broken, binary };
  Verdict verdict = Verdict::utf8;
  size_t at = 0;          // the first wrong byte
  size_t head = 0;        // size of the byte order mark, which is skipped
  std::string_view what;  // "it contains a NUL byte"
};

Encoding encoding_of(std::string_view text);

}  // namespace kr::syntax
