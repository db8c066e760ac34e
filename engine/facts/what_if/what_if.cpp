#include "what_if/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "classify/step_order.hpp"

namespace kr::what_if {
namespace {

using classify::Attribution;
using replay::Changed;
using replay::CollectivePart;
using replay::PartTime;
using replay::PathPart;
using trace::Operation;

/// Behind the text of a change; empty: roofs are those of the data sheet, or of pages of ncu.
std::string_view which_roof(const WhatIf& change) {
  if (!change.has_measured_roofs) return {};
  return change.has_other_roofs ? " (partly of what this GPU reached)"
                                : " (of what this GPU reached)";
}

/// One of the runs.
class RunChanges {
 public:
  RunChanges(const match::CompiledRules& rules, const RunInput& input)
      : run_(*input.run),
        labels_(rules, run_.labelled),
        ratios_(run_, *input.summary, input.roofs),
        model_(run_.trace) {
    own_ns_.reserve(run_.trace.operations.size());
    for (const Operation& one : run_.trace.operations) own_ns_.push_back(one.duration_ns);
    if (!run_.trace.host) return;
    places_ = &run_.attribution(rules);
    order_.emplace(run_.trace, *places_);
  }

  /// Collectives take their transfer; how long they wait follows from it.
  void join(std::span<const CollectivePart> parts, std::span<const PartTime> times) {
    for (size_t i = 0; i < parts.size(); ++i) {
      own_ns_[parts[i].operation] = times[i].transfer_ns();
    }
  }

  /// All but the replays.
  RunReplay measure() const {
    RunReplay out;
    out.launch_latency_ns = model_.launch_latency_ns();
    out.without_launch = model_.without_launch();
    out.operations = static_cast<int64_t>(run_.trace.operations.size());
    find_steps(out);
    Starts starts(*this);
    for (uint32_t i = 0; i < run_.trace.operations.size(); ++i) {
      starts.add(i, run_.trace.operations[i].start_ns, run_.trace.operations[i].end_ns());
    }
    out.measured = starts.times();
    out.path = path();
    return out;
  }

  const replay::Model& model() const noexcept { return model_; }
  const trace::Trace& trace() const noexcept { return run_.trace; }

  Changed unchanged() const {
    Changed out;
    out.explained_only = true;
    out.duration_ns = own_ns_;
    return out;
  }

  /// Adds to `changed`.
  WhatIf change(std::span<const Change> changes, Changed& changed) const {
    WhatIf out;
    out.text = changes.size() == 1 ? changes[0].text : "all changes";
    std::vector<bool> seen(own_ns_.size());
    for (const Change& change : changes) {
      if (std::string why = apply(change, changed, seen, out); !why.empty()) {
        out.without = std::move(why);
      }
    }
    for (size_t i = 0; i < seen.size(); ++i) {
      if (seen[i]) out.after_ns += changed.duration_ns[i];
    }
    return out;
  }

  /// Of operations at other times than measured.
  class Starts {
   public:
    explicit Starts(const RunChanges& of) {
      if (of.order_) steps_.emplace(*of.order_, *of.places_);
      if (of.order_) count_ = of.order_->steps();
    }
    void add(uint32_t operation, int64_t start_ns, int64_t end_ns) {
      run_.add(start_ns, end_ns);
      if (steps_) steps_->add(operation, start_ns);
    }
    Times times() const {
      Times out{run_.span_ns(), {}};
      out.steps_ns.reserve(count_);
      for (size_t i = 0; i < count_; ++i) out.steps_ns.push_back(steps_->wall_ns(i));
      return out;
    }

   private:
    replay::Extent run_;
    std::optional<classify::StepStarts> steps_;
    size_t count_ = 0;
  };

 private:
  void find_steps(RunReplay& out) const {
    if (places_ == nullptr) return;
    for (const classify::TraceStep& step : places_->steps) {
      out.steps.push_back({std::string(step.phase.label), step.phase.step});
    }
  }

  /// By row of the labels, or by name.
  std::vector<bool> wanted(const Change& change) const {
    std::vector<bool> out(change.by_name() ? run_.trace.names.size() : run_.labelled.rows());
    for (uint32_t i = 0; i < out.size(); ++i) {
      if (change.by_name()) {
        const std::string_view name = run_.trace.names.get(trace::NameId{i}).text;
        out[i] = name.find(change.key) != name.npos;
      } else {
        const classify::LabelResult* const label = labels_.find(change.dimension, i);
        out[i] = label != nullptr && label->label == change.key;
      }
    }
    return out;
  }

  std::string why_no_host() const {
    if (run_.trace.host == nullptr || run_.trace.host->launches.empty()) {
      return "the trace has no calls of the host";
    }
    const auto operations = static_cast<int64_t>(run_.trace.operations.size());
    if (model_.without_launch() <= operations / 20) return {};  // as of the finding few-launches
    return fmt::format(
        "{:.1f} % of the operations have no launch in the trace: how late the host was is not "
        "known",
        100.0 * static_cast<double>(model_.without_launch()) / static_cast<double>(operations));
  }

