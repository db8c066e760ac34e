// The phases found without annotations (docs/phases.md), for the first screen of a report.
#pragma once

#include <string>
#include <vector>

#include "tables/source.hpp"

namespace kr::overview {

/// What the phases of a run take, then the evidence: a line each. Of several runs and devices,
/// the first with such phases, and how many others there are. Empty if no run has phases that are
/// found and would be shown: a step by itself says nothing of a run.
std::vector<std::string> found_phases_text(const tables::Source& source);
/// The same as a quotation in Markdown, with the empty line below it; empty if there is none.
std::string markdown_found_phases(const tables::Source& source);

}  // namespace kr::overview
