// What NCCL's own inspector plugin wrote beside a run (plugins/profiler/inspector of NCCL): one
// JSON object per line and operation, one file per process. There are no times of a clock in it: it
// is joined to a trace by the ids of communicators, not operation by operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/warning.hpp"
#include "job/member.hpp"

namespace kr::job {

/// Operations of one rank of a communicator and one kind.
struct InspectedOperations {
  std::string communicator;  // `0xc0ffee00d15ea5e5`, as the groups of collectives
  std::string name;          // of the communicator; may be empty
  int64_t rank = 0;
  int64_t ranks = 0;
  CollectiveKind kind = CollectiveKind::other;
  std::string operation;  // as it is written: `AllReduce`
  int64_t instances = 0;
  // By sequence number; nullopt: none has one.
  std::optional<int64_t> first_sequence;
  std::optional<int64_t> last_sequence;
  int64_t bytes = 0;                       // as NCCL counts: of an allgather one rank's part
  std::optional<int64_t> moved_bytes = 0;  // with the parts of all ranks; nullopt: too large
  int64_t time_ns = 0;                     // whole µs in the file
  int64_t timed_on_gpu = 0;
  int64_t timed_on_host = 0;  // older files do not say where

  std::optional<double> bytes_per_s() const noexcept;
  std::optional<double> bus_bytes_per_s() const noexcept;
};

struct NcclInspector {
  std::vector<InspectedOperations> all;  // by communicator, rank and operation
  std::vector<Warning> warnings;
};

/// `path`: a file, or a folder of files `*.log`. A last line that is cut off and lines that are not
/// records are left out with a warning. Throws Error if it contains no record.
NcclInspector read_nccl_inspector(const std::string& path);

}  // namespace kr::job
