#include "sema/assembly.hpp"

#include <algorithm>
#include <utility>

#include "sema/order.hpp"

namespace kr::sema {

Assembly::Assembly(Program& program, const Scope& scope, Expressions& expressions, Tables& tables,
                   Costs& costs, const Lineage& lineage, Budget& budget, source::FileId kind,
                   diag::Sink& sink)
    : program_(program),
      scope_(scope),
      expressions_(expressions),
      tables_(tables),
      costs_(costs),
      lineage_(lineage),
      budget_(budget),
      sink_(sink),
      kind_module_(kind),
      contents_(lineage.kind_body()),
      lists_(lineage.kind_body()),
      models_(lineage.models().size()) {
  read_kind(kind);
  for (uint32_t e = 0; e < lineage_.engines().size(); ++e) {
    const EngineNode& engine = lineage_.engines()[e];
    read_body(lineage_.engine_body(e), engine.module, engine.written->body);
    for (const uint32_t m : engine.models) {
      const syntax::Model* written = lineage_.models()[m].written;
      if (written) read_body(lineage_.model_body(m), engine.module, written->body);
    }
  }
  for (uint32_t e = 0; e < lineage_.engines().size(); ++e) list_engine(e);
  for (const uint32_t m : lineage_.order()) list_model(m);
}

void Assembly::read_kind(source::FileId kind) {
  RuleList list;
  if (const auto table = scope_.own(kind, "kind", Noun::table)) {
    list = tables_.list(*table);
    for (Placed& placed : list.rules) placed.body = lineage_.kind_body();
  } else {
    sink_.add(diag::code::unknown_table, {kind, 0, 0}, "kind").help("every model inherits from it");
  }
  kind_list_ = std::make_shared<const RuleList>(std::move(list));
}

void Assembly::read_body(BodyId body, source::FileId module, const syntax::Body& written) {
  Content& content = contents_[body];
  const auto add = [&](const syntax::Block& one, std::string_view what) {
    Block block = tables_.block(module, one.dimension, one.over, one.rules);
    const uint32_t dimension = block.dimension;
    const auto [at, added] = content.blocks.emplace(dimension, std::move(block));
    if (added) return;
    sink_.add(diag::code::redefinition, one.dimension.span, what, one.dimension.text)
        .related(at->second.name->span, "first declared here")
        .help("merge the rules of both into one block");
  };
  for (const syntax::Block& one : written.dimensions) add(one, "dimension");
  for (const syntax::Block& one : written.phases) add(one, "block");
  for (const syntax::Fold& fold : written.folds) {
    const ExprId expr = expressions_.resolve(module, fold.expr, SubjectKind::node);
    if (expr.valid()) content.folds.push_back({expr, fold.span});
  }
  content.abbreviations = &written.abbreviations;
  content.costs = costs_.blocks(module, written.costs);
  std::vector<ExprId> detects;
  for (const syntax::Detect& detect : written.detects) {
    detects.push_back(expressions_.resolve(module, detect.expr));
  }
  content.detect = expressions_.any_of(detects);
}

source::FileId Assembly::module_of(BodyId body) const {
  const auto engines = static_cast<uint32_t>(lineage_.engines().size());
  return body < engines ? lineage_.engines()[body].module
                        : lineage_.module_of(lineage_.models()[body - engines]);
}

source::Span Assembly::span_of(BodyId body) const {
  const auto engines = static_cast<uint32_t>(lineage_.engines().size());
  if (body < engines) return lineage_.engines()[body].written->name.span;
  const ModelNode& model = lineage_.models()[body - engines];
  return model.written ? model.written->name.span
                       : lineage_.engines()[model.engine].written->name.span;
}

std::vector<BodyId> Assembly::bodies_of(BodyId body) const {
  const auto engines = static_cast<BodyId>(lineage_.engines().size());
  if (body < engines) return {body};
  const uint32_t model = body - engines;
  std::vector<BodyId> bodies;
  for (const uint32_t one : lineage_.chain(model)) bodies.push_back(lineage_.model_body(one));
  for (const uint32_t engine : lineage_.models()[model].engines) {
    bodies.push_back(lineage_.engine_body(engine));
  }
  return bodies;
}

void Assembly::apply_own(BodyId body, bool incomplete) {
  for (auto& [dimension, block] : contents_[body].blocks) {
    if (dimension != tables_.phases()) tables_.check_labels(block, vocabulary(body, dimension));
    std::shared_ptr<const RuleList>& list = lists_[body][dimension];
    RuleList below = list ? *list : RuleList{};
    below.incomplete |= incomplete;
    RuleList made = apply_block(block, std::move(below),
                                {body, {}, &sink_, &tables_.labels(), &tables_.dimensions()});
    if (!budget_.spend(made.rules.size(), block.name->span)) made.rules.clear();
    list = std::make_shared<const RuleList>(std::move(made));
  }
  check_inherited(body);
}

void Assembly::list_engine(uint32_t engine) {
  const BodyId body = lineage_.engine_body(engine);
  lists_[body].emplace(tables_.kind(), kind_list_);
  apply_own(body, false);
}

void Assembly::list_model(uint32_t model) {
  const ModelNode& node = lineage_.models()[model];
  const BodyId body = lineage_.model_body(model);
  if (!node.base) {
    lists_[body] = lists_[lineage_.engine_body(node.engine)];
  } else if (node.engines == lineage_.models()[*node.base].engines) {
    lists_[body] = lists_[lineage_.model_body(*node.base)];
  } else {
    inherit_from_all(model);
  }
  apply_own(body, node.incomplete);
}

// The base has other engines than the model, or in another order. So the model's inherited rules
// are assembled from all its ancestors, the farthest first; each edits only what it inherits
// itself.
void Assembly::inherit_from_all(uint32_t model) {
  const std::vector<uint32_t> chain = lineage_.chain(model);
  const std::vector<uint32_t>& engines = lineage_.models()[model].engines;
  std::map<uint32_t, RuleList> lists;
  lists[tables_.kind()] = *kind_list_;
  const auto apply = [&](BodyId body, const std::vector<BodyId>& ancestors) {
    for (const auto& [dimension, block] : contents_[body].blocks) {
      const auto may_edit = [&](BodyId one) {
        return one == lineage_.kind_body() || std::ranges::find(ancestors, one) != ancestors.end();
      };
      RuleList& list = lists[dimension];
      list = apply_block(block, std::move(list), {body, may_edit});
      if (!budget_.spend(list.rules.size(), block.name->span)) list.rules.clear();
    }
  };
  for (auto engine = engines.rbegin(); engine != engines.rend(); ++engine) {
    apply(lineage_.engine_body(*engine), {});
  }
  for (auto one = chain.rbegin(); one != chain.rend() && *one != model; ++one) {
    std::vector<BodyId> ancestors = bodies_of(lineage_.model_body(*one));
    ancestors.erase(ancestors.begin());
    apply(lineage_.model_body(*one), ancestors);
  }
  Lists& made = lists_[lineage_.model_body(model)];
  for (auto& [dimension, list] : lists) {
    made[dimension] = std::make_shared<const RuleList>(std::move(list));
  }
}

// The lists as the Program's engines and models.

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
  fill_costs(model, made);
  fill_tables(model, made);
  program_.models.get(models_[model]) = std::move(made);
}

