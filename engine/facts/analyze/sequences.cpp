#include "analyze/sequences.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/check.hpp"
#include "facts/fields.hpp"

namespace kr::analyze {
namespace {

/// A text that only names with equal labels have.
template <class EachLabel>
std::string key_of(std::string_view name, OperationKind kind, const EachLabel& each_label) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(kind)));
  each_label([&](std::string_view label) { key.append(label).append(1, '\0'); });
  return key.append(name);
}

/// Rows of labels to places in RunSummary::names.
class PlacesOfRows {
 public:
  PlacesOfRows(const LabelledTrace& run, const RunSummary& summary)
      : run_(run), of_row_(run.labelled.rows(), unknown) {
    places_.reserve(summary.names.size());
    for (uint32_t i = 0; i < summary.names.size(); ++i) {
      const NameSum& name = summary.names[i];
      places_.emplace(key_of(name.name, name.kind,
                             [&](const auto& add) {
                               for (const auto& label : name.labels) add(label.label);
                             }),
                      i);
    }
  }

  uint32_t of(size_t operation) {
    const uint32_t row = run_.labelled.row(operation, run_.trace.operations[operation]);
    if (of_row_[row] == unknown) of_row_[row] = find(row);
    return of_row_[row];
  }

 private:
  static constexpr uint32_t unknown = UINT32_MAX;

  uint32_t find(uint32_t row) const {
    const trace::OperationName& name = run_.trace.names.get(run_.labelled.names[row]);
    const auto found = places_.find(key_of(name.text, name.kind, [&](const auto& add) {
      for (const auto& labels : run_.labelled.of_names()) add(labels.by_row[row].label);
    }));
    KR_CHECK(found != places_.end());
    return found->second;
  }

  const LabelledTrace& run_;
  std::unordered_map<std::string, uint32_t> places_;
  std::vector<uint32_t> of_row_;
};

/// The first operations of each device in a part of the run.
class Part {
 public:
  void add(int32_t device, size_t operation) {
    Operations& one = by_device_[device];
    ++one.count;
    if (one.first.size() < Sequence::max_places) one.first.push_back(operation);
  }

  Sequence sequence(Sequence::Of of, std::string phase, PlacesOfRows& places) const {
    Sequence out{of, std::move(phase), {}};
    const auto most = std::max_element(
        by_device_.begin(), by_device_.end(),
        [](const auto& x, const auto& y) { return x.second.count < y.second.count; });
    if (most == by_device_.end()) return out;
    out.names.reserve(most->second.first.size());
    for (const size_t operation : most->second.first) out.names.push_back(places.of(operation));
    return out;
  }

 private:
  struct Operations {
    size_t count = 0;
    std::vector<size_t> first;
  };
  std::map<int32_t, Operations> by_device_;
};

/// The median step of each phase, of the phases with most time.
std::vector<size_t> typical_steps(const StepParts& steps) {
  struct Phase {
    std::vector<size_t> steps;
    std::vector<int64_t> total_ns;
    long double sum = 0;
  };
  std::map<std::string_view, Phase> by_name;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps.instances(i) == 0 || steps.is_in_its_phase(i)) continue;
    Phase& phase = by_name[steps.phase(i)];
    phase.steps.push_back(i);
    phase.total_ns.push_back(steps.total_ns(i));
    phase.sum += static_cast<long double>(steps.total_ns(i));
  }
  std::vector<const Phase*> phases;
  phases.reserve(by_name.size());
  for (const auto& [name, phase] : by_name) phases.push_back(&phase);
  std::stable_sort(phases.begin(), phases.end(),
                   [](const Phase* x, const Phase* y) { return x->sum > y->sum; });
  phases.resize(std::min(phases.size(), Sequence::max_phases));
  std::vector<size_t> typical;
  typical.reserve(phases.size());
  for (const Phase* phase : phases) {
    typical.push_back(phase->steps[median_place(phase->total_ns)]);
  }
  return typical;
}

class SequenceFinder {
 public:
  SequenceFinder(const LabelledTrace& run, const classify::Attribution& attribution,
                 const RunSummary& summary)
      : run_(run), attribution_(attribution), places_(run, summary) {}

