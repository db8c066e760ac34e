// Edits: pieces to make them of, and those for findings that loading reports without one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/checks.hpp"

namespace kr::lint {

/// A text atom as it is written.
std::string written_text(std::string_view bytes, bool ignore_case, bool at_begin, bool at_end);

/// The edit that takes a span out, with its line where it is all of it.
diag::Edit removal(const source::SourceMap& sources, source::Span span);

/// Adds edits to findings of loading: KR225.
void add_repairs(const Context& context, std::vector<diag::Diagnostic>& findings);

}  // namespace kr::lint
