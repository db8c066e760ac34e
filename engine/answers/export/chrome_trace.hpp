// A labelled trace in Chrome's trace event format, for ui.perfetto.dev and chrome://tracing.
//
// One process per device, one track per stream: a slice per label, and inside it the operation,
// with `cat` the label, `cname` the colour of Chrome that is nearest to the label's, and in `args`
// its kind (`gpu_operation`), device, stream, correlation, all labels and the rules that gave them,
// and its step, layer and module. Viewers drop slices that overlap on a track and are not inside
// each other, so operations that overlap on a stream are on further tracks of it. Other tracks of a
// device show when steps and layers ran on it. One process per process of the host, one track per
// thread: annotations, modules and calls; arrows lead from calls to the operations that they
// launched.
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

/// `by` is the dimension of categories and colours; `kind` if the run's model does not have it.
/// `write` gets pieces of some 64 KiB; the memory depends only on the number of names.
void write_chrome_trace(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                        const analyze::RunSummary& summary, std::string_view by,
                        const ByteSink& write);

}  // namespace kr::exports
