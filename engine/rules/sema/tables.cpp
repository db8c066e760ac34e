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
      kind_(dimensions_.add("kind")),
      numbering_(scope.number(&syntax::File::tables)) {
  const std::vector<Found>& all = numbering_.all;
  blocks_.resize(all.size());
  lists_.resize(all.size());
  ready_.resize(all.size());
  for (const uint32_t node : order()) {
    const source::FileId module = all[node].module;
    const syntax::Table& written = scope_.tree(module).tables[all[node].index];
    Block& made = blocks_[node] =
        block(module, written.dimension, written.over, written.from, written.rules);
    if (made.dimension != phases_) {
      std::vector<source::FileId> modules{module};
      modules.insert(modules.end(), made.included_modules.begin(), made.included_modules.end());
      check_labels(made, vocabularies_.merged(modules, written.dimension.text));
    }
    lists_[node] = apply_block(made, {}, &sink_, &dimensions_);
    if (!budget_.spend(lists_[node].rules.size(), written.name.span)) {
      lists_[node].rules.clear();
      lists_[node].incomplete = true;
    }
    ready_[node] = true;
  }
}

std::vector<uint32_t> Tables::order() const {
  const std::vector<Found>& all = numbering_.all;
  const auto table = [&](uint32_t node) -> const syntax::Table& {
    return scope_.tree(all[node].module).tables[all[node].index];
  };
  std::vector<std::vector<uint32_t>> edges(all.size());
  for (uint32_t node = 0; node < all.size(); ++node) {
    for (const syntax::Rule& rule : table(node).rules) {
      if (rule.kind != syntax::RuleKind::include) continue;
      if (const auto found = scope_.look(all[node].module, rule.table, Noun::table)) {
        edges[node].push_back(numbering_.number(*found));
      }
    }
  }
  return dependencies_first(edges, [&](const std::vector<uint32_t>& path) {
    report_cycle(sink_, diag::code::include_cycle, "table", path,
                 [&](uint32_t node) -> const syntax::Word& { return table(node).name; });
  });
}

