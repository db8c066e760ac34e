// Whether two files say the same.
#pragma once

#include "syntax/ast.hpp"

namespace kr::layout {

/// Equal but for spans: every declaration in its order, every expression with its parentheses,
/// every comment.
bool same(const SourceMap& a_sources, const syntax::File& a, const SourceMap& b_sources,
          const syntax::File& b);

}  // namespace kr::layout
