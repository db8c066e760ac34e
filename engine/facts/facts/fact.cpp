#include "facts/fact.hpp"

namespace kr::facts {

std::string names_of(Set set) {
  static constexpr std::array<std::string_view, fact_count> names{
#define KR_FACT(space, type, name) name,
#define KR_RESULT KR_FACT
#include "facts/facts.def"
#undef KR_FACT
#undef KR_RESULT
  };
  std::string out;
  set.each([&](Id id) {
    if (!out.empty()) out += ", ";
    out += names[static_cast<size_t>(id)];
  });
  return out;
}

}  // namespace kr::facts
