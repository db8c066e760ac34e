// KR204, KR304, KR314, KR315, KR316, KR412: labels, the rules that give them, and the tests.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/join.hpp"
#include "base/nearest.hpp"
#include "lint/checks.hpp"
#include "sema/vocabulary.hpp"

namespace kr::lint {
namespace {

using DimensionLabel = std::pair<std::string, std::string>;

/// Labels that rules of the file or of its models give; an empty label: `otherwise keep`.
std::set<DimensionLabel> produced_labels(const Context& context, const syntax::File& tree) {
  const sema::Program& program = context.program();
  std::set<DimensionLabel> all;
  for (const sema::Model& model : program.models) {
    const auto add_table = [&](const sema::Table& table) {
      const std::string& dimension = program.dimensions.get(table.dimension).name;
      const auto add = [&](sema::RuleId id) {
        const sema::Rule& rule = program.rules.get(id);
        all.insert({dimension, rule.keep ? std::string() : rule.label});
      };
      for (const sema::RuleId rule : table.rules) add(rule);
      if (table.otherwise) add(*table.otherwise);
    };
    std::ranges::for_each(model.tables, add_table);
    std::ranges::for_each(model.order_tables, add_table);
  }
  // Other files may include the tables.
  for (const syntax::Table& table : tree.tables) {
    for (const syntax::Rule& rule : table.rules) {
      if (rule.kind == syntax::RuleKind::otherwise_keep) all.insert({table.dimension.text, ""});
      if (!rule.label.text.empty()) all.insert({table.dimension.text, rule.label.text});
    }
  }
  return all;
}

void check_produced(const Context& context, const sema::LoadedFile& file, diag::Sink& sink) {
  const std::set<DimensionLabel> labels = produced_labels(context, file.tree);
  const std::string path = usage_path(context.rules(), file);
  for (const syntax::Labels& declared : file.tree.labels) {
    const std::string& dimension = declared.dimension.text;
    const Used elsewhere{path, sema::Noun::labels, dimension};
    const auto& others = context.options.used_elsewhere;
    if (dimension == "kind" || labels.contains({dimension, ""}) ||
        std::ranges::binary_search(others, elsewhere)) {
      continue;
    }
    for (const syntax::LabelDecl& label : declared.labels) {
      if (labels.contains({dimension, label.label.text})) continue;
      sink.add(diag::code::label_never_produced, label.label.span, label.label.text, dimension)
          .help("write a rule for it, or remove it");
    }
  }
}

/// The labels that the tests of a file expect for an engine.
std::set<DimensionLabel> expected(const syntax::File& tree, const std::string& engine) {
  std::set<DimensionLabel> all;
  for (const syntax::Test& test : tree.tests) {
    if (test.engine.text != engine) continue;
    for (const syntax::TestCase& one : test.cases) {
      syntax::each_operation(one, [&](const syntax::TestCase& operation) {
        for (const syntax::Expectation& expectation : operation.expected) {
          all.insert({expectation.dimension.text, expectation.label.text});
        }
      });
    }
  }
  return all;
}

void check_tested(const syntax::File& tree, const syntax::Engine& engine, const syntax::Body& body,
                  std::set<DimensionLabel>& tested, diag::Sink& sink) {
  for (const syntax::Block& block : body.dimensions) {
    if (block.over) continue;  // KR338
    if (dimension_meant(tree, block.dimension.text) == "phases") continue;
    std::vector<syntax::Rule> rules = block.rules;
    for (const syntax::Rule& rule : block.rules) {
      rules.insert(rules.end(), rule.refined.begin(), rule.refined.end());
    }
    for (const syntax::Rule& rule : rules) {
      if (rule.kind != syntax::RuleKind::rule) continue;
      if (!tested.insert({block.dimension.text, rule.label.text}).second) continue;
      sink.add(diag::code::label_without_test, rule.label.span, engine.name.text,
               block.dimension.text, rule.label.text)
          .help("write a test with the name of such a kernel: `\"name\" => {} {}`",
                block.dimension.text, rule.label.text);
    }
  }
}

/// Reports dimensions without `labels`, once per engine and dimension, at the first rule in a root
/// file.
void check_open(const Context& context, diag::Sink& sink) {
  const sema::Program& program = context.program();
  for (const sema::Engine& engine : program.engines) {
    std::set<sema::DimensionId> reported;
    for (const sema::ModelId id : engine.models) {
      const auto check = [&](const sema::Table& table) {
        if (table.closed || reported.contains(table.dimension)) return;
        std::vector<sema::RuleId> rules = table.rules;
        if (table.otherwise) rules.push_back(*table.otherwise);
        const auto first = std::ranges::find_if(rules, [&](sema::RuleId rule) {
          return context.is_root(program.rules.get(rule).span.file);
        });
        if (first == rules.end()) return;
        reported.insert(table.dimension);
        const sema::Rule& rule = program.rules.get(*first);
        const std::string& name = program.dimensions.get(table.dimension).name;
        sink.add(diag::code::open_dimension, rule.label_span.valid() ? rule.label_span : rule.span,
                 name)
            .help("declare them with their titles and colours: `labels {} {{ … }}`", name);
      };
      std::ranges::for_each(program.models.get(id).tables, check);
      std::ranges::for_each(program.models.get(id).order_tables, check);
    }
  }
}

/// The message of KR315 ends with the dimension, a space, the label and a quote.
size_t label_in(std::string_view message) {
  constexpr std::string_view before = " expects `";
  return message.find(' ', message.find(before) + before.size()) + 1;
}

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

void group_untested(std::vector<diag::Diagnostic>& findings) {
  constexpr size_t most = 12;
  struct Group {
    size_t first;
    std::vector<std::string> labels;
  };
  std::map<std::string, Group> groups;  // by the message before the label
  std::vector<bool> joined(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].code != diag::code::label_without_test.info()) continue;
    const std::string& message = findings[i].message;
    const size_t label = label_in(message);
    const auto [at, added] = groups.try_emplace(message.substr(0, label), Group{i, {}});
    at->second.labels.push_back(message.substr(label, message.size() - 1 - label));
    joined[i] = !added;
  }
  for (const auto& [head, group] : groups) {
    if (group.labels.size() < 2) continue;
    const auto shown = std::span(group.labels).first(std::min(most, group.labels.size()));
    diag::Diagnostic& first = findings[group.first];
    first.message = fmt::format("{}{}`", head, join(shown, "`, `"));
    if (shown.size() < group.labels.size()) {
      first.message += fmt::format(" and {} more labels", group.labels.size() - shown.size());
    }
    first.help_ += "; the same for the others";
  }
  size_t i = 0;
  std::erase_if(findings, [&](const diag::Diagnostic&) { return joined[i++]; });
}

