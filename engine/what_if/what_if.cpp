#include "what_if/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "classify/step_order.hpp"
#include "cost/rates.hpp"

namespace kr::what_if {
namespace {

using classify::Attribution;
using replay::Changed;
using replay::PathPart;
using trace::Operation;

/// The part of its time that an operation would take at the roof.
class RoofRatios {
 public:
  RoofRatios(const analyze::LabelledTrace& run, const analyze::RunSummary& summary,
             const Roofs& roofs)
      : run_(run), roofs_(roofs) {
    if (roofs.ncu == nullptr) return;
    for (const ncu::RunKernel& kernel : roofs.ncu->run) {
      ncu::RoofTime time;
      for (const ncu::TimeShare& share : kernel.time.shares) {
        time.add(roofs.ncu->kernels[share.kernel], share.time_ns);
      }
      if (time.with_roof_ns <= 0 || time.with_roof_ns < time.measured_ns) continue;
      by_name_[summary.names[kernel.name].name] =
          static_cast<double>(time.at_roof_ns) / static_cast<double>(time.with_roof_ns);
    }
  }

  /// Nothing: the roof is not known, or the call is above it: then its cost is wrong.
  std::optional<double> of(uint32_t operation) const {
    if (const auto ratio = by_cost(operation)) return ratio;
    const Operation& one = run_.trace.operations[operation];
    const auto found = by_name_.find(run_.trace.names.get(one.name).text);
    return found != by_name_.end() ? std::optional(std::min(1.0, found->second)) : std::nullopt;
  }
  /// Why costs give none.
  std::string without() const {
    if (roofs_.costs == nullptr || roofs_.unknown_gpu.empty()) {
      return "none has a cost of FLOPs and bytes with known peaks";
    }
    return roofs_.unknown_gpu + " (--gpu NAME)";
  }

 private:
  std::optional<double> by_cost(uint32_t operation) const {
    if (roofs_.costs == nullptr) return std::nullopt;
    const uint32_t number = roofs_.costs->call_of[operation];
    if (number == cost::CostedRun::none) return std::nullopt;
    const cost::CostedCall& call = roofs_.costs->calls[number];
    if (!call.has_roof || call.total_ns <= 0) return std::nullopt;
    const Operation& longest = run_.trace.operations[call.longest];
    const double at_roof_s = cost::roof_time(roofs_.costs->cost(call), roofs_.costs->gpu,
                                             run_.trace.names.get(longest.name).text)
                                 .at_least_s();
    // Times scatter: single calls may be a little above the roof.
    return std::min(1.0, at_roof_s * 1e9 / static_cast<double>(call.total_ns));
  }

  const analyze::LabelledTrace& run_;
  const Roofs& roofs_;
  std::map<std::string_view, double> by_name_;
};

class Replays {
 public:
  Replays(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
          const analyze::RunSummary& summary, const Roofs& roofs)
      : run_(run), labels_(rules, run.labelled), ratios_(run, summary, roofs), model_(run.trace) {
    if (!run.trace.host) return;
    places_ = &run.attribution(rules);
    order_.emplace(run.trace, *places_);
  }

  RunReplay make(std::span<const Change> changes) {
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
    Changed unchanged;
    unchanged.explained_only = true;
    out.replayed = times_of(unchanged);
    for (const Change& change : changes) out.changes.push_back(replay(std::span(&change, 1)));
    if (changes.size() > 1) {
      out.changes.push_back(replay(changes));
      out.changes.back().text = "all changes";
    }
    out.path = path();
    return out;
  }

 private:
  /// Of operations at other times than measured.
  class Starts {
   public:
    explicit Starts(const Replays& of) {
      if (of.order_) steps_.emplace(*of.order_, *of.places_);
      if (of.order_) count_ = of.order_->steps();
    }
    void add(uint32_t operation, int64_t start_ns, int64_t end_ns) {
      run_.add(start_ns, end_ns);
      if (steps_) steps_->add(operation, start_ns);
    }
    Times times() const {
      Times out{run_.span_ns(), {}};
      for (size_t i = 0; i < count_; ++i) out.steps_ns.push_back(steps_->wall_ns(i));
      return out;
    }

   private:
    replay::Extent run_;
    std::optional<classify::StepStarts> steps_;
    size_t count_ = 0;
  };

