// Finds what limits the trust in the tables of a run (finding.hpp). Definitions:
//
// - far-apart: one gap in which no device works is more than 99 % of the span.
// - before-launch: an operation begins before the call that launched it.
// - out-of-order: an operation begins after one of its stream whose call began when its own call
// had
//   already returned.
// - untraced-work: more than 5 % of the spans of the devices is idle time with the cause
// `untraced`.
// - implausible-times: operations whose time cannot be right (trace/time_faults.hpp).
// - launches-without-kernels: calls that launch kernels, of one function, without an operation (see
//   lost_kernels.hpp). A warning if they are more than 1 % of its calls, without those behind the
//   last of them that has operations; else an info. None if no operation of the trace has a launch.
// - kernels-without-launches: some operations have no launch, but fewer than for:
// - few-launches: of a trace with calls, less than 95 % of the operations have a launch.
// - warm-up: of the steps of a phase with one number of tokens, at least five, the first take more
//   than twice the median span of all of them. Counted are the first ones up to one that does not.
//   Without annotated steps, the same of those that were found, by device: of decode, and of those
//   with several stacks, as in training. Prompts differ in length, so prefill shows nothing.
// - unsampled-metrics: names of operations, by device, with fewer than two samples of each metric.
// - overlap: the durations of the operations add up to more than 1 % above the busy time of the
//   devices.
#pragma once

#include <vector>

#include "analyze/finding.hpp"
#include "analyze/found_phases.hpp"
#include "analyze/gpu_metrics.hpp"
#include "analyze/idle.hpp"
#include "analyze/steps.hpp"
#include "analyze/summary.hpp"
#include "facts/fact.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

/// A demand for all that findings are made from; they are in RunSummary::findings.
struct Findings {
  static constexpr facts::Set uses = facts::Set::of<RunSummary, StepSums, Idle>();
  static constexpr facts::Reads reads = facts::Reads::host;
  void saved(facts::Fields&, const RunSummary&) {}
};

/// The first steps that take long (the finding `warm-up`): their places, rising, and how many times
/// the median the longest takes.
struct WarmUp {
  std::vector<size_t> steps;
  double most = 0;
};
WarmUp warm_up_of(const StepSums& sums);

/// From the notes of the run, its operations and its calls, and from those facts that are there:
/// its steps (with them, whether it has calls at all), idle causes, GPU metrics, found phases. If
/// `demand` has Findings, phases are found for runs without steps. The worst first.
std::vector<Finding> find_health(const facts::Input& run);

}  // namespace kr::analyze
