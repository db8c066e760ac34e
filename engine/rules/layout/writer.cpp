#include <algorithm>
#include <utility>

#include "layout/items.hpp"
#include "layout/page.hpp"

namespace kr::layout {
namespace {

constexpr size_t step = 2;          // of indentation
constexpr size_t widest_head = 24;  // of a rule in a table, its colon included
constexpr size_t widest_title = 48;
constexpr size_t widest_block = 72;  // of a block on one line

/// Writes items on a page.
class Writer {
 public:
  explicit Writer(std::vector<Token>& tokens) : tokens_(tokens) {}

  /// The whole file.
  std::string write(const std::vector<Item>& items) {
    this->items(items, 0);
    close(tokens_.size() - 1, 0);
    return page_.text();
  }

 private:
  /// Columns that consecutive items share: expressions of rules, titles and colours of labels, the
  /// braces of blocks on one line.
  struct Columns {
    size_t second = 0;
    size_t third = 0;
  };

  // Measures.

  bool commented(size_t first, size_t last) const {
    return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(first),
                       tokens_.begin() + static_cast<std::ptrdiff_t>(last),
                       [](const Token& token) { return !token.before.empty(); });
  }

  bool on_one_line(const Item& item) const {
    return std::none_of(tokens_.begin() + static_cast<std::ptrdiff_t>(item.first) + 1,
                        tokens_.begin() + static_cast<std::ptrdiff_t>(item.last),
                        [](const Token& token) { return token.line_before; });
  }

  size_t width(const Piece& piece) const {
    size_t width = 0;
    for (size_t i = piece.first; i < piece.last; ++i) width += columns(tokens_[i].text);
    return width;
  }

  size_t width(const std::vector<Piece>& pieces) const {
    size_t width = 0;
    for (const Piece& piece : pieces) width += this->width(piece) + (piece.space ? 1 : 0);
    return width - (pieces.empty() ? 0 : 1);
  }

  size_t width(const Part& part) const { return part.expr ? part.expr->width : width(part.pieces); }

  size_t first_token(const Part& part) const {
    return part.expr ? part.expr->first : part.pieces.front().first;
  }

  /// A block of one short item without comments is on one line.
  bool fits_on_line(const Item& item, size_t indent) const {
    if (item.kind != Item::Kind::block || item.items.size() > 1) return false;
    if (commented(item.first + 1, item.last)) return false;
    if (tokens_[item.last].trails() && !on_one_line(item)) return false;
    if (item.items.empty()) return true;
    const Item& only = item.items.front();
    if (only.kind == Item::Kind::block) return false;
    size_t width = this->width(item.head) + this->width(only.head) + 3;
    if (only.expr) width += 1 + only.expr->width;
    return indent + width <= widest_block;
  }

  /// Whether the expression of a rule is in the column of its block.
  bool in_table(const Item& item) const {
    return item.kind == Item::Kind::rule && width(item.head) <= widest_head &&
           !commented(item.first + 1, item.expr->first + 1);
  }

  /// Consecutive items without a blank line share their columns.
  Columns columns_of(const std::vector<Item>& items, size_t first, size_t indent, size_t& last) {
    Columns columns;
    for (last = first; last < items.size(); ++last) {
      const Item& item = items[last];
      if (last > first && tokens_[item.first].separated()) break;
      if (item.kind == Item::Kind::block) {
        if (last > first && items[last - 1].kind != Item::Kind::block) break;
        if (!fits_on_line(item, indent)) {
          if (last == first) ++last;
          break;
        }
        if (item.items.empty()) continue;
        columns.second = std::max(columns.second, indent + width(item.head) - 1);
      } else if (last > first && items[last - 1].kind == Item::Kind::block) {
        break;
      } else if (in_table(item)) {
        columns.second = std::max(columns.second, indent + width(item.head) + 1);
      } else if (item.kind == Item::Kind::entry && !commented(item.first + 1, item.last)) {
        columns.second = std::max(columns.second, indent + width(item.head[0]) + 1);
      }
    }
    for (size_t i = first; i < last; ++i) {
      if (items[i].kind != Item::Kind::entry || items[i].head.size() < 2) continue;
      if (tokens_[items[i].head[1].first].kind != syntax::TokenKind::string) continue;
      const size_t title = width(items[i].head[1]);
      if (title > widest_title || commented(items[i].first + 1, items[i].last)) continue;
      columns.third = std::max(columns.third, columns.second + title + 1);
    }
    return columns;
  }

