// Writes items on a page.
#pragma once

#include <string>
#include <vector>

#include "layout/items.hpp"
#include "layout/page.hpp"

namespace kr::layout {

class Writer {
 public:
  explicit Writer(std::vector<Token>& tokens) : tokens_(tokens) {}

  /// The whole file.
  std::string write(const std::vector<Item>& items);

 private:
  /// Columns that consecutive items share: expressions of rules, titles and colours of labels, the
  /// braces of blocks on one line.
  struct Columns {
    size_t second = 0;
    size_t third = 0;
  };

  void items(const std::vector<Item>& items, size_t indent);
  Columns columns_of(const std::vector<Item>& items, size_t first, size_t indent, size_t& last);
  void item(const Item& item, size_t indent, Columns columns);
  void begin(const Item& item, size_t indent);
  void close(size_t token, size_t indent);
  void block_on_line(const Item& item, size_t indent, size_t brace);
  void pattern(const Item& item, size_t indent);
  void rule(const Item& item, size_t indent, size_t column);
  void entry(const Item& item, size_t indent, Columns columns);
  void list(const Item& item, size_t indent);
  void test(const Item& item, size_t indent);
  void parts(const std::vector<Part>& parts, size_t indent, bool as_written);
  void expression(const Node& node, size_t indent, bool as_written);
  void node(const Node& node, size_t indent, size_t tail, bool as_written);
  void chain(const Node& node, size_t indent, size_t tail, bool as_written);

  void head(const Item& item, size_t indent);
  void piece(const Piece& piece, size_t indent);
  void flat(size_t first, size_t last);
  void flat(const Node& node);
  /// Writes the comments before a token and begins a line; false if there are none.
  bool comments(size_t token, size_t indent);
  /// Writes those comments, or a blank.
  void lead(size_t token, size_t indent);
  /// Writes those comments, or a line break, or a blank.
  void separate(size_t token, size_t indent, bool breaks);

  bool commented(size_t first, size_t last) const;
  bool on_one_line(const Item& item) const;
  bool fits_on_line(const Item& item, size_t indent) const;
  bool in_table(const Item& item) const;
  size_t width(const Piece& piece) const;
  size_t width(const std::vector<Piece>& pieces) const;
  size_t width(const Part& part) const;
  size_t first_token(const Part& part) const;

  std::vector<Token>& tokens_;
  Page page_;
};

}  // namespace kr::layout
