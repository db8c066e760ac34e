// KR304: dimensions without `otherwise`.
#include <fmt/format.h>

#include <algorithm>

#include "lint/checks.hpp"

namespace kr::lint {
namespace {

const syntax::Engine* engine_at(const Context& context, source::Span name) {
  if (!name.valid()) return nullptr;
  const syntax::File& tree = context.rules().files[name.file.index].tree;
  for (const syntax::Engine& engine : tree.engines) {
    if (engine.name.span == name) return &engine;
  }
  return nullptr;
}

/// The name of a body's block for a dimension; none if it has no such block.
std::optional<source::Span> block_of(const syntax::Body& body, std::string_view dimension) {
  for (const syntax::Block& block : body.dimensions) {
    if (block.dimension.text == dimension) return block.dimension.span;
  }
  return std::nullopt;
}

/// The best place to fix an engine's dimension: its own block, else the first block of a model
/// without `otherwise`, else that model's name.
source::Span place_of(const Context& context, const sema::Engine& engine,
                      const std::string& dimension,
                      const std::vector<const sema::Model*>& lacking) {
  const syntax::Engine* written = engine_at(context, engine.span);
  if (written == nullptr) return engine.span;
  if (const auto own = block_of(written->body, dimension)) return *own;
  for (const sema::Model* model : lacking) {
    for (const syntax::Model& one : written->models) {
      if (one.name.text != model->name) continue;
      if (const auto block = block_of(one.body, dimension)) return *block;
    }
  }
  const sema::Model& first = *lacking.front();
  return first.span.valid() ? first.span : engine.span;
}

}  // namespace

void check_otherwise(const Context& context, diag::Sink& sink) {
  const sema::Program& program = context.program();
  for (const sema::Engine& engine : program.engines) {
    for (uint32_t d = 0; d < program.dimensions.size(); ++d) {
      std::vector<const sema::Model*> lacking;
      for (const sema::ModelId id : engine.models) {
        const sema::Model& model = program.models.get(id);
        const sema::Table* table = model.table({d});
        if (table != nullptr && !table->otherwise) lacking.push_back(&model);
      }
      if (lacking.empty()) continue;
      const std::string& dimension = program.dimensions.get({d}).name;
      const bool all =
          lacking.front()->name == "default" || lacking.size() + 1 == engine.models.size();
      const std::string whose = all ? fmt::format("engine `{}`", engine.name)
                                    : fmt::format("`{}/{}`", engine.name, lacking.front()->name);
      diag::Diagnostic& added =
          sink.add(diag::code::missing_otherwise, place_of(context, engine, dimension, lacking),
                   dimension, whose);
      added.help("end the block with `LABEL: otherwise`, the label of all other names");
    }
  }
}

}  // namespace kr::lint
