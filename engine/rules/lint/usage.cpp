#include "lint/usage.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "lint/checks.hpp"

namespace kr::lint {

std::string usage_path(const sema::LoadedRules& rules, const sema::LoadedFile& file) {
  if (file.path.empty()) return rules.sources.path(file.file);
  std::error_code error;
  const auto real = std::filesystem::canonical(file.path, error);
  return error ? file.path.string() : real.string();
}

std::vector<Mention> mentions(const syntax::File& tree) {
  std::vector<Mention> all;
  for (const syntax::Expr& expr : tree.exprs) {
    if (expr.kind == syntax::ExprKind::pattern) all.push_back({&expr.name, sema::Noun::pattern});
  }
  each_rule_list(tree, [&](const std::vector<syntax::Rule>& rules) {
    for (const syntax::Rule& rule : rules) {
      if (rule.kind == syntax::RuleKind::include) all.push_back({&rule.table, sema::Noun::table});
    }
  });
  each_cost_block(tree, [&](const syntax::CostBlock& block) {
    for (const syntax::CostClause& clause : block.clauses) {
      if (clause.include) all.push_back({&clause.table, sema::Noun::cost});
    }
  });
  for (const syntax::Labels& labels : tree.labels) {
    if (labels.extends) all.push_back({&*labels.extends, sema::Noun::labels});
  }
  for (const syntax::Engine& engine : tree.engines) {
    for (const syntax::Model& model : engine.models) {
      if (model.extends) all.push_back({&*model.extends, sema::Noun::engine});
    }
  }
  return all;
}

std::set<Declaration> used_declarations(const sema::LoadedRules& rules, bool others_only) {
  std::set<Declaration> all;
  for (const sema::LoadedFile& file : rules.files) {
    for (const Mention& mention : mentions(file.tree)) {
      if (mention.noun == sema::Noun::engine) continue;
      const auto found = rules.scope->look(file.file, *mention.path, mention.noun);
      if (!found || (others_only && found->module == file.file)) continue;
      all.insert({found->module, mention.noun, mention.path->parts.back().text});
    }
  }
  return all;
}

std::set<Used> used(const sema::LoadedRules& rules, bool others_only) {
  std::vector<std::string> paths;
  paths.reserve(rules.files.size());
  for (const sema::LoadedFile& file : rules.files) paths.push_back(usage_path(rules, file));
  std::set<Used> all;
  for (const Declaration& one : used_declarations(rules, others_only)) {
    all.insert({paths[one.module.index], one.noun, one.name});
  }
  return all;
}

namespace {

// KR311, KR312, KR313: unused declarations.

/// Dimensions whose labels are words of order rules.
std::set<std::string_view> dimensions_seen(const syntax::File& tree) {
  std::set<std::string_view> dimensions;
  const auto add = [&](const auto& declared) {
    if (declared.over) dimensions.insert(declared.over->text);
  };
  std::ranges::for_each(tree.patterns, add);
  std::ranges::for_each(tree.tables, add);
  each_body(tree, [&](const syntax::Body& body) { std::ranges::for_each(body.dimensions, add); });
  return dimensions;
}

/// Whether a used module declares labels that order rules of the file may name.
bool gives_labels(const Context& context, source::FileId module,
                  const std::set<std::string_view>& dimensions) {
  return module.valid() && std::ranges::any_of(context.rules().scope->tree(module).labels,
                                               [&](const syntax::Labels& labels) {
                                                 return dimensions.contains(labels.dimension.text);
                                               });
}

void check_uses(const Context& context, const sema::LoadedFile& file, diag::Sink& sink) {
  std::set<std::string> aliases;
  for (const Mention& mention : mentions(file.tree)) {
    if (mention.path->parts.size() > 1) aliases.insert(mention.path->parts.front().text);
  }
  const std::set<std::string_view> dimensions = dimensions_seen(file.tree);
  const std::vector<source::FileId>& modules = context.rules().scope->module(file.file).uses;
  for (size_t i = 0; i < file.tree.uses.size(); ++i) {
    const syntax::Use& use = file.tree.uses[i];
    if (aliases.contains(sema::use_name(use))) continue;
    if (gives_labels(context, modules[i], dimensions)) continue;
    diag::Diagnostic& added =
        sink.add(diag::code::unused_use, use.span, context.sources().text(use.span));
    added.help("remove it");
    added.fix = diag::Fix{true, {removal(context.sources(), use.span)}};
  }
}

}  // namespace

void check_unused(const Context& context, diag::Sink& sink) {
  const std::set<Used> used_here = used(context.rules(), false);
  const std::vector<Used>& elsewhere = context.options.used_elsewhere;
  for (const sema::LoadedFile* file : context.roots) {
    check_uses(context, *file, sink);
    if (!context.has_engine(*file)) continue;  // a module for other files
    const std::string path = usage_path(context.rules(), *file);
    const auto is_used = [&](sema::Noun noun, const std::string& name) {
      const Used one{path, noun, name};
      return used_here.contains(one) || std::ranges::binary_search(elsewhere, one);
    };
    for (const syntax::Pattern& pattern : file->tree.patterns) {
      if (is_used(sema::Noun::pattern, pattern.name.text)) continue;
      sink.add(diag::code::unused_pattern, pattern.name.span, pattern.name.text)
          .help("use it in a rule, or remove it");
    }
    for (const syntax::Table& table : file->tree.tables) {
      if (is_used(sema::Noun::table, table.name.text)) continue;
      sink.add(diag::code::unused_table, table.name.span, table.name.text)
          .help("add `include {}` to a block, or remove it", table.name.text);
    }
  }
}

}  // namespace kr::lint
