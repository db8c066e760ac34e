#include "api/rules.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/plural.hpp"
#include "classify/why.hpp"
#include "diag/render.hpp"
#include "session/session.hpp"

namespace kr {
namespace {

source::Library library_of(const LoadOptions& options, const std::vector<std::string>& names) {
  const source::Install install =
      options.rules_folder ? source::Install{*options.rules_folder} : source::Install::of_prefix();
  source::Library library = source::Library::of_process(install);
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

session::LabelledName labelled(const match::CompiledRules& rules, std::string_view name,
                               std::string_view dimension, std::string_view engine,
                               std::string_view model) {
  return session::label_name(rules, name, operation_kind_of(name),
                             {std::string(engine), std::string(model), rules.named},
                             classify::named_dimension(rules.program(), std::string(dimension)));
}

}  // namespace

Rules Rules::load(const std::vector<std::string>& names, const LoadOptions& options) {
  const source::Library library = library_of(options, names);
  const auto cache =
      options.use_cache ? match::Database::Cache::of_process(library.install()) : std::nullopt;
  diag::Sink sink;
  auto impl = std::make_shared<Impl>(match::compile_rules(names, library, cache, sink), library);
  if (sink.has_errors()) {
    throw Error(names.size() == 1 ? names[0] : "",
                fmt::format("the rules have {}:\n{}", plural(sink.errors(), "error"),
                            diag::render_human(impl->compiled.sources(), sink.sorted())));
  }
  return Rules(std::move(impl));
}

std::string Rules::label(std::string_view name, std::string_view dimension, std::string_view engine,
                         std::string_view model) const {
  return labelled(impl_->compiled, name, dimension, engine, model).label;
}

std::optional<DecidingRule> Rules::rule(std::string_view name, std::string_view dimension,
                                        std::string_view engine, std::string_view model) const {
  const match::CompiledRules& rules = impl_->compiled;
  const auto id = labelled(rules, name, dimension, engine, model).rule;
  if (!id) return std::nullopt;
  return DecidingRule{classify::rule_place(rules, *id), classify::rule_on_one_line(rules, *id)};
}

std::vector<Column> Rules::columns(const std::string& table) const {
  const sema::Program& program = impl_->compiled.program();
  std::set<std::string> dimensions;
  for (const sema::Model& model : program.models) {
    for (const sema::Table& one : model.tables) {
      dimensions.insert(program.dimensions.get(one.dimension).name);
    }
  }
  return tables::columns_with(tables::known_table(table),
                              tables::in_usual_order(std::move(dimensions)));
}

}  // namespace kr
