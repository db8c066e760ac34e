#include "analyze/found_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/device_phases.hpp"
#include "analyze/label_sums.hpp"
#include "base/check.hpp"
#include "scopes/sum_by.hpp"
#include "text/numbers.hpp"

namespace kr::analyze {
namespace {

constexpr std::array phase_names{"model_load", "prefill", "decode", "idle", "other"};
constexpr std::array confidence_names{"low", "medium", "high"};

TimesOf times_of(std::vector<int64_t> times) {
  TimesOf out;
  for (const int64_t ns : times) out.mean_ns += static_cast<double>(ns);
  out.mean_ns /= static_cast<double>(times.size());
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  out.median_ns = static_cast<double>(times[half]);
  if (times.size() % 2 == 0)
    out.median_ns = (out.median_ns + static_cast<double>(times[half - 1])) / 2;
  return out;
}

const char* shown_by(Boundary boundary) {
  switch (boundary) {
    case Boundary::copies:
      return "a copy between host and device";
    case Boundary::labels:
      return "a kernel labelled as sampling or embedding";
    case Boundary::graphs:
      return "a launch of a graph";
    case Boundary::gaps:
      return "their longest gap";
    case Boundary::none:
      break;
  }
  return "";
}

/// One phase of one device, from what was found.
class PartMaker {
 public:
  PartMaker(const DevicePhases& device, int32_t number) : device_(device), number_(number) {}

  FoundPart make(FoundPhase phase) const {
    const PhaseShare& share = device_.shares[static_cast<size_t>(phase)];
    FoundPart part;
    part.device = number_;
    part.phase = phase;
    part.stretches = share.stretches;
    part.instances = share.instances;
    part.total_ns = share.total_ns;
    part.busy_ns = share.busy_ns;
    part.span_ns = share.span_ns;
    add_steps(part);
    switch (phase) {
      case FoundPhase::model_load:
        describe_load(part);
        break;
      case FoundPhase::idle:
        part.confidence = Confidence::high;
        part.evidence = fmt::format("{} of {} or more", text::counted(device_.idle_gaps, "gap"),
                                    text::human_time(device_.idle_gap_ns));
        break;
      default:
        describe_steps(part);
    }
    return part;
  }

 private:
  void add_steps(FoundPart& part) const {
    std::vector<int64_t> spans, layers;
    for (const FoundStep& step : device_.steps) {
      if (step.phase != part.phase) continue;
      if (part.steps++ == 0) part.layers = step.layers;
      if (part.layers != step.layers) part.layers.reset();
      spans.push_back(step.span_ns);
      if (step.layer_ns) layers.push_back(*step.layer_ns);
    }
    if (part.steps == 0) return;
    part.step = times_of(std::move(spans));
    if (!layers.empty()) part.layer = times_of(std::move(layers));
    if (part.phase == FoundPhase::decode && device_.verdict.one_token_per_step) {
      part.tokens = part.steps;
    }
  }

  void describe_load(FoundPart& part) const {
    const bool mostly = device_.load_copies_ns * 10 >= part.total_ns * 9;
    part.confidence = mostly && device_.load_is_first ? Confidence::high : Confidence::medium;
    const std::string bytes =
        device_.load_bytes > 0
            ? fmt::format(" of {}", text::in_si(static_cast<double>(device_.load_bytes), "B"))
            : "";
    part.evidence = fmt::format("{} copies from the host{}, {} % of the time of these operations{}",
                                text::grouped(device_.load_copies), bytes,
                                text::percent(device_.load_copies_ns, part.total_ns, 1),
                                device_.load_is_first ? ", before the first step" : "");
  }

