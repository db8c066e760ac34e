#include "lsp/cursor.hpp"

#include <algorithm>

#include "syntax/words.hpp"

namespace kr::lsp {
namespace {

std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

class Reader {
 public:
  Reader(std::string_view text, size_t offset) : text_(text.substr(0, offset)) {}

  Cursor read() {
    stack_.push_back({});
    while (at_ < text_.size()) step();
    Cursor& cursor = stack_.back();
    cursor.word_begin = text_.size();
    while (cursor.word_begin > 0 && syntax::is_word_byte(text_[cursor.word_begin - 1]))
      --cursor.word_begin;
    cursor.in_comment = in_comment_;
    cursor.in_text = in_text_;
    cursor.statement = std::move(tokens_);
    if (!cursor.statement.empty() && cursor.statement.back().begin == cursor.word_begin) {
      cursor.statement.pop_back();
    }
    return std::move(cursor);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      const size_t end = text_.find('\n', at_);
      in_comment_ = end == text_.npos;
      at_ = std::min(end, text_.size());
    } else if (c == '"' || (c == '/' && slash_opens())) {
      quoted(c);
    } else if (syntax::is_word_byte(c)) {
      size_t end = at_;
      while (end < text_.size() && syntax::is_word_byte(text_[end])) ++end;
      add(Token::Kind::word, end);
    } else if (c == '{') {
      push();
      ++at_;
    } else if (c == '}') {
      if (stack_.size() > 1) stack_.pop_back();
      tokens_.clear();
      ++at_;
    } else {
      add(Token::Kind::mark, at_ + (text_.substr(at_, 2) == "=>" ? 2 : 1));
    }
  }

  /// In `test vllm/llama` a slash separates words.
  bool slash_opens() const {
    return tokens_.size() < 2 || tokens_[tokens_.size() - 2].text != "test" ||
           stack_.back().block != BlockKind::file;
  }

  void quoted(char mark) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != mark && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    in_text_ = end >= text_.size();
    end = std::min(end, text_.size());
    if (end < text_.size() && text_[end] == mark) ++end;
    add(mark == '"' ? Token::Kind::text : Token::Kind::regex, end);
  }

  void add(Token::Kind kind, size_t end) {
    tokens_.push_back({kind, text_.substr(at_, end - at_), at_});
    at_ = end;
  }

  /// The index of the last word with this text; the number of tokens if there is none.
  size_t last(std::string_view keyword) const {
    for (size_t i = tokens_.size(); i > 0; --i) {
      if (tokens_[i - 1].kind == Token::Kind::word && tokens_[i - 1].text == keyword) return i - 1;
    }
    return tokens_.size();
  }
  /// Empty if there is no token of this index.
  std::string at(size_t index) const {
    return index < tokens_.size() ? unquoted(tokens_[index].text) : "";
  }

  void push() {
    Cursor inner = stack_.back();
    switch (inner.block) {
      case BlockKind::file:
        open_declaration(inner);
        break;
      case BlockKind::engine:
      case BlockKind::model:
        open_in_body(inner);
        break;
      default:
        inner.block = BlockKind::unknown;
    }
    stack_.push_back(std::move(inner));
    tokens_.clear();
  }

  /// `DIMENSION` or `DIMENSION over DIMENSION` at the end.
  void set_dimension(Cursor& inner) const {
    const size_t count = tokens_.size();
    const bool over = count > 2 && tokens_[count - 2].text == "over";
    inner.dimension = at(count - (over ? 3 : 1));
    if (over) inner.over = at(count - 1);
  }

  void open_declaration(Cursor& inner) {
    inner.block = BlockKind::unknown;
    size_t best = tokens_.size();
    for (const std::string_view keyword : {"engine", "labels", "table", "test"}) {
      const size_t found = last(keyword);
      if (found < tokens_.size() && (best == tokens_.size() || found > best)) best = found;
    }
    const std::string keyword = at(best);
    if (keyword == "engine") {
      inner.block = BlockKind::engine;
      inner.engine = at(best + 1);
    } else if (keyword == "labels") {
      inner.block = BlockKind::labels;
      inner.dimension = at(best + 1);
    } else if (keyword == "table") {
      inner.block = BlockKind::rules;
      set_dimension(inner);
    } else if (keyword == "test") {
      inner.block = BlockKind::test;
      inner.engine = at(best + 1);
    }
  }

  void open_in_body(Cursor& inner) {
    const size_t model = last("model");
    // At most `model NAME "TITLE" extends a.b.c {`.
    if (inner.block == BlockKind::engine && model + 10 > tokens_.size() &&
        model + 1 < tokens_.size() && tokens_[model + 1].kind != Token::Kind::mark) {
      inner.block = BlockKind::model;
      return;
    }
    set_dimension(inner);
    inner.block = inner.dimension == "phases" ? BlockKind::phases : BlockKind::rules;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<Cursor> stack_;
  std::vector<Token> tokens_;
  bool in_comment_ = false;
  bool in_text_ = false;
};

}  // namespace

Cursor cursor_at(std::string_view text, size_t offset) {
  return Reader(text, std::min(offset, text.size())).read();
}

std::optional<std::pair<size_t, size_t>> code_in_allow(std::string_view line, size_t at) {
  constexpr std::string_view mark = "# kr: allow";
  const size_t comment = line.find(mark);
  if (comment == line.npos) return std::nullopt;
  const size_t open = line.find('(', comment);
  if (open == line.npos || at <= open) return std::nullopt;
  const std::string_view between = line.substr(comment + mark.size(), open - comment - mark.size());
  if (!between.empty() && between != "-file") return std::nullopt;
  const size_t close = std::min(line.find(')', open), line.size());
  if (at > close) return std::nullopt;
  const auto is_part = [&](size_t i) { return line[i] != ',' && line[i] != ' ' && line[i] != '('; };
  size_t begin = at;
  while (begin > open + 1 && is_part(begin - 1)) --begin;
  size_t end = at;
  while (end < close && is_part(end)) ++end;
  return std::pair(begin, end);
}

}  // namespace kr::lsp