Block Tables::block(source::FileId module, const syntax::Word& dimension,
                    const std::optional<syntax::Word>& over,
                    const std::optional<syntax::Word>& from,
                    const std::vector<syntax::Rule>& rules) {
  Block block;
  block.module = module;
  block.dimension = dimensions_.add(dimension.text);
  block.name = &dimension;
  if (over) {
    block.over_name = &*over;
    block.over = dimensions_.add(over->text);
  }
  if (from) {
    block.from_name = &*from;
    block.from = dimensions_.add(from->text);
  }
  for (const syntax::Rule& rule : rules) read_passed(block, rule);
  block.steps.reserve(rules.size());
  const syntax::Rule* otherwise = nullptr;
  bool below = false;
  for (const syntax::Rule& rule : rules) {
    if (is_otherwise(module, rule)) {
      if (otherwise != nullptr) {
        sink_.add(diag::code::second_otherwise, rule.span)
            .related(otherwise->span, "the first one");
      } else {
        otherwise = &rule;
        read_otherwise(block, rule);
      }
      continue;
    }
    if (rule.kind == syntax::RuleKind::ignore || rule.kind == syntax::RuleKind::continues) continue;
    if (rule.kind == syntax::RuleKind::include) {
      read_include(block, rule);
    } else if (rule.kind == syntax::RuleKind::rule) {
      block.steps.push_back(
          {rule.kind, add_rule(block, rule, false), labels_.add(rule.label.text), nullptr, &rule});
    } else if (rule.kind == syntax::RuleKind::image) {
      read_image(block, rule);
    } else {
      read_refine(block, rule);
    }
    below |= otherwise != nullptr && rule.kind != syntax::RuleKind::refine;
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
  made.scope = block.scope;
  if (!rule.chain.empty()) {
    made.chain = chain_of(block, rule);
    if (!made.chain) return {};
  } else if (!otherwise && rule.kind != syntax::RuleKind::image) {
    made.expr = expressions_.resolve(
        block.module, rule.expr,
        block.dimension == phases_ ? SubjectKind::phase : SubjectKind::operation, block.over_name);
  }
  made.span = rule.span;
  made.doc = rule.doc;
  return program_.rules.add(std::move(made));
}

/// `ignore` and `continue`: what the chains of the block do not see. They apply to all of its
/// rules, wherever they stand.
void Tables::read_passed(Block& block, const syntax::Rule& rule) {
  const bool ignore = rule.kind == syntax::RuleKind::ignore;
  if (!ignore && rule.kind != syntax::RuleKind::continues) return;
  if (block.over_name == nullptr) {
    sink_.add(diag::code::needs_over, rule.span, ignore ? "`ignore`" : "`continue`",
              block.name->text);
    return;
  }
  const ExprId expr =
      expressions_.resolve(block.module, rule.expr, SubjectKind::operation, block.over_name);
  if (!expr.valid()) return;
  if (!block.scope.valid()) {
    OrderScope none;
    none.span = rule.span;
    block.scope = program_.order_scopes.add(none);
  }
  OrderScope& scope = program_.order_scopes.get(block.scope);
  ExprId& to = ignore ? scope.ignore : scope.continues;
  to = to.valid() ? expressions_.any_of({to, expr}) : expr;
}

/// None after a mistake, which is reported.
std::optional<Chain> Tables::chain_of(const Block& block, const syntax::Rule& rule) {
  if (block.over_name == nullptr) {
    sink_.add(diag::code::needs_over, rule.span, "a chain", block.name->text)
        .help("{}", rule.chain.size() == 1
                        ? "alternatives are written without brackets: `\"a\" | \"b\"`"
                        : "the words of a chain are labels of another dimension");
    return std::nullopt;
  }
  Chain chain;
  std::optional<size_t> first;
  std::optional<size_t> last;
  bool good = true;
  for (size_t i = 0; i < rule.chain.size(); ++i) {
    const syntax::ChainStep& written = rule.chain[i];
    const auto wrong = [&](source::Span span, std::string_view what) {
      if (good) sink_.add(diag::code::wrong_brackets, span, what);
      good = false;
    };
    if (written.open.valid()) {
      if (first) wrong(written.open, "[");
      first = i;
    }
    if (written.close.valid()) {
      if (!first || last) wrong(written.close, "]");
      last = i;
    }
    const ExprId expr =
        expressions_.resolve(block.module, written.expr, SubjectKind::operation, block.over_name);
    good &= expr.valid();
    const bool inside = first && (!last || last == i);
    if (expr.valid() && inside && expressions_.is_edge(expr)) {
      sink_.add(diag::code::empty_target, written.span, "a place before or after all operations");
      good = false;
    }
    chain.steps.push_back({expr, written.quantifier == '?' || written.quantifier == '*',
                           written.quantifier == '+' || written.quantifier == '*', written.span});
  }
  if (!good) return std::nullopt;
  if (!first && !last) {
    sink_.add(diag::code::no_brackets, rule.span)
        .help("write `[` and `]` around the step whose operations get the label");
    return std::nullopt;
  }
  if (!last) {
    sink_.add(diag::code::wrong_brackets, rule.chain[*first].open, "[").help("add `]`");
    return std::nullopt;
  }
  if (chain.steps.size() > Chain::max_steps) {
    sink_.add(diag::code::long_chain, rule.span, Chain::max_steps);
    return std::nullopt;
  }
  chain.first = static_cast<uint32_t>(*first);
  chain.last = static_cast<uint32_t>(*last);
  const auto required = [](const ChainStep& step) { return !step.optional; };
  if (std::none_of(chain.steps.begin() + chain.first, chain.steps.begin() + chain.last + 1,
                   required)) {
    sink_
        .add(diag::code::empty_target,
             source::join(rule.chain[*first].span, rule.chain[*last].span),
             "a step that may be absent")
        .help("remove the `?` or `*` of one step in brackets");
    return std::nullopt;
  }
  return chain;
}

void Tables::read_otherwise(Block& block, const syntax::Rule& rule) {
  block.otherwise = add_rule(block, rule, true);
  block.otherwise_written = &rule;
  if (rule.kind == syntax::RuleKind::otherwise_keep && block.dimension == kind_) {
    sink_.add(diag::code::kind_keeps_names, rule.span)
        .help("end the block with `compute: otherwise`, or remove it: std.kind has it");
  }
}

void Tables::read_refine(Block& block, const syntax::Rule& rule) {
  if (block.dimension == phases_ || block.over) {
    sink_.add(diag::code::refine_of_other, rule.label.span,
              block.over ? "labels from neighbours" : "phases");
    return;
  }
  report_reserved(rule.label, sink_);
  Step step{rule.kind, {}, labels_.add(rule.label.text), nullptr, &rule};
  for (const syntax::Rule& one : rule.refined) {
    if (is_otherwise(block.module, one)) {
      sink_.add(diag::code::misplaced_otherwise, one.span)
          .help("remove it: what no rule of a `refine` matches keeps its label");
      continue;
    }
    const RuleId made = add_rule(block, one, false);
    if (!made.valid()) continue;
    program_.rules.get(made).refines = rule.label.text;
    step.refined.push_back({made, labels_.add(one.label.text)});
  }
  block.steps.push_back(std::move(step));
}

/// `attention: attention rope`: the rule gives the label on the left to those of the others.
void Tables::read_image(Block& block, const syntax::Rule& rule) {
  Step step{rule.kind, add_rule(block, rule, false), labels_.add(rule.label.text), nullptr, &rule};
  for (const syntax::Word& image : rule.images) {
    const uint32_t label = labels_.add(image.text);
    step.images.push_back(label);
    image_places_.emplace(std::pair{step.rule, label}, image.span);
    for (const Step& other : block.steps) {
      if (other.kind != syntax::RuleKind::image) continue;
      const auto first = std::ranges::find(other.written->images, image.text, &syntax::Word::text);
      if (first == other.written->images.end()) continue;
      sink_.add(diag::code::redefinition, image.span, "the image of", image.text)
          .related(first->span, "first listed here")
          .help("remove one of the two");
    }
  }
  block.steps.push_back(std::move(step));
}

void Tables::read_include(Block& block, const syntax::Rule& rule) {
  Step step{syntax::RuleKind::include, {}, 0, nullptr, &rule};
  if (const auto found = scope_.find(block.module, rule.table, Noun::table, sink_)) {
    const syntax::Table& table = scope_.tree(found->module).tables[found->index];
    if (table.dimension.text != block.name->text) {
      sink_
          .add(diag::code::other_dimension, rule.table.span, rule.table.text(),
               table.dimension.text, block.name->text)
          .related(table.dimension.span, "declared for `{}` here", table.dimension.text);
    } else if (const uint32_t number = numbering_.number(*found); ready_[number]) {
      step.included = &lists_[number];
      const auto add_module = [&](source::FileId module) {
        if (std::ranges::find(block.included_modules, module) == block.included_modules.end()) {
          block.included_modules.push_back(module);
        }
      };
      add_module(found->module);
      for (const source::FileId module : blocks_[number].included_modules) add_module(module);
    }
  }
  block.steps.push_back(step);
}

void Tables::check_labels(const Block& block, const Vocabulary& vocabulary) {
  if (!vocabulary.closed()) return;
  const auto check = [&](const syntax::Word& label, RuleId rule) {
    if (vocabulary.has(label.text) || is_reserved(label.text)) return;
    if (rule.valid() && !report_label_once(rule)) return;
    diag::Diagnostic& added =
        sink_.add(diag::code::unknown_label, label.span, label.text, block.name->text);
    if (vocabulary.declared().valid()) {
      added.related(vocabulary.declared(), "labels of `{}`", block.name->text);
    }
    if (worth_suggesting(sink_)) suggest(added, label.text, vocabulary.names(), "", sink_);
  };
  for (const Step& step : block.steps) {
    if (step.kind == syntax::RuleKind::include) continue;
    check(step.written->label, step.rule);
    for (const Placed& placed : step.refined) {
      const Rule& rule = program_.rules.get(placed.rule);
      check({rule.label, rule.label_span}, placed.rule);
    }
  }
  const syntax::Rule* otherwise = block.otherwise_written;
  if (otherwise != nullptr && otherwise->kind == syntax::RuleKind::rule) {
    check(otherwise->label, *block.otherwise);
  }
}

}  // namespace kr::sema