  /// Returns why the change cannot be made; empty: it is.
  std::string apply(const Change& change, Changed& changed, std::vector<bool>& seen,
                    WhatIf& out) const {
    if (change.of_host()) {
      changed.host *= change.factor;
      return why_no_host();
    }
    const auto& operations = run_.trace.operations;
    const std::vector<bool> is_wanted = wanted(change);
    int64_t before_ns = 0;
    int64_t roof_ns = 0;
    for (uint32_t i = 0; i < operations.size(); ++i) {
      const size_t row =
          change.by_name() ? operations[i].name.index : run_.labelled.row(i, operations[i]);
      if (!is_wanted[row]) continue;
      before_ns += own_ns_[i];
      if (!seen[i]) {
        ++out.operations;
        out.before_ns += own_ns_[i];
        seen[i] = true;
      }
      int64_t& duration_ns = changed.duration_ns[i];
      switch (change.what) {
        case Change::What::factor:
          duration_ns = std::llround(static_cast<double>(duration_ns) * change.factor);
          break;
        case Change::What::duration:
          duration_ns = change.duration_ns;
          break;
        case Change::What::overlapped:
          changed.overlapped.resize(operations.size());
          changed.overlapped[i] = true;
          break;
        case Change::What::roof:
          if (const auto roof = ratios_.of(i)) {
            roof_ns += own_ns_[i];
            duration_ns = std::llround(static_cast<double>(duration_ns) * roof->ratio);
            (roof->of_measured ? out.has_measured_roofs : out.has_other_roofs) = true;
          }
          break;
      }
    }
    if (change.what != Change::What::roof) return {};
    out.roof_ns = out.roof_ns.value_or(0) + roof_ns;
    if (before_ns == 0 || roof_ns > 0) return {};
    return fmt::format("no roof is known of any operation of `{}/{}`: {}, and ncu measured none",
                       change.dimension, change.key, ratios_.without());
  }

  std::vector<PathSum> path() const {
    struct Sum {
      int64_t pieces = 0;
      int64_t ns = 0;
    };
    std::vector<Sum> rows(run_.labelled.rows());
    std::array<Sum, replay::path_parts> parts{};
    const auto add = [](Sum& sum, int64_t ns) {
      ++sum.pieces;
      sum.ns += ns;
    };
    replay::Decisions(model_).critical_path([&](const replay::Piece& piece) {
      const int64_t ns = piece.to_ns - piece.from_ns;
      add(parts[static_cast<size_t>(piece.part)], ns);
      if (piece.part != PathPart::operation) return;
      const Operation& operation = run_.trace.operations[piece.operation];
      add(rows[run_.labelled.row(piece.operation, operation)], ns);
    });
    std::vector<PathSum> out;
    for (const auto& [dimension, labels] : labels_.dimensions()) {
      std::map<std::string_view, Sum> sums;
      for (size_t row = 0; row < rows.size(); ++row) {
        if (rows[row].pieces == 0) continue;
        Sum& sum = sums[labels->by_row[row].label];
        sum.pieces += rows[row].pieces;
        sum.ns += rows[row].ns;
      }
      const size_t begin = out.size();
      for (const auto& [label, sum] : sums) {
        out.push_back({PathPart::operation, dimension, std::string(label), sum.pieces, sum.ns});
      }
      std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
                       [](const PathSum& a, const PathSum& b) { return a.total_ns > b.total_ns; });
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto part = static_cast<PathPart>(i);
      if (part == PathPart::operation || parts[i].pieces == 0) continue;
      out.push_back({part, {}, {}, parts[i].pieces, parts[i].ns});
    }
    return out;
  }

  const analyze::LabelledTrace& run_;
  analyze::TraceLabels labels_;
  RoofRatios ratios_;
  replay::Model model_;
  std::vector<int64_t> own_ns_;          // by operation
  const Attribution* places_ = nullptr;  // null: no steps are known
  std::optional<classify::StepOrder> order_;
};

class JobChanges {
 public:
  JobChanges(const match::CompiledRules& rules, std::span<const RunInput> inputs,
             const JobWaits& waits)
      : waits_(waits) {
    std::vector<const trace::Trace*> traces;
    traces.reserve(inputs.size());
    runs_.reserve(inputs.size());
    for (const RunInput& input : inputs) {
      traces.push_back(&input.run->trace);
      runs_.emplace_back(rules, input);
    }
    const auto times = replay::part_times(traces, waits.parts);
    for (size_t i = 0; i < runs_.size(); ++i) runs_[i].join(waits.parts[i], times[i]);
  }

