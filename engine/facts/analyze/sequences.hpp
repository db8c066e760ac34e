// The names of operations in order of start, in typical parts of a run: what a comparison aligns to
// see which name replaces which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/run.hpp"
#include "analyze/steps.hpp"

namespace kr::analyze {

/// Of the device that has most operations there.
struct Sequence {
  enum class Of : uint8_t {
    step,    // the step of median time of a phase, without steps inside a step of that phase
    layers,  // a block of layers, of those with most time
    run,     // the run from its first operation
  };
  Of of = Of::run;
  std::string phase;            // of a step; the number of a block of layers, from 0; else empty
  std::vector<uint32_t> names;  // by start: places in RunSummary::names; at most `max_places`

  static constexpr size_t max_places = 2048;
  /// Of phases, those with most time; and as many blocks of layers that differ in their shape.
  static constexpr size_t max_phases = 4;
};
struct Sequences {
  static constexpr facts::Set uses = facts::Set::of<RunSummary, StepSums>();
  static constexpr facts::Reads reads = facts::Reads::host;
  static facts::Computed<Sequences> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::vector<Sequence> all;  // see find_sequences
};

/// The list `sequences` of a saved run with so many names.
void save_sequences(facts::Fields& io, std::vector<Sequence>& all, size_t names);

const char* to_string(Sequence::Of of) noexcept;
/// Nothing for any other text.
std::optional<Sequence::Of> sequence_part_from(std::string_view text) noexcept;

/// The place of the median; of an even number of times that of the longer of the middle two, so
/// that one stray short step is never it. `total_ns` is not empty.
size_t median_place(const std::vector<int64_t>& total_ns);

/// `summary` and `steps` are those of the run. Empty for a run without operations.
std::vector<Sequence> find_sequences(const LabelledTrace& run,
                                     const classify::Attribution& attribution,
                                     const StepSums& steps, const RunSummary& summary);

}  // namespace kr::analyze