void check_labels(const Context& context, diag::Sink& sink) {
  for (const sema::LoadedFile* file : context.roots) {
    if (!context.has_engine(*file)) continue;
    check_produced(context, *file, sink);
    for (const syntax::Engine& engine : file->tree.engines) {
      std::set<DimensionLabel> tested = expected(file->tree, engine.name.text);
      check_tested(file->tree, engine, engine.body, tested, sink);
      for (const syntax::Model& model : engine.models) {
        check_tested(file->tree, engine, model.body, tested, sink);
      }
    }
  }
  check_open(context, sink);
}

AgreedLabels agreed_labels(const sema::LoadedRules& rules) {
  AgreedLabels agreed;
  for (const sema::LoadedFile& file : rules.files) {
    for (const syntax::Labels& declared : file.tree.labels) {
      if (declared.dimension.text == "kind") continue;
      std::vector<std::string>& labels = agreed[declared.dimension.text];
      for (const syntax::LabelDecl& one : declared.labels) {
        if (std::ranges::find(labels, one.label.text) == labels.end()) {
          labels.push_back(one.label.text);
        }
      }
    }
  }
  return agreed;
}

void check_agreed(const Context& context, diag::Sink& sink) {
  const AgreedLabels& agreed = context.options.vocabulary;
  if (agreed.empty()) return;
  std::set<DimensionLabel> reported;
  const auto check = [&](const std::string& dimension, const syntax::Word& label) {
    const auto at = agreed.find(dimension);
    if (at == agreed.end() || label.text.empty() || sema::is_reserved(label.text)) return;
    const std::vector<std::string>& labels = at->second;
    if (std::ranges::find(labels, label.text) != labels.end()) return;
    if (!reported.insert({dimension, label.text}).second) return;
    sink.add(diag::code::unknown_label, label.span, label.text, dimension)
        .help("the vocabulary (--vocabulary) does not have it: {}",
              near_or_all(label.text, labels));
  };
  const auto check_rules = [&](const std::string& dimension,
                               const std::vector<syntax::Rule>& rules) {
    for (const syntax::Rule& rule : rules) {
      if (rule.kind != syntax::RuleKind::refine) check(dimension, rule.label);
      for (const syntax::Rule& one : rule.refined) check(dimension, one.label);
    }
  };
  for (const sema::LoadedFile* file : context.roots) {
    reported.clear();
    for (const syntax::Labels& declared : file->tree.labels) {
      for (const syntax::LabelDecl& one : declared.labels) {
        check(declared.dimension.text, one.label);
      }
    }
    for (const syntax::Table& table : file->tree.tables) {
      check_rules(table.dimension.text, table.rules);
    }
    each_body(file->tree, [&](const syntax::Body& body) {
      for (const syntax::Block& block : body.dimensions) {
        check_rules(block.dimension.text, block.rules);
      }
    });
  }
}

void check_tests(const Context& context, diag::Sink& sink) {
  testing::report_failures(context.compiled, testing::run_tests(context.compiled, context.tests),
                           sink);
}

void check_otherwise(const Context& context, diag::Sink& sink) {
  const sema::Program& program = context.program();
  for (const sema::Engine& engine : program.engines) {
    for (uint32_t d = 0; d < program.dimensions.size(); ++d) {
      std::vector<const sema::Model*> lacking;
      for (const sema::ModelId id : engine.models) {
        const sema::Model& model = program.models.get(id);
        const sema::Table* table = model.any_table({d});
        if (table != nullptr && !table->otherwise) lacking.push_back(&model);
      }
      if (lacking.empty()) continue;
      const std::string& dimension = program.dimensions.get({d}).name;
      if (is_meant_as_phases(context, dimension)) continue;
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
