// Expressions and names in words, as markdown.
#pragma once

#include <string>
#include <string_view>

#include "syntax/ast.hpp"

namespace kr::lsp {

/// Between backticks, whatever the text holds; on one line.
std::string as_code(std::string_view text);

/// What an expression holds for, behind “a name”: `that contains "gemm"`; alternatives as a list, a
/// line each. Empty for an expression that was not understood.
std::string describe(const syntax::File& tree, syntax::ExprId expr);

/// One line about a word of the language or `@kernel` and its like; empty for other words.
std::string_view about_word(std::string_view word);

}  // namespace kr::lsp
