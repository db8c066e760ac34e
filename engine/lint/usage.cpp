#include "lint/usage.hpp"

#include <algorithm>
#include <filesystem>

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

std::set<Used> used(const sema::LoadedRules& rules, bool others_only) {
  std::set<Used> all;
  std::vector<std::string> paths;
  paths.reserve(rules.files.size());
  for (const sema::LoadedFile& file : rules.files) paths.push_back(usage_path(rules, file));
  for (const sema::LoadedFile& file : rules.files) {
    for (const Mention& mention : mentions(file.tree)) {
      if (mention.noun == sema::Noun::engine) continue;
      const auto found = rules.scope->look(file.file, *mention.path, mention.noun);
      if (!found || (others_only && found->module == file.file)) continue;
      all.insert({paths[found->module.index], mention.noun, mention.path->parts.back().text});
    }
  }
  return all;
}

}  // namespace kr::lint
