#include "trace/readers/json_text.hpp"

#include <optional>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace kr::trace {
namespace {

using Kind = EscapeFault::Kind;
using namespace std::string_view_literals;

// The character of an escape of two, by its second; 0: there is none.
char short_escape(char c) noexcept {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
  const size_t at = letters.find(c);
  return at == letters.npos ? '\0' : meant[at];
}

/// Undoes the escapes of one string.
class Unescaper {
 public:
  Unescaper(std::string& out, std::string_view raw) : out_(&out), raw_(raw) {}

  EscapeFault run() {
    while (fault_.kind == Kind::none) {
      const size_t next = raw_.find('\\', at_);
      out_->append(raw_.substr(at_, next - at_));
      if (next == raw_.npos) break;
      at_ = next;
      escape();
    }
    return fault_;
  }

 private:
  // The one at `at_`, which moves behind it.
  void escape() {
    if (at_ + 1 == raw_.size()) return fail(Kind::cut, at_ + 1);
    if (raw_[at_ + 1] == 'u') return code();
    const char meant = short_escape(raw_[at_ + 1]);
    if (meant == '\0') return fail(Kind::invalid, at_);
    *out_ += meant;
    at_ += 2;
  }

  void code() {
    const auto first = hex4(at_ + 2);
    if (!first) return;
    if (*first < 0xd800 || *first > 0xdfff) {
      append_utf8(*out_, *first);
      at_ += 6;
      return;
    }
    const std::string_view next = raw_.substr(at_ + 6, 2);
    if (*first > 0xdbff || !"\\u"sv.starts_with(next)) return fail(Kind::half, at_);
    if (next.size() < 2) return fail(Kind::cut, raw_.size());
    const auto second = hex4(at_ + 8);
    if (!second) return;
    if (*second < 0xdc00 || *second > 0xdfff) return fail(Kind::half, at_);
    append_utf8(*out_, 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00));
    at_ += 12;
  }

  std::optional<uint32_t> hex4(size_t at) {
    uint32_t code = 0;
    for (size_t i = at; i < at + 4; ++i) {
      const int value = i < raw_.size() ? hex_value(raw_[i]) : -1;
      if (value < 0) {
        fail(i < raw_.size() ? Kind::invalid : Kind::cut, i);
        return std::nullopt;
      }
      code = code * 16 + static_cast<uint32_t>(value);
    }
    return code;
  }

  void fail(Kind kind, size_t at) { fault_ = {kind, at}; }

  std::string* out_;
  std::string_view raw_;
  size_t at_ = 0;
  EscapeFault fault_;
};

}  // namespace

EscapeFault append_unescaped(std::string& out, std::string_view raw) {
  return Unescaper(out, raw).run();
}

}  // namespace kr::trace
