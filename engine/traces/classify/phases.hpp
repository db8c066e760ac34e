// Phases of steps: the rules of a model's `phases`, applied to the text of a step, and the numbers
// that the named groups of their expressions extract from it (see sema/phase_number.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "match/scanner.hpp"

namespace kr::classify {

struct Phase {
  std::string_view label;  // owned by the Program; empty: no rule matches
  std::optional<int64_t> step;
  std::optional<int64_t> layer;
  std::optional<int64_t> batch;   // requests
  std::optional<int64_t> tokens;  // of all requests
  /// What other named groups extract, for formulas of costs.
  std::vector<std::pair<std::string, int64_t>> others;

  /// By the name of a group without a part: `batch`; none: there is none.
  std::optional<int64_t> number(std::string_view name) const noexcept;
};

/// For use by one thread. The Program must outlive it.
class PhaseReader {
 public:
  PhaseReader(const sema::Program& program, const std::shared_ptr<const match::Database>& database,
              sema::ModelId model);
  ~PhaseReader();
  PhaseReader(PhaseReader&&) noexcept;

  /// The first rule that matches. Its numbers come from its first alternative that matches, at the
  /// leftmost match; several parts of a number are added. Text that is not a whole number of 64
  /// bits gives no number.
  Phase read(std::string_view text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr::classify
