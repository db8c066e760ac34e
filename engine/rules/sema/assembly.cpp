#include "sema/assembly.hpp"

#include <algorithm>
#include <utility>

#include "sema/order.hpp"
#include "syntax/words.hpp"

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
      refiner_(program, expressions, tables.labels(), budget, sink),
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
  } else {
    sink_.add(diag::code::unknown_table, {kind, 0, 0}, "kind").help("every model inherits from it");
  }
  kind_list_ = std::make_shared<const RuleList>(std::move(list));
}

void Assembly::read_body(BodyId body, source::FileId module, const syntax::Body& written) {
  Content& content = contents_[body];
  const auto add = [&](const syntax::Block& one, std::string_view what) {
    Block block = tables_.block(module, one.dimension, one.over, one.from, one.rules);
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
    detects.push_back(expressions_.resolve(module, detect.expr, SubjectKind::detection));
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
    RuleList made = apply_block(block, std::move(below), &sink_, &tables_.dimensions());
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
// are assembled from all its ancestors, the farthest first.
void Assembly::inherit_from_all(uint32_t model) {
  const std::vector<uint32_t> chain = lineage_.chain(model);
  const std::vector<uint32_t>& engines = lineage_.models()[model].engines;
  std::map<uint32_t, RuleList> lists;
  lists[tables_.kind()] = *kind_list_;
  const auto apply = [&](BodyId body) {
    for (const auto& [dimension, block] : contents_[body].blocks) {
      RuleList& list = lists[dimension];
      list = apply_block(block, std::move(list));
      if (!budget_.spend(list.rules.size(), block.name->span)) list.rules.clear();
    }
  };
  for (auto engine = engines.rbegin(); engine != engines.rend(); ++engine) {
    apply(lineage_.engine_body(*engine));
  }
  for (auto one = chain.rbegin(); one != chain.rend() && *one != model; ++one) {
    apply(lineage_.model_body(*one));
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
  report_unknown();
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
  std::vector<Table> images;
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
    if (!list->any && list->refinements.empty()) continue;
    Table table{.dimension = {dimension}, .rules = std::move(rules), .otherwise = list->otherwise};
    const Vocabulary& all = vocabulary(body, dimension);
    table.closed = all.closed();
    if (budget_.spend(16 * all.labels().size(), span_of(body))) table.vocabulary = all.labels();
    if (list->image) {
      images.push_back(std::move(table));
    } else if (list->over) {
      made.order_tables.push_back({std::move(table), {*list->over}, list->scopes});
    } else {
      made.tables.push_back(std::move(table));
    }
  }
  for (Table& table : made.tables) refine(body, table);
  fill_images(body, std::move(images), made);
  sort_order_tables(body, made);
}

/// The tables of `D from E`, each after that of E.
void Assembly::fill_images(BodyId body, std::vector<Table> images, Model& made) {
  while (!images.empty()) {
    const auto image_of = [&](const Table& one) -> const Image& {
      return *lists_[body].at(one.dimension.index)->image;
    };
    const auto ready = std::ranges::find_if(
        images, [&](const Table& one) { return made.table({image_of(one).from}) != nullptr; });
    if (ready == images.end()) {
      const Image& image = image_of(images.front());
      const std::string from(tables_.dimensions().text(image.from));
      const std::string dimension(tables_.dimensions().text(images.front().dimension.index));
      if (!reported_over_.insert(span_of(body).begin).second) return;
      if (lists_[body].contains(image.from) && lists_[body].at(image.from)->over) {
        sink_.add(diag::code::image_of_order, image.written->span, dimension, from)
            .help("write it `over` the same dimension");
      } else {
        sink_.add(diag::code::over_missing, span_of(body), "`" + lineage_title(body) + "`", from,
                  dimension);
      }
      return;
    }
    Table table = std::move(*ready);
    images.erase(ready);
    const RuleList& list = *lists_[body].at(table.dimension.index);
    const Table& from = *made.table({list.image->from});
    check_images(*list.image, from);
    if (!budget_.spend(from.rules.size(), span_of(body))) return;
    table.from = from.dimension;
    for (const RuleId rule : from.rules) {
      table.rules.push_back(image_of_rule(rule, list));
    }
    for (const Table::Refined& one : from.refined) {
      table.refined.push_back({image_of_rule(one.rule, list), one.where, one.expr});
    }
    if (from.otherwise) {
      const RuleId rule = image_of_rule(*from.otherwise, list);
      if (!program_.rules.get(rule).label.empty() || program_.rules.get(rule).keep) {
        table.otherwise = rule;
      }
    } else {
      table.otherwise = list.otherwise;
    }
    refine(body, table);
    made.tables.push_back(std::move(table));
  }
}

/// The labels that it lists are labels of the other dimension, in some model.
void Assembly::check_images(const Image& image, const Table& from) {
  for (const auto& [label, rule] : image.rules) {
    const std::string name(tables_.labels().text(label));
    const auto gives = [&](RuleId id) { return program_.rules.get(id).label == name; };
    Listed& listed = listed_[{rule, label}];
    listed.known |= from.find(name) != nullptr || std::ranges::any_of(from.rules, gives) ||
                    (from.otherwise && gives(*from.otherwise));
    if (listed.known || !listed.dimension.empty()) continue;
    listed.dimension = tables_.dimensions().text(image.from);
    for (const Label& one : from.vocabulary) listed.labels.push_back(one.name);
  }
}

/// The rule that gives the label of `D` where a rule of `E` gives its own.
RuleId Assembly::image_of_rule(RuleId rule, const RuleList& list) {
  const uint32_t label = tables_.number(program_.rules.get(rule).label);
  const auto listed = list.image->rules.find(label);
  const bool keep = program_.rules.get(rule).keep;
  const RuleId gives = !keep && listed != list.image->rules.end()
                           ? listed->second
                           : list.otherwise.value_or(RuleId{});
  const auto [at, added] = images_.try_emplace({rule, gives});
  if (!added) return at->second;
  Rule made = program_.rules.get(rule);
  made.refines.clear();
  made.image_of = rule;
  made.label.clear();
  made.keep = false;
  if (gives.valid()) {
    const Rule& image = program_.rules.get(gives);
    made.dimension = image.dimension;
    made.label = image.label;
    made.keep = image.keep;
    made.label_span = image.label_span;
    made.otherwise = made.otherwise || image.otherwise;
  }
  return at->second = program_.rules.add(std::move(made));
}

void Assembly::refine(BodyId body, Table& table) {
  const std::shared_ptr<const RuleList>& list = lists_[body].at(table.dimension.index);
  if (list->refinements.empty()) return;
  const auto gives = [&](RuleId rule, uint32_t label) {
    return program_.rules.get(rule).label == tables_.labels().text(label);
  };
  for (const Refinement& one : list->refinements) {
    const bool unknown =
        table.closed && table.find(tables_.labels().text(one.label)) == nullptr;  // KR204
    bool given =
        list->incomplete || unknown || (table.otherwise && gives(*table.otherwise, one.label));
    for (const RuleId rule : table.rules) given = given || gives(rule, one.label);
    for (const Refinement& other : list->refinements) {
      for (const Placed& placed : other.rules) {
        given = given || (placed.label == one.label && &other != &one);
      }
    }
    refined_[one.written].first |= given;
    std::vector<Label>& labels = refined_[one.written].second;
    labels = table.vocabulary;
    if (table.closed) continue;
    for (const RuleId rule : table.rules) {
      labels.emplace_back().name = program_.rules.get(rule).label;
    }
  }
  // Models share lists.
  if (!table.from.valid()) {
    const auto [at, added] = shared_refined_.try_emplace(list.get(), list, table);
    if (added) refiner_.apply(list->refinements, at->second.second, span_of(body));
    const Table& known = at->second.second;
    table.rules = known.rules;
    table.refined = known.refined;
    table.refinements = known.refinements;
    return;
  }
  refiner_.apply(list->refinements, table, span_of(body));
}

void Assembly::report_unknown() {
  for (const auto& [at, listed] : listed_) {
    if (listed.known) continue;
    const std::string name(tables_.labels().text(at.second));
    diag::Diagnostic& added =
        sink_.add(diag::code::unknown_label, tables_.image_place(at.first, at.second), name,
                  listed.dimension);
    if (worth_suggesting(sink_)) suggest(added, name, listed.labels, "", sink_);
  }
  for (const auto& [written, known] : refined_) {
    if (known.first) continue;
    const std::string& label = written->label.text;
    diag::Diagnostic& added = sink_.add(diag::code::nothing_to_refine, written->label.span, label);
    if (!worth_suggesting(sink_)) continue;
    std::vector<std::string> names;
    for (const Label& one : known.second) {
      if (one.name != label) names.push_back(one.name);
    }
    if (const auto near = near_name(label, names, sink_)) {
      added.help("did you mean `{}`?", *near)
          .suggest(written->label.span, syntax::label_text(*near));
    }
  }
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
