#include "classify/attribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "base/hash_index.hpp"
#include "trace/launched.hpp"

namespace kr::classify {
namespace {

/// Longer sequences are not steps of a model.
constexpr size_t longest_unit = 20000;

/// The steps of a process, for launches on its threads that have no steps of their own: those of
/// autograd, for instance, work for the step that runs on another thread.
class ProcessSteps {
 public:
  /// In order of start.
  void add(uint32_t range) { ranges_.push_back(range); }
  /// The step that began last and has not ended; HostRange::none: there is none. Times never fall.
  uint32_t at(const trace::HostTrace& host, int64_t time) {
    for (; next_ < ranges_.size() && host.ranges[ranges_[next_]].start_ns <= time; ++next_) {
      if (host.ranges[ranges_[next_]].end_ns > time) open_.open(ranges_[next_]);
    }
    return open_.at(host, time);
  }

 private:
  std::vector<uint32_t> ranges_;
  size_t next_ = 0;
  trace::InnermostRange open_;
};

/// How far to look for a step that encloses another one: as many as times are summed over.
constexpr size_t most_open_steps = 64;

class Attributor {
 public:
  Attributor(const trace::Trace& trace, const sema::Program& program,
             const std::shared_ptr<const match::Database>& database, sema::ModelId model)
      : trace_(trace), phases_(program, database, model) {}

  Attribution run() {
    if (trace_.host) {
      out_.step_of.resize(trace_.operations.size());
      out_.module_of.resize(trace_.operations.size());
      find_steps();
      find_range_nodes();
      follow_launches();
      follow_creations();
      settle_ranges();
    }
    find_layers();
    return std::move(out_);
  }

 private:
  void find_steps() {
    const trace::HostTrace& host = *trace_.host;
    std::vector<Phase> phase_of_name;
    phase_of_name.reserve(host.range_names.size());
    for (const std::string& name : host.range_names) phase_of_name.push_back(phases_.read(name));
    for (uint32_t i = 0; i < host.ranges.size(); ++i) {
      const trace::HostRange& range = host.ranges[i];
      const Phase& phase = phase_of_name[range.name];
      if (range.kind != trace::HostRange::Kind::annotation || phase.label.empty()) continue;
      out_.steps.push_back(
          {i, host.range_names[range.name], phase, range.start_ns, Attribution::none});
    }
    std::stable_sort(
        out_.steps.begin(), out_.steps.end(),
        [](const TraceStep& a, const TraceStep& b) { return a.start_ns < b.start_ns; });
    steps_by_range_.resize(out_.steps.size());
    std::iota(steps_by_range_.begin(), steps_by_range_.end(), 0U);
    std::sort(steps_by_range_.begin(), steps_by_range_.end(),
              [&](uint32_t a, uint32_t b) { return out_.steps[a].range < out_.steps[b].range; });
    find_outer_steps();
  }

  /// Libraries such as NCCL have domains of their own, and their ranges say nothing of the model.
  void find_range_nodes() {
    const trace::HostTrace& host = *trace_.host;
    const auto of_program = [&](const trace::HostRange& range) {
      const bool named = host.range_texts.empty() || host.range_texts[range.name].domain.empty();
      return range.form != trace::HostRange::Form::call && named &&
             !host.range_names[range.name].empty() && !host.threads[range.thread].whole_process;
    };
    std::vector<bool> nodes(host.ranges.size());
    bool any = false;
    for (uint32_t i = 0; i < host.ranges.size(); ++i) {
      if (host.ranges[i].kind == trace::HostRange::Kind::module) return;
      if (!of_program(host.ranges[i])) continue;
      nodes[i] = true;
      any = true;
    }
    for (const TraceStep& step : out_.steps) nodes[step.range] = false;
    if (!any) return;
    out_.range_nodes = std::move(nodes);
    out_.range_of.resize(trace_.operations.size());
  }

  bool is_node(uint32_t range) const {
    return !out_.range_nodes.empty() && out_.range_nodes[range];
  }

