// Creates edits, also for findings of loading, which have none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lint/checks.hpp"

namespace kr::lint {

/// The spelling of a text atom.
std::string written_text(std::string_view bytes, bool ignore_case, bool at_begin, bool at_end);

/// The edit that removes a span, with its whole line if nothing else is on it.
diag::Edit removal(const source::SourceMap& sources, source::Span span);

/// Adds edits to findings of loading: KR225.
void add_repairs(const Context& context, std::vector<diag::Diagnostic>& findings);

}  // namespace kr::lint
