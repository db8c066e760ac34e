// Finds which declarations files use, of their own and of other modules.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "sema/load.hpp"

namespace kr::lint {

/// A used declaration; `file` is the path as opened, or as shown if it is not a file.
struct Used {
  std::string file;
  sema::Noun noun = sema::Noun::pattern;
  std::string name;
  friend auto operator<=>(const Used&, const Used&) = default;
};

/// The path of a file in `Used`: canonical, so that links and spellings do not matter.
std::string usage_path(const sema::LoadedRules& rules, const sema::LoadedFile& file);

/// A reference to a declaration: in an expression, an `include`, an `extends`.
struct Mention {
  const syntax::Path* path = nullptr;
  sema::Noun noun = sema::Noun::pattern;
};
/// All references in a file, in no particular order.
std::vector<Mention> mentions(const syntax::File& tree);

/// A used declaration of one of the loaded files.
struct Declaration {
  source::FileId module;
  sema::Noun noun = sema::Noun::pattern;
  std::string name;
  friend auto operator<=>(const Declaration&, const Declaration&) = default;
};

/// All declarations that the files use. With `others_only`, only those of another file.
std::set<Declaration> used_declarations(const sema::LoadedRules& rules, bool others_only);
/// The same by paths.
std::set<Used> used(const sema::LoadedRules& rules, bool others_only);

}  // namespace kr::lint
