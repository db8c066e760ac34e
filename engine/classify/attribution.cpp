#include "classify/attribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "classify/periods.hpp"
#include "trace/range_sweep.hpp"

namespace kr {
namespace {

/// Longer sequences are no steps of a model but a whole trace of something else.
constexpr size_t longest_unit = 20000;

class Attributor {
 public:
  Attributor(const Trace& trace, const Program& program,
             const std::shared_ptr<const Database>& database, ModelId model)
      : trace_(trace), phases_(program, database, model) {
    const size_t count = trace.operations.size();
    for (auto* list : {&out_.step_of, &out_.module_of, &out_.layer_run_of, &out_.layer_of}) {
      list->assign(count, Attribution::none);
    }
  }

  Attribution run() {
    if (trace_.host) {
      find_steps();
      follow_launches();
    }
    find_layers();
    return std::move(out_);
  }

 private:
  void find_steps() {
    const HostSide& host = *trace_.host;
    std::vector<Phase> phase_of_name;
    phase_of_name.reserve(host.range_names.size());
    for (const std::string& name : host.range_names) phase_of_name.push_back(phases_.read(name));
    step_of_range_.assign(host.ranges.size(), Attribution::none);
    for (uint32_t i = 0; i < host.ranges.size(); ++i) {
      const HostRange& range = host.ranges[i];
      const Phase& phase = phase_of_name[range.name];
      if (range.kind != HostRange::Kind::annotation || phase.label.empty()) continue;
      out_.steps.push_back(
          {i, host.range_names[range.name], phase, range.start_ns, Attribution::none});
    }
    std::stable_sort(
        out_.steps.begin(), out_.steps.end(),
        [](const TraceStep& a, const TraceStep& b) { return a.start_ns < b.start_ns; });
    for (uint32_t i = 0; i < out_.steps.size(); ++i) step_of_range_[out_.steps[i].range] = i;
    find_outer_steps();
  }

  /// Ranges stand by thread and start.
  void find_outer_steps() {
    const HostSide& host = *trace_.host;
    std::vector<uint32_t> open;  // steps of one thread, in the order of begin
    for (uint32_t i = 0; i < host.ranges.size(); ++i) {
      const HostRange& range = host.ranges[i];
      if (i > 0 && range.thread != host.ranges[i - 1].thread) open.clear();
      const uint32_t step = step_of_range_[i];
      if (step == Attribution::none) continue;
      std::erase_if(open, [&](uint32_t one) {
        return host.ranges[out_.steps[one].range].end_ns <= range.start_ns;
      });
      if (!open.empty()) out_.steps[step].outer = open.back();
      open.push_back(step);
    }
  }

  void follow_launches() {
    const HostSide& host = *trace_.host;
    struct Place {
      uint32_t module = HostRange::none;
      uint32_t step = Attribution::none;
    };
    std::vector<Place> places(host.launches.size());
    fold_ranges(
        host, Place{},
        [&](Place place, uint32_t range) {
          if (step_of_range_[range] != Attribution::none) place.step = step_of_range_[range];
          if (host.ranges[range].kind == HostRange::Kind::module) place.module = range;
          return place;
        },
        [&](uint32_t launch, const Place& place) { places[launch] = place; });
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      const uint32_t launch = host.launch_of[i];
      if (launch == HostRange::none) continue;
      out_.module_of[i] = places[launch].module;
      out_.step_of[i] = places[launch].step;
    }
  }

  /// Kernels of one launch of a graph, else of one step, on one stream each; where there are no
  /// steps at all, of one stream. In order of start.
  void find_layers() {
    // What an operation is looked through with: launch or step, and its stream.
    struct Key {
      bool graph;
      uint32_t what;
      uint32_t track;
      auto operator<=>(const Key&) const = default;
    };
    std::map<Key, std::vector<uint32_t>> units;
    std::vector<uint32_t> launched(trace_.host ? trace_.host->launches.size() : 0, 0);
    if (trace_.host) {
      for (const uint32_t launch : trace_.host->launch_of) {
        if (launch != HostRange::none) ++launched[launch];
      }
    }
    for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
      const Operation& operation = trace_.operations[i];
      if (trace_.names.get(operation.name).kind != OperationKind::kernel) continue;
      const uint32_t launch = trace_.host ? trace_.host->launch_of[i] : HostRange::none;
      const bool graph = launch != HostRange::none && launched[launch] >= least_graph;
      if (!graph && !out_.steps.empty() && out_.step_of[i] == Attribution::none) continue;
      units[{graph, graph ? launch : out_.step_of[i], operation.track.index}].push_back(i);
    }
    std::vector<std::pair<uint32_t, const std::pair<const Key, std::vector<uint32_t>>*>> order;
    order.reserve(units.size());
    for (const auto& unit : units) order.emplace_back(unit.second.front(), &unit);
    std::sort(order.begin(), order.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [first, unit] : order) {
      if (unit->second.size() <= longest_unit) look_through(unit->second, unit->first.graph);
    }
  }

