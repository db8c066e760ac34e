// Resolves the engines, models, dimensions and labels of `test` declarations.
#include <algorithm>
#include <set>

#include "base/integer.hpp"
#include "sema/costs.hpp"
#include "sema/resolve.hpp"
#include "sema/vocabulary.hpp"

namespace kr::sema {
namespace {

class Tests {
 public:
  Tests(Program& program, diag::Sink& sink) : program_(program), sink_(sink) {}

  void add(const syntax::File& tree, const syntax::Test& test) {
    const std::vector<ModelId> models = models_of(test);
    if (models.empty()) return;
    known_.clear();
    for (const syntax::TestCase& one : test.cases) {
      Test made = operation(tree, one, models);
      for (const syntax::TestCase& written : one.later) {
        Test later = operation(tree, written, models);
        add_expectations(test, written, later);
        later.models.clear();
        made.later.push_back(std::move(later));
      }
      if (one.call) {
        made.call = resolve_call(tree, *one.call, sink_);
        add_amounts(one, *made.call);
      } else {
        add_expectations(test, one, made);
      }
      program_.tests.push_back(std::move(made));
    }
  }

 private:
  /// The labels that the models of one `test` may give in a dimension.
  struct Known {
    std::set<std::string> labels;
    bool keeps = false;  // `otherwise keep`: any name is possible
  };

  Test operation(const syntax::File& tree, const syntax::TestCase& one,
                 const std::vector<ModelId>& models) {
    Test made;
    made.models = models;
    made.kind = one.kind ? *one.kind : operation_kind_of(one.name.text);
    made.name = one.name.text;
    for (const syntax::Word& outer : one.within) made.within.push_back(outer.text);
    made.span = one.span;
    if (one.phase) made.phase = one.phase->text;
    if (one.op) {
      made.op = one.op->text;
      made.op_arguments = resolve_call(tree, {one.op_arguments, {}, {}}, sink_).arguments;
    }
    return made;
  }

  std::vector<ModelId> models_of(const syntax::Test& test) {
    const auto engine = program_.engine(test.engine.text);
    if (!engine) {
      diag::Diagnostic& added =
          sink_.add(diag::code::unknown_engine, test.engine.span, test.engine.text);
      std::vector<std::string> names;
      names.reserve(program_.engines.size());
      for (const Engine& one : program_.engines) names.push_back(one.name);
      suggest(added, test.engine.text, names, "", sink_);
      return {};
    }
    const std::vector<ModelId>& all = program_.engines.get(*engine).models;
    if (!test.model) return all;
    if (const auto model = program_.model(*engine, test.model->text)) return {*model};
    diag::Diagnostic& added = sink_.add(diag::code::unknown_model, test.model->span,
                                        test.engine.text + "/" + test.model->text);
    std::vector<std::string> names;
    names.reserve(all.size());
    for (const ModelId one : all) names.push_back(program_.models.get(one).name);
    suggest(added, test.model->text, names, "", sink_);
    return {};
  }

  void add_amounts(const syntax::TestCase& written, Test::Call& made) {
    for (const syntax::Expectation& one : written.expected) {
      const bool bytes = one.dimension.text == "bytes";
      if (!bytes && one.dimension.text != "flops") {
        sink_.add(diag::code::wrong_amount, one.dimension.span, one.dimension.text)
            .help("a test of a cost expects `flops` or `bytes`");
        continue;
      }
      const std::optional<int64_t> value = integer_from(one.label.text);
      if (!value && one.label.text != "unknown") {
        sink_.add(diag::code::wrong_amount, one.label.span, one.label.text)
            .help("write a whole number, or `unknown`");
        continue;
      }
      made.expected.push_back({bytes, value, source::join(one.dimension.span, one.label.span)});
    }
  }

