// Where engines write traces of the capture of graphs, beside those of their replay.
#pragma once

#include <string>
#include <vector>

namespace kr::session {

/// The traces of captures that belong to a run, by the folders and names that engines use: all
/// files in `capture_traces/` (vLLM) and `graph_capture_profile/` (SGLang) beside the run, and
/// `graph_capture_rank_N…` beside it.
/// Of several ranks, those of the run, if its path names one, else of the least. Sorted.
std::vector<std::string> find_references(const std::string& run);

}  // namespace kr::session
