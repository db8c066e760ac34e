// Parses a text to a syntax::File. After an error, parsing continues at the next rule or
// declaration, so one run shows all errors. The result contains everything that could be parsed.
#pragma once

#include "diag/diagnostic.hpp"
#include "syntax/ast.hpp"

namespace kr::syntax {

/// The maximum nesting of parentheses, `!` and `within`; deeper nesting is an error.
inline constexpr int max_nesting = 256;

File parse(const source::SourceMap& sources, source::FileId file, diag::Sink& sink);

}  // namespace kr::syntax
