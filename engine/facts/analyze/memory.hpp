// The memory of a run: how much of it was in use at most, by phase and step, and which modules
// allocated it.
//
// Times are those of the host, so a phase or step is here the time of its annotation on the host:
// work that it launched may run later. The events of all threads count, of the processes that a
// series has events of. What was in use when a phase began counts for it, too.
//
// Memory: 80 bytes per event while it is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "facts/fact.hpp"
#include "trace/memory.hpp"

namespace kr::trace {
struct Trace;
}
namespace kr::classify {
struct Attribution;
}

namespace kr::analyze {

/// Memory of one kind on one device, as one source reports it.
struct MemoryKind {
  trace::MemorySource source = trace::MemorySource::allocator;
  std::string kind;
  std::optional<int32_t> device;
};

/// A series in the time of the run, of a phase or of a step.
struct MemoryPart {
  size_t series = 0;  // in MemoryUse::series
  size_t key = 0;     // the place of the phase or step
  /// The greatest total, with that at the begin; nothing: none is known.
  std::optional<int64_t> peak_bytes = {};
  std::optional<int64_t> peak_reserved_bytes = {};
  std::optional<int64_t> first_bytes = {};  // after the first event
  std::optional<int64_t> last_bytes = {};   // after the last one
  /// When the peak was reached, or the begin, on the clock of the trace.
  int64_t peak_ns = 0;
  std::optional<size_t> peak_step = {};  // the innermost annotation of a step then
  std::string peak_module = {};          // in which it was reached; empty: none is known
  int64_t allocations = 0;
  int64_t allocated_bytes = 0;
  int64_t releases = 0;
  int64_t released_bytes = 0;
  /// Of these, those of memory that was allocated before the trace began.
  int64_t unknown_releases = 0;
  int64_t out_of_memory = 0;  // requests that failed
};

/// What was allocated directly in modules of one name, on any thread.
struct MemoryModule {
  size_t series = 0;
  std::string module;  // empty: outside modules
  int64_t allocations = 0;
  int64_t allocated_bytes = 0;
};

struct MemoryUse {
  static constexpr facts::Reads reads = facts::Reads::host | facts::Reads::memory;
  /// Absent: the trace has no events of memory.
  static facts::Computed<MemoryUse> compute(const facts::Input& run);

  std::vector<MemoryKind> series;
  int64_t first_start_ns = 0;         // of operations, on the clock of the trace
  std::vector<MemoryPart> whole;      // by series
  std::vector<std::string> phases;    // in order of first occurrence; `(outside steps)` last
  std::vector<MemoryPart> in_phases;  // by series and phase
  std::vector<std::string> steps;     // the annotations, as StepSums numbers them
  std::vector<MemoryPart> in_steps;   // by series and step
  bool has_modules = false;
  std::vector<MemoryModule> modules;  // by series, then by descending bytes, name
};

/// The trace has events of memory. Deterministic.
MemoryUse sum_memory(const trace::Trace& trace, const classify::Attribution& attribution);

}  // namespace kr::analyze