  /// Ranges around a few launches are no tree.
  void settle_ranges() {
    if (out_.range_nodes.empty()) return;
    int64_t inside = 0;
    int64_t total = 0;
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      total += trace_.operations[i].duration_ns;
      if (out_.range_of[i] != Attribution::none) inside += trace_.operations[i].duration_ns;
    }
    if (inside > total / 2) return;
    out_.range_nodes.clear();
    out_.range_of = {};
    out_.by_creation.clear();
  }

  /// Ranges are sorted by thread and start.
  void find_outer_steps() {
    const trace::HostTrace& host = *trace_.host;
    const auto range_of = [&](uint32_t step) -> const trace::HostRange& {
      return host.ranges[out_.steps[step].range];
    };
    std::vector<uint32_t> open;  // steps of one thread, in the order of begin
    for (const uint32_t step : steps_by_range_) {
      const trace::HostRange& range = range_of(step);
      if (!open.empty() && range_of(open.back()).thread != range.thread) open.clear();
      // Only the last step is needed: an earlier one that has ended stays until it is the last.
      while (!open.empty() && range_of(open.back()).end_ns <= range.start_ns) open.pop_back();
      // A step that ends a moment after the next one begins does not enclose it.
      const size_t most = std::min(open.size(), most_open_steps);
      const auto outer =
          std::find_if(open.rbegin(), open.rbegin() + static_cast<ptrdiff_t>(most),
                       [&](uint32_t one) { return range_of(one).end_ns >= range.end_ns; });
      if (outer != open.rbegin() + static_cast<ptrdiff_t>(most)) out_.steps[step].outer = *outer;
      open.push_back(step);
    }
    find_outer_steps_of_processes();
  }

  /// A phase on a thread of its own stays inside the step of the process that encloses it. Two
  /// threads that step beside each other have steps of the same phase, which stay apart.
  void find_outer_steps_of_processes() {
    const trace::HostTrace& host = *trace_.host;
    std::map<std::string_view, std::vector<uint32_t>> open;  // by process, in the order of begin
    for (uint32_t i = 0; i < out_.steps.size(); ++i) {
      TraceStep& step = out_.steps[i];
      const trace::HostRange& range = host.ranges[step.range];
      std::vector<uint32_t>& before = open[host.threads[range.thread].process];
      const auto ended = [&](uint32_t other) {
        return host.ranges[out_.steps[other].range].end_ns <= range.start_ns;
      };
      while (!before.empty() && ended(before.back())) before.pop_back();
      if (step.outer == Attribution::none && !before.empty()) {
        const TraceStep& last = out_.steps[before.back()];
        const bool encloses = host.ranges[last.range].end_ns >= range.end_ns;
        if (encloses && last.phase.label != step.phase.label) step.outer = before.back();
      }
      before.push_back(i);
    }
  }

  /// Attribution::none: the range is not a step.
  uint32_t step_of_range(uint32_t range) const {
    const auto at =
        std::partition_point(steps_by_range_.begin(), steps_by_range_.end(),
                             [&](uint32_t step) { return out_.steps[step].range < range; });
    const bool known = at != steps_by_range_.end() && out_.steps[*at].range == range;
    return known ? *at : Attribution::none;
  }

  /// By thread, the steps of its process; null where the thread has steps of its own.
  std::vector<ProcessSteps*> steps_of_other_threads(
      std::map<std::string_view, ProcessSteps>& by_process) const {
    const trace::HostTrace& host = *trace_.host;
    std::vector<bool> own(host.threads.size());
    for (const TraceStep& step : out_.steps) {
      const uint32_t thread = host.ranges[step.range].thread;
      own[thread] = true;
      by_process[host.threads[thread].process].add(step.range);
    }
    std::vector<ProcessSteps*> steps(host.threads.size());
    for (size_t thread = 0; thread < steps.size(); ++thread) {
      const auto found = by_process.find(host.threads[thread].process);
      if (!own[thread] && found != by_process.end()) steps[thread] = &found->second;
    }
    return steps;
  }

