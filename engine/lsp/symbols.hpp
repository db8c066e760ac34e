// Every name in a file that stands for something: what it is, whether it is declared there, and
// what it is a name of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "syntax/ast.hpp"

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

/// Points into the tree it was made from.
struct Symbol {
  SymbolKind kind = SymbolKind::pattern;
  source::Span span;
  std::string name;
  bool declares = false;
  const syntax::Path* path = nullptr;      // where it is written as one: `c.any`
  std::string dimension;                   // of a label
  const syntax::Engine* engine = nullptr;  // in which it stands, or which a test names
  const syntax::Rule* rule = nullptr;      // whose label it is
  const syntax::Use* use = nullptr;        // that names the module
};

/// In no particular order.
std::vector<Symbol> symbols_of(const syntax::File& tree);

/// The symbol at a byte of the root file, its end included; null where there is none.
const Symbol* symbol_at(const Analysis& analysis, source::FileId file, size_t offset);

/// Where a symbol of `file` is declared. None: nowhere, or what it names did not load.
std::optional<source::Span> declaration(const Analysis& analysis, source::FileId file,
                                        const Symbol& symbol);

/// The declarations of a label that a dimension may have in this file, the nearest first.
struct KnownLabel {
  const syntax::LabelDecl* label;
  const syntax::Labels* in;
  source::FileId file;
};
std::vector<KnownLabel> labels_of(const Analysis& analysis, source::FileId file,
                                  std::string_view dimension);

}  // namespace kr::lsp
