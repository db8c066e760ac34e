// One run from its file to its sums: open, match, choose, label, sum. The Trace is gone when it
// returns, so that many runs need the memory of one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analyze/summary.hpp"
#include "classify/attribution.hpp"
#include "classify/run_spec.hpp"
#include "match/compiled_rules.hpp"
#include "trace/open.hpp"
#include "trees/view.hpp"

namespace kr::analyze {

/// A trace with its labels, for outputs that go through every operation.
class LabelledTrace {
 public:
  trace::Trace trace;
  classify::Choice choice;
  classify::Labelled labelled;  // refers to `trace`

  /// Where its operations belong. Computed by the first call, for all that need it.
  const classify::Attribution& attribution(const match::CompiledRules& rules) const;

 private:
  mutable std::optional<classify::Attribution> attribution_;
};

/// Opens, matches, chooses, labels. Where rules that may be asked look at what is round operations,
/// the names of what may be there are read with them, and only where these may matter, the trace a
/// second time with its host side, which is kept only where `options` want it. The outcome is the
/// same as with the host side. Throws Error.
std::unique_ptr<LabelledTrace> label_run(const match::CompiledRules& rules,
                                         const classify::RunSpec& spec,
                                         const trace::OpenOptions& options);

/// One or the other, by what the run's path holds.
struct LabelledOrModules {
  std::unique_ptr<LabelledTrace> labelled;
  std::optional<trace::ModuleTrace> modules;
};
/// The same of a run of either kind; module trees are not labelled. Throws Error.
LabelledOrModules label_any_run(const match::CompiledRules& rules, const classify::RunSpec& spec,
                                const trace::OpenOptions& options);

/// Module trees with their labels: those that the file holds, or those that its operations stand in
/// (see modules/from_trace.hpp). Throws Error.
std::unique_ptr<trees::LabelledModules> read_modules(const match::CompiledRules& rules,
                                                     const classify::RunSpec& spec,
                                                     trace::OpenOptions options);

/// Sums what `label_run` gave. `index` is the run's place in the command, from 0; it makes ids
/// unique. Throws Error where the sums do not fit.
RunSummary summarize_run(const match::CompiledRules& rules, const classify::RunSpec& spec,
                         size_t index, const LabelledTrace& run);

/// `MODEL_ENGINE_STEM_INDEX`: the name of a run in every output.
std::string run_id(std::string_view model, std::string_view engine, const std::string& path,
                   size_t index);

}  // namespace kr::analyze
