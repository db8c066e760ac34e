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

std::vector<Occurrence> occurrences(Question& question) {
  std::vector<Occurrence> all;
  const auto target = target_of(question);
  if (!target) return all;
  std::set<std::tuple<std::string, uint32_t>> found;
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
        if (!found.emplace(place, symbol.span.begin).second) continue;
        all.push_back({place, analysis.get(), symbol.span, &symbol, *span == symbol.span});
      }
    }
  }
  return all;
}

void write_references(Question question, Writer& out) {
  if (!target_of(question)) return out.null();
  out.open('[');
  for (const Occurrence& one : occurrences(question)) {
    if (one.declares && !question.with_declaration) continue;
    out.location(one.uri, one.analysis->range(one.span, question.encoding));
  }
  out.close(']');
}

void write_highlights(Question question, Writer& out) {
  const std::string own = analysis_of(question).uri(analysis_of(question).root().file);
  out.open('[');
  for (const Occurrence& one : occurrences(question)) {
    if (one.uri != own) continue;
    constexpr int read = 2, write = 3;
    out.open('{');
    out.key("range").range(one.analysis->range(one.span, question.encoding));
    out.key("kind").number(one.declares ? write : read);
    out.close('}');
  }
  out.close(']');
}

}  // namespace kr::lsp
