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
#include "analyze/statistics.hpp"
#include "analyze/summary.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

/// From the notes of the run, its operations and its calls. With statistics also from its steps,
/// and whether it has calls at all; with `found` from steps that are not annotated. Both may be
/// null. The worst first.
std::vector<Finding> find_health(const trace::Trace& trace, const RunSummary& summary,
                                 const RunStatistics* statistics, const FoundPhases* found);

}  // namespace kr::analyze
