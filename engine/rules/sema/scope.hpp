// Resolves names in a file: its own declarations, and those of the modules that it uses. A module
// exports its declarations, not the modules that it uses.
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

/// One file to resolve. A module is identified by the FileId of its text.
struct Module {
  const syntax::File* tree = nullptr;
  bool root = false;                 // named by the user, not only used
  std::vector<source::FileId> uses;  // parallel to tree->uses; invalid: not loaded, reported
};

enum class Noun : uint8_t { pattern, labels, table, cost, engine };
inline constexpr size_t noun_count = 5;

/// A declaration: its index in the list of its file.
struct Found {
  source::FileId module;
  uint32_t index = 0;
};

/// All declarations of one kind in all modules, numbered module by module.
struct Numbering {
  std::vector<Found> all;
  std::vector<uint32_t> first;  // by module
  uint32_t number(Found one) const { return first[one.module.index] + one.index; }
};

/// After this many errors, no similar names are searched: it takes time, and nobody reads them.
inline constexpr size_t max_suggestions = 100;
inline bool worth_suggesting(const diag::Sink& sink) {
  return sink.errors() <= max_suggestions;
}
std::optional<std::string> near_name(std::string_view word, std::span<const std::string> candidates,
                                     const diag::Sink& sink);

/// Adds a help with the similar name, or else with the available names, each after `prefix`.
void suggest(diag::Diagnostic& diagnostic, std::string_view word,
             std::span<const std::string> candidates, std::string_view prefix,
             const diag::Sink& sink);

/// The name of a used module in the rest of the file. Empty if the file's name cannot be a name.
std::string use_name(const syntax::Use& use);
/// The module as written: `std.gemm`, `./common.kr`.
std::string use_text(const syntax::Use& use);

class Scope {
 public:
  /// Collects the names of all modules, by FileId, and reports duplicates.
  Scope(std::vector<Module> modules, diag::Sink& sink);

  const std::vector<Module>& modules() const noexcept { return modules_; }
  const Module& module(source::FileId id) const { return modules_[id.index]; }
  const syntax::File& tree(source::FileId id) const { return *modules_[id.index].tree; }

  /// `name`, or `alias.name`. None if it does not exist; reports nothing.
  std::optional<Found> look(source::FileId from, const syntax::Path& path, Noun noun) const;
  /// The same, and reports an unknown name, unless its module could not be loaded.
  std::optional<Found> find(source::FileId from, const syntax::Path& path, Noun noun,
                            diag::Sink& sink) const;
  std::optional<Found> own(source::FileId module, std::string_view name, Noun noun) const;
  std::vector<std::string> names(source::FileId module, Noun noun) const;
  template <class Declaration>
  Numbering number(std::vector<Declaration> syntax::File::*list) const {
    Numbering numbering;
    for (uint32_t m = 0; m < modules_.size(); ++m) {
      numbering.first.push_back(static_cast<uint32_t>(numbering.all.size()));
      const auto count = static_cast<uint32_t>((modules_[m].tree->*list).size());
      for (uint32_t i = 0; i < count; ++i) numbering.all.push_back({{m}, i});
    }
    return numbering;
  }

  /// The module of an alias: none if there is no such alias, an invalid id if it could not be
  /// loaded.
  std::optional<source::FileId> alias(source::FileId from, std::string_view name) const;
  void report_alias(source::FileId from, const syntax::Word& alias, diag::Sink& sink) const;

 private:
  using Names = std::unordered_map<std::string, uint32_t>;
  struct Index {
    Names aliases;
    Names nouns[noun_count];
  };
  void report_unknown(source::FileId from, const syntax::Path& path, source::FileId in, Noun noun,
                      diag::Sink& sink) const;
  const Names& names_of(source::FileId module, Noun noun) const {
    return indices_[module.index].nouns[static_cast<size_t>(noun)];
  }

  std::vector<Module> modules_;
  std::vector<Index> indices_;
};

}  // namespace kr::sema
