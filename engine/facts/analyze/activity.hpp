// What kinds of operations and calls took, and their longest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/fact.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

/// The longest floor(n · percent / 100) of n operations or calls.
struct Longest {
  int percent = 0;
  int64_t instances = 0;
  double share = 0;  // of the type's total
  double mean_ns = 0;
  int64_t total_ns = 0;
};

struct ActivityStatistics {
  std::string type;  // kernel, runtime, driver, memcpy, memset
  int64_t instances = 0;
  int64_t total_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  std::array<Longest, 3> longest;  // 1, 5 and 10 %
};

struct Activity {
  static constexpr facts::Reads reads = facts::Reads::host;
  static facts::Computed<Activity> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::vector<ActivityStatistics> types;
};
Activity activity_of(const trace::Trace& trace);

/// How much longer the operations or calls of `b` take than those of `a`: the means of `b` divided
/// by the means of `a`; nullopt if one of them has no mean.
struct ActivityRatio {
  size_t run_a = 0;
  std::string type_a;
  size_t run_b = 0;
  std::string type_b;
  std::optional<double> all;
  std::array<std::optional<double>, 3> longest;  // of the longest 1, 5 and 10 %
};
/// First the types of each later run, divided by those of the first run. Then, for each run, every
/// type divided by the types before it.
std::vector<ActivityRatio> compare_activity(
    const std::vector<const std::vector<ActivityStatistics>*>& runs);

}  // namespace kr::analyze
