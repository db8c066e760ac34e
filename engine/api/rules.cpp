#include "api/rules.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/plural.hpp"
#include "classify/classify.hpp"
#include "diag/render.hpp"

namespace kr {
namespace {

Library library_of(const LoadOptions& options, const std::vector<std::string>& names) {
  const Install install =
      options.rules_folder ? Install{*options.rules_folder} : Install::of_prefix();
  Library library = Library::of_process(install);
  if (options.rules_folder &&
      (library.roots().empty() || library.roots().back() != install.folder)) {
    throw Error(install.folder.string(), "there are no rules in this folder",
                "name a folder that contains `stdlib` and `rulesets`");
  }
  if (names.empty() && library.roots().empty()) {
    throw Error(install.folder.string(), "no rules are installed",
                "set KR_PATH to a folder that contains `stdlib` and `rulesets`, or pass it");
  }
  return library;
}

}  // namespace

Rules Rules::load(const std::vector<std::string>& names, const LoadOptions& options) {
  const Library library = library_of(options, names);
  const auto cache =
      options.use_cache ? Database::Cache::of_process(library.install()) : std::nullopt;
  Sink sink;
  auto impl = std::make_shared<Impl>(compile_rules(names, library, cache, sink));
  if (sink.has_errors()) {
    throw Error(names.size() == 1 ? names[0] : "",
                fmt::format("the rules have {}:\n{}", plural(sink.errors(), "error"),
                            render_human(impl->compiled.sources(), sink.sorted())));
  }
  return Rules(std::move(impl));
}

std::string Rules::label(std::string_view name, std::string_view dimension, std::string_view engine,
                         std::string_view model) const {
  const CompiledRules& rules = impl_->compiled;
  const DimensionId wanted = named_dimension(rules.program(), std::string(dimension));
  TraceBuilder builder("", "");
  const NameId id = builder.name(name, operation_kind_of(name));
  builder.add({.start_ns = 0, .duration_ns = 1, .name = id, .track = builder.track({})});
  const Trace trace = std::move(builder).finish();
  const ChooseOptions choose{std::string(engine), std::string(model), rules.named};
  const TraceSubjects subjects(rules.program(), rules.database, trace, choose);
  const Labelled labelled =
      classify(subjects, choose_model(rules.database, subjects, choose).model);
  const DimensionLabels* labels = labelled.find(wanted);
  return std::string(labels != nullptr ? labels->by_row[0].label : reserved::unclassified);
}

}  // namespace kr
