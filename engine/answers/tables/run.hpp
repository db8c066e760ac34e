// What tables know of one run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyze/summary.hpp"
#include "tables/note.hpp"

namespace kr::analyze {
class LabelledTrace;
struct FoundPhases;
struct RunStatistics;
struct StepSums;
struct StreamUses;
}  // namespace kr::analyze
namespace kr::changes {
struct Profile;
}
namespace kr::cost {
struct CostedRun;
}
namespace kr::job {
struct Member;
}
namespace kr::ncu {
struct GpuPeaks;
struct Joined;
}  // namespace kr::ncu
namespace kr::what_if {
struct RunReplay;
}

namespace kr::tables {

/// What is needed of one run. What a run lacks is null; a copy shares the rest.
struct Run {
  analyze::RunSummary summary;
  std::shared_ptr<const analyze::RunStatistics> statistics;
  std::shared_ptr<const analyze::LabelledTrace> trace;  // every operation
  std::shared_ptr<const analyze::FoundPhases> found = {};
  std::shared_ptr<const changes::Profile> saved =
      {};                                       // of a saved run, which has none of these three
  std::shared_ptr<const ncu::Joined> ncu = {};  // where there are pages of ncu
  std::shared_ptr<const std::vector<job::Member>> members = {};  // what communicates, by device
  std::shared_ptr<const cost::CostedRun> costs = {};             // what ops cost
  std::shared_ptr<const what_if::RunReplay> replay = {};         // with the changes requested
  std::shared_ptr<const analyze::StreamUses> streams = {};
  std::shared_ptr<const analyze::StepSums> saved_steps = {};  // of a saved run

  /// Null: not known.
  const analyze::StepSums* steps() const;
};

/// A job that others are compared with: its runs are its ranks.
struct Baseline {
  std::string name;
  std::vector<Run> runs;
};

/// What was read and by which rules, of runs that are not in Source::runs.
struct RunHead {
  std::string run;
  std::string source;
  std::string format;
  std::string engine;
  std::string model;
  std::string why;
  std::vector<Note> notes = {};
};

}  // namespace kr::tables