  // Comments.

  /// Writes the comments before a token and begins a line; false if there are none.
  bool comments(size_t token, size_t indent) {
    if (tokens_[token].before.empty()) return false;
    for (Comment& comment : tokens_[token].before) comment.blank_before = false;
    close(token, indent);
    page_.newline(indent);
    return true;
  }

  /// Writes those comments, or a blank.
  void lead(size_t token, size_t indent) {
    if (!comments(token, indent)) page_.add(" ");
  }

  /// Writes those comments, or a line break, or a blank.
  void separate(size_t token, size_t indent, bool breaks) {
    if (comments(token, indent)) return;
    if (breaks) {
      page_.newline(indent);
    } else {
      page_.add(" ");
    }
  }

  /// Writes the comments before an item and begins its line.
  void begin(const Item& item, size_t indent) {
    close(item.first, indent);
    page_.newline(indent);
    if (tokens_[item.first].blank_before) page_.blank();
  }

  /// Writes the comments at the end of a block or file, or before an item. Keeps blank lines.
  void close(size_t token, size_t indent) {
    for (const Comment& comment : std::exchange(tokens_[token].before, {})) {
      if (!comment.alone && page_.takes_comment()) {
        page_.trail(comment.text);
      } else {
        page_.newline(indent);
        if (comment.blank_before) page_.blank();
        page_.comment(comment.text);
      }
    }
  }

  // Items.

  void items(const std::vector<Item>& items, size_t indent) {
    for (size_t i = 0; i < items.size();) {
      size_t last = i;
      const Columns columns = columns_of(items, i, indent, last);
      for (; i < last; ++i) item(items[i], indent, columns);
    }
  }

  void item(const Item& item, size_t indent, Columns columns) {
    const bool on_line = fits_on_line(item, indent);
    const bool is_block = item.kind == Item::Kind::block || item.kind == Item::Kind::nest;
    if (is_block && !on_line && on_one_line(item)) {
      // If one line becomes several, its trailing comment goes before them.
      std::vector<Comment>& behind = tokens_[item.last].before;
      if (tokens_[item.last].trails() && behind.front().text.starts_with("# kr:")) {
        tokens_[item.first].before.push_back({behind.front().text, true, false});
        std::swap(tokens_[item.first].before.back().blank_before, tokens_[item.first].blank_before);
        behind.erase(behind.begin());
      }
    }
    begin(item, indent);
    switch (item.kind) {
      case Item::Kind::plain:
        return head(item, indent);
      case Item::Kind::entry:
        return entry(item, indent, columns);
      case Item::Kind::rule:
        return rule(item, indent, columns.second);
      case Item::Kind::pattern:
        return pattern(item, indent);
      case Item::Kind::list:
        return list(item, indent);
      case Item::Kind::clause:
        return pieces(item.head, indent + step);
      case Item::Kind::test:
        return test(item, indent);
      case Item::Kind::block:
      case Item::Kind::nest:
        break;
    }
    if (on_line) return block_on_line(item, indent, columns.second);
    head(item, indent);
    if (item.items.empty() && tokens_[item.last - 1].before.empty()) return page_.add("}");
    items(item.items, indent + step);
    close(item.last - 1, indent + step);
    page_.newline(indent);
    page_.add("}");
  }

  void block_on_line(const Item& item, size_t indent, size_t brace) {
    for (size_t i = 0; i + 1 < item.head.size(); ++i) piece(item.head[i], indent);
    page_.add(" ");
    if (item.items.empty()) return page_.add("{}");
    page_.pad(brace);
    page_.add("{ ");
    const Item& only = item.items.front();
    for (const Piece& each : only.head) {
      if (each.space && each.first != only.first) page_.add(" ");
      flat(each.first, each.last);
    }
    if (only.expr) {
      page_.add(" ");
      flat(*only.expr);
    }
    page_.add(" }");
  }

  void pattern(const Item& item, size_t indent) {
    head(item, indent + step);
    lead(item.expr->first, indent + step);
    expression(*item.expr, indent + step, tokens_[item.last].trails());
  }

  /// In a table, operators are left of the column, so the operands are aligned.
  void rule(const Item& item, size_t indent, size_t column) {
    const bool table = in_table(item);
    head(item, indent + step);
    if (table) page_.pad(column - 1);
    lead(item.expr->first, indent + step);
    expression(*item.expr, table ? column - step : indent + step, tokens_[item.last].trails());
  }

