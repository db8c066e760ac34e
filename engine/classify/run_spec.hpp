// `PATH[,ENGINE,MODEL[,ELAPSED_SEC]]`: how a run is named on the command line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kr::classify {

struct RunSpec {
  std::string path;
  std::string engine;  // empty: detect
  std::string model;   // empty: detect
  /// The elapsed time that the user measured: exact decimal seconds, in ns. 0 means the trace's own
  /// span.
  std::optional<int64_t> elapsed_ns;
};

/// Reads from the right. A path that `exists` as written is preferred, so a path may contain
/// commas. A single field is ENGINE; `auto` and an empty field mean detection. Throws Error for an
/// ELAPSED that is negative or too large.
RunSpec parse_run_spec(std::string_view text,
                       const std::function<bool(const std::string&)>& exists);

}  // namespace kr::classify
