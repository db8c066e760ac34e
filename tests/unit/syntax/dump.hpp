// The AST as text, for tests: declarations on lines, expressions as S-expressions.
#pragma once

#include <string>

#include "syntax/parse.hpp"

namespace kr::syntax {

/// A parsed text with its sources and diagnostics.
struct Parsed {
  explicit Parsed(std::string text);

  source::SourceMap sources;
  source::FileId id;
  diag::Sink sink;
  File file;

  /// `(or "a" (and ^"b"i$ /c/))`
  std::string expr(ExprId expr) const;
  std::string chain(const std::vector<ChainStep>& steps) const;
  std::string rules(const std::vector<Rule>& rules) const;
  /// The whole file.
  std::string dump() const;
  /// `KR101@3:5 KR105@4:1`, in the order of the text.
  std::string codes() const;
  std::string_view text(source::Span span) const { return sources.text(span); }
};

}  // namespace kr::syntax
