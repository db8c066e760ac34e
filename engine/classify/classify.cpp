#include "classify/classify.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace kr {

const DimensionLabels* Labelled::find(DimensionId dimension) const {
  for (const DimensionLabels& labels : dimensions) {
    if (labels.dimension == dimension) return &labels;
  }
  return nullptr;
}

DimensionId named_dimension(const Program& program, const std::string& name) {
  if (const auto dimension = program.dimension(name)) return *dimension;
  std::vector<std::string> known;
  for (const Dimension& dimension : program.dimensions) known.push_back(dimension.name);
  throw Error("", fmt::format("the rules have no dimension `{}`", name), near_or_all(name, known));
}

Given given(const Program& program, std::optional<RuleId> rule_id, std::string_view name) {
  if (!rule_id) return {reserved::unclassified, rule_id, false};
  const Rule& rule = program.rules.get(*rule_id);
  return {rule.keep ? name : std::string_view(rule.label), rule_id, !rule.otherwise};
}

Labelled classify(const Program& program, const MatchedNames& matched, const Trace& trace,
                  ModelId model) {
  Labelled labelled{model, {}};
  std::vector<TableMatcher> matchers;
  for (const Table& table : program.models.get(model).tables) {
    matchers.emplace_back(program, table);
    labelled.dimensions.push_back({table.dimension, {}});
    labelled.dimensions.back().by_name.reserve(matched.size());
  }
  AtomSet set(program.atoms.size());
  for (uint32_t i = 0; i < matched.size(); ++i) {
    const OperationName& name = trace.names.get({i});
    matched.fill({i}, set);
    const Subject subject{.name = &set, .kind = name.kind};
    for (size_t d = 0; d < matchers.size(); ++d) {
      labelled.dimensions[d].by_name.push_back(
          given(program, matchers[d].match(subject), name.text));
    }
  }
  return labelled;
}

}  // namespace kr
