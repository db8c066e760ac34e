// Parallel efficiencies for people, as a tree of factors: each is the product of those below it.
#pragma once

#include <string>

#include "overview/overview.hpp"

namespace kr::overview {

/// For a terminal: a column per reading of communication kernels, of several jobs a table per
/// reading with a column per job. Empty where nothing is parallel (tables::has_parallel_jobs).
std::string efficiency_text(const tables::Source& source, TableOptions options);
/// The same as tables of Markdown.
std::string markdown_efficiency(const tables::Source& source);

}  // namespace kr::overview
