// What the named groups of a rule of `phases` mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::sema {

/// A number that a rule of `phases` takes from the text of a step.
enum class PhaseNumber {
  step,    // which one it is
  layer,   // which one it is of
  batch,   // requests in it
  tokens,  // that it works on
};

/// `step`, `layer`, `batch`, `tokens`. What a text tells in parts, it tells in groups such as
/// `tokens_context` and `tokens_generation`: parts of `batch` and of `tokens` add up. None: the
/// name means nothing.
std::optional<PhaseNumber> phase_number(std::string_view group) noexcept;

/// The whole names, as a person may mean them.
const std::vector<std::string>& phase_number_names();

}  // namespace kr::sema
