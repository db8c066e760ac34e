// Rules as patterns of Python's `re`, for `re.search`.
#pragma once

#include <optional>
#include <string>

#include "sema/program.hpp"

namespace kr::convert {

/// The pattern that `re.search` finds in exactly the names that `expr` matches. Beyond ASCII it may
/// differ, because Python counts characters and kr counts bytes. It has no capturing groups and
/// needs no flags. `&` and `!` become look-aheads at the start of the name; the kind of an
/// operation becomes the names by which kr identifies that kind (`uses_kind` is then set).
///
/// Nullopt if Python cannot express it: `why` is the reason.
struct PythonPattern {
  std::string text;
  bool uses_kind = false;
};
std::optional<PythonPattern> to_python(const sema::Program& program, sema::ExprId expr,
                                       std::string& why);

}  // namespace kr::convert
