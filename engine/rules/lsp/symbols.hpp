// The symbols of a file: every name in it, what kind of thing it names, and whether the file
// declares it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "syntax/ast.hpp"

namespace kr::sema {
class Scope;
}

namespace kr::lsp {

class Analysis;

enum class SymbolKind : uint8_t {
  module,
  pattern,
  table,
  dimension,
  engine,
  model,
  label,
};

/// Contains pointers into the syntax tree.
struct Symbol {
  SymbolKind kind = SymbolKind::pattern;
  source::Span span;
  std::string name;
  bool declares = false;
  const syntax::Path* path = nullptr;      // if it is written as a path: `c.any`
  std::string dimension;                   // of a label
  const syntax::Engine* engine = nullptr;  // the enclosing one, or the one that a test names
  const syntax::Rule* rule = nullptr;      // whose label it is
  const syntax::Use* use = nullptr;        // that names the module
};

/// In no particular order. Words of order rules are patterns or labels, which `scope` decides.
std::vector<Symbol> symbols_of(const syntax::File& tree, const sema::Scope& scope);

/// The symbol at a byte of the root file, its end included; null if there is none.
const Symbol* symbol_at(const Analysis& analysis, source::FileId file, size_t offset);

/// Where a symbol of `file` is declared; nullopt if nothing declares it, or if the file that does
/// could not be loaded.
std::optional<source::Span> declaration(const Analysis& analysis, source::FileId file,
                                        const Symbol& symbol);

/// The file and all files that it uses, directly or not: the nearest first, std.kind last.
std::vector<source::FileId> files_by_distance(const Analysis& analysis, source::FileId file);
/// The file that a module's name in `file` means; nullopt if it could not be loaded.
std::optional<source::FileId> module_named(const Analysis& analysis, source::FileId file,
                                           std::string_view name);

/// The labels that are declared for a dimension, in the order of `files_by_distance`.
std::vector<const syntax::LabelDecl*> labels_of(const Analysis& analysis, source::FileId file,
                                                std::string_view dimension);

}  // namespace kr::lsp
