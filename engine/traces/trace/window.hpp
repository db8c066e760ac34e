// A part of a run that is looked at, as users write it. What is inside is found where steps and
// phases are known (analyze/windowed.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kr::trace {

/// What is inside is inside all parts that are there. No part: the whole run.
struct Window {
  /// First and last `step_id`, both inside.
  std::optional<std::pair<int64_t, int64_t>> steps;
  std::string phase;               // empty: any
  std::optional<int64_t> from_ns;  // from the first start of the run
  std::optional<int64_t> to_ns;    // not inside itself
  std::string range;               // a part of the name of ranges; empty: any
  bool skip_warmup = false;
  bool steady = false;

  bool empty() const noexcept { return !needs_host() && !from_ns && !to_ns; }
  /// Whether the calls and ranges of the host have to be read to know what is inside.
  bool needs_host() const noexcept {
    return steps || !phase.empty() || !range.empty() || skip_warmup || steady;
  }

  // As the options of the command line. Throw Error.

  /// `5..20`, `5..`, `..20`, `7`.
  void set_steps(std::string_view text);
  /// `1.2s`, `350 us`: units ns, us, ms and s. Before `to`, if that is known.
  void set_from(std::string_view text);
  void set_to(std::string_view text);
  void set_phase(std::string_view text) { phase = text; }
  void set_range(std::string_view text) { range = text; }
  /// Its parts as options of the command line: `--steps`, `5..20`, `--steady`.
  std::vector<std::string> options() const;
  /// Its parts as one text: `steps 5..20; phase decode; skip-warmup`.
  static Window parse(std::string_view text);

 private:
  void check_times() const;
};

}  // namespace kr::trace
