// Which operations of the runs of a job wait for each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyze/run.hpp"
#include "job/job.hpp"
#include "replay/together.hpp"

namespace kr::what_if {

struct JobWaits {
  std::vector<std::vector<replay::CollectivePart>> parts;  // by run, by operation
  std::vector<int64_t> shift_ns;  // by run: from its clock to that of the job
  /// Why it is not known how long the runs would wait for each other; empty: it is known.
  std::string unknown_reason;
  /// A single device of unknown rank communicates: its communication is taken for its own time.
  bool alone = false;

  /// Of runs that wait for nobody.
  static JobWaits none(size_t runs);
};

/// Collectives that need data of all of their members, of process groups whose members are all
/// here, on one clock. If other communication takes more than `largest_error` of the span of a run,
/// the waits are not known. `of`: of `runs`; `job`: of `of`. Where a single device of unknown rank
/// communicates, nothing says that it waits: its communication is its own time.
JobWaits waits_of(std::span<const analyze::LabelledTrace* const> runs,
                  std::span<const job::JobRun> of, const job::Job& job);

}  // namespace kr::what_if
