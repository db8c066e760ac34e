// Loads rules in two steps, for callers that need to resolve names only if the texts are new.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sema/load.hpp"

namespace kr::sema {

/// Rules files, read and parsed, with all files that they use. All that their Program depends on.
struct ReadRules {
  std::unique_ptr<LoadedRules> rules;  // without `scope` and `program`
  /// By file, beside its `tree.uses`: what each refers to; invalid: nothing, which was reported.
  std::vector<std::vector<source::FileId>> uses;
  source::FileId kind;  // std.kind
};

/// The first step of load_rules, with its arguments.
ReadRules read_rules(const std::vector<std::string>& names, const source::Library& library,
                     diag::Sink& sink, const Overlay& overlay = {});

/// The second step: resolves names and inheritance. The files are those of `read`.
std::unique_ptr<LoadedRules> resolve_rules(ReadRules read, diag::Sink& sink);

}  // namespace kr::sema
