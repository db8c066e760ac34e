#include "lsp/symbols.hpp"

#include <algorithm>
#include <set>

#include "lsp/analysis.hpp"
#include "sema/scope.hpp"

namespace kr::lsp {
namespace {

class Collector {
 public:
  Collector(const syntax::File& tree, const sema::Scope& scope)
      : tree_(tree), scope_(scope), over_(tree.exprs.size()) {}

  std::vector<Symbol> collect() {
    for (const syntax::Use& use : tree_.uses) add_module(use);
    for (const syntax::Pattern& pattern : tree_.patterns) {
      add_declaration(SymbolKind::pattern, pattern.name);
      add_over(pattern.over, {pattern.expr});
    }
    for (const syntax::Labels& labels : tree_.labels) add_labels(labels);
    for (const syntax::Table& table : tree_.tables) {
      add_declaration(SymbolKind::table, table.name);
      add_use_of(SymbolKind::dimension, table.dimension);
      add_rules(table.rules, table.dimension.text, table.over);
    }
    for (const syntax::Engine& engine : tree_.engines) add_engine(engine);
    for (const syntax::Test& test : tree_.tests) add_test(test);
    uint32_t index = 0;
    for (const syntax::Expr& expr : tree_.exprs) {
      const syntax::Word* over = over_[index++];
      if (expr.kind == syntax::ExprKind::pattern) add_name(expr.name, over);
    }
    return std::move(all_);
  }

 private:
  Symbol& add_declaration(SymbolKind kind, const syntax::Word& word) {
    Symbol& symbol = add_use_of(kind, word);
    symbol.declares = true;
    return symbol;
  }

  Symbol& add_use_of(SymbolKind kind, const syntax::Word& word) {
    Symbol& symbol = all_.emplace_back();
    symbol.kind = kind;
    symbol.span = word.span;
    symbol.name = word.text;
    symbol.engine = engine_;
    return symbol;
  }

  void add_module(const syntax::Use& use) {
    const source::Span span = use.file ? use.file->span : use.module.span;
    Symbol& symbol = add_use_of(SymbolKind::module, {sema::use_text(use), span, false});
    symbol.use = &use;
    if (!use.alias) return;
    Symbol& alias = add_use_of(SymbolKind::module, *use.alias);
    alias.use = &use;
  }

  /// `c.any`: the module, then the name in it.
  void add_path(SymbolKind kind, const syntax::Path& path) {
    if (path.parts.empty()) return;
    for (size_t i = 0; i + 1 < path.parts.size(); ++i) {
      add_use_of(i == 0 ? SymbolKind::module : SymbolKind::engine, path.parts[i]).path = &path;
    }
    add_use_of(kind, path.parts.back()).path = &path;
  }

  /// A pattern; under `over` perhaps a label of that dimension, or a word such as `start`.
  void add_name(const syntax::Path& path, const syntax::Word* over) {
    if (over == nullptr || path.parts.size() != 1 ||
        scope_.look(tree_.file, path, sema::Noun::pattern)) {
      return add_path(SymbolKind::pattern, path);
    }
    const syntax::Word& word = path.parts[0];
    if (word.text == "_" || word.text == "start" || word.text == "end") return;
    add_use_of(SymbolKind::label, word).dimension = over->text;
  }

  /// `over DIMENSION`, and that the names in these expressions may be its labels.
  void add_over(const std::optional<syntax::Word>& over, std::vector<syntax::ExprId> rest) {
    if (!over) return;
    add_use_of(SymbolKind::dimension, *over);
    while (!rest.empty()) {
      const syntax::ExprId id = rest.back();
      rest.pop_back();
      if (!id.valid()) continue;
      over_[id.index] = &*over;
      const auto& operands = tree_.exprs.get(id).operands;
      rest.insert(rest.end(), operands.begin(), operands.end());
    }
  }

  void add_labels(const syntax::Labels& labels) {
    add_declaration(SymbolKind::dimension, labels.dimension);
    if (labels.extends) add_path(SymbolKind::dimension, *labels.extends);
    for (const syntax::LabelDecl& label : labels.labels) {
      add_declaration(SymbolKind::label, label.label).dimension = labels.dimension.text;
    }
  }

