// Rules as patterns of Python's `re`, for `re.search`.
#pragma once

#include <optional>
#include <string>

#include "sema/program.hpp"

namespace kr::convert {

/// The pattern that matches somewhere in exactly the names for which `expr` holds; for names
/// beyond ASCII as far as Python counts characters where kr counts bytes. It has no groups that
/// capture and needs no flags. `&` and `!` become look-aheads at the start of the name, the kind of
/// an operation the spellings by which a name alone tells it (`uses_kind` is then set).
///
/// None where Python cannot say it of a name: `why` tells what.
struct PythonPattern {
  std::string text;
  bool uses_kind = false;
};
std::optional<PythonPattern> to_python(const sema::Program& program, sema::ExprId expr,
                                       std::string& why);

/// The same for one regular expression.
std::optional<std::string> to_python(const regex::Regex& regex, std::string& why);

}  // namespace kr::convert
