#include "sema/tables.hpp"

#include <algorithm>

#include "sema/order.hpp"

namespace kr::sema {

Tables::Tables(Program& program, const Scope& scope, Expressions& expressions,
               const Vocabularies& vocabularies, Budget& budget, diag::Sink& sink)
    : program_(program),
      scope_(scope),
      expressions_(expressions),
      vocabularies_(vocabularies),
      budget_(budget),
      sink_(sink),
      phases_(dimensions_.add("phases")),
      kind_(dimensions_.add("kind")) {
  const std::vector<Found> all = all_tables();
  blocks_.resize(all.size());
  lists_.resize(all.size());
  ready_.resize(all.size());
  for (const uint32_t node : order_of(all)) {
    const source::FileId module = all[node].module;
    const syntax::Table& written = scope_.tree(module).tables[all[node].index];
    Block& made = blocks_[node] = block(module, written.dimension, written.rules);
    if (made.dimension != phases_) {
      std::vector<source::FileId> modules{module};
      modules.insert(modules.end(), made.brings.begin(), made.brings.end());
      check_labels(made, vocabularies_.merged(modules, written.dimension.text));
    }
    lists_[node] = put(made, {}, {no_body, {}, &sink_, &labels_});
    if (!budget_.spend(lists_[node].rules.size(), written.name.span)) {
      lists_[node].rules.clear();
      lists_[node].incomplete = true;
    }
    ready_[node] = true;
  }
}

std::vector<Found> Tables::all_tables() {
  std::vector<Found> all;
  for (uint32_t m = 0; m < scope_.modules().size(); ++m) {
    first_table_.push_back(static_cast<uint32_t>(all.size()));
    const auto count = static_cast<uint32_t>(scope_.tree({m}).tables.size());
    for (uint32_t i = 0; i < count; ++i) all.push_back({{m}, i});
  }
  return all;
}

std::vector<uint32_t> Tables::order_of(const std::vector<Found>& all) {
  const auto table = [&](uint32_t node) -> const syntax::Table& {
    return scope_.tree(all[node].module).tables[all[node].index];
  };
  std::vector<std::vector<uint32_t>> edges(all.size());
  for (uint32_t node = 0; node < all.size(); ++node) {
    for (const syntax::Rule& rule : table(node).rules) {
      if (rule.kind != syntax::RuleKind::include) continue;
      if (const auto found = scope_.look(all[node].module, rule.table, Noun::table)) {
        edges[node].push_back(static_cast<uint32_t>(this->node(*found)));
      }
    }
  }
  return dependencies_first(edges, [&](const std::vector<uint32_t>& path) {
    diag::Diagnostic& added =
        sink_.add(diag::code::include_cycle, table(path.front()).name.span,
                  cycle_text(path, [&](uint32_t at) { return table(at).name.text; }));
    for (size_t i = 1; i < std::min<size_t>(path.size(), 5); ++i) {
      added.related(table(path[i]).name.span, "through this table");
    }
  });
}

Block Tables::block(source::FileId module, const syntax::Word& dimension,
                    const std::vector<syntax::Rule>& rules) {
  Block block;
  block.module = module;
  block.dimension = dimensions_.add(dimension.text);
  block.name = &dimension;
  block.steps.reserve(rules.size());
  std::vector<Step> edits;
  const syntax::Rule* otherwise = nullptr;
  bool below = false;
  for (const syntax::Rule& rule : rules) {
    if (is_otherwise(module, rule)) {
      if (otherwise != nullptr) {
        sink_.add(diag::code::second_otherwise, rule.span)
            .related(otherwise->span, "the first one");
      } else {
        otherwise = &rule;
        take_otherwise(block, rule);
      }
      continue;
    }
    take(block, rule, edits);
    below |= otherwise != nullptr &&
             (rule.kind == syntax::RuleKind::rule || rule.kind == syntax::RuleKind::include);
  }
  if (below) {
    sink_.add(diag::code::otherwise_not_last, otherwise->span)
        .help("move it to the end of the block");
  }
  return block;
}

bool Tables::is_otherwise(source::FileId module, const syntax::Rule& rule) const {
  if (rule.kind == syntax::RuleKind::otherwise_keep) return true;
  return rule.kind == syntax::RuleKind::rule && rule.expr.valid() &&
         scope_.tree(module).exprs.get(rule.expr).kind == syntax::ExprKind::otherwise;
}

void Tables::take(Block& block, const syntax::Rule& rule, std::vector<Step>& edits) {
  switch (rule.kind) {
    case syntax::RuleKind::rule:
      take_rule(block, rule);
      break;
    case syntax::RuleKind::replace:
    case syntax::RuleKind::drop:
      take_edit(block, rule, edits);
      break;
    case syntax::RuleKind::include:
      take_include(block, rule);
      break;
    case syntax::RuleKind::otherwise_keep:
      break;
  }
}

RuleId Tables::add_rule(const Block& block, const syntax::Rule& rule, bool otherwise) {
  Rule made;
  if (block.dimension != phases_) made.dimension = {block.dimension};
  made.keep = rule.kind == syntax::RuleKind::otherwise_keep;
  if (!made.keep) {
    made.label = rule.label.text;
    made.label_span = rule.label.span;
    report_reserved(rule.label, sink_);
  }
  made.otherwise = otherwise;
  if (!otherwise) {
    made.expr = expressions_.resolve(
        block.module, rule.expr,
        block.dimension == phases_ ? SubjectKind::phase : SubjectKind::operation);
  }
  made.span = rule.span;
  made.doc = rule.doc;
  return program_.rules.add(std::move(made));
}

void Tables::take_rule(Block& block, const syntax::Rule& rule) {
  block.steps.push_back({syntax::RuleKind::rule, add_rule(block, rule, false),
                         labels_.add(rule.label.text), nullptr, &rule});
}

void Tables::take_otherwise(Block& block, const syntax::Rule& rule) {
  block.otherwise = add_rule(block, rule, true);
  block.otherwise_written = &rule;
  if (rule.kind == syntax::RuleKind::otherwise_keep && block.dimension == kind_) {
    sink_.add(diag::code::kind_keeps_names, rule.span)
        .help("end the block with `compute: otherwise`, or remove it: std.kind has it");
  }
}

void Tables::take_edit(Block& block, const syntax::Rule& rule, std::vector<Step>& edits) {
  const bool replace = rule.kind == syntax::RuleKind::replace;
  const uint32_t label = labels_.add(rule.label.text);
  // Dropping twice is no contradiction: each drop reaches the includes above it.
  const auto other = std::find_if(edits.begin(), edits.end(), [&](const Step& edit) {
    return edit.label == label && (replace || edit.kind == syntax::RuleKind::replace);
  });
  if (other != edits.end()) {
    sink_.add(diag::code::second_edit, rule.span, rule.label.text)
        .related(other->written->span, "first edited here")
        .help("join them into one `replace`");
    if (replace) add_rule(block, rule, false);  // for what is wrong inside
    return;
  }
  Step step{rule.kind, {}, label, nullptr, &rule};
  if (replace) step.rule = add_rule(block, rule, false);
  block.steps.push_back(step);
  edits.push_back(step);
}

void Tables::take_include(Block& block, const syntax::Rule& rule) {
  Step step{syntax::RuleKind::include, {}, 0, nullptr, &rule};
  if (const auto found = scope_.find(block.module, rule.table, Noun::table, sink_)) {
    const syntax::Table& table = scope_.tree(found->module).tables[found->index];
    if (table.dimension.text != block.name->text) {
      sink_
          .add(diag::code::other_dimension, rule.table.span, rule.table.text(),
               table.dimension.text, block.name->text)
          .related(table.dimension.span, "declared for `{}` here", table.dimension.text);
    } else if (ready_[node(*found)]) {
      step.included = &lists_[node(*found)];
      const auto bring = [&](source::FileId module) {
        if (std::find(block.brings.begin(), block.brings.end(), module) == block.brings.end()) {
          block.brings.push_back(module);
        }
      };
      bring(found->module);
      for (const source::FileId module : blocks_[node(*found)].brings) bring(module);
    }
  }
  block.steps.push_back(step);
}

void Tables::check_labels(Block& block, const Vocabulary& vocabulary) {
  if (!vocabulary.closed()) return;
  const auto check = [&](const syntax::Word& label, RuleId rule) {
    if (vocabulary.has(label.text) || is_reserved(label.text)) return true;
    if (rule.valid() && !report_label_once(rule)) return false;
    diag::Diagnostic& added =
        sink_.add(diag::code::unknown_label, label.span, label.text, block.name->text);
    if (vocabulary.declared().valid()) {
      added.related(vocabulary.declared(), "labels of `{}`", block.name->text);
    }
    if (worth_suggesting(sink_)) suggest(added, label.text, vocabulary.names(), "", sink_);
    return false;
  };
  for (Step& step : block.steps) {
    if (step.kind == syntax::RuleKind::include) continue;
    step.unknown_label = !check(step.written->label, step.rule);
  }
  const syntax::Rule* otherwise = block.otherwise_written;
  if (otherwise != nullptr && otherwise->kind == syntax::RuleKind::rule) {
    check(otherwise->label, *block.otherwise);
  }
}

}  // namespace kr::sema
