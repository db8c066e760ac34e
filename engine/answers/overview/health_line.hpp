// The worst finding of `trace_health`, for the first screen of a report: errors and warnings only.
// Infos limit nothing: those who look for them find them in the table.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "analyze/finding.hpp"
#include "tables/source.hpp"

namespace kr::overview {

/// One line, and how many errors and warnings there are beside it, without those whose code is
/// `known`. Nothing if no run has one.
std::optional<std::string> health_line(const tables::Source& source,
                                       const std::set<std::string>& known = {});
/// The same as a quotation in Markdown, with the empty line below it; empty if there is none.
std::string markdown_health(const tables::Source& source);

}  // namespace kr::overview
