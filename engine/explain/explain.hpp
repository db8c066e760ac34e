// What each code means: the pages of docs/checks, one a code, embedded in the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.hpp"

namespace kr::explain {

/// The page of a code as markdown; empty where it has none.
std::string_view page_of(const diag::CodeInfo& info);

/// `KR204-unknown-label.md`, the name of a code's page in docs/checks.
std::string page_file(const diag::CodeInfo& info);

/// A block of rules in a page, or of tables to import: ```kr bad or ```json good, maybe with a
/// further word.
struct PageExample {
  bool good = false;
  std::string language;  // `kr`, `json`
  std::string word;      // `latin-1`: the text is meant in that encoding; `export`: as exported
  std::string text;
};
std::vector<PageExample> examples_of(std::string_view page);

struct PageStyle {
  bool color = false;
  size_t width = 0;  // columns; 0: paragraphs keep their lines
};

/// A page for a terminal or a pipe: code is set in; with colour headings, severities and code in a
/// line stand out.
std::string render_page(std::string_view page, PageStyle style);

/// By id, its number or name, whatever the case of its letters.
const diag::CodeInfo* find_code_loosely(std::string_view word);
/// The id or name nearest to a word that is neither.
std::optional<std::string> nearest_code(std::string_view word);
/// The names that hold a part of three bytes or more, by id.
std::vector<std::string> codes_with(std::string_view part);

/// A line a code: id, severity, name, message.
std::string codes_text(bool color);
/// The same as docs/checks/README.md, with links to the pages.
std::string codes_markdown();

}  // namespace kr::explain
