// Labels from neighbours: order rules on the operations of each stream of a run, in the order in
// which they ran there (docs/language.md, Order rules).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "classify/classify.hpp"

namespace kr::classify {

/// Why operations of a trace have no order: it has sums, or pages of kernels, and no starts. Empty:
/// they have one.
std::string no_order(const trace::Trace& trace);

/// The places of all operations of the stream on which one ran, in the order in which they ran.
std::vector<uint32_t> operations_of_stream(const trace::Trace& trace, uint32_t operation);

/// By track of a trace: the number of its stream. Of lanes of a display, a device is one stream.
std::vector<uint32_t> stream_of_track(const trace::Trace& trace);

/// Adds the order dimensions of the model to the labels of a run, each after those it looks at.
/// Deterministic; the order of a file's rows has
/// no effect. Memory: 4 bytes per operation for the rows of labels, and during the computation some
/// 30 per operation of the largest stream.
void add_order_labels(const TraceSubjects& subjects, Labelled& labelled);

}  // namespace kr::classify
