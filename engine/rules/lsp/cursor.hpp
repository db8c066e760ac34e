// What the text before an offset says about the place where the user types. The text does not have
// to parse.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kr::lsp {

/// The innermost open brace.
enum class BlockKind : uint8_t { file, engine, model, rules, phases, labels, test, unknown };

struct Token {
  enum class Kind : uint8_t { word, text, regex, mark };
  Kind kind = Kind::mark;
  std::string_view text;  // with quotes; `=>` is one mark
  size_t begin = 0;
};

struct Cursor {
  BlockKind block = BlockKind::file;
  std::string dimension;         // of rules and labels
  std::string over;              // of order rules: the dimension whose labels are words
  std::string engine;            // the enclosing one, or the one that the test names
  std::vector<Token> statement;  // since the last brace, without the word being typed
  size_t word_begin = 0;         // of the word before the offset; the offset if there is none
  bool in_comment = false;
  bool in_text = false;  // inside quotes or slashes
};

/// Reads the first `offset` bytes of `text`.
Cursor cursor_at(std::string_view text, size_t offset);

/// The word at byte `at` of a line, [begin, end), if it is in the list of a `# kr: allow(…)`
/// comment. The word may be empty; nullopt: the byte is not in such a list.
std::optional<std::pair<size_t, size_t>> code_in_allow(std::string_view line, size_t at);

}  // namespace kr::lsp