  void follow_launches() {
    const trace::HostTrace& host = *trace_.host;
    std::map<std::string_view, ProcessSteps> by_process;
    const std::vector<ProcessSteps*> others = steps_of_other_threads(by_process);
    struct Lane {
      trace::InnermostRange modules;
      trace::InnermostRange steps;
      trace::InnermostRange nodes;
    };
    std::vector<Lane> lanes(host.threads.size());
    trace::sweep_launches(
        host,
        [&](uint32_t lane, uint32_t range) {
          if (host.ranges[range].kind == trace::HostRange::Kind::module) {
            lanes[lane].modules.open(range);
          } else if (step_of_range(range) != Attribution::none) {
            lanes[lane].steps.open(range);
          } else if (is_node(range)) {
            lanes[lane].nodes.open(range);
          }
        },
        [&](const trace::SweptLaunch& launch) {
          const auto innermost = [&](trace::InnermostRange Lane::*kind) {
            const uint32_t own = (lanes[launch.thread].*kind).at(host, launch.time);
            if (launch.shared == trace::HostRange::none) return own;
            const uint32_t shared = (lanes[launch.shared].*kind).at(host, launch.time);
            if (own == trace::HostRange::none || shared == trace::HostRange::none)
              return std::min(own, shared);
            return host.ranges[shared].start_ns > host.ranges[own].start_ns ? shared : own;
          };
          const uint32_t module = innermost(&Lane::modules);
          uint32_t range = innermost(&Lane::steps);
          if (range == trace::HostRange::none && others[launch.thread] != nullptr) {
            range = others[launch.thread]->at(host, launch.time);
          }
          const uint32_t step =
              range == trace::HostRange::none ? Attribution::none : step_of_range(range);
          const uint32_t node = lanes[launch.thread].nodes.at(host, launch.time);
          for (const uint32_t operation : launch.operations) {
            out_.module_of.set(operation, module);
            out_.step_of.set(operation, step);
            if (node != trace::HostRange::none) out_.range_of.set(operation, node);
          }
        });
  }

  /// Nodes of graphs are in the modules that enclose their creation, where any does.
  void follow_creations() {
    const trace::HostTrace& host = *trace_.host;
    if (host.creation_of.empty()) return;
    out_.by_creation.resize(trace_.operations.size());
    std::vector<trace::InnermostRange> modules(host.threads.size());
    trace::sweep_creations(
        host,
        [&](uint32_t lane, uint32_t range) {
          const bool module = host.ranges[range].kind == trace::HostRange::Kind::module;
          if (module || is_node(range)) modules[lane].open(range);
        },
        [&](const trace::SweptLaunch& creation) {
          const uint32_t module = modules[creation.thread].at(host, creation.time);
          if (module == trace::HostRange::none) return;
          NumberOfOperation& to = is_node(module) ? out_.range_of : out_.module_of;
          for (const uint32_t operation : creation.operations) {
            to.set(operation, module);
            out_.by_creation[operation] = true;
          }
        });
  }

  /// The unit of an operation: one launch of a graph or one step, on its stream.
  struct Unit {
    bool graph;
    uint32_t what;
    uint32_t track;
    friend bool operator==(const Unit&, const Unit&) = default;
  };
  struct UnitHash {
    size_t operator()(const Unit& unit) const noexcept {
      return hash_numbers(uint64_t{unit.what} << 32 | unit.track, unit.graph);
    }
  };
  Unit unit_of(uint32_t operation) const {
    const uint32_t launch =
        trace_.host ? trace_.host->launch_of[operation] : trace::HostRange::none;
    const bool graph = launch != trace::HostRange::none && is_graph_[launch];
    return {graph, graph ? launch : out_.step_of[operation],
            trace_.operations[operation].track.index};
  }

  /// A launch of two or more operations is one of a graph.
  void find_graphs() {
    if (!trace_.host) return;
    std::vector<bool> launched(trace_.host->launches.size());
    is_graph_.resize(launched.size());
    for (const uint32_t launch : trace_.host->launch_of) {
      if (launch == trace::HostRange::none) continue;
      if (launched[launch]) is_graph_[launch] = true;
      launched[launch] = true;
    }
  }

  /// Calls `call(operation, unit)` for each kernel in which repeated blocks are searched.
  template <class Call>
  void for_kernels(const Call& call) const {
    for (uint32_t i = 0; i < trace_.operations.size(); ++i) {
      if (trace_.names.get(trace_.operations[i].name).kind != OperationKind::kernel) continue;
      const Unit unit = unit_of(i);
      if (unit.graph || out_.steps.empty() || unit.what != Attribution::none) call(i, unit);
    }
  }

