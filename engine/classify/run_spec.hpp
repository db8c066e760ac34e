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
  /// The elapsed time the user measured, seconds scaled to ns by decimal arithmetic. 0 is kept: it
  /// asks for the trace's own span.
  std::optional<int64_t> elapsed_ns;
};

/// Reads from the right; a path that `exists` as written wins, so commas in a path are safe; one
/// comma alone means ENGINE; `auto` and nothing mean detect. Throws Error on an ELAPSED that is
/// negative or too large.
RunSpec parse_run_spec(std::string_view text,
                       const std::function<bool(const std::string&)>& exists);

}  // namespace kr::classify
