// A labelled trace in Chrome's trace event format, for ui.perfetto.dev and chrome://tracing.
//
// A process a device, a track a stream: a slice a label, and inside it the operation, with
// `cat` the label, `cname` the colour of Chrome's nearest to the label's, and in `args` its kind
// (`gpu_operation`), device, stream, correlation, all labels and the rules that gave them, and the
// step, layer and module it belongs to. Viewers drop slices that overlap on a track without lying
// inside each other, so operations that overlap on a stream stand on further tracks of it.
// Further tracks of a device show when steps and layers ran on it.
// A process for each of the host, a track a thread: annotations, modules and calls; arrows lead
// from calls to what they launched.
//
// Times count from the first event, `baseTimeNanoseconds`; µs with three decimals, so they are
// exact. `kr` reads the file as the same operations, with the same names, kinds, devices, streams
// and launches. Bytes of names that are not UTF-8 become the text `\xNN`, since viewers refuse lone
// surrogates.
#pragma once

#include <string_view>

#include "analyze/run.hpp"
#include "base/gzip.hpp"

namespace kr::exports {

/// `by` is the dimension that categories and colours show; where the run's model has none of that
/// name, `kind`. `write` gets pieces of some 64 KiB, in memory that is bounded by the names.
void write_chrome_trace(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                        const analyze::RunSummary& summary, std::string_view by,
                        const ByteSink& write);

}  // namespace kr::exports
