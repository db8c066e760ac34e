// The labels of effective dimensions: collects them and checks that every rule uses them.
#include <algorithm>

#include "sema/assembly.hpp"
#include "syntax/words.hpp"

namespace kr::sema {

// The files of all ancestors count, with or without a block of the dimension: a file may only give
// a label another title.
const Vocabulary& Assembly::vocabulary(BodyId body, uint32_t dimension) {
  const auto [known, added] = vocabularies_.try_emplace({body, dimension});
  if (!added) return known->second;
  std::vector<source::FileId> modules;
  const auto add = [&](source::FileId module) {
    if (std::ranges::find(modules, module) == modules.end()) {
      modules.push_back(module);
    }
  };
  for (const BodyId one : bodies_of(body)) {
    add(module_of(one));
    const auto block = contents_[one].blocks.find(dimension);
    if (block == contents_[one].blocks.end()) continue;
    for (const source::FileId module : block->second.included_modules) add(module);
  }
  if (dimension == tables_.kind()) add(kind_module_);
  Vocabulary all = tables_.vocabularies().merged(modules, tables_.dimensions().text(dimension));
  // A label is a few strings, but a place in a list is a number.
  if (budget_.spend(16 * all.labels().size(), span_of(body))) known->second = std::move(all);
  return known->second;
}

void Assembly::check_inherited(BodyId body) {
  for (const auto& [dimension, list] : lists_[body]) {
    if (dimension == tables_.phases()) continue;
    const Vocabulary& all = vocabulary(body, dimension);
    if (all.closed()) check_list(body, dimension, *list, all);
  }
}

void Assembly::check_list(BodyId body, uint32_t dimension, const RuleList& list,
                          const Vocabulary& vocabulary) {
  enum : uint8_t { unknown, fine, wrong };
  std::vector<Placed> all = list.rules;
  if (list.otherwise) {
    all.push_back({*list.otherwise, tables_.number(program_.rules.get(*list.otherwise).label)});
  }
  for (const Refinement& one : list.refinements) {
    all.insert(all.end(), one.rules.begin(), one.rules.end());
  }
  if (list.image) {
    for (const auto& [label, rule] : list.image->rules) {
      all.push_back({rule, tables_.number(program_.rules.get(rule).label)});
    }
  }
  std::vector<uint8_t> verdicts(tables_.labels().size(), unknown);
  for (const Placed& placed : all) {
    uint8_t& verdict = verdicts[placed.label];
    const Rule& rule = program_.rules.get(placed.rule);
    if (verdict == unknown) verdict = vocabulary.has(rule.label) ? fine : wrong;
    if (verdict == fine || rule.keep || is_reserved(rule.label)) continue;
    if (!tables_.report_label_once(placed.rule)) continue;
    const source::Span span = place_of_inheritance(body, dimension, placed.rule);
    const std::string_view name = tables_.dimensions().text(dimension);
    diag::Diagnostic& added = sink_.add(diag::code::unknown_label, span, rule.label, name);
    added.related(rule.label_span, "given by this rule");
    if (vocabulary.declared().valid()) added.related(vocabulary.declared(), "labels of `{}`", name);
    if (!worth_suggesting(sink_)) continue;
    if (const auto near = near_name(rule.label, vocabulary.names(), sink_)) {
      added.help("did you mean `{}`?", *near);
      if (span == rule.label_span) added.suggest(span, syntax::label_text(*near));
    } else {
      added.help("add `{}` to `labels {}`", rule.label, name);
    }
  }
}

/// Where a body inherits a rule that is not its own: the `include`, the `extends`, or the rule
/// itself in the same file.
source::Span Assembly::place_of_inheritance(BodyId body, uint32_t dimension, RuleId rule_id) const {
  const auto block = contents_[body].blocks.find(dimension);
  if (block != contents_[body].blocks.end()) {
    for (const Step& step : block->second.steps) {
      if (step.included == nullptr) continue;
      const auto is_it = [rule_id](const Placed& one) { return one.rule == rule_id; };
      bool there =
          step.included->otherwise == rule_id || std::ranges::any_of(step.included->rules, is_it);
      for (const Refinement& one : step.included->refinements) {
        there = there || std::ranges::any_of(one.rules, is_it);
      }
      if (there) {
        return step.written->table.span;
      }
    }
  }
  const Rule& rule = program_.rules.get(rule_id);
  const auto engines = static_cast<BodyId>(lineage_.engines().size());
  if (rule.span.file != module_of(body) && body >= engines) {
    const syntax::Model* model = lineage_.models()[body - engines].written;
    if (model && model->extends) return model->extends->span;
  }
  return rule.label_span;
}

}  // namespace kr::sema
