// A part of a run in the format of its trace.
#include "trace/cut.hpp"

#include "analyze/run.hpp"
#include "base/error.hpp"
#include "saved/codec.hpp"
#include "session/session.hpp"
#include "session/state.hpp"

namespace kr::session {

void Session::cut(const classify::RunSpec& spec, PendingFile& to) {
  if (saved::names_saved_run(spec.path)) {
    throw Error(spec.path, "is a saved run, which has no operations", "name the trace");
  }
  trace::check_cut(spec.path, state_->open, to);
  // Which calls and ranges belong to operations is known only with all of them.
  trace::OpenOptions options = state_->open;
  options.host = trace::HostDetail::all;
  trace::SourcePlaces places;
  options.places = &places;
  analyze::LabelledOrModules opened;
  watched(spec, options, [&](const trace::OpenOptions& as) {
    opened = analyze::label_run(*state_->source.rules, spec, as, {});
  });
  std::vector<const trace::Trace*> reduced;
  for (const auto& run : opened.labelled) {
    reduced.push_back(&run->trace);
    for (const Warning& warning : run->trace.warnings) {
      state_->warnings.emplace_back(run->trace.source, warning);
    }
  }
  watched(spec, options,
          [&](const trace::OpenOptions& as) { trace::cut(spec.path, as, reduced, to); });
}

}  // namespace kr::session
