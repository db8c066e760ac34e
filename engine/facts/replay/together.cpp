#include "replay/together.hpp"

#include <algorithm>
#include <optional>

#include "base/saturated.hpp"
#include "replay/sweep.hpp"

namespace kr::replay {
namespace {

size_t collectives_of(std::span<const RunInJob> runs) {
  size_t count = 0;
  for (const RunInJob& run : runs) {
    for (const CollectivePart& part : run.parts) {
      count = std::max(count, static_cast<size_t>(part.collective) + 1);
    }
  }
  return count;
}

class Together {
 public:
  Together(std::span<const RunInJob> runs, const VisitOfRun& visit)
      : runs_(runs), visit_(visit), collectives_(collectives_of(runs)) {
    std::vector<const trace::Trace*> traces;
    std::vector<std::vector<CollectivePart>> parts;
    traces.reserve(runs.size());
    parts.reserve(runs.size());
    for (const RunInJob& run : runs) {
      traces.push_back(&run.model->trace());
      parts.emplace_back(run.parts.begin(), run.parts.end());
    }
    times_ = part_times(traces, parts);
    sweeps_.reserve(runs.size());
    for (uint32_t run = 0; run < runs.size(); ++run) {
      sweeps_.emplace_back(*runs[run].model, *runs[run].changed, nullptr);
      sweeps_[run].join(runs[run].parts, times_[run]);
      for (uint32_t part = 0; part < runs[run].parts.size(); ++part) {
        const CollectivePart& one = runs[run].parts[part];
        Collective& collective = collectives_[one.collective];
        if (one.waits) collective.waiting.push_back({run, part});
        if (one.is_needed) ++collective.missing;
      }
    }
  }

  size_t replay() {
    while (true) {
      bool done = true, went_on = false;
      for (uint32_t run = 0; run < sweeps_.size(); ++run) {
        done &= sweeps_[run].advance(visit_of(run));
        went_on |= arrive(run);
      }
      if (done) return without_all_;
      if (!went_on) go_on_without_all();
    }
  }

 private:
  struct Member {
    uint32_t run;
    uint32_t part;
  };
  struct Collective {
    std::vector<Member> waiting;
    size_t missing = 0;       // that are needed and have not begun
    int64_t last_ns = never;  // begin of those that are needed, on the clock of all
  };

  Model::Visit visit_of(uint32_t run) const {
    return [this, run](uint32_t operation, int64_t start_ns, int64_t end_ns) {
      visit_(run, operation, start_ns, end_ns);
    };
  }
  const CollectivePart& part_of(const Member& member) const {
    return runs_[member.run].parts[member.part];
  }

  /// What began on a run since the last call. Whether it did anything.
  bool arrive(uint32_t run) {
    bool ended = false;
    for (const auto& [part, begin_ns] : sweeps_[run].take_begun()) {
      const CollectivePart& of = runs_[run].parts[part];
      Collective& collective = collectives_[of.collective];
      if (of.is_needed) {
        collective.last_ns = std::max(collective.last_ns, add_saturated(begin_ns, of.shift_ns));
        --collective.missing;
      }
      if (collective.missing > 0) continue;
      // Those that have not begun end when they do.
      for (const Member& one : collective.waiting) end(one, collective.last_ns);
      ended = true;
    }
    return ended;
  }
  void end(const Member& member, int64_t last_ns) {
    const int64_t local_ns = subtract_saturated(last_ns, part_of(member).shift_ns);
    sweeps_[member.run].end_part(member.part, local_ns, visit_of(member.run));
  }

  /// Ends the collective that is needed first as measured, on the member that needs it.
  void go_on_without_all() {
    std::optional<Member> first;
    int64_t first_ns = 0;
    for (uint32_t run = 0; run < sweeps_.size(); ++run) {
      const auto part = sweeps_[run].first_needed();
      if (!part) continue;
      const CollectivePart& of = runs_[run].parts[*part];
      const trace::Operation& operation = runs_[run].model->trace().operations[of.operation];
      const int64_t needed_ns = add_saturated(operation.end_ns(), of.shift_ns);
      if (!first || needed_ns < first_ns) first = Member{run, *part};
      first_ns = first->run == run ? needed_ns : first_ns;
    }
    ++without_all_;
    const PartTime& time = times_[first->run][first->part];
    Sweep& sweep = sweeps_[first->run];
    const int64_t last_ns = add_saturated(sweep.begin_ns_of(first->part), time.to_last_ns);
    sweep.end_part(first->part, last_ns, visit_of(first->run));
  }

  std::span<const RunInJob> runs_;
  const VisitOfRun& visit_;
  std::vector<Collective> collectives_;
  std::vector<std::vector<PartTime>> times_;
  std::vector<Sweep> sweeps_;
  size_t without_all_ = 0;
};

}  // namespace

std::vector<std::vector<PartTime>> part_times(std::span<const trace::Trace* const> traces,
                                              std::span<const std::vector<CollectivePart>> parts) {
  std::vector<int64_t> last_ns;  // by collective, on the clock of all
  const auto begin_ns = [&](size_t run, const CollectivePart& part) {
    return add_saturated(traces[run]->operations[part.operation].start_ns, part.shift_ns);
  };
  for (size_t run = 0; run < parts.size(); ++run) {
    for (const CollectivePart& part : parts[run]) {
      if (part.collective >= last_ns.size()) last_ns.resize(part.collective + 1, never);
      int64_t& last = last_ns[part.collective];
      if (part.is_needed) last = std::max(last, begin_ns(run, part));
    }
  }
  std::vector<std::vector<PartTime>> out(parts.size());
  for (size_t run = 0; run < parts.size(); ++run) {
    out[run].reserve(parts[run].size());
    for (const CollectivePart& part : parts[run]) {
      const int64_t to_last_ns = subtract_saturated(last_ns[part.collective], begin_ns(run, part));
      out[run].push_back({part.waits ? std::max<int64_t>(0, to_last_ns) : 0,
                          traces[run]->operations[part.operation].duration_ns});
    }
  }
  return out;
}

size_t replay_together(std::span<const RunInJob> runs, const VisitOfRun& visit) {
  return Together(runs, visit).replay();
}

}  // namespace kr::replay