  void describe_steps(FoundPart& part) const {
    if (part.steps == 0) {
      part.evidence = "operations outside all steps";
      return;
    }
    const bool repeated = device_.boundary != Boundary::none;
    part.confidence = part.phase == FoundPhase::other
                          ? (repeated ? Confidence::medium : Confidence::low)
                          : device_.verdict.confidence;
    part.evidence = text::counted(part.steps, "step");
    if (part.layers) {
      part.evidence += " of " + text::counted(*part.layers, "layer");
    } else if (!part.layer) {
      part.evidence += ", each with a graph that was traced as one operation";
    }
    part.evidence += fmt::format(", {} {}", part.steps == 1 ? "span" : "median span",
                                 text::human_time(static_cast<int64_t>(part.step->median_ns)));
    if (repeated) {
      part.evidence += fmt::format("; {} % of the steps that repeat end with {}",
                                   std::lround(100 * device_.bounded), shown_by(device_.boundary));
    } else {
      part.evidence += "; no step repeats";
    }
    const bool like_none = part.phase == FoundPhase::other && device_.verdict.any;
    const std::string why =
        like_none ? "neither like prefill nor like decode" : device_.verdict.why;
    if (!why.empty()) part.evidence += "; " + why;
  }

  const DevicePhases& device_;
  int32_t number_;
};

/// What annotations and the finder say of each operation of a run.
class Agreement {
 public:
  /// `attribution`: null where there is nothing to compare with.
  Agreement(const LabelledTrace& run, const classify::Attribution* attribution) : run_(run) {
    if (attribution == nullptr || attribution->steps.empty()) return;
    annotated_ = scopes::by_phase(run.trace, *attribution);
    for (const FoundPhase phase : {FoundPhase::prefill, FoundPhase::decode}) {
      PhaseAgreement& one = all_.emplace_back();
      one.phase = to_string(phase);
      for (const classify::TraceStep& step : attribution->steps) {
        const bool inner = step.outer != classify::Attribution::none &&
                           attribution->steps[step.outer].phase.label == step.phase.label;
        one.annotated_steps += step.phase.label == one.phase && !inner ? 1 : 0;
      }
    }
  }

  void add(const DevicePhases& device, std::span<const uint32_t> operations) {
    std::array<int64_t, 2> steps{};
    for (const FoundStep& step : device.steps) {
      if (step.phase == FoundPhase::prefill) ++steps[0];
      if (step.phase == FoundPhase::decode) ++steps[1];
    }
    for (size_t i = 0; i < all_.size(); ++i) {
      all_[i].found_steps = std::max(all_[i].found_steps, steps[i]);
    }
    if (all_.empty()) return;
    for (size_t i = 0; i < operations.size(); ++i) {
      const int64_t ns = run_.trace.operations[operations[i]].duration_ns;
      for (PhaseAgreement& one : all_) {
        const bool found = to_string(device.phase_of[i]) == one.phase;
        const bool annotated = is_annotated(operations[i], one.phase);
        if (found) one.found_ns += ns;
        if (annotated) one.annotated_ns += ns;
        if (found && annotated) one.both_ns += ns;
      }
    }
  }

  /// Without phases that one of the two does not know at all.
  std::vector<PhaseAgreement> take() {
    std::erase_if(all_, [](const PhaseAgreement& one) { return one.annotated_steps == 0; });
    return std::move(all_);
  }

 private:
  bool is_annotated(uint32_t operation, std::string_view phase) const {
    const std::span<const uint32_t> keys = annotated_->keys(operation);
    return std::any_of(keys.begin(), keys.end(),
                       [&](uint32_t key) { return annotated_->text(key) == phase; });
  }

