// Where to add a rule for names that a model does not explain.
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"
#include "coverage/suggest.hpp"

namespace kr::coverage {
namespace {

struct Found {
  const sema::LoadedFile* file = nullptr;
  const syntax::Engine* engine = nullptr;
};

Found find_engine(const sema::LoadedRules& rules, const std::string& name) {
  for (const sema::LoadedFile& file : rules.files) {
    if (!file.root) continue;
    for (const syntax::Engine& engine : file.tree.engines) {
      if (engine.name.text == name) return {&file, &engine};
    }
  }
  KR_CHECK(false);
}

const syntax::Block* find_block(const syntax::Body& body, const std::string& dimension) {
  for (const syntax::Block& block : body.dimensions) {
    if (block.dimension.text == dimension) return &block;
  }
  return nullptr;
}

bool is_otherwise(const sema::LoadedFile& file, const syntax::Rule& rule) {
  return rule.kind == syntax::RuleKind::otherwise_keep ||
         (rule.kind == syntax::RuleKind::rule && rule.expr.valid() &&
          file.tree.exprs.get(rule.expr).kind == syntax::ExprKind::otherwise);
}

/// The end of the rule, with the comment on its last line.
uint32_t end_with_comment(std::string_view text, uint32_t end) {
  size_t at = end;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  if (at < text.size() && text[at] == '#') at = std::min(text.find('\n', at), text.size());
  const bool ends_line = at == text.size() || text[at] == '\n' || text[at] == '\r';
  return ends_line ? static_cast<uint32_t>(at) : end;
}

}  // namespace

InsertionPlace insertion_place(const match::CompiledRules& rules, sema::ModelId id,
                               sema::DimensionId dimension_id) {
  const sema::Program& program = rules.program();
  const sema::Model& model = program.models.get(id);
  const std::string& dimension = program.dimensions.get(dimension_id).name;
  const Found found = find_engine(*rules.rules, program.engines.get(model.engine).name);
  const source::SourceMap& sources = rules.sources();
  const std::string_view text = sources.text(found.file->file);

  InsertionPlace place;
  place.file = found.file->file;
  place.owner = "engine " + found.engine->name.text;
  // The shown path of a file that ships is another one than its own, unless the user named that.
  place.installed = found.file->path.string() != sources.path(place.file);
  source::Span body = found.engine->span;
  const syntax::Block* block = find_block(found.engine->body, dimension);
  const bool inherits = model.table(dimension_id) != nullptr && dimension_id != program.kind();
  if (block == nullptr && inherits) {
    const auto& models = found.engine->models;
    const auto own = std::find_if(models.begin(), models.end(), [&](const syntax::Model& one) {
      return one.name.text == model.name;
    });
    KR_CHECK(own != models.end());
    place.owner = fmt::format("model {} of {}", own->name.text, place.owner);
    body = own->span;
    block = find_block(own->body, dimension);
  }
  if (block == nullptr) {
    place.new_block = true;
    place.new_dimension = !inherits && dimension_id != program.kind();
    place.byte = body.end - 1;
    place.line = sources.begin(body).line;
    return place;
  }
  const syntax::Rule* last = nullptr;
  const syntax::Rule* otherwise = nullptr;
  for (const syntax::Rule& rule : block->rules) {
    (is_otherwise(*found.file, rule) ? otherwise : last) = &rule;
  }
  if (last != nullptr) {
    place.byte = end_with_comment(text, last->span.end);
    place.line = sources.begin(last->span).line;
    const std::string_view spelled = sources.text(last->span);
    place.below = excerpt(spelled.substr(0, spelled.find_first_of("\r\n")), 60);
  } else {
    place.byte = otherwise != nullptr ? otherwise->span.begin : block->span.end - 1;
    place.line = sources.begin(block->span).line;
  }
  return place;
}

std::string text_to_insert(const InsertionPlace& place, const std::string& dimension,
                           const std::string& rule) {
  if (place.new_block) {
    return fmt::format("\n  {} {{\n    {}\n{}  }}\n", dimension, rule,
                       place.new_dimension ? "    otherwise keep\n" : "");
  }
  return place.below.empty() ? fmt::format("\n    {}\n    ", rule) : fmt::format("\n    {}", rule);
}

}  // namespace kr::coverage
