#include "trace/readers/json_text.hpp"

#include <optional>

#include "base/integer.hpp"
#include "base/utf8.hpp"

namespace kr::trace {
namespace {

// The four digits at `at`.
std::optional<uint16_t> hex4(std::string_view raw, size_t at) noexcept {
  return raw.size() < at + 4 ? std::nullopt : integer_from<uint16_t>(raw.substr(at, 4), 16);
}

// Behind the `\u` escape at `at`; 0: it is none.
size_t append_code(std::string& out, std::string_view raw, size_t at) {
  const std::optional<uint32_t> first = hex4(raw, at + 2);
  if (!first) return 0;
  if (*first < 0xd800 || *first > 0xdfff) {
    append_utf8(out, *first);
    return at + 6;
  }
  if (*first > 0xdbff || raw.substr(at + 6, 2) != "\\u") return 0;
  const std::optional<uint32_t> second = hex4(raw, at + 8);
  if (!second || *second < 0xdc00 || *second > 0xdfff) return 0;
  append_utf8(out, 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00));
  return at + 12;
}

}  // namespace

char short_escape(char c) noexcept {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

bool append_unescaped(std::string& out, std::string_view raw) {
  size_t at = 0;
  while (true) {
    const size_t next = raw.find('\\', at);
    out.append(raw.substr(at, next - at));
    if (next == raw.npos) return true;
    const char c = next + 1 < raw.size() ? raw[next + 1] : '\0';
    if (c == 'u') {
      at = append_code(out, raw, next);
      if (at == 0) return false;
      continue;
    }
    const char meant = short_escape(c);
    if (meant == '\0') return false;
    out += meant;
    at = next + 2;
  }
}

}  // namespace kr::trace
