// What a name means in a file: the file's own declarations, and through the modules it uses those
// of others. A module gives what it declares, not what it uses itself.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.hpp"
#include "syntax/ast.hpp"

namespace kr::sema {

/// One file that is resolved. Modules are named by the FileId of their text.
struct Module {
  const syntax::File* tree = nullptr;
  bool root = false;                 // named by the user, not only used
  std::vector<source::FileId> uses;  // beside tree->uses; invalid: not loaded, and reported
};

enum class Noun : uint8_t { pattern, labels, table, engine };

/// A declaration: its place in the list of its file.
struct Found {
  source::FileId module;
  uint32_t index = 0;
};

/// Past this many errors no near names are looked for: it takes time, and nobody reads them.
inline constexpr size_t max_suggestions = 100;
inline bool worth_suggesting(const diag::Sink& sink) {
  return sink.errors() <= max_suggestions;
}
std::optional<std::string> near_name(std::string_view word, std::span<const std::string> candidates,
                                     const diag::Sink& sink);

/// Helps with the near name, else with the names there are; `prefix` stands before each.
void suggest(diag::Diagnostic& diagnostic, std::string_view word,
             std::span<const std::string> candidates, std::string_view prefix,
             const diag::Sink& sink);

/// `use std.gemm`: the name that the rest of the file knows the module by. Empty where the file's
/// name cannot be one.
std::string use_name(const syntax::Use& use);
/// The module as written: `std.gemm`, `./common.kr`.
std::string use_text(const syntax::Use& use);

class Scope {
 public:
  /// Collects the names of all modules, by FileId, and reports those declared twice.
  Scope(const std::vector<Module>& modules, diag::Sink& sink);

  const std::vector<Module>& modules() const noexcept { return modules_; }
  const Module& module(source::FileId id) const { return modules_[id.index]; }
  const syntax::File& tree(source::FileId id) const { return *modules_[id.index].tree; }

  /// `name`, or `alias.name`. None where there is nothing; nothing is reported.
  std::optional<Found> look(source::FileId from, const syntax::Path& path, Noun noun) const;
  /// The same, and reports what is not there, unless it is not there for a reported reason.
  std::optional<Found> find(source::FileId from, const syntax::Path& path, Noun noun,
                            diag::Sink& sink) const;
  std::optional<Found> own(source::FileId module, std::string_view name, Noun noun) const;
  std::vector<std::string> names(source::FileId module, Noun noun) const;

  /// The module an alias stands for: none where there is no such alias, an invalid id where it
  /// could not be loaded.
  std::optional<source::FileId> alias(source::FileId from, std::string_view name) const;
  void report_alias(source::FileId from, const syntax::Word& alias, diag::Sink& sink) const;

 private:
  using Names = std::unordered_map<std::string, uint32_t>;
  struct Index {
    Names aliases;
    Names nouns[4];
  };
  void report_unknown(source::FileId from, const syntax::Path& path, source::FileId in, Noun noun,
                      diag::Sink& sink) const;
  const Names& names_of(source::FileId module, Noun noun) const {
    return indices_[module.index].nouns[static_cast<size_t>(noun)];
  }

  const std::vector<Module>& modules_;
  std::vector<Index> indices_;
};

}  // namespace kr::sema
