#include "convert/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diag/printable.hpp"

namespace kr {
namespace {

bool is_head(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

bool is_word(std::string_view text) {
  return !text.empty() && is_head(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_head(c) || c == '-'; });
}

std::string word_like(std::string_view text) {
  constexpr size_t longest = 100;
  std::string word;
  for (const char c : text.substr(0, longest)) word += is_head(c) || c == '-' ? c : '_';
  if (word.empty() || !is_head(word.front())) word.insert(0, "_");
  return word;
}

std::string unused(const std::string& name, const std::function<bool(const std::string&)>& taken) {
  if (!taken(name)) return name;
  for (size_t number = 2;; ++number) {
    std::string next = fmt::format("{}_{}", name, number);
    if (!taken(next)) return next;
  }
}

std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
      ++at;
      continue;
    }
    // What a terminal is not shown as it is, is not hidden in a rules file either.
    const Glyph glyph = first_glyph(text.substr(at));
    const std::string_view bytes = text.substr(at, glyph.bytes);
    if (glyph.shown == bytes && c != '\t') {
      result += bytes;
    } else {
      for (const char byte : bytes) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
      }
    }
    at += glyph.bytes;
  }
  return result + '"';
}

std::string label_text(std::string_view label) {
  return is_word(label) ? std::string(label) : quoted_text(label);
}

std::string doc_lines(std::string_view doc, std::string_view indent) {
  std::string lines;
  while (!doc.empty()) {
    const size_t end = std::min(doc.find('\n'), doc.size());
    lines += fmt::format("{}##{}{}\n", indent, end > 0 ? " " : "", printable(doc.substr(0, end)));
    doc.remove_prefix(std::min(end + 1, doc.size()));
  }
  return lines;
}

}  // namespace kr
