// What runs would take if some of their operations took other times, by replaying them (model.hpp,
// together.hpp), and what their critical paths are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/run.hpp"
#include "replay/model.hpp"
#include "what_if/change.hpp"
#include "what_if/roofs.hpp"
#include "what_if/waits.hpp"

namespace kr::what_if {

/// Largest difference of the unchanged replay from what was measured, as a part of it.
inline constexpr double largest_error = 0.01;

struct Times {
  int64_t run_ns = 0;  // from the first start to the last end of operations
  /// By step: from the start of its first operation to that of the next step. Nothing of the last
  /// step, of those inside another one, and of those without operations.
  std::vector<std::optional<int64_t>> steps_ns;
};

/// Whether the replay describes what was measured.
bool reproduces(int64_t measured_ns, int64_t replayed_ns) noexcept;

/// One change, or all of them together.
struct WhatIf {
  /// `all changes`, if together. A change to a roof says so if it is what the GPU reached.
  std::string text;
  int64_t operations = 0;  // that it is about; of `host`: 0
  /// Their durations; of collectives that wait for other ranks, their transfer.
  int64_t before_ns = 0;
  int64_t after_ns = 0;
  /// `roof`: the part of `before_ns` with a known roof. Empty of other changes.
  std::optional<int64_t> roof_ns;
  /// Whether some of these roofs are by measured peaks, and some are not.
  bool has_measured_roofs = false;
  bool has_other_roofs = false;
  std::string without;  // why there is no result; empty: there is
  Times times;          // of the replay
};

struct ReplayStep {
  std::string phase;
  std::optional<int64_t> step;
};

/// Time of the critical path of the measured run.
struct PathSum {
  replay::PathPart part = replay::PathPart::operation;
  std::string dimension;  // of operations; else empty
  std::string label;
  int64_t pieces = 0;
  int64_t total_ns = 0;
};

/// Of several runs that wait for each other: from the first start to the last end on any of them.
struct JobReplay {
  int64_t measured_ns = 0;
  int64_t replayed_ns = 0;
  std::vector<WhatIf> changes;  // as those of its runs, added up; Times::run_ns is of the job
};

struct RunReplay {
  static constexpr facts::Set uses = facts::Set::of<analyze::RunSummary>();
  static constexpr facts::Reads reads = facts::Reads::host | facts::Reads::waits;

  std::vector<ReplayStep> steps;  // in the order of classify::Attribution
  Times measured;
  Times replayed;               // unchanged, but for delays without a known cause
  std::vector<WhatIf> changes;  // each; all of them together last, if there are several
  /// Null: the run is not one of several ranks. The same of all ranks of a job.
  std::shared_ptr<const JobReplay> job;
  /// Operations by part, then dimension, the longest first. Those of a dimension and all other
  /// parts add up to the span of the run.
  std::vector<PathSum> path;
  int64_t launch_latency_ns = 0;
  int64_t without_launch = 0;
  int64_t operations = 0;
};

struct RunInput {
  const analyze::LabelledTrace* run;  // should have been read with its host trace
  const analyze::RunSummary* summary;
  Roofs roofs;
};

/// By run. `waits`: of these runs. The changes are made on all of them.
std::vector<RunReplay> replay_runs(const match::CompiledRules& rules,
                                   std::span<const RunInput> runs, const JobWaits& waits,
                                   std::span<const Change> changes);

std::string_view to_string(replay::PathPart part) noexcept;

}  // namespace kr::what_if
