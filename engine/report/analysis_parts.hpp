// How each part of an analysis becomes a section. Known to the sources of analysis_sections.hpp
// only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/analysis_sections.hpp"

namespace kr {

using SectionRow = std::vector<SectionCell>;
using SectionRows = std::vector<SectionRow>;

struct AnalysisPart {
  std::string name;
  std::string title;
  bool by_default = true;
  std::vector<SectionColumn> columns;
  void (*add)(const std::vector<AnalyzedRun>& runs, SectionRows& rows);
};

/// In the order shown.
const std::vector<AnalysisPart>& all_parts();

/// Parts that hold runs, ranks and types against each other.
AnalysisPart ranks_part();
AnalysisPart balance_part();
AnalysisPart rank_steps_part();
AnalysisPart collectives_part();
AnalysisPart compare_part();
AnalysisPart names_only_in_part();

double share_of(int64_t part, int64_t whole);
SectionCell optional_cell(const std::optional<int64_t>& number);

}  // namespace kr