  void add_rules(const std::vector<syntax::Rule>& rules, const std::string& dimension,
                 const std::optional<syntax::Word>& over) {
    std::vector<syntax::ExprId> exprs;
    for (const syntax::Rule& rule : rules) {
      if (!rule.refined.empty()) add_rules(rule.refined, dimension, over);
      exprs.push_back(rule.expr);
      for (const syntax::ChainStep& step : rule.chain) exprs.push_back(step.expr);
      if (rule.kind == syntax::RuleKind::include) {
        add_path(SymbolKind::table, rule.table);
      } else if (rule.kind != syntax::RuleKind::otherwise_keep && rule.label.span.valid()) {
        Symbol& symbol = add_use_of(SymbolKind::label, rule.label);
        symbol.dimension = dimension;
        symbol.rule = &rule;
      }
    }
    add_over(over, std::move(exprs));
  }

  void add_body(const syntax::Body& body) {
    for (const syntax::Block& block : body.dimensions) {
      add_use_of(SymbolKind::dimension, block.dimension);
      add_rules(block.rules, block.dimension.text, block.over);
    }
    for (const syntax::Block& block : body.phases) add_rules(block.rules, "phases", std::nullopt);
  }

  void add_engine(const syntax::Engine& engine) {
    add_declaration(SymbolKind::engine, engine.name);
    engine_ = &engine;
    add_body(engine.body);
    for (const syntax::Model& model : engine.models) {
      add_declaration(SymbolKind::model, model.name);
      if (model.extends) add_path(SymbolKind::model, *model.extends);
      add_body(model.body);
    }
    engine_ = nullptr;
  }

  void add_test(const syntax::Test& test) {
    const auto named =
        std::find_if(tree_.engines.begin(), tree_.engines.end(),
                     [&](const auto& one) { return one.name.text == test.engine.text; });
    if (named != tree_.engines.end()) engine_ = &*named;
    add_use_of(SymbolKind::engine, test.engine);
    if (test.model) add_use_of(SymbolKind::model, *test.model);
    for (const syntax::TestCase& one : test.cases) {
      if (one.call) continue;  // it expects amounts
      syntax::each_operation(one, [&](const syntax::TestCase& operation) {
        for (const syntax::Expectation& expected : operation.expected) {
          add_use_of(SymbolKind::dimension, expected.dimension);
          add_use_of(SymbolKind::label, expected.label).dimension = expected.dimension.text;
        }
      });
    }
    engine_ = nullptr;
  }

