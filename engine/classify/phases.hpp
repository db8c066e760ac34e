// Phases of steps: a model's `phases` over the text that a trace has for a step, and the numbers
// that the named groups of their expressions take from it (see sema/phase_number.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "match/scanner.hpp"

namespace kr::classify {

struct Phase {
  std::string_view label;  // owned by the Program; empty: no rule holds
  std::optional<int64_t> step;
  std::optional<int64_t> layer;
  std::optional<int64_t> batch;   // requests
  std::optional<int64_t> tokens;  // of all requests
};

/// For one thread. The Program has to outlive it.
class PhaseReader {
 public:
  PhaseReader(const sema::Program& program, const std::shared_ptr<const match::Database>& database,
              sema::ModelId model);
  ~PhaseReader();
  PhaseReader(PhaseReader&&) noexcept;

  /// The first rule that holds. Its numbers are those of the first alternative in it that holds,
  /// at its leftmost match; where parts of a number are told, their sum. What is not a whole number
  /// or does not fit in 64 bits is none.
  Phase read(std::string_view text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr::classify
