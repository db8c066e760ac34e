#include "sema/resolve.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

#include "sema/assembly.hpp"

namespace kr::sema {
namespace {

void declare(const Scope& scope, const Expressions& expressions, Tables& tables, Program& program) {
  for (uint32_t m = 0; m < scope.modules().size(); ++m) {
    if (!scope.module({m}).root) continue;
    const syntax::File& tree = scope.tree({m});
    for (uint32_t i = 0; i < tree.patterns.size(); ++i) {
      if (tree.patterns[i].over) continue;  // it says nothing of a name alone
      const syntax::Word& name = tree.patterns[i].name;
      program.patterns.push_back({name.text, expressions.pattern_expr({{m}, i}), name.span});
    }
    for (uint32_t i = 0; i < tree.tables.size(); ++i) {
      const syntax::Table& written = tree.tables[i];
      const RuleList& list = tables.list({{m}, i});
      if (list.over) {
        SharedOrderTable table;
        table.dimension = {tables.dimension(written.dimension.text)};
        table.over = {*list.over};
        table.scopes = list.scopes;
        table.otherwise = list.otherwise;
        table.name = written.name.text;
        table.span = written.name.span;
        for (const Placed& placed : list.rules) table.rules.push_back(placed.rule);
        program.shared_order_tables.push_back(std::move(table));
        continue;
      }
      SharedTable table{
          written.name.text, written.dimension.text, {}, list.otherwise, written.name.span};
      for (const Placed& placed : list.rules) table.rules.push_back(placed.rule);
      program.shared_tables.push_back(std::move(table));
    }
  }
}

/// Whether two root files define engines with the same name.
bool report_same_engines(const source::SourceMap& sources, const Scope& scope, diag::Sink& sink) {
  std::unordered_map<std::string_view, std::pair<uint32_t, source::Span>> engines;
  bool found = false;
  for (uint32_t m = 0; m < scope.modules().size(); ++m) {
    if (!scope.module({m}).root) continue;
    for (const syntax::Engine& engine : scope.tree({m}).engines) {
      const auto [at, added] = engines.emplace(engine.name.text, std::pair(m, engine.name.span));
      const auto& [module, first] = at->second;
      if (added || module == m) continue;
      found = true;
      sink.add(diag::code::duplicate_engine, engine.name.span, engine.name.text,
               sources.place(first))
          .related(first, "the other one")
          .help(
              "use only one of the two files; to change an engine, `use` its file and extend its "
              "models in an engine with another name");
    }
  }
  return found;
}

}  // namespace

Program resolve(const source::SourceMap& sources, const Scope& scope, source::FileId kind,
                diag::Sink& sink) {
  Program program;
  Budget budget(sink);
  const bool same_engines = report_same_engines(sources, scope, sink);
  const Vocabularies vocabularies(scope, budget, sink);
  Expressions expressions(program, scope, vocabularies, sources, sink);
  Tables tables(program, scope, expressions, vocabularies, budget, sink);
  Costs costs(program, scope, expressions, budget, sink);
  const Lineage lineage(scope, sink);
  Assembly(program, scope, expressions, tables, costs, lineage, budget, kind, sink).fill();
  declare(scope, expressions, tables, program);
  std::vector<std::string> dimensions;
  for (uint32_t i = 0; i < tables.dimensions().size(); ++i) {
    dimensions.emplace_back(tables.dimensions().text(i));
  }
  program = pruned(std::move(program), dimensions);
  // Tests name the engine they are for.
  if (!same_engines) resolve_tests(scope.modules(), program, sink);
  return program;
}

}  // namespace kr::sema
