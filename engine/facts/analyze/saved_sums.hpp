// What the saved forms of several facts have.
#pragma once

#include "analyze/step_parts.hpp"
#include "analyze/summary.hpp"
#include "facts/fields.hpp"

namespace kr::analyze {

/// Fields whose sums are checked.
void save_breakdown(facts::Fields& row, Breakdown& one);
/// The list `labels`. Read, `labels` has all dimensions of the run, and those of a dimension take
/// at most `total_ns`.
void save_labels(facts::Fields& row, LabelParts& labels, const RunSummary& run, int64_t total_ns);
/// The device of a run that is read; refuses a number that it does not have.
const DeviceSum& saved_device(facts::Fields& io, const RunSummary& run, int32_t device);

}  // namespace kr::analyze