  std::vector<RunReplay> replay(std::span<const Change> changes) {
    std::vector<RunReplay> out;
    out.reserve(runs_.size());
    auto job = std::make_shared<JobReplay>();
    replay::Extent measured;
    for (size_t i = 0; i < runs_.size(); ++i) {
      out.push_back(runs_[i].measure());
      for (const Operation& one : runs_[i].trace().operations) {
        add_to(measured, i, one.start_ns, one.end_ns());
      }
    }
    job->measured_ns = measured.span_ns();
    Replayed unchanged_times;
    without_all_ = !replay_all(unchanged(), unchanged_times);
    job->replayed_ns = unchanged_times.job_ns;
    for (size_t i = 0; i < runs_.size(); ++i) out[i].replayed = std::move(unchanged_times.runs[i]);
    for (const Change& change : changes) add(std::span(&change, 1), out, *job);
    if (changes.size() > 1) add(changes, out, *job);
    for (RunReplay& one : out) {
      if (runs_.size() > 1) one.job = job;
    }
    return out;
  }

 private:
  std::vector<Changed> unchanged() const {
    std::vector<Changed> out;
    out.reserve(runs_.size());
    for (const RunChanges& run : runs_) out.push_back(run.unchanged());
    return out;
  }

  struct Replayed {
    std::vector<Times> runs;
    int64_t job_ns = 0;
  };

  void add_to(replay::Extent& job, size_t run, int64_t start_ns, int64_t end_ns) const {
    const int64_t shift_ns = waits_.shift_ns[run];
    job.add(add_saturated(start_ns, shift_ns), add_saturated(end_ns, shift_ns));
  }

  void add(std::span<const Change> changes, std::vector<RunReplay>& out, JobReplay& job) const {
    std::vector<Changed> changed = unchanged();
    std::vector<WhatIf> results;
    results.reserve(runs_.size());
    WhatIf all;
    all.without = waits_.unknown_reason;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const WhatIf& one = results.emplace_back(runs_[i].change(changes, changed[i]));
      all.text = one.text;
      all.operations += one.operations;
      all.before_ns = add_saturated(all.before_ns, one.before_ns);
      all.after_ns = add_saturated(all.after_ns, one.after_ns);
      if (one.roof_ns) all.roof_ns = add_saturated(all.roof_ns.value_or(0), *one.roof_ns);
      all.has_measured_roofs = all.has_measured_roofs || one.has_measured_roofs;
      all.has_other_roofs = all.has_other_roofs || one.has_other_roofs;
      if (all.without.empty()) all.without = one.without;
    }
    if (changes.size() == 1) all.text += which_roof(all);
    Replayed times;
    if (all.without.empty() && (without_all_ || !replay_all(changed, times))) {
      all.without =
          "collectives of the ranks cross in time: their clocks differ by more than is known";
    }
    // What one rank would take depends on all.
    for (size_t i = 0; i < runs_.size(); ++i) {
      results[i].text = all.text;
      results[i].without = all.without;
      if (all.without.empty()) results[i].times = std::move(times.runs[i]);
      out[i].changes.push_back(std::move(results[i]));
    }
    all.times.run_ns = times.job_ns;
    job.changes.push_back(std::move(all));
  }

  /// Whether each collective waited for all of its members.
  bool replay_all(const std::vector<Changed>& changed, Replayed& times) const {
    std::vector<RunChanges::Starts> starts(runs_.begin(), runs_.end());
    replay::Extent job;
    std::vector<replay::RunInJob> all;
    all.reserve(runs_.size());
    for (size_t i = 0; i < runs_.size(); ++i) {
      all.push_back({&runs_[i].model(), &changed[i], waits_.parts[i]});
    }
    const size_t without_all = replay::replay_together(
        all, [&](size_t run, uint32_t operation, int64_t start_ns, int64_t end_ns) {
          starts[run].add(operation, start_ns, end_ns);
          add_to(job, run, start_ns, end_ns);
        });
    times.runs.clear();
    times.runs.reserve(starts.size());
    for (const RunChanges::Starts& one : starts) times.runs.push_back(one.times());
    times.job_ns = job.span_ns();
    return without_all == 0;
  }

  std::vector<RunChanges> runs_;
  const JobWaits& waits_;
  bool without_all_ = false;
};

}  // namespace

bool reproduces(int64_t measured_ns, int64_t replayed_ns) noexcept {
  const auto difference = static_cast<double>(std::abs(measured_ns - replayed_ns));
  return difference <= largest_error * static_cast<double>(measured_ns);
}

std::vector<RunReplay> replay_runs(const match::CompiledRules& rules,
                                   std::span<const RunInput> runs, const JobWaits& waits,
                                   std::span<const Change> changes) {
  return JobChanges(rules, runs, waits).replay(changes);
}

std::string_view to_string(PathPart part) noexcept {
  constexpr std::array<std::string_view, replay::path_parts> names{
      "operation", "delay", "unexplained", "launch", "host", "synchronization"};
  return names[static_cast<size_t>(part)];
}

}  // namespace kr::what_if
