// Text to syntax::File. Parsing goes on after an error at the next rule or declaration, so that
// one run shows all errors; what could be read is returned whatever the sink holds.
#pragma once

#include "diag/diagnostic.hpp"
#include "syntax/ast.hpp"

namespace kr::syntax {

/// Parentheses, `!` and `within` may nest this deep; deeper is a diagnostic.
inline constexpr int max_nesting = 256;

File parse(const source::SourceMap& sources, source::FileId file, diag::Sink& sink);

}  // namespace kr::syntax
