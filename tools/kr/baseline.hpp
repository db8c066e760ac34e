// The saved runs of a folder as the first side of `kr diff`, and the picture of their trend.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "streams.hpp"
#include "tables/difference.hpp"
#include "tables/source.hpp"

namespace kr::cli {

/// The last `most` saved runs (`*.krun`) of a folder, in the natural order of their names, without
/// those that are among `fresh`. A note names what else is in the folder. Throws Error if there is
/// none.
std::vector<std::string> baseline_runs(const std::string& folder, size_t most,
                                       const std::vector<std::string>& fresh, Streams& streams);

/// Writes `trend.svg` and `trend.png`: the largest labels of the dimension `by` over the runs, with
/// the wall time of a step, or all work if steps have none.
void write_trend_pictures(const tables::Source& source, const tables::RunPair& pair,
                          const std::string& by, const std::filesystem::path& folder, bool force,
                          Streams& streams);

}  // namespace kr::cli
