#include "explain/explain.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "explain/embedded_pages.hpp"

namespace kr {
namespace {

/// Takes the first line off a text.
std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// ASCII letters in lower case.
std::string lowered(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// What the hundreds of a number stand for.
std::string_view group_of(const CodeInfo& info) {
  switch (info.id[2]) {
    case '1':
      return "Text and regular expressions";
    case '2':
      return "Names and meaning";
    case '3':
      return "What is proven of rules that load";
    default:
      return "What is only likely (shown on request)";
  }
}

}  // namespace

std::string page_file(const CodeInfo& info) {
  return fmt::format("{}-{}.md", info.id, info.name);
}

std::string_view page_of(const CodeInfo& info) {
  const std::string file = page_file(info);
  for (const EmbeddedPage& page : embedded_pages()) {
    if (page.file == file) return page.text;
  }
  return {};
}

std::vector<PageExample> examples_of(std::string_view page) {
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

const CodeInfo* find_code_loosely(std::string_view word) {
  const std::string lower = lowered(word);
  for (const CodeInfo& info : all_codes()) {
    const std::string id = lowered(info.id);
    if (id == lower || id == "kr" + lower || info.name == lower) return &info;
  }
  return nullptr;
}

std::optional<std::string> nearest_code(std::string_view word) {
  std::vector<std::string> words;
  for (const CodeInfo& info : all_codes()) {
    if (info.severity == Severity::retired) continue;
    words.emplace_back(info.name);
    words.emplace_back(info.id);
  }
  return nearest(word, words);
}

std::vector<std::string> codes_with(std::string_view part) {
  std::vector<std::string> names;
  const std::string lower = lowered(part);
  constexpr size_t least = 3;  // letters that say something
  if (lower.size() < least) return names;
  for (const CodeInfo& info : all_codes()) {
    if (info.severity != Severity::retired && info.name.find(lower) != info.name.npos) {
      names.emplace_back(info.name);
    }
  }
  return names;
}

std::string codes_text(bool color) {
  size_t widest = 0;
  for (const CodeInfo& info : all_codes()) widest = std::max(widest, info.name.size());
  std::string text;
  std::string_view group;
  for (const CodeInfo& info : all_codes()) {
    if (info.severity == Severity::retired) continue;
    if (group_of(info) != group) {
      if (!text.empty()) text += '\n';
      group = group_of(info);
      text += color ? fmt::format("\x1b[1m{}\x1b[0m\n", group) : fmt::format("{}\n", group);
    }
    text += fmt::format("{}  {:<7}  {:<{}}  {}\n", info.id, to_string(info.severity), info.name,
                        widest, description(info));
  }
  return text;
}

std::string codes_markdown() {
  std::string text =
      "# Checks\n\n"
      "Every finding has a code and a name; either is accepted wherever one is asked for. `kr "
      "explain CODE`\n"
      "prints the page. This list is made by `kr explain --index`.\n";
  std::string_view group;
  for (const CodeInfo& info : all_codes()) {
    if (info.severity == Severity::retired) continue;
    if (group_of(info) != group) {
      group = group_of(info);
      text += fmt::format(
          "\n## {}\n\n| code | name | severity | message |\n| --- | --- | --- | --- |\n", group);
    }
    std::string message = description(info);
    for (size_t at = message.find('|'); at != message.npos; at = message.find('|', at + 2)) {
      message.insert(at, 1, '\\');
    }
    text += fmt::format("| [{}]({}) | {} | {} | {} |\n", info.id, page_file(info), info.name,
                        to_string(info.severity), message);
  }
  return text;
}

}  // namespace kr
