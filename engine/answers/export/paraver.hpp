// Labelled traces as one Paraver trace: `.prv`, `.pcf` and `.row` (see docs/paraver.md).
//
// A task per run, a row per thread of the host and per stream, and one for the samples of each GPU;
// what overlaps has further rows. Operations and calls are events, with the numbers and labels of
// nsys2prv; labels, phases, layers and modules are events of the operation, from type 96000000 on.
// A communication leads from each call to each operation that it launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyze/run.hpp"
#include "base/gzip.hpp"

namespace kr::exports {

struct ParaverParts;

class ParaverTrace {
 public:
  static constexpr size_t usual_memory = size_t{256} << 20;

  /// Errors name the trace `shown`. More records than fit in `memory_bytes` go to
  /// the folder for temporary files. The rules have to outlive it.
  ParaverTrace(const match::CompiledRules& rules, const std::string& shown,
               size_t memory_bytes = usual_memory);
  ~ParaverTrace();

  /// A run, as the next task. Nothing refers to it afterwards. Throws Error: a temporary file
  /// cannot be written.
  void add(const analyze::LabelledTrace& run);

  /// The clock of a run is not known, so that each of several begins with the first event of the
  /// first: see `write`.
  bool has_unknown_clocks() const;

  struct Files {
    ByteSink prv, pcf, row;
  };
  /// Writes the trace, in pieces. Once, after all runs were added.
  ///
  /// Runs are on the clock of the first, by Trace::clock, if that of all is known. `shifts_ns`, by
  /// the source of a run, is added to its times, for clocks that differ. Throws Error: more
  /// rows, or a longer time, than Paraver can read.
  void write(const Files& files, const std::map<std::string, int64_t>& shifts_ns = {});

 private:
  std::unique_ptr<ParaverParts> parts_;
};

}  // namespace kr::exports
