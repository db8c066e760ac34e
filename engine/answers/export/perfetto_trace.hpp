// A labelled trace in Perfetto's binary format, for ui.perfetto.dev and Perfetto's SQL.
//
// A group of tracks per device, one track per stream: a slice per label, and inside it the
// operation, whose category is `gpu_operation.` and its kind, with its device, stream, correlation,
// all labels and the rules that gave them, and its step, layer and module as debug annotations.
// Slices that overlap on a stream are on further tracks of the same name, which the UI shows as
// one. Other tracks of a device show when steps and layers ran on it. One process per process of
// the host, one track per thread: annotations, modules and calls; arrows lead from calls to the
// operations that they launched.
//
// Times are those of the trace, exact to the ns, if none is before 0; else they count from the
// first. `kr` reads the file as the same trace. Bytes of names that are not UTF-8 become the text
// `\xNN`, since Perfetto's texts are UTF-8.
#pragma once

#include <string_view>

#include "analyze/run.hpp"
#include "base/gzip.hpp"

namespace kr::exports {

/// `by` is the dimension of the slices for labels; `kind` if the run's model does not have it.
/// `write` gets pieces of at most some 256 KiB; the memory depends on the number of names, and is 8
/// bytes an operation and a launch.
void write_perfetto_trace(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                          const analyze::RunSummary& summary, std::string_view by,
                          const ByteSink& write);

}  // namespace kr::exports