  void find_steps(RunReplay& out) const {
    if (places_ == nullptr) return;
    for (const classify::TraceStep& step : places_->steps) {
      out.steps.push_back({std::string(step.phase.label), step.phase.step});
    }
  }

  Times times_of(const Changed& changed) const {
    Starts starts(*this);
    model_.replay(changed, [&](uint32_t operation, int64_t start_ns, int64_t end_ns) {
      starts.add(operation, start_ns, end_ns);
    });
    return starts.times();
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

  /// Whether the change can be made.
  bool apply(const Change& change, Changed& changed, std::vector<bool>& seen, WhatIf& out) const {
    if (change.of_host()) {
      changed.host *= change.factor;
      return run_.trace.host != nullptr && !run_.trace.host->launches.empty();
    }
    const auto& operations = run_.trace.operations;
    const std::vector<bool> is_wanted = wanted(change);
    int64_t before_ns = 0;
    int64_t roof_ns = 0;
    for (uint32_t i = 0; i < operations.size(); ++i) {
      const size_t row =
          change.by_name() ? operations[i].name.index : run_.labelled.row(i, operations[i]);
      if (!is_wanted[row]) continue;
      before_ns += operations[i].duration_ns;
      if (!seen[i]) {
        ++out.operations;
        out.before_ns += operations[i].duration_ns;
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
          if (const auto ratio = ratios_.of(i)) {
            roof_ns += operations[i].duration_ns;
            duration_ns = std::llround(static_cast<double>(duration_ns) * *ratio);
          }
          break;
      }
    }
    if (change.what != Change::What::roof) return true;
    out.roof_ns = out.roof_ns.value_or(0) + roof_ns;
    return before_ns == 0 || roof_ns > 0;
  }

  /// One rank alone does not tell how long it would wait for the others.
  std::string why_one_rank() const {
    const std::optional<int64_t>& ranks = run_.trace.distributed.world_size;
    if (!ranks || *ranks < 2) return {};
    for (uint32_t row = 0; row < run_.labelled.rows(); ++row) {
      const classify::LabelResult* const kind = labels_.find("kind", row);
      if (kind == nullptr || kind->label != "communication") continue;
      return fmt::format(
          "the run is one of the {} ranks of a job, and communicates: how long it would wait for "
          "the others depends on their traces",
          *ranks);
    }
    return {};
  }

  WhatIf replay(std::span<const Change> changes) const {
    WhatIf out;
    out.text = changes[0].text;
    out.without = why_one_rank();
    Changed changed;
    changed.explained_only = true;
    const auto& operations = run_.trace.operations;
    changed.duration_ns.reserve(operations.size());
    for (const Operation& one : operations) changed.duration_ns.push_back(one.duration_ns);
    std::vector<bool> seen(operations.size());
    for (const Change& change : changes) {
      if (apply(change, changed, seen, out)) continue;
      out.without = change.of_host()
                        ? "the trace has no calls of the host"
                        : fmt::format(
                              "no roof is known of any operation of `{}/{}`: {}, and ncu "
                              "measured none",
                              change.dimension, change.key, ratios_.without());
    }
    for (size_t i = 0; i < operations.size(); ++i) {
      if (seen[i]) out.after_ns += changed.duration_ns[i];
    }
    if (out.without.empty()) out.times = times_of(changed);
    return out;
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
  const Attribution* places_ = nullptr;  // null: no steps are known
  std::optional<classify::StepOrder> order_;
};

}  // namespace

bool reproduces(int64_t measured_ns, int64_t replayed_ns) noexcept {
  const auto difference = static_cast<double>(std::abs(measured_ns - replayed_ns));
  return difference <= largest_error * static_cast<double>(measured_ns);
}

RunReplay replay_run(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
                     const analyze::RunSummary& summary, std::span<const Change> changes,
                     const Roofs& roofs) {
  return Replays(rules, run, summary, roofs).make(changes);
}

std::string_view to_string(PathPart part) noexcept {
  constexpr std::array<std::string_view, replay::path_parts> names{
      "operation", "delay", "unexplained", "launch", "host", "synchronization"};
  return names[static_cast<size_t>(part)];
}

}  // namespace kr::what_if