  /// Units are the kernels of one graph launch, else of one step, on one stream; without any steps,
  /// of one stream. In order of start.
  void find_layers() {
    find_graphs();
    // A counting sort by unit, which keeps the order of start. In a trace without launches the
    // units are streams, which are mostly too long and skipped.
    std::unordered_map<Unit, uint32_t, UnitHash> numbers;
    std::vector<uint32_t> ends;  // by unit: first its count of kernels, then its end in `kernels`
    for_kernels([&](uint32_t, const Unit& unit) {
      const auto number = static_cast<uint32_t>(ends.size());
      const auto [at, added] = numbers.try_emplace(unit, number);
      if (added) ends.push_back(0);
      ++ends[at->second];
    });
    constexpr uint32_t skipped = UINT32_MAX;
    uint32_t before = 0;
    for (uint32_t& end : ends) {
      // Fewer kernels cannot contain a repeated block.
      if (end < least_covered || end > longest_unit) {
        end = skipped;
      } else {
        before += std::exchange(end, before);
      }
    }
    if (before == 0) return;
    out_.layer_of.resize(trace_.operations.size());
    GrowingArray<uint32_t> kernels;
    kernels.extend(before);
    for_kernels([&](uint32_t operation, const Unit& unit) {
      uint32_t& end = ends[numbers.find(unit)->second];
      if (end != skipped) kernels[end++] = operation;
    });
    std::vector<std::span<const uint32_t>> units;
    uint32_t begin = 0;
    for (const uint32_t end : ends) {
      if (end == skipped) continue;
      units.emplace_back(kernels.begin() + begin, end - begin);
      begin = end;
    }
    std::sort(units.begin(), units.end(),
              [](const auto& a, const auto& b) { return a.front() < b.front(); });
    for (const std::span<const uint32_t> unit : units) {
      find_blocks(unit, unit_of(unit.front()).graph);
    }
  }

  void find_blocks(std::span<const uint32_t> operations, bool graph) {
    std::vector<uint32_t> names;
    names.reserve(operations.size());
    RepeatedBlock whole;
    whole.unit = operations.size();
    whole.graph = graph;
    whole.track = trace_.operations[operations[0]].track.index;
    whole.step = out_.step_of[operations[0]];
    for (const uint32_t i : operations) {
      names.push_back(trace_.operations[i].name.index);
      whole.unit_ns += trace_.operations[i].duration_ns;
    }
    size_t layers = 0;
    for (const Repetition& found : repetitions(names, operations)) {
      RepeatedBlock block = whole;
      static_cast<Repetition&>(block) = found;
      block.layers_before = layers;
      block.first_layer = layers_;
      if (found.level == 0) {
        layers += found.repeats;
        layers_ += found.repeats;
      }
      for (size_t k = 0; k < found.covered(); ++k) {
        const uint32_t i = operations[found.first + k];
        block.total_ns += trace_.operations[i].duration_ns;
        if (found.level > 0) continue;
        out_.layer_of.set(i, static_cast<uint32_t>(block.first_layer + k / found.period));
      }
      out_.repeated_blocks.push_back(block);
    }
  }

  /// The repetitions in a sequence of operations.
  struct Known {
    std::span<const uint32_t> operations;
    std::vector<Repetition> found;
  };

  /// Many steps have the same sequence, which is searched once.
  const std::vector<Repetition>& repetitions(const std::vector<uint32_t>& names,
                                             std::span<const uint32_t> operations) {
    const uint64_t hash =
        hash_bytes({reinterpret_cast<const char*>(names.data()), names.size() * sizeof(uint32_t)});
    const auto next = static_cast<uint32_t>(known_.size());
    const uint32_t number = sequences_.find_or_add(hash, next, [&](uint32_t known) {
      const std::span<const uint32_t> other = known_[known].operations;
      return std::equal(other.begin(), other.end(), names.begin(), names.end(),
                        [&](uint32_t operation, uint32_t name) {
                          return trace_.operations[operation].name.index == name;
                        });
    });
    if (number == next) known_.push_back({operations, find_repetitions(names)});
    return known_[number].found;
  }

