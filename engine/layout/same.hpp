// Whether two files say the same.
#pragma once

#include "syntax/ast.hpp"

namespace kr::layout {

/// Equal but for spans: every declaration in its order, every expression with its parentheses,
/// every comment.
bool same(const source::SourceMap& a_sources, const syntax::File& a,
          const source::SourceMap& b_sources, const syntax::File& b);

}  // namespace kr::layout
