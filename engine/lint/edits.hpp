// Edits of findings, put into a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.hpp"

namespace kr::lint {

/// The fixes of findings in one file that can be made together: in the order of the findings, each
/// whole, none that touches one before it; the unsafe only where asked for.
std::vector<diag::Fix> compatible_fixes(const std::vector<diag::Diagnostic>& findings,
                                        source::FileId file, bool unsafe);

/// The text with the edits of fixes that do not overlap.
std::string apply(std::string_view text, const std::vector<diag::Fix>& fixes);

}  // namespace kr::lint
