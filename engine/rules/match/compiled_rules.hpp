// Loads and compiles the rules that `--rules` names, from .kr files or from a .krdb.
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
  std::shared_ptr<const Database> database;  // null if `sink` has errors
  bool named = false;                        // the user named rules

  const sema::Program& program() const { return rules->program; }
  const source::SourceMap& sources() const { return rules->sources; }
};

/// Whether `name` is the path of a .krdb, and not the name of a shipped ruleset. Reads only regular
/// files: a pipe can be read only once.
bool names_krdb(const std::string& name, const source::Library& library);

/// `names` are those of load_rules, or a single .krdb. If the named rules have several engines and
/// none is `generic`, the shipped `generic` is loaded too, as the fallback for an undetected trace.
/// The database in a .krdb is used only if the library's installation trusts the file
/// (Install::trusts); otherwise it is compiled from the texts and kept in the cache. Throws Error
/// like load_rules.
CompiledRules compile_rules(const std::vector<std::string>& names, const source::Library& library,
                            const std::optional<Database::Cache>& cache, diag::Sink& sink);

}  // namespace kr::match
