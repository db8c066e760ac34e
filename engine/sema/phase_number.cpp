#include "sema/phase_number.hpp"

namespace kr::sema {

std::optional<PhaseNumber> phase_number(std::string_view group) noexcept {
  if (group == "step") return PhaseNumber::step;
  if (group == "layer") return PhaseNumber::layer;
  if (group == "batch" || group.starts_with("batch_")) return PhaseNumber::batch;
  if (group == "tokens" || group.starts_with("tokens_")) return PhaseNumber::tokens;
  return std::nullopt;
}

const std::vector<std::string>& phase_number_names() {
  static const std::vector<std::string> names{"step", "layer", "batch", "tokens"};
  return names;
}

}  // namespace kr::sema
