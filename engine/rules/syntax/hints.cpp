// Builder: what was meant by signs and formats of other languages.
#include <algorithm>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "syntax/builder.hpp"
#include "syntax/words.hpp"

namespace kr::syntax {
namespace {}  // namespace

/// Straight quotes in place of the others around a text that ends on its line.
void Builder::fix_quotes(diag::Diagnostic& added, size_t at) const {
  constexpr std::string_view quotes[] = {
      "\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x98", "\xe2\x80\x99", "'", "`"};
  const auto size_at = [&](size_t place) {
    for (const std::string_view quote : quotes) {
      if (text_.substr(place).starts_with(quote)) return quote.size();
    }
    return size_t{0};
  };
  const size_t size = size_at(at);
  const size_t end = std::min(look_.line_end(at), at + guess_bytes);
  for (size_t close = at + size; close < end; ++close) {
    const char c = text_[close];
    if (c == '\\' || (c == '"' && close == at + size)) return;
    const size_t closing = c == '"' ? 1 : size_at(close);
    if (closing == 0) continue;
    if (close == at + size) return;
    added.fix =
        diag::Fix{true, {{range(at, at + size), "\""}, {range(close, close + closing), "\""}}};
    return;
  }
}

/// Signs that other languages have before an operand.
void Builder::hint_operand(diag::Diagnostic& added, size_t at) const {
  const std::string_view rest = text_.substr(std::min(at, text_.size()), guess_bytes);
  if (rest.empty()) return;
  const Token next = look_.token(at + 1);
  const bool same_line = next.begin < look_.line_end(at);
  if (rest[0] == '~' || (rest[0] == '-' && same_line && is_operand(next))) {
    added.help("write `!`").replace(range(at, at + 1), "!");
  } else if (rest[0] == '=' && at > 0 && text_[at - 1] == '!') {
    added.help("write `!` alone: it negates what follows").replace(range(at, at + 1), "");
  } else if (rest[0] == '$' && next.kind == TokenKind::string) {
    added.help("write it after the text: `{}$`", excerpt(look_.text(next), longest_word)).fix =
        diag::Fix{true, {{range(at, at + 1), ""}, {range(next.end, next.end), "$"}}};
  } else if (rest[0] == '|' || rest[0] == '&') {
    added.help("remove it: an operator stands between two operands, once")
        .replace(range(at, at + 1), "");
  }
}

void Builder::hint(diag::Diagnostic& added, size_t at) const {
  const std::string_view rest = text_.substr(std::min(at, text_.size()), 4);
  const auto begins = [&](const auto&... texts) { return (rest.starts_with(texts) || ...); };
  if (begins("\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x98", "\xe2\x80\x99")) {
    added.help("write texts between straight quotes: `\"…\"`");
    fix_quotes(added, at);
  } else if (begins("'", "`")) {
    added.help("write texts between double quotes: `\"…\"`");
    fix_quotes(added, at);
  } else if (begins("//")) {
    added.help("a comment begins with `#`").replace(range(at, at + 2), "#");
  } else if (begins("/*")) {
    added.help("a comment begins with `#`");
  } else if (begins("\xc2\xa0", "\xe2\x80\xaf", "\xe3\x80\x80", "\xe2\x80\x8b", "\xef\xbb\xbf")) {
    const size_t size = first_glyph(rest).bytes;
    added
        .help(
            "this is a blank of another kind (`{}`), which some editors and web pages write; "
            "replace it with a blank",
            hex_bytes(rest.substr(0, size)))
        .replace(range(at, at + size), " ");
  } else if (!rest.empty() && static_cast<unsigned char>(rest[0]) >= 0x80) {
    added.help("quote a name that has other characters than letters, digits, `_` and `-`");
  }
}

bool Builder::is_other_format() {
  const std::string_view format = other_format();
  if (format.empty()) return false;
  const Token first = look_.token(text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  diag::Diagnostic& added = sink_.add(diag::code::not_rules, range(first), format);
  if (format == "JSON" || format == "Python") {
    added.help("`kr import FILE` makes rules from tables of patterns in JSON or Python");
  } else {
    added.help(
        "rules look like `engine NAME {{ substage {{ gemm: \"gemm\" }} }}`; `kr init` writes a "
        "first file");
  }
  return true;
}

/// The name of another format that the file is in, by its first lines; empty: none.
std::string_view Builder::other_format() const {
  const Token first = look_.token(text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  if (first.kind == TokenKind::end) return {};
  const Token second = look_.next(first);
  const std::string_view rest = text_.substr(first.begin, guess_bytes);
  const char after = look_.byte(second.begin);
  if (rest.starts_with("<")) return "XML";
  if (rest[0] == '{') return "JSON";
  if (rest[0] == '[') {
    // `[substage]` and `[engine.mine]` alone on their line.
    const size_t end = look_.before_blanks(look_.line_end(first.begin));
    const std::string_view inside = look_.slice(second.begin, std::max(second.begin, end - 1));
    const bool section = second.kind == TokenKind::word && text_[end - 1] == ']' &&
                         inside.find_first_of(" ,\"[") == inside.npos;
    return section ? "TOML" : "JSON";
  }
  if (rest.starts_with("---") || rest.starts_with("- ")) return "YAML";
  if (first.kind != TokenKind::word || second.kind == TokenKind::end) return {};
  const std::string_view word = look_.text(first);
  const bool ends_line = look_.before_blanks(look_.line_end(first.begin)) == second.end;
  if (after == ':' && ends_line) return "YAML";
  if (is_keyword(word)) return {};
  const char value = look_.byte(look_.next(second).begin);
  if (after == '=' && (value == '{' || value == '[')) return "Python";
  if (word == "def" || word == "class") return "Python";
  if (word == "import" && is_one_of(look_.text(second), {"re", "os", "sys", "json", "typing"})) {
    return "Python";
  }
  return {};
}

}  // namespace kr::syntax
