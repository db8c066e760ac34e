// Where in a file somebody types: what the text before a place says, whether or not it parses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kr::lsp {

/// What braces are open round the place.
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
  std::string engine;            // in which it stands, or which the test names
  std::string model;             // the same
  std::vector<Token> statement;  // since the last brace, without the word being typed
  size_t word_begin = 0;         // of the word before the place; the place itself where none is
  std::string_view word;
  bool in_comment = false;
  bool in_text = false;  // inside quotes or slashes
};

/// `offset` bytes of `text` are read.
Cursor cursor_at(std::string_view text, size_t offset);

}  // namespace kr::lsp
