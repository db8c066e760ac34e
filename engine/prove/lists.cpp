#include "prove/lists.hpp"

#include <map>

namespace kr::prove {

std::vector<EffectiveList> effective_lists(const Program& program, Formulas& formulas) {
  std::vector<EffectiveList> lists;
  std::map<std::pair<std::vector<RuleId>, std::optional<RuleId>>, size_t> known;
  const auto add = [&](std::string whose, std::optional<ModelId> model,
                       const std::vector<RuleId>& rules, std::optional<RuleId> otherwise) {
    const auto [at, added] = known.emplace(std::pair{rules, otherwise}, lists.size());
    if (!added) {
      EffectiveList& same = lists[at->second];
      same.whose += ", " + whose;
      if (!same.model) same.model = model;
      return;
    }
    EffectiveList list{std::move(whose), model, {}, otherwise};
    for (const RuleId id : rules) {
      const Rule& rule = program.rules.get(id);
      if (rule.otherwise) {
        list.otherwise = id;  // that of `phases` stands among the others
      } else {
        list.rules.push_back({id, formulas.of(program, rule.expr)});
      }
    }
    lists.push_back(std::move(list));
  };
  for (const SharedTable& table : program.shared_tables) {
    add("table " + table.name, std::nullopt, table.rules, table.otherwise);
  }
  for (const Engine& engine : program.engines) {
    for (const ModelId id : engine.models) {
      const Model& model = program.models.get(id);
      for (const Table& table : model.tables)
        add(program.title(id), id, table.rules, table.otherwise);
      if (!model.phases.empty()) add(program.title(id), id, model.phases, std::nullopt);
    }
  }
  return lists;
}

}  // namespace kr::prove
