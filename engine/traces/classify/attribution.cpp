#include "classify/attribution.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "classify/find_layers.hpp"
#include "trace/launched.hpp"

namespace kr::classify {
namespace {

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

PlaceEvidence evidence_of_alignment(trace::Alignment how) {
  switch (how) {
    case trace::Alignment::instance:
      return PlaceEvidence::instance;
    case trace::Alignment::kind:
      return PlaceEvidence::kind;
    case trace::Alignment::within:
      return PlaceEvidence::within;
    case trace::Alignment::abstain:
      break;
  }
  return PlaceEvidence::abstain;
}

/// How far to look for a step that encloses another one: as many as times are summed over.
constexpr size_t max_open_steps = 64;

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
    find_layers(trace_, out_);
    return std::move(out_);
  }

 private:
  void find_steps() {
    const trace::HostTrace& host = *trace_.host;
    std::vector<uint32_t> text_of_name;  // none: it is not one of steps
    text_of_name.reserve(host.range_names.size());
    for (const std::string& name : host.range_names) {
      Phase phase = phases_.read(name);
      text_of_name.push_back(phase.label.empty() ? Attribution::none
                                                 : out_.steps.add_text(name, std::move(phase)));
    }
    for (uint32_t i = 0; i < host.ranges.size(); ++i) {
      const trace::HostRange& range = host.ranges[i];
      const uint32_t text = text_of_name[range.name];
      if (range.kind != trace::HostRange::Kind::annotation || text == Attribution::none) continue;
      out_.steps.add(i, text, range.start_ns);
    }
    if (out_.steps.empty()) return;
    out_.steps.sort();
    step_of_range_.resize(host.ranges.size(), Attribution::none);
    for (uint32_t i = 0; i < out_.steps.size(); ++i) step_of_range_[out_.steps[i].range] = i;
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
    for (const TraceStep step : out_.steps) nodes[step.range] = false;
    if (!any) return;
    out_.range_nodes = std::move(nodes);
    out_.range_of.resize(trace_.operations.size());
  }

  bool is_node(uint32_t range) const {
    return !out_.range_nodes.empty() && out_.range_nodes[range];
  }

  /// Ranges around a few launches are not a tree.
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
    out_.node_evidence.clear();
  }

  /// Ranges are sorted by thread and start.
  void find_outer_steps() {
    const trace::HostTrace& host = *trace_.host;
    const auto range_of = [&](uint32_t step) -> const trace::HostRange& {
      return host.ranges[out_.steps[step].range];
    };
    std::vector<uint32_t> open;  // steps of one thread, in the order of begin
    for (const uint32_t step : step_of_range_) {
      if (step == Attribution::none) continue;
      const trace::HostRange& range = range_of(step);
      if (!open.empty() && range_of(open.back()).thread != range.thread) open.clear();
      // Only the last step is needed: an earlier one that has ended stays until it is the last.
      while (!open.empty() && range_of(open.back()).end_ns <= range.start_ns) open.pop_back();
      // A step that ends a moment after the next one begins does not enclose it.
      const size_t most = std::min(open.size(), max_open_steps);
      const auto outer =
          std::find_if(open.rbegin(), open.rbegin() + static_cast<ptrdiff_t>(most),
                       [&](uint32_t one) { return range_of(one).end_ns >= range.end_ns; });
      if (outer != open.rbegin() + static_cast<ptrdiff_t>(most)) out_.steps.set_outer(step, *outer);
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
      const TraceStep step = out_.steps[i];
      const trace::HostRange& range = host.ranges[step.range];
      std::vector<uint32_t>& before = open[host.threads[range.thread].process];
      const auto ended = [&](uint32_t other) {
        return host.ranges[out_.steps[other].range].end_ns <= range.start_ns;
      };
      while (!before.empty() && ended(before.back())) before.pop_back();
      if (step.outer == Attribution::none && !before.empty()) {
        const TraceStep last = out_.steps[before.back()];
        const bool encloses = host.ranges[last.range].end_ns >= range.end_ns;
        if (encloses && last.phase.label != step.phase.label) {
          out_.steps.set_outer(i, before.back());
        }
      }
      before.push_back(i);
    }
  }

  /// Attribution::none: the range is not a step.
  uint32_t step_of_range(uint32_t range) const {
    return step_of_range_.empty() ? Attribution::none : step_of_range_[range];
  }

  /// By thread, the steps of its process; null where the thread has steps of its own.
  std::vector<ProcessSteps*> steps_of_other_threads(
      std::map<std::string_view, ProcessSteps>& by_process) const {
    const trace::HostTrace& host = *trace_.host;
    std::vector<bool> own(host.threads.size());
    for (const TraceStep step : out_.steps) {
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
    std::vector<uint32_t> module_of(host.creations.size());
    std::vector<trace::InnermostRange> modules(host.threads.size());
    trace::sweep_creations(
        host,
        [&](uint32_t lane, uint32_t range) {
          const bool module = host.ranges[range].kind == trace::HostRange::Kind::module;
          if (module || is_node(range)) modules[lane].open(range);
        },
        [&](uint32_t number, const trace::SweptLaunch& creation) {
          module_of[number] = modules[creation.thread].at(host, creation.time);
        });
    out_.by_creation.resize(trace_.operations.size());
    out_.node_evidence.resize(trace_.operations.size(), PlaceEvidence::none);
    for (size_t i = 0; i < trace_.operations.size(); ++i) {
      if (host.creation_of[i] == trace::HostRange::none) continue;
      PlaceEvidence& evidence = out_.node_evidence[i];
      if (const trace::AlignedNode* node = host.alignment(i)) {
        evidence = evidence_of_alignment(node->how);
      }
      const uint32_t module = module_of[host.creation_of[i]];
      if (module == trace::HostRange::none) continue;
      (is_node(module) ? out_.range_of : out_.module_of).set(i, module);
      out_.by_creation[i] = true;
      if (evidence != PlaceEvidence::none) continue;
      const uint32_t thread = host.creations[host.creation_of[i]].thread;
      evidence =
          host.threads[thread].other_clock ? PlaceEvidence::annotation : PlaceEvidence::creation;
    }
  }

  const trace::Trace& trace_;
  PhaseReader phases_;
  Attribution out_;
  std::vector<uint32_t> step_of_range_;  // by range; empty: there are no steps
};

}  // namespace

void TraceSteps::add(uint32_t range, uint32_t text, int64_t start_ns) {
  rows_.push_back({start_ns, range, text, Attribution::none});
}

void TraceSteps::sort() {
  const auto by_start = [](const Row& a, const Row& b) { return a.start_ns < b.start_ns; };
  if (!std::is_sorted(rows_.begin(), rows_.end(), by_start)) {
    std::stable_sort(rows_.begin(), rows_.end(), by_start);
  }
}

Attribution attribute(const trace::Trace& trace, const sema::Program& program,
                      const std::shared_ptr<const match::Database>& database, sema::ModelId model) {
  return Attributor(trace, program, database, model).run();
}

}  // namespace kr::classify
