// The meaning of named groups in rules of `phases`.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::sema {

/// A number that a rule of `phases` reads from the text of a step.
enum class PhaseNumber {
  step,    // the index of the step
  layer,   // the index of its layer
  batch,   // the requests in it
  tokens,  // the tokens that it processes
};

/// The number of a group named `step`, `layer`, `batch` or `tokens`; none for other names. Groups
/// such as `tokens_context` and `tokens_generation` are parts, which add up to `tokens` (or
/// `batch`).
inline std::optional<PhaseNumber> phase_number(std::string_view group) noexcept {
  if (group == "step") return PhaseNumber::step;
  if (group == "layer") return PhaseNumber::layer;
  if (group == "batch" || group.starts_with("batch_")) return PhaseNumber::batch;
  if (group == "tokens" || group.starts_with("tokens_")) return PhaseNumber::tokens;
  return std::nullopt;
}

/// Numbers that formulas of costs use beside these: of the requests of a step that are prompts
/// (`context`) and of those that generate, the sums of their new tokens (q), of the tokens that
/// they attend to (k), of q × q and of q × k; and, where a text has it, the sum of query and key
/// pairs itself.
inline constexpr std::array<std::string_view, 9> cost_number_names{
    "context_q",    "context_k",     "context_qq",    "context_qk", "generation_q",
    "generation_k", "generation_qq", "generation_qk", "pairs"};

/// The names without a suffix, for suggestions.
inline const std::vector<std::string> phase_number_names{"step", "layer", "batch", "tokens"};

}  // namespace kr::sema
