// What `kr analyze` says of runs.
#pragma once

#include <string>
#include <vector>

#include "analyze/ranks.hpp"
#include "analyze/statistics.hpp"
#include "report/report.hpp"

namespace kr {

struct AnalyzedRun {
  RunSummary summary;
  RunStatistics statistics;
};

std::vector<const RunSummary*> summaries_of(const std::vector<AnalyzedRun>& runs);
Ranks ranks_of(const std::vector<AnalyzedRun>& runs);
std::vector<ActivityRatio> activity_ratios(const std::vector<AnalyzedRun>& runs);

/// The parts there are, as `--only` names them.
const std::vector<std::string>& analysis_parts();

/// Those that a terminal shows unasked: without what another part has in short.
const std::vector<std::string>& default_parts();

/// `parts` are the ones wanted.
std::string analysis_json(const std::vector<AnalyzedRun>& runs,
                          const std::vector<std::string>& parts);
/// A page that needs nothing else: `analysis_json` and what draws it. `styles` are those of the
/// labels that steps and phases have.
std::string analysis_html(const std::vector<AnalyzedRun>& runs,
                          const std::vector<std::string>& parts,
                          const std::vector<LabelStyle>& styles);
/// One table of CSV: the part asked for.
std::string analysis_csv(const std::vector<AnalyzedRun>& runs, const std::string& part);
/// For a terminal. `most` rows of long tables; 0: all.
std::string analysis_table(const std::vector<AnalyzedRun>& runs,
                           const std::vector<std::string>& parts, size_t most,
                           TableOptions options);

}  // namespace kr
