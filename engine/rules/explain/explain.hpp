// The documentation of each code: the embedded pages of docs/checks, one per code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.hpp"

namespace kr::explain {

/// The page of a code as Markdown; empty if it has none.
std::string_view page_of(const diag::CodeInfo& info);

/// The file name of a code's page in docs/checks: `KR204-unknown-label.md`.
std::string page_file(const diag::CodeInfo& info);

struct PageStyle {
  bool color = false;
  size_t width = 0;  // columns; 0: paragraphs keep their lines
};

/// A page for a terminal or a pipe. Code blocks are indented; with colour, headings, severities and
/// inline code are highlighted.
std::string render_page(std::string_view page, PageStyle style);

/// Finds a code by id, number or name, ignoring case.
const diag::CodeInfo* find_code_loosely(std::string_view word);
/// The most similar id or name.
std::optional<std::string> nearest_code(std::string_view word);
/// The names that contain `part`, which must have at least three bytes, ordered by id.
std::vector<std::string> codes_with(std::string_view part);

/// One line per code: id, severity, name, message.
std::string codes_text(bool color);
/// The same as docs/checks/README.md, with links to the pages.
std::string codes_markdown();

}  // namespace kr::explain
