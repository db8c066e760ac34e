// `PATH[,ENGINE,MODEL[,ELAPSED_SEC]]`: how a run is named on the command line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kr/run.hpp"

namespace kr::classify {

using RunSpec = RunSource;

/// Reads from the right. A path that `exists` as written is preferred, so a path may contain
/// commas. A single field is ENGINE; `auto` and an empty field mean detection. Throws Error for an
/// ELAPSED that is negative or too large.
RunSpec parse_run_spec(std::string_view text,
                       const std::function<bool(const std::string&)>& exists);

}  // namespace kr::classify
