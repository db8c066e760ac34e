// Rules ready for work: what `--rules` names, loaded and compiled, from .kr files or from a .krdb.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "match/scanner.hpp"
#include "sema/load.hpp"

namespace kr {

struct CompiledRules {
  std::unique_ptr<Rules> rules;
  std::shared_ptr<const Database> database;  // null where `sink` has errors
  bool named = false;                        // the user named rules

  const Program& program() const { return rules->program; }
  const SourceMap& sources() const { return rules->sources; }
};

/// Whether a file of this name is a .krdb. Only regular files are looked into: a pipe is read once.
bool names_krdb(const std::string& name);

/// `names` as load_rules takes them, or one .krdb alone. Where the rules named hold several engines
/// and none is `generic`, the shipped `generic` is loaded beside them: it is what an undetected
/// trace falls back to. Throws Error as load_rules does.
CompiledRules compile_rules(const std::vector<std::string>& names, const Library& library,
                            const std::optional<Database::Cache>& cache, Sink& sink);

}  // namespace kr
