// Whether a file is text at all.
#pragma once

#include <string_view>

namespace kr::syntax {

struct Encoding {
  enum class Verdict { utf8, broken, binary };
  Verdict verdict = Verdict::utf8;
  size_t at = 0;          // the first byte that shows it
  size_t head = 0;        // bytes of a byte order mark, to be stepped over
  std::string_view what;  // "it contains a NUL byte"
};

Encoding encoding_of(std::string_view text);

}  // namespace kr::syntax