  const LabelledTrace& run_;
  std::optional<scopes::Scope> annotated_;  // by phase; nullopt: there are no annotations
  std::vector<PhaseAgreement> all_;
};

/// Labels of each phase of a device.
void add_labels(const sema::Program& program, const LabelledTrace& run, const DevicePhases& device,
                std::span<const uint32_t> operations, std::vector<FoundPart>& parts) {
  using Sums = std::pair<int64_t, int64_t>;
  std::vector<Sums> by_row(run.labelled.rows() * found_phase_count);
  for (size_t i = 0; i < operations.size(); ++i) {
    const trace::Operation& operation = run.trace.operations[operations[i]];
    const size_t row = run.labelled.row(operations[i], operation);
    Sums& sums = by_row[row * found_phase_count + static_cast<size_t>(device.phase_of[i])];
    ++sums.first;
    sums.second += operation.duration_ns;
  }
  for (FoundPart& part : parts) {
    LabelSums sums(run.labelled);
    for (size_t row = 0; row < run.labelled.rows(); ++row) {
      const Sums& one = by_row[row * found_phase_count + static_cast<size_t>(part.phase)];
      if (one.first > 0) sums.add(run.labelled, static_cast<uint32_t>(row), one.first, one.second);
    }
    KR_CHECK(sums.total_ns() == part.total_ns);
    part.labels = sums.parts(program, run.labelled);
  }
}

}  // namespace

std::string_view to_string(FoundPhase phase) noexcept {
  return phase_names[static_cast<size_t>(phase)];
}

std::string_view to_string(Confidence confidence) noexcept {
  return confidence_names[static_cast<size_t>(confidence)];
}

FoundPhases find_phases(const match::CompiledRules& rules, const LabelledTrace& run,
                        const classify::Attribution* annotations) {
  FoundPhases out;
  const sema::Program& program = rules.program();
  const std::vector<OperationTraits> traits = operation_traits(program, run.trace, run.labelled);
  Agreement agreement(run, annotations);
  const scopes::Scope devices = scopes::by_device(run.trace);
  const auto operations_of = scopes::sum_by<std::vector<uint32_t>>(
      devices, [](std::vector<uint32_t>& operations, size_t i) {
        operations.push_back(static_cast<uint32_t>(i));
      });
  for (uint32_t key = 0; key < devices.size(); ++key) {
    const auto number = static_cast<int32_t>(devices.number(key));
    const std::vector<uint32_t>& operations = operations_of[key];
    DevicePhases device = find_device_phases(run, operations, traits);
    agreement.add(device, operations);
    if (device.steps.empty()) continue;
    std::vector<FoundPart> parts;
    const PartMaker maker(device, number);
    for (size_t phase = 0; phase < found_phase_count; ++phase) {
      const PhaseShare& share = device.shares[phase];
      if (share.instances == 0 && share.span_ns == 0) continue;
      parts.push_back(maker.make(static_cast<FoundPhase>(phase)));
    }
    add_labels(program, run, device, operations, parts);
    std::move(parts.begin(), parts.end(), std::back_inserter(out.parts));
    std::move(device.steps.begin(), device.steps.end(), std::back_inserter(out.steps));
  }
  if (out.steps.empty()) {
    out.nothing = "no kernels repeat like the layers and steps of a model";
    return out;
  }
  out.agreement = agreement.take();
  return out;
}

facts::Computed<FoundPhases> FoundPhases::compute(const facts::Input& run) {
  const bool annotated = run.trace.trace.host != nullptr;
  return find_phases(run.rules, run.trace, annotated ? &run.trace.attribution(run.rules) : nullptr);
}

facts::Computed<ShownPhases> ShownPhases::compute(const facts::Input& run) {
  // Reading a host trace takes long; without one, finding phases adds half to the time of a report,
  // and twice the memory of the operations.
  constexpr size_t max_operations = 500'000;
  const trace::Trace& trace = run.trace.trace;
  if (names_phases(run.rules, run.trace)) {
    return facts::Computed<ShownPhases>::absent("phases are annotated");
  }
  if (!trace.host && trace.operations.size() > max_operations) return ShownPhases{{}, true};
  return ShownPhases{find_phases(run.rules, run.trace), false};
}

std::optional<Warning> ShownPhases::note(const facts::Input&) const {
  if (!too_many) return std::nullopt;
  return Warning{"no-found-phases",
                 "Phases are not looked for in reports of more than 500,000 operations: "
                 "`kr analyze --tables found_phases` does.",
                 "info"};
}

}  // namespace kr::analyze
