#include "sema/resolve.hpp"

#include "sema/assembly.hpp"
#include "sema/prune.hpp"

namespace kr::sema {
namespace {

void declare(const Scope& scope, const Expressions& expressions, const Tables& tables,
             Program& program) {
  for (uint32_t m = 0; m < scope.modules().size(); ++m) {
    if (!scope.module({m}).root) continue;
    const syntax::File& tree = scope.tree({m});
    for (uint32_t i = 0; i < tree.patterns.size(); ++i) {
      const syntax::Word& name = tree.patterns[i].name;
      program.patterns.push_back({name.text, expressions.pattern_expr({{m}, i}), name.span});
    }
    for (uint32_t i = 0; i < tree.tables.size(); ++i) {
      const syntax::Table& written = tree.tables[i];
      const RuleList& list = tables.list({{m}, i});
      SharedTable table{
          written.name.text, written.dimension.text, {}, list.otherwise, written.name.span};
      for (const Placed& placed : list.rules) table.rules.push_back(placed.rule);
      program.shared_tables.push_back(std::move(table));
    }
  }
}

}  // namespace

Program resolve(const SourceMap& sources, const std::vector<Module>& modules, FileId kind,
                Sink& sink) {
  Program program;
  Budget budget(sink);
  const Scope scope(modules, sink);
  const Vocabularies vocabularies(scope, budget, sink);
  Expressions expressions(program, scope, sources, sink);
  Tables tables(program, scope, expressions, vocabularies, budget, sink);
  const Lineage lineage(scope, sink);
  Assembly(program, scope, expressions, tables, lineage, budget, kind, sink).fill();
  declare(scope, expressions, tables, program);
  std::vector<std::string> dimensions;
  for (uint32_t i = 0; i < tables.dimensions().size(); ++i) {
    dimensions.push_back(tables.dimensions().text(i));
  }
  program = pruned(std::move(program), dimensions);
  resolve_tests(modules, program, sink);
  return program;
}

}  // namespace kr::sema
