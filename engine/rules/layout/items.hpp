// The structure of a rules file for its layout: items, their heads, the nesting of their
// expressions. The text is known to parse, so nothing here reports mistakes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "layout/tokens.hpp"

namespace kr::layout {

/// Tokens [first, last) without blanks between them.
struct Piece {
  size_t first = 0;
  size_t last = 0;
  bool space = true;    // before it, unless it is the first
  bool breaks = false;  // a line may begin with it: in a clause of a cost
  bool amount = false;  // `flops` or `bytes` of a clause
};

struct Node {
  enum class Kind : uint8_t {
    atom,
    prefix,
    group,
    chain,  // parts joined by `|`, `&` or `>`
    step,   // of a chain of `>`: brackets and a quantifier around its part
    words,  // labels side by side
  };
  Kind kind = Kind::atom;
  size_t first = 0;  // tokens [first, last)
  size_t last = 0;
  std::vector<Node> parts;
  std::vector<size_t> operators;  // of a chain: before parts 1, 2, …
  size_t width = 0;               // in columns, on one line
  bool comments = false;          // between its tokens
};

/// One element of a list separated by commas.
struct Part {
  std::vector<Piece> pieces;
  std::optional<Node> expr;
};

struct Item {
  enum class Kind : uint8_t {
    plain,    // requires, metadata, use, drop, include, otherwise keep
    entry,    // of labels: label, title, colour
    rule,     // of a block: a label and an expression
    pattern,  // a name or `detect`, and an expression
    list,     // fold, abbreviate
    test,     // one line of a test
    clause,   // of a cost: all of it is the head
    block,    // in a model or engine: rules of a dimension
    nest,     // the other blocks: always on several lines
  };
  Kind kind = Kind::plain;
  size_t first = 0;  // tokens [first, last)
  size_t last = 0;
  std::vector<Piece> head;
  std::optional<Node> expr;
  std::vector<Part> list;      // of fold and abbreviate; of a test: the names after `within`
  std::vector<Piece> call;     // of a test of a cost: arguments, type and numbers
  size_t within = 0;           // of a test: the token; 0: none
  size_t arrow = 0;            // of a test: the token; 0: none
  std::vector<Part> expected;  // of a test
  std::vector<Item> items;     // of blocks; of a test: later operations, from their `>` on
};

/// Reads the items of a file. Moves comments to where they are written: comments after an operator
/// before it, and comments before a comma after it.
std::vector<Item> items_of(std::vector<Token>& tokens);

/// The items on a page, as a text. Takes the comments of the tokens.
std::string text_of(std::vector<Token>& tokens, const std::vector<Item>& items);

/// The columns of a text: characters, not bytes.
size_t columns(std::string_view text);

}  // namespace kr::layout
