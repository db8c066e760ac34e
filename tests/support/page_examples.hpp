// The examples in the pages of docs/checks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace kr::test {

/// A code block of rules, or of tables to import, in a page: ```kr bad or ```json good, possibly
/// with another word.
struct PageExample {
  bool good = false;
  std::string language;  // `kr`, `json`
  std::string word;      // `latin-1`: the encoding of the text; `export`: a text to be exported
  std::string text;
};

/// Removes the first line of a text and returns it.
inline std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

inline std::vector<PageExample> examples_of(std::string_view page) {
  std::vector<PageExample> examples;
  while (!page.empty()) {
    const std::string_view line = take_line(page);
    if (!line.starts_with("```")) continue;
    PageExample example;
    bool shown = false;
    for (const std::string_view language : {"kr", "json"}) {
      for (const bool good : {true, false}) {
        const std::string head = fmt::format("```{} {}", language, good ? "good" : "bad");
        if (!line.starts_with(head)) continue;
        shown = true;
        example.language = language;
        example.good = good;
        if (line.size() > head.size()) example.word = line.substr(head.size() + 1);
      }
    }
    while (!page.empty()) {
      const std::string_view inner = take_line(page);
      if (inner == "```") break;
      example.text += inner;
      example.text += '\n';
    }
    if (shown) examples.push_back(std::move(example));
  }
  return examples;
}

}  // namespace kr::test
