// Compares two parsed files.
#pragma once

#include "syntax/ast.hpp"

namespace kr::layout {

/// Whether two files are equal except for spans: declarations in their order, expressions with
/// their parentheses, comments.
bool same(const source::SourceMap& a_sources, const syntax::File& a,
          const source::SourceMap& b_sources, const syntax::File& b);

}  // namespace kr::layout