  const syntax::File& tree_;
  const sema::Scope& scope_;
  std::vector<const syntax::Word*> over_;  // by expression; null: no `over`
  const syntax::Engine* engine_ = nullptr;
  std::vector<Symbol> all_;
};

const syntax::Model* model_in(const syntax::Engine& engine, std::string_view name) {
  for (const syntax::Model& model : engine.models) {
    if (model.name.text == name) return &model;
  }
  return nullptr;
}

/// The file of a module.
std::optional<source::FileId> module_of(const Analysis& analysis, source::FileId file,
                                        const Symbol& symbol) {
  if (symbol.use == nullptr) return module_named(analysis, file, symbol.name);
  for (const sema::LoadedFile::Used& used : analysis.rules().files[file.index].uses) {
    if (used.name == sema::use_text(*symbol.use) && used.file.valid()) return used.file;
  }
  return std::nullopt;
}

std::optional<source::Span> model_declared(const Analysis& analysis, source::FileId file,
                                           const Symbol& symbol) {
  if (symbol.path == nullptr || symbol.path->parts.size() == 1) {
    if (symbol.engine == nullptr) return std::nullopt;
    if (const auto* model = model_in(*symbol.engine, symbol.name)) return model->name.span;
    // The model `default` is the engine's own blocks.
    return symbol.name == "default" ? std::optional(symbol.engine->name.span) : std::nullopt;
  }
  const auto& parts = symbol.path->parts;
  const auto module = module_named(analysis, file, parts[0].text);
  if (!module) return std::nullopt;
  for (const syntax::Engine& engine : analysis.scope().tree(*module).engines) {
    if (parts.size() == 3 && engine.name.text != parts[1].text) continue;
    if (const auto* model = model_in(engine, symbol.name)) return model->name.span;
  }
  return std::nullopt;
}

std::optional<source::Span> engine_declared(const Analysis& analysis, source::FileId file,
                                            const Symbol& symbol) {
  source::FileId in = file;
  if (symbol.path != nullptr) {
    const auto module = module_named(analysis, file, symbol.path->parts[0].text);
    if (!module) return std::nullopt;
    in = *module;
  }
  for (const syntax::Engine& engine : analysis.scope().tree(in).engines) {
    if (engine.name.text == symbol.name) return engine.name.span;
  }
  return std::nullopt;
}

std::optional<source::Span> dimension_declared(const Analysis& analysis, source::FileId file,
                                               const Symbol& symbol) {
  if (symbol.path != nullptr) {
    const auto found = analysis.scope().look(file, *symbol.path, sema::Noun::labels);
    if (!found) return std::nullopt;
    return analysis.scope().tree(found->module).labels[found->index].dimension.span;
  }
  for (const source::FileId one : files_by_distance(analysis, file)) {
    for (const syntax::Labels& labels : analysis.scope().tree(one).labels) {
      if (labels.dimension.text == symbol.name) return labels.dimension.span;
    }
  }
  return std::nullopt;
}

std::optional<source::Span> label_declared(const Analysis& analysis, source::FileId file,
                                           const Symbol& symbol) {
  for (const syntax::LabelDecl* known : labels_of(analysis, file, symbol.dimension)) {
    if (known->label.text == symbol.name) return known->label.span;
  }
  // It is not declared: the first rule that gives it.
  for (const Symbol& other : analysis.symbols(file)) {
    if (other.rule != nullptr && other.dimension == symbol.dimension && other.name == symbol.name) {
      return other.span;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<source::FileId> files_by_distance(const Analysis& analysis, source::FileId file) {
  std::vector<source::FileId> order{file};
  std::set<uint32_t> seen{file.index};
  for (size_t at = 0; at < order.size(); ++at) {
    for (const sema::LoadedFile::Used& used : analysis.rules().files[order[at].index].uses) {
      if (seen.insert(used.file.index).second) order.push_back(used.file);
    }
  }
  // std.kind is always loaded, as the last file.
  if (const auto last = static_cast<uint32_t>(analysis.rules().files.size() - 1);
      seen.insert(last).second) {
    order.push_back({last});
  }
  return order;
}

std::optional<source::FileId> module_named(const Analysis& analysis, source::FileId file,
                                           std::string_view name) {
  const auto module = analysis.scope().alias(file, name);
  return module && module->valid() ? module : std::nullopt;
}

std::vector<Symbol> symbols_of(const syntax::File& tree, const sema::Scope& scope) {
  return Collector(tree, scope).collect();
}

const Symbol* symbol_at(const Analysis& analysis, source::FileId file, size_t offset) {
  const Symbol* best = nullptr;
  for (const Symbol& symbol : analysis.symbols(file)) {
    if (offset < symbol.span.begin || offset > symbol.span.end) continue;
    // If two symbols touch, the one that begins here.
    if (best == nullptr || symbol.span.begin > best->span.begin) best = &symbol;
  }
  return best;
}

std::vector<const syntax::LabelDecl*> labels_of(const Analysis& analysis, source::FileId file,
                                                std::string_view dimension) {
  std::vector<const syntax::LabelDecl*> known;
  for (const source::FileId one : files_by_distance(analysis, file)) {
    for (const syntax::Labels& labels : analysis.scope().tree(one).labels) {
      if (labels.dimension.text != dimension) continue;
      for (const syntax::LabelDecl& label : labels.labels) known.push_back(&label);
    }
  }
  return known;
}

std::optional<source::Span> declaration(const Analysis& analysis, source::FileId file,
                                        const Symbol& symbol) {
  if (symbol.declares && symbol.kind != SymbolKind::label) return symbol.span;
  const sema::Scope& scope = analysis.scope();
  switch (symbol.kind) {
    case SymbolKind::module: {
      const auto module = module_of(analysis, file, symbol);
      return module ? std::optional(source::Span{*module, 0, 0}) : std::nullopt;
    }
    case SymbolKind::pattern: {
      const auto found = scope.look(file, *symbol.path, sema::Noun::pattern);
      if (!found) return std::nullopt;
      return scope.tree(found->module).patterns[found->index].name.span;
    }
    case SymbolKind::table: {
      const auto found = scope.look(file, *symbol.path, sema::Noun::table);
      if (!found) return std::nullopt;
      return scope.tree(found->module).tables[found->index].name.span;
    }
    case SymbolKind::dimension:
      return dimension_declared(analysis, file, symbol);
    case SymbolKind::engine:
      return engine_declared(analysis, file, symbol);
    case SymbolKind::model:
      return model_declared(analysis, file, symbol);
    case SymbolKind::label:
      return label_declared(analysis, file, symbol);
  }
  return std::nullopt;
}

}  // namespace kr::lsp
