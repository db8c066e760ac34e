// What each word of a file is: an editor that has no grammar of rules colours them by this.
#include <algorithm>
#include <vector>

#include "lsp/features.hpp"
#include "syntax/words.hpp"

namespace kr::lsp {
namespace {

/// In the order of the legend.
enum class Type : uint8_t {
  keyword,
  comment,
  string,
  regexp,
  space,      // module
  macro,      // pattern
  structure,  // table
  parameter,  // dimension
  type,       // engine, model
  member,     // label
};

struct Coloured {
  source::Span span;
  Type type = Type::keyword;
  bool declares = false;
};

Type type_of(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::module:
      return Type::space;
    case SymbolKind::pattern:
      return Type::macro;
    case SymbolKind::table:
      return Type::structure;
    case SymbolKind::dimension:
      return Type::parameter;
    case SymbolKind::engine:
    case SymbolKind::model:
      return Type::type;
    case SymbolKind::label:
      return Type::member;
  }
  return Type::keyword;
}

/// In the order of the file, without overlaps: of two, the first that was added.
class Colours {
 public:
  explicit Colours(const Analysis& analysis) : analysis_(analysis), text_(analysis.text()) {}

  std::vector<Coloured> all() && {
    const syntax::File& tree = analysis_.tree();
    for (const syntax::Comment& one : tree.comments) add({one.span, Type::comment});
    for (const Symbol& one : analysis_.symbols(analysis_.root().file)) {
      add({one.span, type_of(one.kind), one.declares});
    }
    for (const syntax::Expr& expr : tree.exprs) {
      if (expr.kind == syntax::ExprKind::text) add({expr.span, Type::string});
      if (expr.kind == syntax::ExprKind::regex) add({expr.span, Type::regexp});
    }
    sort();
    words();
    sort();
    return std::move(found_);
  }

 private:
  void add(Coloured one) {
    if (one.span.size() > 0) found_.push_back(one);
  }

  void sort() {
    std::stable_sort(found_.begin(), found_.end(), [](const Coloured& a, const Coloured& b) {
      return a.span.begin < b.span.begin;
    });
    std::vector<Coloured> apart;
    for (const Coloured& one : found_) {
      if (apart.empty() || apart.back().span.end <= one.span.begin) apart.push_back(one);
    }
    found_ = std::move(apart);
  }

  /// Keywords and texts between what is known.
  void words() {
    const std::vector<Coloured> known = found_;
    size_t at = 0;
    const source::FileId file = analysis_.root().file;
    for (size_t i = 0; i <= known.size(); ++i) {
      const size_t end = i < known.size() ? known[i].span.begin : text_.size();
      while (at < end) {
        size_t last = at + 1;
        const auto span = [&] {
          return source::Span{file, static_cast<uint32_t>(at), static_cast<uint32_t>(last)};
        };
        if (text_[at] == '"') {
          while (last < end && text_[last] != '"' && text_[last] != '\n') {
            last += text_[last] == '\\' ? 2 : 1;
          }
          last = std::min(last + 1, end);
          add({span(), Type::string});
        } else if (syntax::is_word_byte(text_[at])) {
          while (last < end && syntax::is_word_byte(text_[last])) ++last;
          const std::string_view word = text_.substr(at, last - at);
          if (syntax::is_keyword(word) || !about_word(word).empty()) add({span(), Type::keyword});
        }
        at = last;
      }
      if (i < known.size()) at = std::max<size_t>(at, known[i].span.end);
    }
  }

  const Analysis& analysis_;
  std::string_view text_;
  std::vector<Coloured> found_;
};

}  // namespace

std::string_view semantic_legend() {
  return R"("tokenTypes":["keyword","comment","string","regexp","namespace","macro","struct",)"
         R"("parameter","type","enumMember"],"tokenModifiers":["declaration"])";
}

void write_semantic_tokens(Question question, Writer& out) {
  const Analysis& analysis = analysis_of(question);
  out.open('{');
  out.key("data").open('[');
  Place last;
  for (const Coloured& one : Colours(analysis).all()) {
    const Range range = analysis.range(one.span, question.encoding);
    if (range.begin.line != range.end.line) continue;  // a token is on one line
    const bool same_line = range.begin.line == last.line;
    out.number(range.begin.line - last.line);
    out.number(same_line ? range.begin.column - last.column : range.begin.column);
    out.number(range.end.column - range.begin.column);
    out.number(static_cast<int>(one.type));
    out.number(one.declares ? 1 : 0);
    last = range.begin;
  }
  out.close(']');
  out.close('}');
}

}  // namespace kr::lsp
