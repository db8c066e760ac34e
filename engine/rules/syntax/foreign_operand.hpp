// What other languages write where a rule has an operand: strings with a prefix, lists, calls.
#pragma once

#include <optional>
#include <string>

#include "syntax/ast.hpp"
#include "syntax/lookahead.hpp"

namespace kr::syntax {

/// An operand in the spelling of another language.
struct ForeignOperand {
  size_t end = 0;
  std::string instead;  // what to write in its place; empty: nobody can know
  std::string help;
};

/// The one that begins at `at`, if there is one. `chains`: brackets have a meaning there.
std::optional<ForeignOperand> foreign_operand(const Lookahead& look, size_t at, bool chains);

/// The same of one that begins with a word: `contains "x"`, `phase == decode`.
std::optional<ForeignOperand> foreign_word_operand(const Lookahead& look, const Token& word);

/// A word of another language for one that stands before an operand: `inside` for `within`.
struct ForeignPrefix {
  size_t end = 0;
  ExprKind kind = ExprKind::within;
  std::string_view instead;
};

std::optional<ForeignPrefix> foreign_prefix(const Lookahead& look, size_t at);

}  // namespace kr::syntax
