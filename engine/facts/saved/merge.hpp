// Several saved runs as one file, for jobs whose ranks are read apart from each other.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kr::saved {

/// Writes the runs of these files to `location`; a file may have several runs. Errors name `path`,
/// where the result will be. Returns the number of runs.
///
/// The file depends on the set of runs alone: it has the same bytes in whatever order and in
/// however many steps they are merged. Runs are in the order of their ranks, if the traces
/// or their names contain them, then of their hashes; their ids end in their place.
///
/// Throws Error: a part is damaged, of another version of kr, or of module trees; two have the same
/// run; or they were labelled by different rules.
size_t merge(std::span<const std::string> parts, const std::string& location,
             const std::string& path);

}  // namespace kr::saved
