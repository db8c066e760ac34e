// Converts the lists of the assembly to the Program's engines and models.
#include <algorithm>

#include "sema/assembly.hpp"

namespace kr::sema {

void Assembly::fill() {
  std::vector<EngineId> engines(lineage_.engines().size());
  for (uint32_t e = 0; e < engines.size(); ++e) {
    const EngineNode& node = lineage_.engines()[e];
    if (!scope_.module(node.module).root) continue;
    const syntax::Engine& written = *node.written;
    engines[e] = program_.engines.add({written.name.text,
                                       written.title ? written.title->text : "",
                                       written.doc,
                                       {},
                                       contents_[e].detect,
                                       written.name.span});
    // Create all ids first: a base may be declared later.
    for (const uint32_t m : node.models) {
      models_[m] = program_.models.add({});
      program_.engines.get(engines[e]).models.push_back(models_[m]);
    }
  }
  for (uint32_t m = 0; m < models_.size(); ++m) {
    if (models_[m].valid()) fill_model(m, engines[lineage_.models()[m].engine]);
  }
}

void Assembly::fill_model(uint32_t model, EngineId engine) {
  const ModelNode& node = lineage_.models()[model];
  Model made;
  made.engine = engine;
  made.name = lineage_.name_of(model);
  if (node.written) {
    if (node.written->title) made.title = node.written->title->text;
    made.doc = node.written->doc;
    made.span = node.written->name.span;
  }
  if (node.base && models_[*node.base].valid()) made.base = models_[*node.base];
  made.detect = contents_[lineage_.model_body(model)].detect;
  for (const BodyId body : bodies_of(lineage_.model_body(model))) {
    const Content& content = contents_[body];
    made.folds.insert(made.folds.end(), content.folds.begin(), content.folds.end());
    if (content.abbreviations == nullptr) continue;
    for (const syntax::Abbreviation& one : *content.abbreviations) {
      made.abbreviations.push_back({one.from.text, one.to.text, one.span});
    }
  }
  fill_tables(model, made);
  program_.models.get(models_[model]) = std::move(made);
}

void Assembly::fill_tables(uint32_t model, Model& made) {
  const BodyId body = lineage_.model_body(model);
  for (const auto& [dimension, list] : lists_[body]) {
    std::vector<RuleId> rules;
    rules.reserve(list->rules.size() + 1);
    for (const Placed& placed : list->rules) rules.push_back(placed.rule);
    if (!budget_.spend(rules.size(), span_of(body))) rules.clear();
    if (dimension == tables_.phases()) {
      if (list->otherwise) rules.push_back(*list->otherwise);
      made.phases = std::move(rules);
      continue;
    }
    if (!list->any) continue;
    Table table{{dimension}, std::move(rules), list->otherwise, {}, false};
    const Vocabulary& all = vocabulary(body, dimension);
    table.closed = all.closed();
    if (budget_.spend(16 * all.labels().size(), span_of(body))) table.vocabulary = all.labels();
    made.tables.push_back(std::move(table));
  }
}

}  // namespace kr::sema
