#include "prove/lists.hpp"

#include <map>

namespace kr::prove {

std::vector<EffectiveList> effective_lists(const sema::Program& program, Formulas& formulas) {
  std::vector<EffectiveList> lists;
  std::map<std::pair<std::vector<sema::RuleId>, std::optional<sema::RuleId>>, size_t> known;
  const auto add = [&](std::string whose, std::optional<sema::ModelId> model,
                       const std::vector<sema::RuleId>& rules,
                       std::optional<sema::RuleId> otherwise) {
    const auto [at, added] = known.emplace(std::pair{rules, otherwise}, lists.size());
    if (!added) {
      EffectiveList& same = lists[at->second];
      same.whose += ", " + whose;
      if (!same.model) same.model = model;
      return;
    }
    EffectiveList list{std::move(whose), model, {}, otherwise};
    for (const sema::RuleId id : rules) {
      const sema::Rule& rule = program.rules.get(id);
      if (rule.otherwise) {
        list.otherwise = id;  // in `phases` it is among the rules
      } else {
        list.rules.push_back({id, formulas.of(program, rule.expr)});
      }
    }
    lists.push_back(std::move(list));
  };
  for (const sema::SharedTable& table : program.shared_tables) {
    add("table " + table.name, std::nullopt, table.rules, table.otherwise);
  }
  for (const sema::Engine& engine : program.engines) {
    for (const sema::ModelId id : engine.models) {
      const sema::Model& model = program.models.get(id);
      for (const sema::Table& table : model.tables)
        add(program.title(id), id, table.rules, table.otherwise);
      if (!model.phases.empty()) add(program.title(id), id, model.phases, std::nullopt);
    }
  }
  return lists;
}

}  // namespace kr::prove
