#include "convert/words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"

namespace kr::convert {
std::string word_like(std::string_view text) {
  constexpr size_t longest = 100;
  std::string word;
  for (const char c : text.substr(0, longest)) word += syntax::is_word_byte(c) ? c : '_';
  if (!syntax::is_word(word)) word.insert(0, "_");
  return word;
}

std::string unused(const std::string& name, const std::function<bool(const std::string&)>& taken) {
  if (!taken(name)) return name;
  for (size_t number = 2;; ++number) {
    std::string next = fmt::format("{}_{}", name, number);
    if (!taken(next)) return next;
  }
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

}  // namespace kr::convert