  void look_through(const std::vector<uint32_t>& operations, bool graph) {
    std::vector<uint32_t> names;
    names.reserve(operations.size());
    LayerRun whole;
    whole.unit = operations.size();
    whole.graph = graph;
    whole.track = trace_.operations[operations[0]].track.index;
    whole.step = out_.step_of[operations[0]];
    for (const uint32_t i : operations) {
      names.push_back(trace_.operations[i].name.index);
      whole.unit_ns += trace_.operations[i].duration_ns;
    }
    size_t layers = 0;
    for (const Repetition& found : repetitions(names)) {
      LayerRun run = whole;
      run.first = found.first;
      run.period = found.period;
      run.repeats = found.repeats;
      run.level = found.level;
      run.layers_before = layers;
      if (found.level == 0) layers += found.repeats;
      for (size_t k = 0; k < found.covered(); ++k) {
        const uint32_t i = operations[found.first + k];
        run.total_ns += trace_.operations[i].duration_ns;
        if (found.level > 0) continue;
        out_.layer_run_of[i] = static_cast<uint32_t>(out_.layer_runs.size());
        out_.layer_of[i] = static_cast<uint32_t>(k / found.period);
      }
      out_.layer_runs.push_back(run);
    }
  }

  /// Steps are alike: a sequence is searched once.
  const std::vector<Repetition>& repetitions(const std::vector<uint32_t>& names) {
    const auto [known, added] = known_.try_emplace(names);
    if (added) known->second = find_repetitions(names);
    return known->second;
  }

  const Trace& trace_;
  PhaseReader phases_;
  Attribution out_;
  std::vector<uint32_t> step_of_range_;
  std::map<std::vector<uint32_t>, std::vector<Repetition>> known_;
};

}  // namespace

Attribution attribute(const Trace& trace, const Program& program,
                      const std::shared_ptr<const Database>& database, ModelId model) {
  return Attributor(trace, program, database, model).run();
}

AttributionSums sum(const Trace& trace, const Attribution& attribution) {
  AttributionSums sums;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    int64_t& part = attribution.module_of[i] != Attribution::none      ? sums.module_ns
                    : attribution.layer_run_of[i] != Attribution::none ? sums.layer_ns
                                                                       : sums.none_ns;
    part += trace.operations[i].duration_ns;
  }
  return sums;
}

std::vector<LayerEvidence> layer_evidence(const Attribution& attribution) {
  const auto like = [](const LayerRun& run) {
    return std::tuple(run.period, run.repeats, run.unit, run.level, run.graph,
                      run.step == Attribution::none);
  };
  std::map<decltype(like(LayerRun{})), size_t> known;
  std::vector<LayerEvidence> out;
  for (const LayerRun& run : attribution.layer_runs) {
    const auto [at, added] = known.try_emplace(like(run), out.size());
    if (added) {
      out.push_back({run, 1});
      continue;
    }
    LayerEvidence& one = out[at->second];
    ++one.units;
    one.run.total_ns += run.total_ns;
    one.run.unit_ns += run.unit_ns;
  }
  std::stable_sort(out.begin(), out.end(), [](const LayerEvidence& a, const LayerEvidence& b) {
    return a.run.total_ns > b.run.total_ns;
  });
  return out;
}

std::string evidence(const LayerRun& run) {
  const double share =
      run.unit_ns > 0 ? 100.0 * static_cast<double>(run.total_ns) / static_cast<double>(run.unit_ns)
                      : 0.0;
  return fmt::format("period of {} kernels, {} times: {:.1f} % of the time of {} kernels of {}",
                     run.period, run.repeats, share, run.unit,
                     run.graph                       ? "one graph launch"
                     : run.step != Attribution::none ? "one step"
                                                     : "one stream");
}

}  // namespace kr
