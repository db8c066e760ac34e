// What a session reads, what it says of it, and the name that it explains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kr {

/// A trace, and what it is a trace of; or a saved run, `FILE.krun`, which has its own engine, model
/// and time, and no operations.
struct RunSource {
  std::string path;         // `-`: standard input
  std::string engine = {};  // empty: detected
  std::string model = {};   // empty: detected
  /// The measured time of the run. 0 or none: from the first start to the last end.
  std::optional<int64_t> elapsed_ns = {};
};

/// Runs that are the ranks of one job.
struct JobSource {
  std::string name;
  std::vector<RunSource> runs;
};

/// How far reading is.
struct ReadProgress {
  const RunSource& run;
  uint64_t done;   // bytes of the file, or rows
  uint64_t total;  // 0: unknown
};

/// Something that a reader of the results should know.
struct RunNote {
  std::string run;       // empty: all
  std::string severity;  // `info`, `warning`
  std::string code;      // stable: `dropped-records`
  std::string text;
  std::optional<int64_t> count = {};
  std::optional<int64_t> first_offset = {};  // bytes from the start of the file
};

/// The name of an operation, for `explanations`.
struct NameQuery {
  std::string name;
  std::string engine = {};  // empty: detected
  std::string model = {};   // empty: detected
  std::string kind = {};    // `kernel`, `memcpy`, `memset`; empty: any
  /// Names of enclosing modules and ranges, outermost first. Absent: any.
  std::optional<std::vector<std::string>> within = {};
};

/// One operation of a trace, for `explanations`.
struct OperationQuery {
  std::optional<int64_t> start_ns = {};
  std::string name = {};  // if there is no start: the first operation of this name
  std::optional<int64_t> device = {};
  std::optional<int64_t> stream = {};
};

}  // namespace kr
