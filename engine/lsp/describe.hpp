// Expressions and names in words, as markdown.
#pragma once

#include <string>
#include <string_view>

#include "syntax/ast.hpp"

namespace kr::lsp {

/// Between backticks, on one line; the text may contain backticks.
std::string as_code(std::string_view text);

/// What an expression matches, after “a name”: `that contains "gemm"`; alternatives as a list, one
/// per line. Empty for an expression that could not be parsed.
std::string describe(const syntax::File& tree, syntax::ExprId expr);

/// One line about a keyword, or `@kernel` and similar; empty for other words.
std::string_view about_word(std::string_view word);

}  // namespace kr::lsp
