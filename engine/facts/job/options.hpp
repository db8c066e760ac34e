// How runs are compared as ranks of a job.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/as_job.hpp"

namespace kr::job {

enum class ClockPolicy : uint8_t {
  utc,          // the clocks that the traces tell
  collectives,  // these, moved where collectives show that they differ
  none,         // every run has its own clock
};
inline constexpr ClockPolicy default_clock_policy = ClockPolicy::collectives;
const char* to_string(ClockPolicy policy) noexcept;

struct JobOptions {
  ClockPolicy clock = default_clock_policy;
  /// What the links between devices can do, to compare bus bandwidths with; nullopt: not known.
  std::optional<double> link_bytes_per_s;
  analyze::AsJob as_job = analyze::AsJob::automatic;
  /// What people call ranks, beside their numbers.
  std::map<int64_t, std::string> rank_names = {};
};

/// Throws Error if there is no such policy; `option` is the name of the option in the message.
ClockPolicy named_clock_policy(const std::string& name, const std::string& option);
/// Of texts `RANK=NAME`. Throws Error in the same way.
std::map<int64_t, std::string> named_ranks(const std::vector<std::string>& texts,
                                           const std::string& option);

}  // namespace kr::job
