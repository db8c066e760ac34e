#include "classify/classify.hpp"

namespace kr {

const DimensionLabels* Labelled::find(DimensionId dimension) const {
  for (const DimensionLabels& labels : dimensions) {
    if (labels.dimension == dimension) return &labels;
  }
  return nullptr;
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
      const auto rule_id = matchers[d].match(subject);
      Given given{reserved::unclassified, rule_id, false};
      if (rule_id) {
        const Rule& rule = program.rules.get(*rule_id);
        given.label = rule.keep ? name.text : std::string_view(rule.label);
        given.explained = !rule.otherwise;
      }
      labelled.dimensions[d].by_name.push_back(given);
    }
  }
  return labelled;
}

}  // namespace kr
