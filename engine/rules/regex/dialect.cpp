#include <algorithm>
#include <utility>

#include "base/integer.hpp"
#include "base/printable.hpp"
#include "regex/builder.hpp"

namespace kr::regex {
namespace {

/// The members of a POSIX class in the portable spelling, for use inside a class.
std::string_view posix_members(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> members[] = {
      {"alpha", "A-Za-z"},
      {"digit", "0-9"},
      {"alnum", "0-9A-Za-z"},
      {"upper", "A-Z"},
      {"lower", "a-z"},
      {"space", "\\s"},
      {"blank", " \\t"},
      {"xdigit", "0-9A-Fa-f"},
      {"word", "\\w"},
      {"punct", "!-\\/:-@\\[-`{-~"},
      {"print", " -~"},
      {"graph", "!-~"},
      {"cntrl", "\\x00-\\x1f\\x7f"},
      {"ascii", "\\x00-\\x7f"},
  };
  for (const auto& [known, spelling] : members) {
    if (known == name) return spelling;
  }
  return {};
}

std::string escape_help(std::string_view item) {
  const char letter = item[1];
  switch (letter) {
    case 'Q':
    case 'E':
      return "put a backslash before each character that needs one";
    case 'h':
      return "write `[ \\t]`";
    case 'H':
      return "write `[^ \\t]`";
    case 'V':
      return "write `[^\\n\\v\\f\\r]`";
    case 'R':
      return "write `(?:\\r\\n|[\\n\\v\\f\\r])`";
    case 'X':
    case 'C':
      return "write `.`, which is any byte";
    case 'N':
      return "write `[^\\n]`";
    case 'K':
      return "remove it: a rule only checks whether the expression matches";
    case 'p':
    case 'P':
      return "write the intended bytes as a class: `[A-Za-z]`";
    case 'c':
      return item.size() > 2
                 ? fmt::format("write `{}`", hex_byte(static_cast<char>(item[2] & 0x1f)))
                 : "write the byte as `\\xNN`";
    case 'e':
      return "write `\\x1b`";
    case 'u':
    case 'U':
    case 'L':
    case 'l':
      return "write the bytes of its UTF-8 form, each as `\\xNN`";
    default:
      break;
  }
  if (static_cast<unsigned char>(letter) >= 0x80) return "remove the backslash";
  return fmt::format("write `{0}` for the character, `\\\\{0}` with a backslash before it", letter);
}

std::string flag_help(std::string_view item) {
  const auto has = [&](char flag) { return item.find(flag) != std::string_view::npos; };
  if (item == "(?i)") return "begin the expression with `(?i)`, or write `(?i:…)` around a part";
  if (has('-')) return "turn `i` on only for a part: `(?i:…)`";
  if (has('s')) return "remove `s`: `.` matches any byte";
  if (has('m')) return "remove `m`: a name is one line, and `^` and `$` are its ends";
  if (has('x')) return "remove `x`, and the blanks and comments";
  return "the only flag is `i`: `(?i)` at the beginning, or `(?i:…)` around a part";
}

/// `item` has the number of a byte at [begin, end), if `begin` is in it.
void reject_byte(std::string_view what, std::string_view item, size_t begin, size_t end, int base,
                 Builder& builder) {
  const auto value = begin == item.npos
                         ? std::nullopt
                         : integer_from<uint8_t>(item.substr(begin, end - begin), base);
  auto& finding = builder.reject(diag::code::regex_spelling, item, item, Said{std::string(what)});
  if (value) {
    finding.help("write `{}`", hex_byte(static_cast<char>(*value)));
  } else {
    finding.help("write {} as `\\xNN`", base == 8 ? "the byte" : "each byte");
  }
}

}  // namespace

void reject_look_around(std::string_view item, Builder& builder) {
  const bool negative = item.back() == '!';
  const bool behind = item.find('<') != std::string_view::npos;
  builder.report(diag::code::regex_construct, item, item, Said{"a look-around"})
      .help("write two expressions: `/A/ & {}/B/`{}", negative ? "!" : "",
            behind ? ", or write out the text before it" : "");
  builder.open(item);
}

void reject_group_spelling(std::string_view item, Builder& builder) {
  const size_t begin = item.find_first_of("<'") + 1;
  const std::string_view name = item.substr(begin, item.size() - 1 - begin);
  builder.report(diag::code::regex_spelling, item, item, Said{"spelling of a named group"})
      .help("write `(?<{}>`", name);
  builder.open(item);
}

void reject_open_flagged(std::string_view item, Builder& builder) {
  builder.report(diag::code::regex_construct, item, item, Said{"a setting of flags"})
      .help("{}", flag_help(item));
  builder.open(item);
}

void reject_flags(std::string_view item, Builder& builder) {
  builder.reject(diag::code::regex_construct, item, item, Said{"a setting of flags"})
      .help("{}", flag_help(item));
}

void reject_octal(std::string_view item, Builder& builder) {
  const size_t begin = item.find_first_of("01234567");
  const size_t end = item.find_first_not_of("01234567", begin);
  reject_byte("spelling of a byte: it is octal", item, begin, end, 8, builder);
}

void reject_hex(std::string_view item, Builder& builder) {
  const size_t begin = item.find_first_of("0123456789abcdefABCDEF", 2);
  reject_byte("spelling of a byte: write two hex digits", item, begin, item.find('}'), 16, builder);
}

void reject_anchor(std::string_view item, Builder& builder) {
  auto& finding = builder.reject(diag::code::regex_spelling, item, item, Said{"anchor"});
  if (item[1] == 'G') {
    finding.help("remove it: a name is searched once");
  } else {
    finding.help("write `$`, which is the end of the name and nothing else");
  }
}

void reject_escape(std::string_view item, Builder& builder) {
  builder.reject(diag::code::regex_spelling, item, item, Said{"escape"})
      .help("{}", escape_help(item));
}

void reject_open_repeat(std::string_view item, Builder& builder) {
  builder
      .reject(diag::code::regex_repeat, item, item,
              Said{"is a repeat in some dialects and a text in others"})
      .help("write `{{0{}` for the repeat, `\\{}` for the text", item.substr(1), item);
}

void reject_posix_class(std::string_view item, Builder& builder) {
  const size_t begin = item.find_first_not_of("[:.=^");
  const size_t end = item.find_first_of(":.=", begin);
  const std::string_view name = begin == std::string_view::npos || end == std::string_view::npos
                                    ? std::string_view()
                                    : item.substr(begin, end - begin);
  const std::string_view members = posix_members(name);
  auto& finding =
      builder.reject(diag::code::regex_class, item, item,
                     Said{"is a POSIX class, which the portable dialect does not support"});
  if (members.empty()) {
    finding.help("write the intended bytes, or `\\[` for the character");
  } else if (item.find('^') != std::string_view::npos) {
    finding.help("write the bytes that are not in `[{}]`", members);
  } else {
    finding.help("write `{}`: `[{}]`", members, members);
  }
  builder.class_bad(item);
}

void reject_edge_in_class(std::string_view item, Builder& builder) {
  auto& finding = builder.reject(diag::code::regex_class, item, item,
                                 Said{"is a position, not a byte, but a class contains bytes"});
  if (item[1] == 'b') {
    finding.help("write `\\x08` for the backspace, or put `\\b` before the class");
  } else {
    finding.help("put `{}` outside of the class", item);
  }
}

void reject_character_in_class(std::string_view item, Builder& builder) {
  builder
      .reject(diag::code::regex_class, item, item,
              Said{fmt::format("is {} bytes, but a class contains single bytes", item.size())})
      .help("write it as an alternative: `(?:[…]|{})`", hex_bytes(item));
  builder.class_bad(item);
}

}  // namespace kr::regex
