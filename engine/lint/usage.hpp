// Who uses whose declarations: what is written through the name of a module or declared beside.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "sema/load.hpp"
#include "sema/scope.hpp"

namespace kr::lint {

/// A declaration that is used: of a file, by its path as opened (or as shown, where it never was a
/// file).
struct Used {
  std::string file;
  sema::Noun noun = sema::Noun::pattern;
  std::string name;
  friend auto operator<=>(const Used&, const Used&) = default;
};

/// The path that `Used` names a file by: canonical, so that links and spellings meet.
std::string usage_path(const sema::LoadedRules& rules, const sema::LoadedFile& file);

/// The files of loaded rules as name resolution sees them.
class Modules {
 public:
  explicit Modules(const sema::LoadedRules& rules);
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;
  const sema::Scope& scope() const noexcept { return scope_; }

 private:
  static std::vector<sema::Module> modules_of(const sema::LoadedRules& rules);
  std::vector<sema::Module> modules_;
  diag::Sink ignored_;  // what it says was said when the rules were loaded
  sema::Scope scope_;
};

/// One mention of another declaration: in an expression, an `include`, an `extends`.
struct Mention {
  const syntax::Path* path = nullptr;
  sema::Noun noun = sema::Noun::pattern;
};
/// All mentions of a file, in no particular order.
std::vector<Mention> mentions(const syntax::File& tree);

/// Everything that the files of loaded rules use, of themselves and of others. With `others_only`,
/// only what one file uses of another.
std::set<Used> used(const sema::LoadedRules& rules, const Modules& modules, bool others_only);

}  // namespace kr::lint
