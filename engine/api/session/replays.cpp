// Replays of the runs of a session, with its changes.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/ranks.hpp"
#include "base/shared.hpp"
#include "cost/above_peak.hpp"
#include "cost/costed_run.hpp"
#include "cost/rates.hpp"
#include "job/extract.hpp"
#include "job/job.hpp"
#include "ncu/joined.hpp"
#include "session/session.hpp"
#include "session/state.hpp"
#include "what_if/what_if.hpp"

namespace kr::session {
namespace {

std::vector<analyze::RankNumber> numbers_of(const analyze::Ranks& ranks) {
  std::vector<analyze::RankNumber> out;
  out.reserve(ranks.runs.size());
  for (const analyze::RankOfRun& one : ranks.runs) out.push_back(one.number);
  return out;
}

std::optional<Warning> why_inexact(const what_if::RunReplay& replay) {
  const what_if::JobReplay* const job = replay.job.get();
  const int64_t measured_ns = job != nullptr ? job->measured_ns : replay.measured.run_ns;
  const int64_t replayed_ns = job != nullptr ? job->replayed_ns : replay.replayed.run_ns;
  if (what_if::reproduces(measured_ns, replayed_ns)) return std::nullopt;
  return Warning{
      "replay-inexact",
      fmt::format("the replay without a change takes {:.3f} ms, but {:.3f} ms were measured: the "
                  "trace does not explain why operations began so late; --what-if has no numbers "
                  "for the whole run",
                  static_cast<double>(replayed_ns) / 1e6, static_cast<double>(measured_ns) / 1e6)};
}

const Warning lone_communication{"what-if-of-one-rank",
                                 "the run communicates, and nothing says with whom: --what-if "
                                 "takes the time of communication for "
                                 "transfer, although a part of it may be waiting for other ranks"};

}  // namespace

bool Session::State::changes_need_roof() const {
  return std::any_of(changes.begin(), changes.end(), [](const what_if::Change& one) {
    return one.what == what_if::Change::What::roof;
  });
}

void Session::replay_alone(tables::Run& to, const analyze::LabelledTrace& run) const {
  const what_if::RunInput input{&run, &to.summary, {}};
  const what_if::JobWaits nobody = what_if::JobWaits::none(1);
  to.facts.set<what_if::RunReplay>(shared(std::move(
      what_if::replay_runs(*state_->source.rules, std::span(&input, 1), nobody, {}).front())));
}

void Session::replay_with_changes() {
  const size_t count = state_->unreplayed.size();
  if (count == 0) return;
  std::vector<analyze::RankInput> inputs;
  inputs.reserve(count);
  for (const State::Unreplayed& one : state_->unreplayed) {
    inputs.push_back({&state_->source.runs[one.run].summary, nullptr});
  }
  const bool communicates =
      std::ranges::any_of(state_->unreplayed, [&](const State::Unreplayed& one) {
        return !state_->source.runs[one.run].facts.get<job::Members>().all.empty();
      });
  const analyze::AsJob as_job = state_->source.job_options.as_job;
  if (communicates && analyze::compare_ranks(inputs, as_job).not_comparable_reason.empty()) {
    add_replays(0, count);
  } else {
    for (size_t i = 0; i < count; ++i) add_replays(i, i + 1);
  }
  state_->unreplayed.clear();
}

/// Of `unreplayed`, as a job.
void Session::add_replays(size_t begin, size_t end) {
  const match::CompiledRules& rules = *state_->source.rules;
  const std::span all = std::span(state_->unreplayed).subspan(begin, end - begin);
  std::vector<std::optional<cost::CostedRun>> costs(all.size());
  std::vector<tables::Run> runs;  // share what they have
  std::vector<const analyze::LabelledTrace*> traces;
  std::vector<what_if::RunInput> inputs;
  std::vector<analyze::RankInput> ranks;
  runs.reserve(all.size());
  traces.reserve(all.size());
  inputs.reserve(all.size());
  ranks.reserve(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const analyze::LabelledTrace& trace = *all[i].trace;
    const cost::RunGpu gpu = cost::gpu_of(trace.trace, state_->gpu, state_->measured_peaks);
    const tables::Run& run = runs.emplace_back(state_->source.runs[all[i].run]);
    const cost::CostedRun* known = run.find<cost::CostedRun>();
    const bool has_costs = trace.trace.host && trace.trace.host->ops;
    if (known == nullptr && has_costs && state_->changes_need_roof()) {
      costs[i].emplace(cost::cost_run(rules, trace, gpu.peaks)).measured_peaks = gpu.measured;
      known = &*costs[i];
      analyze::RunSummary& summary = state_->source.runs[all[i].run].summary;
      auto note = cost::above_peak_note(*known, rules, trace.trace, summary.gpu_total_ns);
      if (note) {
        state_->warnings.emplace_back(summary.source, *note);
        summary.warnings.push_back(*std::move(note));
      }
    }
    traces.push_back(&trace);
    inputs.push_back({&trace, &run.summary, {known, gpu.unknown, run.find<ncu::Joined>()}});
    ranks.push_back({&run.summary, nullptr});
  }
  const auto as_job = tables::as_job(
      runs, numbers_of(analyze::compare_ranks(ranks, state_->source.job_options.as_job)));
  what_if::JobWaits waits = what_if::JobWaits::none(all.size());
  if (as_job) {
    const job::Job job = job::analyze_job(*as_job, state_->source.job_options);
    waits = what_if::waits_of(traces, *as_job, job);
  }
  std::vector<what_if::RunReplay> replays =
      what_if::replay_runs(rules, inputs, waits, state_->changes);
  for (size_t i = 0; i < all.size(); ++i) {
    tables::Run& run = state_->source.runs[all[i].run];
    std::optional<Warning> warning = why_inexact(replays[i]);
    if (!warning && waits.alone) warning = lone_communication;
    if (warning) {
      state_->warnings.emplace_back(run.summary.source, *warning);
      run.summary.warnings.push_back(*std::move(warning));
    }
    run.facts.set<what_if::RunReplay>(shared(std::move(replays[i])));
  }
}

}  // namespace kr::session
