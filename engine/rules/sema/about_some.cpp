#include "sema/about_some.hpp"

#include <algorithm>

namespace kr::sema {

bool is_about_some(const Program& program, const Table& table) {
  const auto gives = [&](RuleId rule) { return program.rules.get(rule).label == none_label; };
  return std::ranges::any_of(table.rules, gives) || (table.otherwise && gives(*table.otherwise));
}

}  // namespace kr::sema
