// All meetings of what can be before an operation, the operation, and what can be behind it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "order/compiled.hpp"
#include "order/prove.hpp"

namespace kr::order {

/// What a meeting says of a rule. Ordinary rules and those with brackets of one step are only
/// `sure`.
enum class Role : uint8_t {
  /// The rule labels the operation, unless an earlier one does.
  sure,
  /// The operation can be in the brackets of the rule; begin them; end them.
  inside,
  begin,
  end,
};

struct RuleRole {
  uint32_t rule = 0;
  Role role = Role::sure;
};

/// By place in `Meetings::roles()`, as bits.
using RoleSet = std::vector<uint64_t>;

/// One shortest sequence of those with the same roles.
struct Meeting2 {};

}  // namespace kr::order
