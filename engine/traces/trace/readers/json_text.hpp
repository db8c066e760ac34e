// Escapes in JSON strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kr::trace {

/// What is wrong with an escape, and where.
struct EscapeFault {
  enum class Kind : uint8_t {
    none,
    invalid,
    half,  // half a character: a lone surrogate
    cut    // the text ends within
  };
  Kind kind = Kind::none;
  size_t at = 0;
};

/// Appends what the inside of a string means, up to the first invalid escape.
EscapeFault append_unescaped(std::string& out, std::string_view raw);

}  // namespace kr::trace
