// One run from its file to its sums: open, match, choose, label, sum. The Trace is gone when it
// returns, so that many runs need the memory of one.
#pragma once

#include <memory>
#include <string>

#include "analyze/summary.hpp"
#include "classify/run_spec.hpp"
#include "match/compiled_rules.hpp"
#include "modules/view.hpp"
#include "trace/open.hpp"

namespace kr {

/// A trace with its labels, for outputs that go through every operation.
struct LabelledTrace {
  Trace trace;
  Choice choice;
  Labelled labelled;  // refers to `trace`
};

/// Opens, matches, chooses, labels. Where rules that may be asked look at what is round operations,
/// the host side is read for it, and kept only where `options` want it. Throws Error.
std::unique_ptr<LabelledTrace> label_run(const CompiledRules& rules, const RunSpec& spec,
                                         OpenOptions options);

/// Whether rules that may be asked of the run look at what is round operations.
bool asks_host_side(const CompiledRules& rules, const RunSpec& spec);

/// The same of a trace that is open already; with its host side where `asks_host_side`.
std::unique_ptr<LabelledTrace> label_trace(const CompiledRules& rules, const RunSpec& spec,
                                           Trace trace);

/// Module trees with their labels: those that the file holds, or those that its operations stand in
/// (see modules/from_trace.hpp). Throws Error.
std::unique_ptr<LabelledModules> read_modules(const CompiledRules& rules, const RunSpec& spec,
                                              OpenOptions options);

/// Sums what `label_run` gave. `index` is the run's place in the command, from 0; it makes ids
/// unique. Throws Error where the sums do not fit.
RunSummary summarize_run(const CompiledRules& rules, const RunSpec& spec, size_t index,
                         const LabelledTrace& run);

/// `MODEL_ENGINE_STEM_INDEX`: the name of a run in every output.
std::string run_name(std::string_view model, std::string_view engine, const std::string& path,
                     size_t index);

}  // namespace kr