  void entry(const Item& item, size_t indent, Columns columns) {
    if (commented(item.first + 1, item.last)) return head(item, indent + step);
    for (size_t i = 0; i < item.head.size(); ++i) {
      const bool titled =
          tokens_[item.head[1 % item.head.size()].first].kind == syntax::TokenKind::string;
      if (i == 1) page_.pad(columns.second - 1);
      // A colour without a title is in the column of colours.
      if (i == (titled ? 2 : 1) && columns.third > 0) page_.pad(columns.third - 1);
      if (i > 0) page_.add(" ");
      flat(item.head[i].first, item.head[i].last);
    }
  }

  void list(const Item& item, size_t indent) {
    head(item, indent + step);
    lead(first_token(item.list.front()), indent + step);
    parts(item.list, indent + step,
          commented(item.first + 1, item.last) || tokens_[item.last].trails());
  }

  void parts(const std::vector<Part>& parts, size_t indent, bool as_written) {
    for (size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      const size_t first = first_token(part);
      const size_t comma = i + 1 < parts.size() ? 1 : 0;
      if (i > 0) {
        separate(first, indent,
                 as_written ? tokens_[first].line_before
                            : page_.column() + 1 + width(part) + comma > page_width);
      }
      if (part.expr) {
        node(*part.expr, indent + step, comma, as_written);
      } else {
        for (const Piece& each : part.pieces) {
          if (each.first != first) lead(each.first, indent + step);
          flat(each.first, each.last);
        }
      }
      if (comma > 0) page_.add(",");
    }
  }

  void test(const Item& item, size_t indent) {
    const bool as_written = commented(item.first + 1, item.last) || tokens_[item.last].trails();
    bool broken = false;
    const auto go_on = [&](size_t token, const std::vector<Part>& parts) {
      size_t width = columns(tokens_[token].text);
      for (const Part& part : parts) width += this->width(part) + 2;
      broken =
          as_written ? tokens_[token].line_before : broken || page_.column() + width > page_width;
      separate(token, indent + step, broken);
      flat(token, token + 1);
      lead(first_token(parts.front()), indent + step);
      this->parts(parts, indent + 2 * step, as_written);
    };
    for (const Piece& each : item.head) piece(each, indent + step);
    if (!item.call.empty()) pieces(item.call, indent + step);
    if (item.within > 0) go_on(item.within, item.list);
    if (item.arrow > 0) go_on(item.arrow, item.expected);
    for (const Item& later : item.items) {
      const bool full = page_.column() + 3 + width(later.head) > page_width;
      separate(later.first, indent + step, as_written ? tokens_[later.first].line_before : full);
      page_.add(">");
      lead(later.head.front().first, indent + step);
      for (const Piece& each : later.head) {
        if (each.first != later.head.front().first) page_.add(" ");
        flat(each.first, each.last);
      }
      broken = false;
      if (later.within > 0) go_on(later.within, later.list);
      if (later.arrow > 0) go_on(later.arrow, later.expected);
    }
  }

  // Expressions.

  /// An expression with a comment in it or after it keeps its line breaks: the comment may be about
  /// its line.
  void expression(const Node& node, size_t indent, bool as_written) {
    this->node(node, indent, 0, as_written || node.comments);
  }

  void node(const Node& node, size_t indent, size_t tail, bool as_written) {
    if (!as_written && page_.column() + node.width + tail <= page_width) return flat(node);
    switch (node.kind) {
      case Node::Kind::atom:
        return node.comments ? atom(node, indent) : flat(node);
      case Node::Kind::prefix:
        for (size_t i = node.first; i < node.parts[0].first; ++i) {
          flat(i, i + 1);
          if (tokens_[i].space_after) {
            lead(i + 1, indent);
          } else {
            comments(i + 1, indent);
          }
        }
        return this->node(node.parts[0], indent, tail, as_written);
      case Node::Kind::group:
        page_.add("(");
        comments(node.first + 1, indent);
        this->node(node.parts[0], indent, tail + 1, as_written);
        comments(node.last - 1, indent);
        return page_.add(")");
      case Node::Kind::step: {
        const Node& part = node.parts[0];
        flat(node.first, part.first);
        if (part.first > node.first) comments(part.first, indent);
        const size_t behind = part.last;
        this->node(part, indent, tail + node.last - behind, as_written);
        for (size_t i = behind; i < node.last; ++i) comments(i, indent);
        return flat(behind, node.last);
      }
      case Node::Kind::words:
        for (const Node& word : node.parts) {
          const bool full = page_.column() + 1 + word.width + tail > page_width;
          if (word.first != node.first) {
            separate(word.first, indent, as_written ? tokens_[word.first].line_before : full);
          }
          flat(word.first, word.last);
        }
        return;
      case Node::Kind::chain:
        return chain(node, indent, tail, as_written);
    }
  }