  const trace::Trace& trace_;
  PhaseReader phases_;
  Attribution out_;
  std::vector<uint32_t> steps_by_range_;
  std::vector<bool> is_graph_;  // by launch
  size_t layers_ = 0;           // of all units so far
  std::vector<Known> known_;
  HashIndex sequences_;  // of these
};

}  // namespace

Attribution attribute(const trace::Trace& trace, const sema::Program& program,
                      const std::shared_ptr<const match::Database>& database, sema::ModelId model) {
  return Attributor(trace, program, database, model).run();
}

size_t Attribution::block_of(uint32_t layer) const noexcept {
  // Runs within a layer have none of their own: their number is that of the next block that has.
  const auto behind =
      std::partition_point(repeated_blocks.begin(), repeated_blocks.end(),
                           [&](const RepeatedBlock& block) { return block.first_layer <= layer; });
  return static_cast<size_t>(behind - repeated_blocks.begin()) - 1;
}

PlaceEvidence evidence_of(const Attribution& attribution, size_t operation) noexcept {
  if (attribution.range_of[operation] != Attribution::none) return PlaceEvidence::range;
  if (attribution.created(operation)) return PlaceEvidence::creation;
  if (attribution.module_of[operation] != Attribution::none) return PlaceEvidence::launch;
  return attribution.layer_of[operation] != Attribution::none ? PlaceEvidence::layer
                                                              : PlaceEvidence::none;
}

std::string_view to_string(PlaceEvidence evidence) noexcept {
  switch (evidence) {
    case PlaceEvidence::launch:
      return "launch";
    case PlaceEvidence::creation:
      return "creation";
    case PlaceEvidence::range:
      return "range";
    case PlaceEvidence::layer:
      return "layer";
    case PlaceEvidence::none:
      break;
  }
  return {};
}

AttributionSums sum(const trace::Trace& trace, const Attribution& attribution) {
  AttributionSums sums;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const auto add = [&](int64_t& operations, int64_t& ns) {
      ++operations;
      ns += trace.operations[i].duration_ns;
    };
    switch (evidence_of(attribution, i)) {
      case PlaceEvidence::launch:
        add(sums.module_operations, sums.module_ns);
        break;
      case PlaceEvidence::creation:
        add(sums.creation_operations, sums.creation_ns);
        break;
      case PlaceEvidence::range:
        add(sums.range_operations, sums.range_ns);
        break;
      case PlaceEvidence::layer:
        add(sums.layer_operations, sums.layer_ns);
        break;
      case PlaceEvidence::none:
        add(sums.none_operations, sums.none_ns);
        break;
    }
  }
  return sums;
}

std::vector<LayerEvidence> layer_evidence(const Attribution& attribution) {
  const auto like = [](const RepeatedBlock& block) {
    return std::tuple(block.period, block.repeats, block.unit, block.level, block.graph,
                      block.step == Attribution::none);
  };
  std::map<decltype(like(RepeatedBlock{})), size_t> known;
  std::vector<LayerEvidence> out;
  for (const RepeatedBlock& block : attribution.repeated_blocks) {
    const auto [at, added] = known.try_emplace(like(block), out.size());
    if (added) {
      out.push_back({block, 1});
      continue;
    }
    LayerEvidence& one = out[at->second];
    ++one.units;
    one.block.total_ns += block.total_ns;
    one.block.unit_ns += block.unit_ns;
  }
  std::stable_sort(out.begin(), out.end(), [](const LayerEvidence& a, const LayerEvidence& b) {
    return a.block.total_ns > b.block.total_ns;
  });
  return out;
}

std::string evidence(const RepeatedBlock& block) {
  const double share = block.unit_ns > 0 ? 100.0 * static_cast<double>(block.total_ns) /
                                               static_cast<double>(block.unit_ns)
                                         : 0.0;
  return fmt::format("period of {} kernels, {} times: {:.1f} % of the time of {} kernels of {}",
                     block.period, block.repeats, share, block.unit,
                     block.graph                       ? "one graph launch"
                     : block.step != Attribution::none ? "one step"
                                                       : "one stream");
}

}  // namespace kr::classify
