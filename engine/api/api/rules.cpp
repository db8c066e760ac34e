#include "api/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/error.hpp"
#include "base/plural.hpp"
#include "classify/why.hpp"
#include "diag/render.hpp"
#include "sema/load.hpp"
#include "session/session.hpp"
#include "tables/registry.hpp"

namespace kr {

source::Library library_of(const LoadOptions& options, bool shipped) {
  const source::Install install =
      options.rules_folder ? source::Install{*options.rules_folder} : source::Install::of_prefix();
  source::Library library = source::Library::of_process(install);
  if (options.rules_folder &&
      (library.roots().empty() || library.roots().back() != install.folder)) {
    throw Error(install.folder.string(), "there are no rules in this folder",
                "name a folder that contains `stdlib` and `rulesets`");
  }
  if (shipped && library.roots().empty()) {
    throw Error(install.folder.string(), "no rules are installed",
                "set KR_PATH to a folder that contains `stdlib` and `rulesets`, or pass it");
  }
  return library;
}

namespace {

session::LabelledName labelled(const match::CompiledRules& rules, std::string_view name,
                               std::string_view dimension, std::string_view engine,
                               std::string_view model) {
  return session::label_name(
      rules, name, operation_kind_of(name), {std::string(engine), std::string(model), rules.named},
      classify::named_name_dimension(rules.program(), std::string(dimension)));
}

}  // namespace

Rules Rules::load(const std::vector<std::string>& names, const LoadOptions& options) {
  const source::Library library = library_of(options, names.empty());
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
  std::vector<std::string> all = tables::in_usual_order(std::move(dimensions));
  const tables::Definition& definition = tables::known_table(table);
  if (!definition.needs.has<analyze::LabelledTrace>()) {
    return tables::columns_with(definition, all);
  }
  for (const sema::Model& model : program.models) {
    for (const sema::OrderTable& one : model.order_tables) {
      const std::string& name = program.dimensions.get(one.dimension).name;
      const auto is = [&](std::string_view other) { return other == name; };
      if (std::ranges::any_of(sema::candidate_dimensions, is)) continue;
      if (std::ranges::none_of(all, is)) all.push_back(name);
    }
  }
  return tables::columns_with(definition, all);
}

NameLabels Rules::label_names(std::span<const std::string_view> names, std::string_view dimension,
                              std::string_view engine, std::string_view model) const {
  const match::CompiledRules& rules = impl_->compiled;
  const sema::DimensionId wanted =
      classify::named_name_dimension(rules.program(), std::string(dimension));
  const classify::ChooseOptions options{std::string(engine), std::string(model), rules.named};
  trace::TraceBuilder builder("", "");
  const trace::TrackId track = builder.track({});
  NameLabels result;
  result.label_of.reserve(names.size());
  uint32_t distinct = 0;
  for (const std::string_view name : names) {
    const trace::NameId id = builder.name(name, operation_kind_of(name));
    // One operation per name: how often a name is in the list says nothing of a run.
    if (id.index == distinct) {
      builder.add({.start_ns = distinct, .duration_ns = 1, .name = id, .track = track});
      ++distinct;
    }
    result.label_of.push_back(id.index);
  }
  const trace::Trace trace = std::move(builder).finish();
  const classify::TraceSubjects subjects(rules.program(), rules.database, trace, options);
  const classify::Labelled labelled =
      classify::classify(subjects, classify::choose_model(rules.database, subjects, options).model);
  const classify::DimensionLabels* labels = labelled.find(wanted);
  std::unordered_map<std::string_view, uint32_t> places;
  std::vector<uint32_t> place_of(distinct);
  for (uint32_t i = 0; i < distinct; ++i) {
    const std::string_view label = labels != nullptr
                                       ? labels->by_row[i].label
                                       : std::string_view(sema::reserved::unclassified);
    const auto [place, is_new] = places.emplace(label, static_cast<uint32_t>(result.labels.size()));
    if (is_new) result.labels.emplace_back(label);
    place_of[i] = place->second;
  }
  for (uint32_t& label : result.label_of) label = place_of[label];
  return result;
}

}  // namespace kr
