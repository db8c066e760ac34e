// Rules ready for work: what `--rules` names, loaded and compiled, from .kr files or from a .krdb.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "match/scanner.hpp"
#include "sema/load.hpp"

namespace kr::match {

struct CompiledRules {
  std::unique_ptr<sema::LoadedRules> rules;
  std::shared_ptr<const Database> database;  // null where `sink` has errors
  bool named = false;                        // the user named rules

  const sema::Program& program() const { return rules->program; }
  const source::SourceMap& sources() const { return rules->sources; }
};

/// Whether `name`, which may be that of a shipped ruleset, is a path, and the file there a .krdb.
/// Only regular files are looked into: a pipe is read once.
bool names_krdb(const std::string& name, const source::Library& library);

/// `names` as load_rules takes them, or one .krdb alone. Where the rules named hold several engines
/// and none is `generic`, the shipped `generic` is loaded beside them: it is what an undetected
/// trace falls back to. The database in a .krdb is used as it is only if the library's install
/// trusts the file (Install::trusts); that of any other is compiled from its texts, and kept in the
/// cache. Throws Error as load_rules does.
CompiledRules compile_rules(const std::vector<std::string>& names, const source::Library& library,
                            const std::optional<Database::Cache>& cache, diag::Sink& sink);

}  // namespace kr::match
