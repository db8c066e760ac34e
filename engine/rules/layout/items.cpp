#include "layout/items.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/utf8.hpp"

namespace kr::layout {
namespace {

using syntax::TokenKind;

void move_before(std::vector<Comment>& from, std::vector<Comment>& to) {
  to.insert(to.end(), from.begin(), from.end());
  from.clear();
}

class Reader {
 public:
  explicit Reader(std::vector<Token>& tokens) : tokens_(tokens) {}

  std::vector<Item> file() {
    std::vector<Item> items;
    while (now().kind != TokenKind::end) items.push_back(declaration());
    return items;
  }

 private:
  const Token& now(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is(std::string_view text) const { return now().is(text); }
  Piece piece(bool space = true) {
    KR_CHECK(now().kind != TokenKind::end);
    ++at_;
    return {at_ - 1, at_, space};
  }
  /// A word and its adjacent tokens: `a.b.c`, `@memcpy`, `^"text"i$`.
  Piece adjacent(bool path) {
    Piece all = piece();
    const auto goes_on = [&](const Token& token) {
      if (!token.adjacent || token.kind == TokenKind::end) return false;
      const Token& last = tokens_[at_ - 1];
      if (path || last.kind == TokenKind::word) {
        return token.is(".") || (last.is(".") && token.kind == TokenKind::word);
      }
      if (last.is("^")) return token.kind == TokenKind::string;
      if (last.is("@") || last.is(".")) return token.kind == TokenKind::word;
      return token.is("i") || token.is("$");
    };
    while (goes_on(now()) || flag_end()) ++at_;
    all.last = at_;
    return all;
  }
  /// `$` after the `i` of a text.
  bool flag_end() const {
    return is("$") && now().adjacent && at_ >= 2 && tokens_[at_ - 1].is("i") &&
           tokens_[at_ - 1].adjacent;
  }
  void head(Item& item, size_t count) {
    for (; count > 0; --count) item.head.push_back(piece());
  }
  void path(Item& item) { item.head.push_back(adjacent(true)); }
  Item begin(Item::Kind kind) const {
    Item item;
    item.kind = kind;
    item.first = at_;
    return item;
  }
  Item end(Item item) const {
    item.last = at_;
    return item;
  }

  Item declaration() {
    if (is("use")) return use();
    if (is("requires")) return requirement();
    if (is_metadata()) return metadata();
    if (is("pattern")) {
      Item item = begin(Item::Kind::pattern);
      head(item, 2);
      over(item);
      head(item, 1);
      return with_expression(std::move(item));
    }
    if (is("engine") || is("model")) return engine();
    Item item = begin(Item::Kind::nest);
    if (is("labels")) {
      head(item, 2);
      extends(item);
      return block(std::move(item), &Reader::entry);
    }
    if (is("table")) {
      head(item, 4);
      over(item);
      return block(std::move(item), &Reader::rule);
    }
    if (is("cost")) return costs();
    KR_CHECK(is("test"));
    head(item, 2);
    if (is("/")) {
      item.head.push_back(piece(false));
      item.head.push_back(piece(false));
    }
    return block(std::move(item), &Reader::test_case);
  }
  Item costs() {
    Item item = begin(Item::Kind::nest);
    head(item, now(1).is("{") ? 1 : 2);
    return block(std::move(item), &Reader::clause);
  }
  Item clause() {
    Item item = begin(Item::Kind::plain);
    if (is("include")) {
      head(item, 1);
      path(item);
      return end(std::move(item));
    }
    item.kind = Item::Kind::clause;
    if (is("(")) {
      const Node name = operand();
      item.head.push_back({name.first, name.last});
      item.expr = name;
    } else {
      head(item, 1);
    }
    if (is("(")) arguments(item.head);
    values(item.head);
    item.head.push_back(piece(false));  // the colon
    while (is("flops") || is("bytes")) {
      item.head.push_back(piece());
      item.head.back().amount = true;
      formula(item.head, [&] { return is("as") || is("bytes") || is("flops"); });
      if (is("as")) {
        item.head.push_back(piece());
        item.head.push_back(piece());
      }
      if (is(",")) item.head.push_back(piece(false));
    }
    return end(std::move(item));
  }
  /// Arguments of an op in parentheses: `([M, K], _ , 3)`.
  void arguments(std::vector<Piece>& to) {
    size_t depth = 0;
    bool begins = true;
    do {
      const bool opens = is("(") || is("[");
      const bool closes = is(")") || is("]");
      const bool dot = is(".");
      if (closes) --depth;
      to.push_back(piece(depth == 0 ? opens : !begins && !closes && !is(",")));
      to.back().breaks = depth > 0 && opens && to.back().space;
      if (opens) ++depth;
      begins = opens || dot;
    } while (depth > 0);
  }
  /// `with a = 1, b = 2`.
  void values(std::vector<Piece>& to) {
    if (!is("with")) return;
    to.push_back(piece());
    to.back().breaks = true;
    do {
      if (is(",")) to.push_back(piece(false));
      to.push_back(piece());
      to.push_back(piece());
      formula(to, [&] { return is(",") || is(":") || is("=>"); });
    } while (is(","));
  }
  /// Up to the first token outside parentheses where `ends` is true, or a comma.
  template <class Ends>
  void formula(std::vector<Piece>& to, const Ends& ends) {
    size_t depth = 0;
    bool space = true;
    for (bool first = true; depth > 0 || first || !(ends_operand() && (ends() || after_formula()));
         first = false) {
      const bool sum = (is("+") || is("-")) && now().kind != TokenKind::word;
      const bool closes = is(")") || is("]");
      const bool opens = is("(") || is("[");
      const bool tight = closes || is(",") || is("*") || is("/");
      const bool call = opens && !first && now().adjacent && ends_operand();
      if (closes && depth > 0) --depth;
      if (opens) ++depth;
      const bool loose = is("*") || is("/") || opens;
      const bool comma = is(",");
      to.push_back(piece(sum || (space && !tight && !call)));
      to.back().breaks = to.back().space && !first;
      space = sum || (!loose || comma);
      if (opens) space = false;
      if (sum || comma) space = true;
    }
  }
  bool after_formula() const {
    return is(",") || is("}") || is("include") || now().kind == TokenKind::string ||
           now().kind == TokenKind::end || (is("(") && begins_clause());
  }
  /// A parenthesis after a whole operand begins the next clause, unless it belongs to a name.
  bool begins_clause() const {
    return ends_operand() && !(tokens_[at_ - 1].kind == TokenKind::word && now().adjacent);
  }
  bool ends_operand() const {
    const Token& last = tokens_[at_ - 1];
    return last.kind == TokenKind::word || last.is(")") || last.is("]");
  }
  Item use() {
    Item item = begin(Item::Kind::plain);
    head(item, 1);
    path(item);
    if (is("as")) head(item, 2);
    return end(std::move(item));
  }
  Item requirement() {
    Item item = begin(Item::Kind::plain);
    head(item, 2);
    if (is(">=")) head(item, 1);
    path(item);
    return end(std::move(item));
  }
  /// These words are names, too, but not before a text.
  bool is_metadata() const {
    return now().kind == TokenKind::word && syntax::is_metadata_keyword(now().text) &&
           now(1).kind == TokenKind::string;
  }
  Item metadata() {
    Item item = begin(Item::Kind::plain);
    head(item, 2);
    return end(std::move(item));
  }
  void extends(Item& item) {
    if (!is("extends")) return;
    head(item, 1);
    path(item);
  }
  void over(Item& item) {
    image_ = is("from");
    if (is("over") || image_) head(item, 2);
  }
  Item engine() {
    Item item = begin(Item::Kind::nest);
    head(item, 2);
    if (now().kind == TokenKind::string) head(item, 1);
    extends(item);
    return block(std::move(item), &Reader::body_item);
  }
  Item block(Item item, Item (Reader::*read)()) {
    KR_CHECK(is("{"));
    head(item, 1);
    while (!is("}")) item.items.push_back((this->*read)());
    ++at_;
    return end(std::move(item));
  }
  Item with_expression(Item item) {
    item.expr = expression();
    return end(std::move(item));
  }

  Item body_item() {
    if (is("model")) return engine();
    if (is("fold") || is("abbreviate")) return list();
    if (is("cost")) return costs();
    if (is_metadata()) return metadata();
    if (is("detect")) {
      Item item = begin(Item::Kind::pattern);
      head(item, 1);
      item.head.push_back(piece(false));
      return with_expression(std::move(item));
    }
    Item item = begin(Item::Kind::block);
    head(item, 1);
    over(item);
    return block(std::move(item), &Reader::rule);
  }
  Item list() {
    Item item = begin(Item::Kind::list);
    const bool fold = is("fold");
    head(item, 1);
    do {
      Part part;
      if (fold) {
        part.expr = expression();
      } else {
        for (int i = 0; i < 3; ++i) part.pieces.push_back(piece());
      }
      item.list.push_back(std::move(part));
    } while (comma());
    return end(std::move(item));
  }
  bool comma() {
    if (!is(",")) return false;
    std::vector<Comment> comments;
    move_before(tokens_[at_].before, comments);
    ++at_;
    move_before(tokens_[at_].before, comments);
    tokens_[at_].before = std::move(comments);
    return true;
  }
  Item rule() {
    if (is_metadata()) return metadata();
    Item item = begin(Item::Kind::plain);
    if (image_ && now(1).is(":") && !now(2).is("otherwise")) return image(std::move(item));
    if (is("refine") && now(2).is("{")) {
      item.kind = Item::Kind::block;
      head(item, 2);
      const bool image = std::exchange(image_, false);
      item = block(std::move(item), &Reader::rule);
      image_ = image;
      return item;
    }
    if (!now(1).is(":")) {
      if (is("include")) {
        head(item, 1);
        path(item);
        return end(std::move(item));
      }
      if (is("ignore") || is("continue")) {
        item.kind = Item::Kind::pattern;
        head(item, 1);
        return with_expression(std::move(item));
      }
      head(item, 2);
      return end(std::move(item));
    }
    head(item, 1);
    item.kind = Item::Kind::rule;
    item.head.push_back(piece(false));
    item.expr = chain(">");
    return end(std::move(item));
  }
  /// `attention: attention rope`.
  Item image(Item item) {
    item.kind = Item::Kind::rule;
    head(item, 1);
    item.head.push_back(piece(false));
    Node words;
    words.kind = Node::Kind::words;
    words.first = at_;
    const auto goes_on = [&] {
      if (now().kind != TokenKind::word && now().kind != TokenKind::string) return false;
      if (now().kind == TokenKind::word && now(1).is("{")) return false;
      const bool keyword = now().kind == TokenKind::word && syntax::is_keyword(now().text);
      if (is("refine") && now(2).is("{")) return false;
      if (is("include") || is("otherwise")) return false;
      return !now(1).is(":") && !(keyword && now().line_before);
    };
    while (goes_on()) {
      if (!words.parts.empty()) tokens_[at_ - 1].space_after = true;
      Node word;
      word.first = at_;
      word.width = width_of(piece());
      words.width += word.width + (words.parts.empty() ? 0 : 1);
      words.parts.push_back(measured(std::move(word)));
    }
    item.expr = measured(std::move(words));
    return end(std::move(item));
  }
  Item entry() {
    Item item = begin(Item::Kind::entry);
    head(item, 1);
    if (now().kind == TokenKind::string) head(item, 1);
    if (is("color") && !now(1).is(":")) head(item, 2);
    return end(std::move(item));
  }
  Item test_case() {
    Item item = begin(Item::Kind::test);
    known(item);
    if (is("@")) item.head.push_back(adjacent(false));
    head(item, 1);
    if (is("(")) {
      arguments(item.call);
      if (!is("with") && !is("within") && !is("=>")) item.call.push_back(piece());
      values(item.call);
    }
    context(item);
    while (is(">")) {
      Item later = begin(Item::Kind::test);
      ++at_;
      known(later);
      if (is("@")) later.head.push_back(adjacent(false));
      head(later, 1);
      context(later);
      item.items.push_back(end(std::move(later)));
    }
    return end(std::move(item));
  }
  /// The phase and the op of the operation of a test.
  void known(Item& item) {
    while (is("phase") || is("op")) {
      const bool op = is("op");
      head(item, 2);
      if (op && is("(")) arguments(item.head);
    }
  }
  /// What encloses the operation of a test, and its labels.
  void context(Item& item) {
    if (is("within")) {
      item.within = at_++;
      do {
        item.list.push_back({{piece()}, std::nullopt});
      } while (comma());
    }
    if (!is("=>")) return;
    item.arrow = at_++;
    do {
      item.expected.push_back({{piece(), piece()}, std::nullopt});
    } while (comma());
  }

  // Expressions. The parser bounds the nesting: syntax::max_nesting.
  Node expression() { return chain("|"); }

  Node chain(std::string_view mark) {
    Node node;
    node.kind = Node::Kind::chain;
    node.first = at_;
    const auto part = [&] { return mark == ">" ? step() : mark == "|" ? chain("&") : operand(); };
    node.parts.push_back(part());
    while (is(mark)) {
      node.operators.push_back(at_++);
      move_before(tokens_[at_].before, tokens_[at_ - 1].before);
      node.parts.push_back(part());
    }
    if (node.parts.size() == 1) {
      Node only = std::move(node.parts.front());
      return only;
    }
    for (const Node& each : node.parts) node.width += each.width + 3;
    node.width -= 3;
    return measured(std::move(node));
  }
  /// One step of a chain, with the bracket before it, and the quantifier and bracket after it.
  Node step() {
    Node node;
    node.kind = Node::Kind::step;
    node.first = at_;
    if (is("[")) ++at_;
    node.parts.push_back(expression());
    const size_t behind = at_;
    if (is("?") || is("*") || is("+")) ++at_;
    if (is("]")) ++at_;
    node.width = node.parts[0].width + (node.parts[0].first - node.first) + (at_ - behind);
    if (at_ == behind && node.parts[0].first == node.first) {
      Node only = std::move(node.parts[0]);
      return only;
    }
    return measured(std::move(node));
  }
  Node operand() {
    Node node;
    node.first = at_;
    if (is("(")) {
      node.kind = Node::Kind::group;
      ++at_;
      node.parts.push_back(expression());
      ++at_;
      node.width = node.parts[0].width + 2;
    } else if (is("!") || is("within") || (is("own") && takes_operand())) {
      node.kind = Node::Kind::prefix;
      node.width = mark();
      node.parts.push_back(operand());
      node.width += node.parts[0].width;
    } else if (is("op") && takes_operand()) {
      node.width = mark();
      if (is("(")) {
        bracketed(node);
      } else {
        node.width += width_of(adjacent(false));
      }
      if (is("(")) {
        tokens_[at_ - 1].space_after = true;
        ++node.width;
        bracketed(node);
      }
    } else if (is("phase") && takes_operand()) {
      node.width = mark();
      if (is("(")) {
        bracketed(node);
      } else {
        node.width += width_of(piece());
      }
    } else if (is("word") && now(1).kind == TokenKind::string) {
      node.width = mark();
      node.width += width_of(adjacent(false));
    } else {
      node.width += width_of(adjacent(false));
    }
    return measured(std::move(node));
  }
  size_t width_of(const Piece& piece) const {
    size_t width = 0;
    for (size_t i = piece.first; i < piece.last; ++i) width += columns(tokens_[i].text);
    return width;
  }
  /// `!`, or an operator that is a word: its width with the space after it.
  size_t mark() {
    const bool word = now().kind == TokenKind::word;
    tokens_[at_].space_after = word;
    size_t width = columns(now().text) + (word ? 1 : 0);
    const bool within = is("within");
    ++at_;
    if (within && is("op") && takes_operand()) width += mark();
    return width;
  }
  /// Whether an operand follows: `own` and others may be names of patterns.
  bool takes_operand() const {
    const Token& next = now(1);
    if (next.kind == TokenKind::string) return !now(2).is(":");
    if (next.kind == TokenKind::regex) return true;
    if (next.kind == TokenKind::word) {
      return !now(2).is(":") && !now(2).is("{") &&
             !(next.line_before && syntax::is_keyword(next.text));
    }
    return next.is("(") || next.is("!") || next.is("^") || next.is("@");
  }
  /// From `(` to its `)`, on one line: names with `|`, or arguments.
  void bracketed(Node& node) {
    size_t depth = 0;
    do {
      if (is("(") || is("[")) ++depth;
      if (is(")") || is("]")) --depth;
      tokens_[at_].space_after = is(",");
      node.width += columns(now().text) + (is(",") ? 1 : is("|") ? 2 : 0);
      ++at_;
    } while (depth > 0);
  }
  Node measured(Node node) const {
    node.last = at_;
    for (size_t i = node.first + 1; i < node.last; ++i) {
      node.comments = node.comments || !tokens_[i].before.empty();
    }
    return node;
  }

  std::vector<Token>& tokens_;
  size_t at_ = 0;
  bool image_ = false;  // in a block with `from`
};

}  // namespace

std::vector<Item> items_of(std::vector<Token>& tokens) {
  return Reader(tokens).file();
}

size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

}  // namespace kr::layout