void Assembly::fill_costs(uint32_t model, Model& made) {
  const std::vector<BodyId> bodies = bodies_of(lineage_.model_body(model));
  const auto add = [&](const std::vector<CostId>& costs) {
    if (!budget_.spend(costs.size(), span_of(bodies.front()))) return;
    made.costs.insert(made.costs.end(), costs.begin(), costs.end());
  };
  for (const BodyId body : bodies) add(contents_[body].costs);
  std::vector<source::FileId> files;
  for (const BodyId body : bodies) {
    const source::FileId file = module_of(body);
    if (std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
  for (const source::FileId file : files) add(costs_.of_file(file));
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
    if (list->over) {
      made.order_tables.push_back({std::move(table), {*list->over}, list->scopes});
    } else {
      made.tables.push_back(std::move(table));
    }
  }
  sort_order_tables(body, made);
}

/// Each after the one whose labels it looks at.
void Assembly::sort_order_tables(BodyId body, Model& made) {
  std::vector<OrderTable> rest = std::exchange(made.order_tables, {});
  const auto name = [&](DimensionId dimension) {
    return std::string(tables_.dimensions().text(dimension.index));
  };
  const auto report = [&](const auto& code, auto&&... arguments) {
    if (!reported_over_.insert(span_of(body).begin).second) return;
    sink_.add(code, span_of(body), std::forward<decltype(arguments)>(arguments)...);
  };
  while (!rest.empty()) {
    const auto ready = std::ranges::find_if(
        rest, [&](const OrderTable& one) { return made.any_table(one.over) != nullptr; });
    if (ready != rest.end()) {
      OrderTable& table = made.order_tables.emplace_back(std::move(*ready));
      rest.erase(ready);
      if (table.otherwise && program_.rules.get(*table.otherwise).keep) {
        // Its labels are also those of the dimension it looks at.
        for (const Label& label : made.any_table(table.over)->vocabulary) {
          if (table.find(label.name) == nullptr) table.vocabulary.push_back(label);
        }
      }
      continue;
    }
    // Either a dimension is missing, or those that are left look at each other.
    std::vector<uint32_t> path{0};
    while (true) {
      const auto next = std::ranges::find(rest, rest[path.back()].over, &OrderTable::dimension);
      if (next == rest.end()) {
        report(diag::code::over_missing, "`" + lineage_title(body) + "`",
               name(rest[path.back()].over), name(rest[path.back()].dimension));
        return;
      }
      const auto at = static_cast<uint32_t>(next - rest.begin());
      const auto known = std::ranges::find(path, at);
      if (known == path.end()) {
        path.push_back(at);
        continue;
      }
      path.erase(path.begin(), known);
      report(diag::code::over_cycle,
             cycle_text(path, [&](uint32_t one) { return name(rest[one].dimension); }));
      return;
    }
  }
}

std::string Assembly::lineage_title(BodyId body) const {
  const auto engines = static_cast<uint32_t>(lineage_.engines().size());
  const uint32_t model = body - engines;
  return lineage_.engines()[lineage_.models()[model].engine].written->name.text + "/" +
         lineage_.name_of(model);
}

}  // namespace kr::sema
