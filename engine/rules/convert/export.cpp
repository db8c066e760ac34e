#include "convert/export.hpp"

#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/join.hpp"
#include "base/json.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"

namespace kr::convert {
namespace {

class Exporter {
 public:
  Exporter(const sema::Program& program, diag::Sink& sink) : program_(program), sink_(sink) {}

  Exported run(sema::DimensionId dimension) {
    std::string engines;
    for (const sema::Engine& engine : program_.engines) {
      std::string models;
      for (const sema::ModelId id : engine.models) {
        const sema::Model& model = program_.models.get(id);
        const sema::Table* table = model.table(dimension);
        if (table == nullptr) continue;
        append(models, 4, model.name, rules(*table));
      }
      if (!models.empty()) append(engines, 2, engine.name, models);
    }
    result_.text = "{\n" + engines + "\n}\n";
    return std::move(result_);
  }

 private:
  static void append(std::string& to, size_t indent, const std::string& key,
                     const std::string& members) {
    if (!to.empty()) to += ",\n";
    to +=
        fmt::format("{:{}}{}: {{\n{}\n{:{}}}}", "", indent, json_string(key), members, "", indent);
  }

  std::string rules(const sema::Table& table) {
    std::string text;
    std::set<std::string> known;
    const auto add = [&](const std::string& pattern, const std::string& label) {
      // A second equal pattern is never reached, and an object has each key once.
      if (!known.insert(pattern).second) return;
      if (!text.empty()) text += ",\n";
      text += fmt::format("      {}: {}", json_string(pattern), json_string(label));
      ++result_.rules;
    };
    for (size_t i = 0; i < table.rules.size(); ++i) {
      const sema::RuleId id = table.rules[i];
      const sema::Rule& rule = program_.rules.get(id);
      std::string why;
      const auto pattern = to_python(program_, table.expr(program_, i), why);
      if (!pattern) {
        leave_out(id, why);
        continue;
      }
      result_.uses_kind += pattern->uses_kind ? 1 : 0;
      add(pattern->text, rule.label);
    }
    if (table.otherwise) {
      const sema::Rule& rule = program_.rules.get(*table.otherwise);
      if (rule.keep) {
        leave_out(*table.otherwise, "it keeps every name, but a table has one label per pattern");
      } else {
        add(".*", rule.label);
      }
    }
    return text;
  }

  /// A rule that several models share is reported once.
  void leave_out(sema::RuleId id, std::string_view why) {
    if (!reported_.insert(id.index).second) return;
    const sema::Rule& rule = program_.rules.get(id);
    sink_.add(diag::code::export_left_out, rule.span,
              rule.keep ? "otherwise keep" : excerpt(rule.label, 60), why);
    ++result_.left_out;
  }

  const sema::Program& program_;
  diag::Sink& sink_;
  Exported result_;
  std::set<uint32_t> reported_;
};

}  // namespace

Exported export_tables(const sema::Program& program, std::string_view dimension, diag::Sink& sink) {
  std::vector<std::string> names;
  for (const sema::Dimension& known : program.dimensions) names.push_back(known.name);
  const auto id = program.dimension(dimension);
  bool present = false;
  for (const sema::Model& model : program.models) {
    present = present || (id && model.table(*id) != nullptr);
  }
  if (!present) {
    throw Error(
        "", fmt::format("no model of these rules has the dimension `{}`", printable(dimension)),
        id ? fmt::format("available: {}", join(names, ", ")) : near_or_all(dimension, names));
  }
  return Exporter(program, sink).run(*id);
}

}  // namespace kr::convert
