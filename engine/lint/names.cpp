// KR411: names that a reader takes for each other.
#include <algorithm>
#include <functional>
#include <map>

#include "lint/checks.hpp"

namespace kr::lint {
namespace {

/// What is left of a name when case, `-` and `_`, and look-alikes are one.
std::string skeleton(std::string_view name, bool look_alikes) {
  std::string plain;
  for (char c : name) {
    if (c == '-') c = '_';
    if (look_alikes && c == '0') c = 'o';
    if (look_alikes && (c == '1' || c == 'I')) c = 'l';
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return plain;
}

class Names {
 public:
  Names(const char* what, Sink& sink) : what_(what), sink_(sink) {}

  void add(const std::string& name, Span span) {
    for (const bool look_alikes : {false, true}) {
      const auto [at, added] =
          seen_[look_alikes].emplace(skeleton(name, look_alikes), std::pair{name, span});
      const auto& [first, place] = at->second;
      if (added || first == name) continue;
      sink_.add(code::confusable_names, span, what_, name, first)
          .related(place, "`{}` is declared here", first);
      return;
    }
  }

 private:
  const char* what_;
  Sink& sink_;
  std::map<std::string, std::pair<std::string, Span>> seen_[2];
};

}  // namespace

void check_names(const Context& context, Sink& sink) {
  for (const LoadedFile* file : context.roots) {
    for (const syntax::Labels& labels : file->tree.labels) {
      Names names("label", sink);
      for (const syntax::LabelDecl& one : labels.labels) names.add(one.label.text, one.label.span);
    }
    Names patterns("pattern", sink);
    for (const syntax::Pattern& one : file->tree.patterns)
      patterns.add(one.name.text, one.name.span);
    Names tables("table", sink);
    for (const syntax::Table& one : file->tree.tables) tables.add(one.name.text, one.name.span);
    Names engines("engine", sink);
    for (const syntax::Engine& engine : file->tree.engines) {
      engines.add(engine.name.text, engine.name.span);
      Names models("model", sink);
      for (const syntax::Model& one : engine.models) models.add(one.name.text, one.name.span);
    }
  }
}

}  // namespace kr::lint
