// The runs of a Source as parallel jobs: those given, and those they are compared with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/efficiency_scopes.hpp"
#include "tables/source.hpp"

namespace kr::tables {

struct NamedJob {
  std::string name;
  std::string run;  // its id; empty: the job has several runs, or is a baseline
  job::JobEfficiency efficiency;
  size_t ranks = 1;
  /// Processes of the job, if there are more than `ranks`: those are some of them.
  std::optional<int64_t> larger_job = {};
};

/// The job given: all runs, if they are ranks of one, else each run by itself. Without operations a
/// job is left out. They refer to `source`.
std::vector<NamedJob> jobs_of(const Source& source);
/// Those of `--baseline`, in their order; the first is the reference.
std::vector<NamedJob> baseline_jobs(const Source& source);

/// Whether efficiencies say more than that of one device, so that people see them by default.
bool has_parallel_jobs(const Source& source);

}  // namespace kr::tables
