// Where a name is declared, and where it is used.
#include <set>
#include <tuple>

#include "lsp/features.hpp"

namespace kr::lsp {
namespace {

struct Target {
  std::string uri;
  source::Span span;  // in the analysis of the document
};

std::optional<Target> target_of(Question& question) {
  const Analysis& analysis = analysis_of(question);
  const source::FileId file = analysis.root().file;
  const Symbol* symbol = symbol_at(analysis, file, question.offset);
  if (symbol == nullptr) return std::nullopt;
  const auto span = declaration(analysis, file, *symbol);
  if (!span || analysis.uri(span->file).empty()) return std::nullopt;
  return Target{analysis.uri(span->file), *span};
}

}  // namespace

void write_definition(Question question, Writer& out) {
  const auto target = target_of(question);
  if (!target) return out.null();
  out.location(target->uri, analysis_of(question).range(target->span, question.encoding));
}

void write_references(Question question, Writer& out) {
  const auto target = target_of(question);
  if (!target) return out.null();
  // In all files that open documents use, each place once.
  std::set<std::tuple<std::string, uint32_t>> written;
  out.open('[');
  for (auto& [uri, open] : question.workspace.documents()) {
    const std::shared_ptr<Analysis>& analysis = question.workspace.analysis(open);
    if (analysis == nullptr) continue;
    for (const sema::LoadedFile& file : analysis->rules().files) {
      const std::string place = analysis->uri(file.file);
      if (place.empty()) continue;
      for (const Symbol& symbol : analysis->symbols(file.file)) {
        const auto span = declaration(*analysis, file.file, symbol);
        if (!span || span->begin != target->span.begin || span->end != target->span.end) continue;
        if (analysis->uri(span->file) != target->uri) continue;
        if (*span == symbol.span && !question.with_declaration) continue;
        if (!written.emplace(place, symbol.span.begin).second) continue;
        out.location(place, analysis->range(symbol.span, question.encoding));
      }
    }
  }
  out.close(']');
}

}  // namespace kr::lsp