  void add_steps(const StepParts& steps) {
    const std::vector<size_t> typical = typical_steps(steps);
    if (typical.empty()) return;
    // By step: which of the typical ones it is in, one bit each.
    std::vector<uint32_t> inside(steps.size(), 0);
    for (size_t k = 0; k < typical.size(); ++k) inside[typical[k]] |= 1U << k;
    for (size_t i = 0; i < steps.size(); ++i) {  // an outer step began earlier
      if (const auto outer = steps.outer(i)) inside[i] |= inside[*outer];
    }
    std::vector<Part> parts(typical.size());
    for (size_t i = 0; i < run_.trace.operations.size(); ++i) {
      const uint32_t step = attribution_.step_of[i];
      if (step == classify::Attribution::none || inside[step] == 0) continue;
      for (size_t k = 0; k < parts.size(); ++k) {
        if ((inside[step] >> k & 1U) != 0) parts[k].add(device(i), i);
      }
    }
    for (size_t k = 0; k < parts.size(); ++k) {
      add(parts[k], Sequence::Of::step, std::string(steps.phase(typical[k])));
    }
  }

  void add_layers() {
    size_t number = 0;
    for (const classify::LayerEvidence& one : classify::layer_evidence(attribution_)) {
      if (one.block.level != 0) continue;
      if (number == Sequence::max_phases) return;
      const uint64_t first = one.block.first_layer, end = first + one.block.repeats;
      const size_t operations = run_.trace.operations.size();
      size_t from = operations, to = 0;
      for (size_t i = 0; i < operations; ++i) {
        const uint32_t layer = attribution_.layer_of[i];
        if (layer == classify::NumberOfOperation::none || layer < first || layer >= end) continue;
        from = std::min(from, i);
        to = i + 1;
      }
      Part part;
      const int32_t own = run_.trace.track({one.block.track}).device;
      for (size_t i = from; i < to; ++i) {
        if (device(i) == own) part.add(own, i);
      }
      add(part, Sequence::Of::layers, std::to_string(number++));
    }
  }

  void add_run() {
    Part part;
    for (size_t i = 0; i < run_.trace.operations.size(); ++i) part.add(device(i), i);
    add(part, Sequence::Of::run, {});
  }

  std::vector<Sequence> take() { return std::move(found_); }

 private:
  int32_t device(size_t operation) const {
    return run_.trace.track(run_.trace.operations[operation].track).device;
  }

  void add(const Part& part, Sequence::Of of, const std::string& phase) {
    Sequence sequence = part.sequence(of, phase, places_);
    if (!sequence.names.empty()) found_.push_back(std::move(sequence));
  }

  const LabelledTrace& run_;
  const classify::Attribution& attribution_;
  PlacesOfRows places_;
  std::vector<Sequence> found_;
};

}  // namespace

const char* to_string(Sequence::Of of) noexcept {
  switch (of) {
    case Sequence::Of::step:
      return "step";
    case Sequence::Of::layers:
      return "layers";
    case Sequence::Of::run:
      break;
  }
  return "run";
}

std::optional<Sequence::Of> sequence_part_from(std::string_view text) noexcept {
  for (const auto of : {Sequence::Of::step, Sequence::Of::layers, Sequence::Of::run}) {
    if (text == to_string(of)) return of;
  }
  return std::nullopt;
}

size_t median_place(const std::vector<int64_t>& total_ns) {
  KR_CHECK(!total_ns.empty());
  std::vector<size_t> order(total_ns.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  std::nth_element(order.begin(), middle, order.end(), [&](size_t x, size_t y) {
    return std::pair(total_ns[x], x) < std::pair(total_ns[y], y);
  });
  return *middle;
}

std::vector<Sequence> find_sequences(const LabelledTrace& run,
                                     const classify::Attribution& attribution,
                                     const StepSums& steps, const RunSummary& summary) {
  SequenceFinder finder(run, attribution, summary);
  finder.add_steps(steps.steps);
  finder.add_layers();
  finder.add_run();
  return finder.take();
}

facts::Computed<Sequences> Sequences::compute(const facts::Input& run) {
  return Sequences{find_sequences(run.trace, run.trace.attribution(run.rules),
                                  run.facts.get<StepSums>(), run.summary)};
}

void save_sequences(facts::Fields& io, std::vector<Sequence>& all, size_t names) {
  /// Steps of phases, layers, and the run.
  constexpr size_t max_sequences = 2 * Sequence::max_phases + 1;
  io.list("sequences", all, [&](facts::Fields& row, Sequence& one) {
    row.choice("of", one.of, sequence_part_from);
    row.text("phase", one.phase);
    row.list("names", one.names, [&](facts::Fields& place, uint32_t& name) {
      place.number("name", name);
      if (!place.reads()) return;
      if (name >= names) place.refuse("has a sequence of names that it does not have");
      if (one.names.size() == Sequence::max_places || all.size() == max_sequences) {
        place.refuse("has sequences that are too long");
      }
    });
  });
}

void Sequences::saved(facts::Fields& io, const RunSummary& run) {
  save_sequences(io, all, run.names.size());
}

}  // namespace kr::analyze
