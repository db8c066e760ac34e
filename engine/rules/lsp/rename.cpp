// Renames what rules declare: patterns, tables, dimensions, labels, engines and models.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lsp/features.hpp"
#include "syntax/words.hpp"

namespace kr::lsp {
namespace {

[[noreturn]] void refuse(std::string why) {
  throw RequestError(ErrorCode::request_failed, std::move(why));
}

/// The symbol to rename.
const Symbol& symbol_to_rename(Question& question) {
  const Analysis& analysis = analysis_of(question);
  const source::FileId file = analysis.root().file;
  const Symbol* symbol = symbol_at(analysis, file, question.offset);
  if (symbol == nullptr) refuse("there is no name here that could be renamed");
  if (symbol->kind == SymbolKind::module) {
    refuse("a module has the name of its file: rename the file, or write `use … as NAME`");
  }
  const auto declared = declaration(analysis, file, *symbol);
  if (!declared) refuse(fmt::format("no file declares `{}`", symbol->name));
  // Shown paths of files that ship with kr are shorter than their own. Who edits one has it open.
  const bool ships = analysis.rules().files[declared->file.index].path.string() !=
                     analysis.sources().path(declared->file);
  const std::string& uri = analysis.uri(declared->file);
  if (uri.empty() || (ships && question.workspace.find(uri) == nullptr)) {
    refuse(fmt::format("`{}` is declared in a file that ships with kr", symbol->name));
  }
  const bool fixed = symbol->name == "default" && symbol->kind == SymbolKind::model;
  if (fixed) refuse("every engine has the model `default`");
  return *symbol;
}

/// The name as it is written in rules.
std::string spelled(const Symbol& symbol, const std::string& name) {
  if (symbol.kind == SymbolKind::label) {
    if (name.empty() || name.find_first_of("\r\n") != name.npos)
      refuse("a label is a text on one line");
    // A keyword is quoted where labels are declared.
    return syntax::is_keyword(name) ? syntax::quoted_text(name) : syntax::label_text(name);
  }
  if (!syntax::is_word(name)) {
    refuse(fmt::format("`{}` is not a name: letters, digits, `_` and `-`", name));
  }
  if (syntax::is_keyword(name)) refuse(fmt::format("`{}` is a keyword", name));
  return name;
}

/// Whether a declaration of the kind has the name in a file of the declaration's file.
bool is_taken(const Analysis& analysis, const Symbol& symbol, source::FileId file,
              const std::string& name) {
  const std::vector<Symbol>& all = analysis.symbols(file);
  return std::ranges::any_of(all, [&](const Symbol& other) {
    return other.kind == symbol.kind && other.name == name &&
           (other.declares || symbol.kind == SymbolKind::label) &&
           (symbol.kind != SymbolKind::label || other.dimension == symbol.dimension) &&
           (symbol.kind != SymbolKind::model || other.engine == symbol.engine);
  });
}

}  // namespace

void write_rename_range(Question question, Writer& out) {
  const Symbol& symbol = symbol_to_rename(question);
  out.open('{');
  out.key("range").range(analysis_of(question).range(symbol.span, question.encoding));
  out.key("placeholder").text(symbol.name);
  out.close('}');
}

void write_rename(Question question, const std::string& name, Writer& out) {
  const Symbol symbol = symbol_to_rename(question);
  const std::string text = spelled(symbol, name);
  const Analysis& analysis = analysis_of(question);
  const auto declared = declaration(analysis, analysis.root().file, symbol);
  if (name != symbol.name && is_taken(analysis, symbol, declared->file, name)) {
    refuse(fmt::format("`{}` is declared already", name));
  }
  std::map<std::string, std::vector<Occurrence>> changes;  // by URI
  for (Occurrence& one : occurrences(question)) changes[one.uri].push_back(std::move(one));
  out.open('{');
  out.key("changes").open('{');
  for (const auto& [uri, of_file] : changes) {
    out.key(uri).open('[');
    for (const Occurrence& one : of_file) {
      out.edit(one.analysis->range(one.span, question.encoding), text);
    }
    out.close(']');
  }
  out.close('}');
  out.close('}');
}

}  // namespace kr::lsp
