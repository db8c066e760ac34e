// The worst finding of `trace_health`, for the first screen of a report.
#pragma once

#include <optional>
#include <string>

#include "analyze/finding.hpp"
#include "tables/source.hpp"

namespace kr::overview {

struct HealthLine {
  analyze::Severity severity;
  std::string text;  // one line, and how many findings there are beside it
};
/// Nothing if no run has a finding.
std::optional<HealthLine> health_line(const tables::Source& source);
/// The same as a quotation in Markdown, with the empty line below it; empty if there is none.
std::string markdown_health(const tables::Source& source);

}  // namespace kr::overview
