// The one canonical layout of a rules file (`kr fmt`).
#pragma once

#include <string>

#include "syntax/ast.hpp"

namespace kr {

/// The file in canonical layout: comments kept, meaning the same, laid out again it is unchanged.
/// Declarations that did not parse are left as written.
std::string lay_out(const SourceMap& sources, const syntax::File& file);

}  // namespace kr
