// KR411: names that readers confuse. KR418: dimensions that are probably misspelled.
#include <algorithm>
#include <functional>
#include <map>

#include "base/ascii.hpp"
#include "base/nearest.hpp"
#include "lint/checks.hpp"

namespace kr::lint {
namespace {

/// A name without the differences of case, `-` and `_`, and similar characters.
std::string skeleton(std::string_view name, bool similar) {
  std::string plain;
  for (char c : name) {
    if (c == '-') c = '_';
    if (similar && c == '0') c = 'o';
    if (similar && (c == '1' || c == 'I')) c = 'l';
    plain += lower(c);
  }
  return plain;
}

class Declared {
 public:
  Declared(const char* what, diag::Sink& sink) : what_(what), sink_(sink) {}

  void add(const std::string& name, source::Span span) {
    for (const bool similar : {false, true}) {
      const auto [at, added] =
          seen_[similar].emplace(skeleton(name, similar), std::pair{name, span});
      const auto& [first, place] = at->second;
      if (added || first == name) continue;
      sink_.add(diag::code::confusable_names, span, what_, name, first)
          .related(place, "`{}` is declared here", first);
      return;
    }
  }

 private:
  const char* what_;
  diag::Sink& sink_;
  std::map<std::string, std::pair<std::string, source::Span>> seen_[2];
};

void check_dimensions(const syntax::File& tree, const syntax::Body& body, diag::Sink& sink) {
  for (const syntax::Block& block : body.dimensions) {
    const std::string& name = block.dimension.text;
    const auto near = dimension_meant(tree, name);
    if (!near) continue;
    sink.add(diag::code::misspelled_dimension, block.dimension.span, name, *near)
        .help("write `{}`; if you mean another dimension, declare its labels: `labels {} {{ … }}`",
              *near, name)
        .suggest(block.dimension.span, *near);
  }
}

}  // namespace

std::optional<std::string> dimension_meant(const syntax::File& tree, const std::string& name) {
  std::vector<std::string> usual(sema::usual_dimensions.begin(), sema::usual_dimensions.end());
  usual.emplace_back("phases");
  if (std::ranges::find(usual, name) != usual.end()) return std::nullopt;
  const auto declares = [&](const syntax::Labels& one) { return one.dimension.text == name; };
  if (std::ranges::any_of(tree.labels, declares)) return std::nullopt;
  return nearest(name, usual);
}

bool is_meant_as_phases(const Context& context, const std::string& name) {
  return std::ranges::any_of(context.roots, [&](const sema::LoadedFile* file) {
    if (dimension_meant(file->tree, name) != "phases") return false;
    bool has_block = false;
    each_body(file->tree, [&](const syntax::Body& body) {
      has_block |= std::ranges::any_of(body.dimensions, [&](const syntax::Block& block) {
        return block.dimension.text == name;
      });
    });
    return has_block;
  });
}

void check_names(const Context& context, diag::Sink& sink) {
  for (const sema::LoadedFile* file : context.roots) {
    for (const syntax::Labels& labels : file->tree.labels) {
      Declared names("label", sink);
      for (const syntax::LabelDecl& one : labels.labels) names.add(one.label.text, one.label.span);
    }
    Declared patterns("pattern", sink);
    for (const syntax::Pattern& one : file->tree.patterns)
      patterns.add(one.name.text, one.name.span);
    Declared tables("table", sink);
    for (const syntax::Table& one : file->tree.tables) tables.add(one.name.text, one.name.span);
    Declared engines("engine", sink);
    for (const syntax::Engine& engine : file->tree.engines) {
      engines.add(engine.name.text, engine.name.span);
      check_dimensions(file->tree, engine.body, sink);
      for (const syntax::Model& one : engine.models) check_dimensions(file->tree, one.body, sink);
      Declared models("model", sink);
      for (const syntax::Model& one : engine.models) models.add(one.name.text, one.name.span);
    }
  }
}

}  // namespace kr::lint
