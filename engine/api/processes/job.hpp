// The runs of many files as one saved run, by several processes: each takes the next file when it
// is done with the last, the largest first; what they saved is merged in a tree. The result has the
// same bytes for any number of processes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/part_file.hpp"
#include "classify/run_spec.hpp"
#include "match/compiled_rules.hpp"
#include "processes/processes.hpp"
#include "trace/open.hpp"

namespace kr::processes {

/// Writes the runs of a file, as a saved run, to `location`. Throws Error.
using SaveFile = std::function<void(const classify::RunSpec&, const std::string& location)>;

/// As `kr report --save` does; of a file that is a saved run itself, its runs. `rules` has to
/// outlive the function.
SaveFile file_saver(const match::CompiledRules& rules, trace::OpenOptions open);

struct FileFailure {
  size_t file = 0;   // its place in the list of files
  std::string what;  // names the file
};

struct JobResult {
  bool written = false;                    // in process 0: whether the merged runs are there
  size_t runs = 0;                         // of process 0: how many
  std::vector<FileFailure> failures = {};  // in the order of the files; the same in all processes
};

/// A job is made by each of the processes with the same files.
class Job {
 public:
  /// The saved runs are kept in a folder below that for temporary files, until the object goes.
  /// Throws Error if it cannot be made, or standard input is among the files.
  Job(std::vector<classify::RunSpec> files, SaveFile save);

  /// Saves all files and merges them; process 0 writes the result to `location`, whose errors name
  /// `path`. A file fails that cannot be read, that has the same run as a file before it in the
  /// list, or that was labelled by other rules than the first. With `keep_going` the others are
  /// merged; else the first failure stops all processes, once each is done with its file, and
  /// nothing is written. Throws Error, in process 0 alone, if merging fails.
  JobResult run(Processes& processes, bool keep_going, const std::string& location,
                const std::string& path);

 private:
  std::vector<classify::RunSpec> files_;
  SaveFile save_;
  PartFolder folder_;
};

}  // namespace kr::processes
