#include "sema/resolve.hpp"

#include "sema/assembly.hpp"
#include "sema/prune.hpp"

namespace kr::sema {

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
  std::vector<std::string> dimensions;
  for (uint32_t i = 0; i < tables.dimensions().size(); ++i) {
    dimensions.push_back(tables.dimensions().text(i));
  }
  program = pruned(std::move(program), dimensions);
  resolve_tests(modules, program, sink);
  return program;
}

}  // namespace kr::sema