  void add_expectations(const syntax::Test& test, const syntax::TestCase& written, Test& made) {
    for (const syntax::Expectation& one : written.expected) {
      const auto dimension = dimension_of(test, one.dimension, made.models);
      if (!dimension) continue;
      const auto same = std::ranges::find(made.expected, *dimension, &Expectation::dimension);
      if (same != made.expected.end()) {
        sink_.add(diag::code::redefinition, one.dimension.span, "the label of", one.dimension.text)
            .related(same->span, "first expected here");
        continue;
      }
      check_label(one, *dimension, made.models);
      made.expected.push_back(
          {*dimension, one.label.text, source::join(one.dimension.span, one.label.span)});
    }
  }

  std::optional<DimensionId> dimension_of(const syntax::Test& test, const syntax::Word& name,
                                          const std::vector<ModelId>& models) {
    const auto dimension = program_.dimension(name.text);
    const auto has_it = [&](ModelId model) {
      return program_.models.get(model).any_table(*dimension) != nullptr;
    };
    if (dimension && std::ranges::any_of(models, has_it)) return dimension;
    std::string whose = "`" + test.engine.text;
    if (test.model) whose += "/" + test.model->text;
    // A test block has the same mistake on each of its lines.
    if (!unknown_.emplace(whose, name.text).second) return std::nullopt;
    diag::Diagnostic& added =
        sink_.add(diag::code::unknown_dimension, name.span, name.text, whose + "`");
    if (!worth_suggesting(sink_)) return std::nullopt;
    std::set<std::string> names;
    for (const ModelId model : models) {
      for (const Table& table : program_.models.get(model).tables) {
        names.insert(program_.dimensions.get(table.dimension).name);
      }
      for (const OrderTable& table : program_.models.get(model).order_tables) {
        names.insert(program_.dimensions.get(table.dimension).name);
      }
    }
    const std::vector<std::string> known(names.begin(), names.end());
    const auto near = near_name(name.text, known, sink_);
    const bool usual = std::ranges::find(usual_dimensions, name.text) != usual_dimensions.end();
    if (near && usual) {
      added.help("its rules are in `{}`; is that a misspelling of `{}`?", *near, name.text);
    } else {
      suggest(added, name.text, known, "", sink_);
    }
    return std::nullopt;
  }

  const Known& known(DimensionId dimension, const std::vector<ModelId>& models) {
    const auto [at, added] = known_.try_emplace(dimension.index);
    Known& here = at->second;
    if (!added) return here;
    const auto take = [this, &here](RuleId id) {
      const Rule& rule = program_.rules.get(id);
      here.keeps |= rule.keep;
      if (!rule.keep) here.labels.insert(rule.label);
    };
    for (const ModelId model : models) {
      const Table* table = program_.models.get(model).any_table(dimension);
      if (table == nullptr) continue;
      for (const RuleId rule : table->rules) take(rule);
      if (table->otherwise) take(*table->otherwise);
      for (const Label& label : table->vocabulary) here.labels.insert(label.name);
    }
    return here;
  }

  void check_label(const syntax::Expectation& written, DimensionId dimension,
                   const std::vector<ModelId>& models) {
    const Known& here = known(dimension, models);
    const std::string& label = written.label.text;
    if (here.keeps || label == reserved::unclassified || here.labels.contains(label)) return;
    diag::Diagnostic& added =
        sink_.add(diag::code::unknown_label, written.label.span, label, written.dimension.text);
    if (!worth_suggesting(sink_)) return;
    const std::vector<std::string> names(here.labels.begin(), here.labels.end());
    suggest(added, label, names, "", sink_);
  }

  Program& program_;
  diag::Sink& sink_;
  std::unordered_map<uint32_t, Known> known_;              // by dimension, for the current test
  std::set<std::pair<std::string, std::string>> unknown_;  // dimensions that were reported
};

}  // namespace

void resolve_tests(const std::vector<Module>& modules, Program& program, diag::Sink& sink) {
  Tests tests(program, sink);
  for (const Module& module : modules) {
    if (!module.root) continue;
    for (const syntax::Test& test : module.tree->tests) tests.add(*module.tree, test);
  }
}

}  // namespace kr::sema