  /// An atom of several tokens, with comments between them.
  void atom(const Node& node, size_t indent) {
    for (size_t i = node.first; i < node.last; ++i) {
      const bool broken = i > node.first && comments(i, indent);
      const bool bar = tokens_[i].is("|");
      if (!broken && i > node.first &&
          (bar || tokens_[i - 1].is("|") || tokens_[i - 1].space_after))
        page_.add(" ");
      page_.add(tokens_[i].text);
    }
  }

  /// Writes as many operands on a line as fit; an operand of several lines is alone on its lines.
  void chain(const Node& node, size_t indent, size_t tail, bool as_written) {
    bool alone = false;
    for (size_t i = 0; i < node.parts.size(); ++i) {
      const Node& part = node.parts[i];
      const size_t behind = i + 1 == node.parts.size() ? tail : 0;
      if (i > 0) {
        const size_t op = node.operators[i - 1];
        separate(op, indent,
                 as_written ? tokens_[op].line_before || tokens_[op + 1].line_before
                            : alone || page_.column() + 3 + part.width + behind > page_width);
        flat(op, op + 1);
        page_.add(" ");
      }
      const size_t line = page_.lines();
      this->node(part, indent + step, behind, as_written);
      alone = page_.lines() > line;
    }
  }

  void flat(const Node& node) {
    for (size_t i = node.first; i < node.last; ++i) {
      const Token& token = tokens_[i];
      const bool binary = token.is("|") || token.is("&") || token.is(">");
      if (binary) page_.add(" ");
      page_.add(token.text);
      if (binary || token.space_after) page_.add(" ");
    }
  }

  void flat(size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) page_.add(tokens_[i].text);
  }

  /// Of a clause of a cost: on one line, or each amount on its own lines.
  void pieces(const std::vector<Piece>& pieces, size_t indent) {
    const bool fits = page_.column() + width(pieces) <= page_width &&
                      !commented(pieces.front().first + 1, pieces.back().last);
    for (size_t i = 0; i < pieces.size(); ++i) {
      const Piece& each = pieces[i];
      const bool begins = page_.takes_comment();
      size_t next = i + 1;
      size_t chunk = width(each) + 1;
      for (; next < pieces.size() && !pieces[next].breaks && !pieces[next].amount; ++next) {
        chunk += width(pieces[next]) + (pieces[next].space ? 1 : 0);
      }
      const bool full = each.breaks && page_.column() + chunk > page_width;
      if (begins && !comments(each.first, indent)) {
        if (!fits && (each.amount || full)) {
          page_.newline(each.amount ? indent : indent + step);
        } else if (each.space) {
          page_.add(" ");
        }
      }
      if (tokens_[each.first].is("(") && each.last > each.first + 1) {
        name(each);
      } else {
        flat(each.first, each.last);
      }
    }
  }

  /// The expression of a name, in parentheses.
  void name(const Piece& piece) {
    for (size_t i = piece.first; i < piece.last; ++i) {
      const Token& token = tokens_[i];
      const bool binary = token.is("|") || token.is("&");
      if (i > piece.first && comments(i, step)) {
        page_.add(token.text);
        if (binary) page_.add(" ");
        continue;
      }
      if (binary) page_.add(" ");
      page_.add(token.text);
      if (binary || token.space_after) page_.add(" ");
    }
  }

  void head(const Item& item, size_t indent) {
    for (const Piece& each : item.head) piece(each, indent);
  }

  void piece(const Piece& piece, size_t indent) {
    if (page_.takes_comment()) {
      if (!comments(piece.first, indent) && piece.space) page_.add(" ");
    }
    flat(piece.first, piece.last);
  }

  std::vector<Token>& tokens_;
  Page page_;
};

}  // namespace

std::string text_of(std::vector<Token>& tokens, const std::vector<Item>& items) {
  return Writer(tokens).write(items);
}

}  // namespace kr::layout
