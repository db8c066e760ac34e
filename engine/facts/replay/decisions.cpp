// What decided the starts of operations, and the critical path through them.
#include <algorithm>

#include "replay/model.hpp"
#include "replay/sweep.hpp"

namespace kr::replay {

using trace::Launch;
using trace::Operation;

struct Decisions::Recorded : Sweep::Recorded {};

namespace {

/// Pieces of time, one before the other.
class Backwards {
 public:
  Backwards(uint32_t operation, int64_t until_ns, int64_t first_ns,
            const Decisions::VisitPiece& visit)
      : operation_(operation), until_ns_(until_ns), first_ns_(first_ns), visit_(visit) {}

  int64_t until_ns() const noexcept { return until_ns_; }
  void piece(PathPart part, int64_t from_ns, uint32_t call = nothing, uint32_t thread = nothing) {
    from_ns = std::max(from_ns, first_ns_);
    if (from_ns >= until_ns_) return;
    visit_({part, from_ns, until_ns_, operation_, call, thread});
    until_ns_ = from_ns;
  }

 private:
  uint32_t operation_;
  int64_t until_ns_;
  int64_t first_ns_;
  const Decisions::VisitPiece& visit_;
};

}  // namespace

Decisions::Decisions(const Model& model) : model_(model), recorded_(std::make_unique<Recorded>()) {
  const Changed unchanged;
  Sweep(model, unchanged, recorded_.get())
      .advance([&](uint32_t operation, int64_t, int64_t end_ns) {
        const bool later = last_ == nothing || end_ns >= model_.trace_.operations[last_].end_ns();
        if (later) last_ = operation;
      });
}

Decisions::~Decisions() = default;

Decisions::Before Decisions::back_from(uint32_t operation, int64_t from_ns,
                                       const VisitPiece& visit) const {
  const auto& operations = model_.trace_.operations;
  const int64_t start_ns = operations[operation].start_ns;
  Backwards back(operation, start_ns, from_ns, visit);
  const auto reached = [&](uint32_t before) { return Before{before, back.until_ns()}; };
  const uint32_t launch = model_.launch_of(operation);
  const uint32_t after = recorded_->after[operation];
  const bool early = launch != nothing && model_.call(launch).start_ns > start_ns;
  if (!recorded_->by_launch[operation] && !early) {
    // It began while the one before it on its stream ran, some time after that began.
    if (after != nothing && operations[after].end_ns() > start_ns) return reached(after);
    const bool ended = after != nothing;
    const int64_t end_ns = ended ? operations[after].end_ns() : from_ns;
    const bool usual = ended && start_ns - end_ns <= longest_delay_ns;
    back.piece(usual ? PathPart::delay : PathPart::unexplained, end_ns);
    return reached(ended ? after : nothing);
  }
  const Launch& call = model_.call(launch);
  const int64_t called_ns = std::min(call.start_ns, start_ns);
  const int64_t latency_ns = std::min(start_ns - called_ns, model_.latency_of(launch));
  if (call.end_ns() >= start_ns - latency_ns) {
    back.piece(PathPart::launch, start_ns - latency_ns, launch);
    back.piece(PathPart::host, called_ns, launch, call.thread);
  } else {
    // It was launched, and nothing that the trace shows kept it from starting.
    const int64_t excess_ns = start_ns - called_ns - latency_ns;
    back.piece(PathPart::unexplained,
               excess_ns > longest_delay_ns ? called_ns : start_ns - excess_ns);
    back.piece(PathPart::launch, called_ns, launch);
  }
  for (uint32_t number = recorded_->segment_of[launch]; number != nothing;) {
    const Sweep::Recorded::Segment& one = recorded_->segments[number];
    using Kind = Sweep::Recorded::Segment::Kind;
    number = one.before;
    if (one.from_ns > start_ns) continue;  // it began before it was launched
    back.piece(PathPart::host, one.from_ns, nothing, call.thread);
    switch (one.kind) {
      case Kind::waited:
        back.piece(PathPart::synchronization, one.waited_from_ns, one.call);
        return reached(one.operation);
      case Kind::queue:
        back.piece(PathPart::host, one.waited_from_ns, one.call, call.thread);
        return reached(one.operation);
      case Kind::unknown:
        back.piece(PathPart::unexplained, one.waited_from_ns, one.call);
        break;
      case Kind::other_thread:
        back.piece(PathPart::host, one.waited_from_ns, nothing, call.thread);
        break;
    }
  }
  back.piece(PathPart::host, from_ns, nothing, call.thread);
  return reached(nothing);
}

void Decisions::critical_path(const VisitPiece& visit) const {
  const trace::Trace& trace = model_.trace_;
  Before at{last_, trace.last_end_ns};
  uint32_t last = last_;
  while (at.operation != nothing && at.until_ns > trace.first_start_ns) {
    const Operation& operation = trace.operations[at.operation];
    last = at.operation;
    // It began while the one before it on its stream ran, and could not end before that.
    const uint32_t after = recorded_->after[at.operation];
    const int64_t after_end_ns = after != nothing ? trace.operations[after].end_ns() : never;
    Backwards back(last, at.until_ns, trace.first_start_ns, visit);
    if (after_end_ns > operation.start_ns && after_end_ns < at.until_ns) {
      back.piece(PathPart::operation, after_end_ns);
      at = {after, back.until_ns()};
      continue;
    }
    back.piece(PathPart::operation, operation.start_ns);
    at = back_from(last, trace.first_start_ns, visit);
  }
  if (at.until_ns > trace.first_start_ns && last != nothing) {
    visit({PathPart::unexplained, trace.first_start_ns, at.until_ns, last, nothing, nothing});
  }
}

}  // namespace kr::replay
