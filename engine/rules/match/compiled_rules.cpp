#include "match/compiled_rules.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "match/krdb.hpp"

namespace kr::match {
namespace {

CompiledRules from_krdb_file(const std::string& path, const source::Install& install,
                             const std::optional<Database::Cache>& cache, diag::Sink& sink) {
  KrdbContents contents = from_krdb(path, read_file(path));
  CompiledRules compiled;
  compiled.named = true;
  compiled.rules = sema::load_rules(std::move(contents.files), sink);
  if (sink.has_errors()) return compiled;
  // Hyperscan trusts the bytes of a database, but anybody may have written this file.
  if (install.trusts(path)) {
    compiled.database = Database::deserialize(compiled.program(), contents.database);
  }
  if (!compiled.database) compiled.database = Database::compile(compiled.program(), cache);
  return compiled;
}

/// Whether the shipped `generic` should be loaded with these rules.
bool wants_generic(const sema::Program& program, const source::Library& library) {
  return program.engines.size() > 1 && !program.engine("generic") &&
         library.ruleset("generic").has_value();
}

}  // namespace

bool names_krdb(const std::string& name, const source::Library& library) {
  std::error_code error;
  if (library.ruleset(name)) return false;
  if (!std::filesystem::is_regular_file(name, error)) return false;
  char head[16] = {};
  std::ifstream in(name, std::ios::binary);
  in.read(head, sizeof head);
  return is_krdb({head, static_cast<size_t>(in.gcount())});
}

CompiledRules compile_rules(const std::vector<std::string>& names, const source::Library& library,
                            const std::optional<Database::Cache>& cache, diag::Sink& sink) {
  const auto krdb =
      std::ranges::find_if(names, [&](const auto& name) { return names_krdb(name, library); });
  if (krdb != names.end()) {
    if (names.size() > 1) {
      throw Error(*krdb, "a .krdb cannot be combined with other rules",
                  "name only the .krdb, or the rules that it was made from");
    }
    return from_krdb_file(*krdb, library.install(), cache, sink);
  }
  CompiledRules compiled;
  compiled.named = !names.empty();
  // The rules may be loaded twice; then only the diagnostics of the second time count.
  diag::Sink found;
  compiled.rules = sema::load_rules(names, library, found);
  if (!found.has_errors() && compiled.named && wants_generic(compiled.program(), library)) {
    std::vector<std::string> more = names;
    more.emplace_back("generic");
    found = diag::Sink();
    compiled.rules = sema::load_rules(more, library, found);
  }
  sink = std::move(found);
  if (!sink.has_errors()) compiled.database = Database::compile(compiled.program(), cache);
  return compiled;
}

}  // namespace kr::match
