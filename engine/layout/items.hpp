// What a rules file consists of, as it matters to its layout: items, their heads, the nesting of
// their expressions. The text is known to parse: nothing here finds or reports a mistake.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "layout/tokens.hpp"

namespace kr::layout {

/// Tokens [first, last) that stand together without blanks between them.
struct Piece {
  size_t first = 0;
  size_t last = 0;
  bool space = true;  // between it and the piece before
};

struct Node {
  enum class Kind : uint8_t { atom, prefix, group, chain };
  Kind kind = Kind::atom;
  size_t first = 0;  // tokens [first, last)
  size_t last = 0;
  std::vector<Node> parts;
  std::vector<size_t> operators;  // of a chain: before parts 1, 2, …
  size_t width = 0;               // in columns, on one line
  bool comments = false;          // between its tokens
};

/// One of several parted by commas.
struct Part {
  std::vector<Piece> pieces;
  std::optional<Node> expr;
};

struct Item {
  enum class Kind : uint8_t {
    plain,    // use, drop, include, otherwise keep
    entry,    // of labels: label, title, colour
    rule,     // of a block: a label and an expression
    pattern,  // a name or `detect`, and an expression
    list,     // fold, abbreviate
    test,     // one line of a test
    block,    // in a model or engine: rules of a dimension
    nest,     // the other blocks: always on lines of their own
  };
  Kind kind = Kind::plain;
  size_t first = 0;  // tokens [first, last)
  size_t last = 0;
  std::vector<Piece> head;
  std::optional<Node> expr;
  std::vector<Part> list;      // of fold and abbreviate; of a test: the names after `within`
  size_t within = 0;           // of a test: the token; 0 where there is none
  size_t arrow = 0;            // of a test: the token
  std::vector<Part> expected;  // of a test
  std::vector<Item> items;     // of blocks
};

/// Reads the items of a file. Comments that stand behind an operator go before it, those before a
/// comma behind it: that is where they are laid out.
std::vector<Item> items_of(std::vector<Token>& tokens);

/// Columns that a text takes: characters, not bytes.
size_t columns(std::string_view text);

}  // namespace kr::layout
