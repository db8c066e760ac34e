#include "session/session.hpp"

#include <algorithm>

namespace kr::session {

Wants Wants::of(std::span<const tables::Definition* const> wanted) {
  Wants wants;
  for (const tables::Definition* one : wanted) {
    wants.statistics |= one->needs == tables::Needs::statistics;
    wants.operations |= one->needs == tables::Needs::operations;
  }
  wants.host_trace = wants.statistics || wants.operations;
  return wants;
}

void Wants::add(const Wants& other) noexcept {
  statistics |= other.statistics;
  host_trace |= other.host_trace;
  operations |= other.operations;
}

Session::Session(const match::CompiledRules& rules) {
  source_.rules = &rules;
}

void Session::read(std::span<const classify::RunSpec> specs, const trace::OpenOptions& open,
                   const Wants& wants, const Watch& watch, const Visit& visit) {
  const match::CompiledRules& rules = *source_.rules;
  source_.runs.reserve(source_.runs.size() + specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    trace::OpenOptions options = open;
    options.host = wants.host_trace ? trace::HostDetail::all : trace::HostDetail::none;
    trace::Progress progress;
    options.progress = &progress;
    std::unique_ptr<analyze::LabelledTrace> run;
    {
      const std::shared_ptr<void> watcher = watch ? watch(specs[i], progress) : nullptr;
      run = analyze::label_run(rules, specs[i], options);
    }
    tables::Run one;
    const size_t index = source_.runs.size();
    one.summary = analyze::summarize_run(rules, specs[i], index, *run);
    if (wants.statistics) {
      int64_t idle_ns = 0;
      for (const analyze::DeviceSum& device : one.summary.devices) idle_ns += device.idle_ns;
      one.statistics = analyze::analyze(rules, *run, idle_ns);
    }
    if (visit) visit(*run, one.summary, index);
    if (wants.operations) one.trace = std::move(run);
    source_.runs.push_back(std::move(one));
  }
  for (tables::Note& note : tables::rank_notes(source_)) source_.notes.push_back(std::move(note));
}

}  // namespace kr::session
