// kr list: what there is.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/json.hpp"
#include "diag/diagnostic.hpp"
#include "report/report.hpp"
#include "session.hpp"
#include "source/library.hpp"
#include "trace/open.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct ListOptions {
  std::string what;
  std::string format = "table";
  RulesOptions rules;
};

/// A row is what it says under each heading; a heading without a word anywhere is not shown.
using Row = std::vector<std::pair<std::string, std::string>>;

std::string ruleset_of(const CompiledRules& rules, Span span) {
  return span.valid() ? rules.sources().path(span.file) : std::string();
}

/// What an engine or model is detected by, as written.
std::string detect_of(const CompiledRules& rules, const LoadedFile& file,
                      const syntax::Body& body) {
  std::string text;
  for (const syntax::Detect& detect : body.detects) {
    if (!text.empty()) text += " | ";
    text += rules.sources().text(file.tree.exprs.get(detect.expr).span);
  }
  return text;
}

/// The body of an engine, or of one of its models, in the file that defines it.
template <class Tell>
void with_body(const CompiledRules& rules, const std::string& engine, const std::string& model,
               const Tell& tell) {
  for (const LoadedFile& file : rules.rules->files) {
    if (!file.root) continue;
    for (const syntax::Engine& one : file.tree.engines) {
      if (one.name.text != engine) continue;
      if (model.empty()) tell(file, one.body);
      for (const syntax::Model& own : one.models) {
        if (own.name.text == model) tell(file, own.body);
      }
    }
  }
}

std::string detect_of(const CompiledRules& rules, const std::string& engine,
                      const std::string& model) {
  std::string text;
  with_body(rules, engine, model, [&](const LoadedFile& file, const syntax::Body& body) {
    text = detect_of(rules, file, body);
  });
  return text;
}

std::vector<Row> engines(const CompiledRules& rules) {
  std::vector<Row> rows;
  for (const Engine& engine : rules.program().engines) {
    rows.push_back({{"name", engine.name},
                    {"title", engine.title},
                    {"ruleset", ruleset_of(rules, engine.span)},
                    {"doc", engine.doc},
                    {"detect", detect_of(rules, engine.name, "")}});
  }
  return rows;
}

std::vector<Row> models(const CompiledRules& rules) {
  std::vector<Row> rows;
  const Program& program = rules.program();
  for (const Engine& engine : program.engines) {
    for (const ModelId id : engine.models) {
      const Model& model = program.models.get(id);
      const bool own = model.span.valid();
      rows.push_back({{"engine", engine.name},
                      {"name", model.name},
                      {"title", own ? model.title : engine.title},
                      {"ruleset", ruleset_of(rules, own ? model.span : engine.span)},
                      {"doc", own ? model.doc : "the engine's own rules alone"},
                      {"detect", own ? detect_of(rules, engine.name, model.name) : ""}});
    }
  }
  return rows;
}

/// A label once an engine and dimension, however many models have it.
std::vector<Row> labels(const CompiledRules& rules) {
  std::vector<Row> rows;
  const Program& program = rules.program();
  for (const Engine& engine : program.engines) {
    std::map<std::pair<uint32_t, std::string>, bool> seen;
    for (const ModelId id : engine.models) {
      for (const Table& table : program.models.get(id).tables) {
        for (const Label& label : table.vocabulary) {
          if (!seen.insert({{table.dimension.index, label.name}, true}).second) continue;
          rows.push_back({{"engine", engine.name},
                          {"dimension", program.dimensions.get(table.dimension).name},
                          {"name", label.name},
                          {"title", label.title},
                          {"color", label.color},
                          {"ruleset", ruleset_of(rules, label.span)},
                          {"doc", label.doc}});
        }
      }
    }
  }
  return rows;
}

/// Named patterns, of what is used too, as others name them.
std::vector<Row> patterns(const CompiledRules& rules) {
  std::vector<Row> rows;
  for (const LoadedFile& file : rules.rules->files) {
    const std::string& path = rules.sources().path(file.file);
    const std::string module = std::filesystem::path(path).stem().string();
    for (const syntax::Pattern& pattern : file.tree.patterns) {
      rows.push_back({{"name", module + '.' + pattern.name.text},
                      {"ruleset", path},
                      {"doc", pattern.doc},
                      {"expression",
                       std::string(rules.sources().text(file.tree.exprs.get(pattern.expr).span))}});
    }
  }
  return rows;
}

/// Files that others use.
std::vector<Row> modules(const CompiledRules& rules) {
  std::map<std::string, Row> rows;
  for (const LoadedFile& file : rules.rules->files) {
    if (file.root) continue;
    const std::string& path = rules.sources().path(file.file);
    const std::string module = std::filesystem::path(path).stem().string();
    rows.emplace(path, Row{{"name", module}, {"ruleset", path}, {"doc", file.tree.doc}});
  }
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (auto& [path, row] : rows) sorted.push_back(std::move(row));
  return sorted;
}

std::vector<Row> checks() {
  std::vector<Row> rows;
  for (const CodeInfo& code : all_codes()) {
    if (code.severity == Severity::retired) continue;
    rows.push_back({{"code", std::string(code.id)},
                    {"name", std::string(code.name)},
                    {"severity", std::string(to_string(code.severity))},
                    {"doc", description(code)}});
  }
  return rows;
}

std::vector<Row> formats() {
  std::vector<Row> rows;
  for (const FormatInfo& format : known_formats()) {
    rows.push_back({{"name", format.name},
                    {"extensions", fmt::format("{}", fmt::join(format.extensions, " "))},
                    {"doc", format.summary}});
  }
  return rows;
}

/// A file that was read for its own sake, with the engines it defines.
Row ruleset_row(const Rules& rules, const LoadedFile& file) {
  std::vector<std::string> engines;
  for (const syntax::Engine& engine : file.tree.engines) engines.push_back(engine.name.text);
  const std::string& path = rules.sources.path(file.file);
  return {{"name", std::filesystem::path(path).stem().string()},
          {"ruleset", path},
          {"engine", fmt::format("{}", fmt::join(engines, ", "))},
          {"doc", file.tree.doc}};
}

/// Those that ship, each by itself: `gputrc2graph` has engines of the same names as others. Or
/// those the user named.
std::vector<Row> rulesets(const ListOptions& options, Streams& streams) {
  std::vector<Row> rows;
  const auto add = [&](const Rules& rules) {
    for (const LoadedFile& file : rules.files) {
      if (file.root) rows.push_back(ruleset_row(rules, file));
    }
  };
  if (!options.rules.names.empty()) {
    add(*compile_rules(options.rules, streams).rules);
    return rows;
  }
  const Library library = Library::of_process();
  for (const std::string& name : library.rulesets()) {
    Sink ignored;
    add(*load_rules({name}, library, ignored));
  }
  return rows;
}

/// What is shown of a text: its first line.
std::string shown(const std::string& text) {
  return printable(text.substr(0, text.find('\n')));
}

std::string table_text(const std::vector<Row>& rows) {
  std::string text;
  if (rows.empty()) return text;
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], shown(row[i].second).size());
    }
  }
  const auto add_line = [&](const auto& cell) {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] == 0) continue;
      line += fmt::format("{:<{}}  ", cell(i), std::max(widths[i], rows[0][i].first.size()));
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  add_line([&](size_t i) { return rows[0][i].first; });
  for (const Row& row : rows) {
    add_line([&](size_t i) { return shown(row[i].second); });
  }
  return text;
}

std::string json_text(const std::vector<Row>& rows) {
  std::string text = "[";
  const char* comma = "";
  for (const Row& row : rows) {
    text += fmt::format("{}\n {{", comma);
    comma = ",";
    const char* between = "";
    for (const auto& [key, value] : row) {
      if (value.empty() && key != "name" && key != "doc") continue;
      text += fmt::format("{}{}:{}", between, json_string(key), json_string(value));
      between = ",";
    }
    text += "}";
  }
  return text + "\n]\n";
}

Exit list(const ListOptions& options, Streams& streams) {
  const std::string format = parse_choice(options.format, "--format", {"table", "json"});
  const std::vector<std::string> known{"engines", "models", "labels",  "patterns",
                                       "modules", "checks", "formats", "rulesets"};
  const std::string what =
      parse_choice(options.what.empty() ? "models" : options.what, "kr list", known);
  std::vector<Row> rows;
  if (what == "checks") {
    rows = checks();
  } else if (what == "formats") {
    rows = formats();
  } else if (what == "rulesets") {
    rows = rulesets(options, streams);
  } else {
    const CompiledRules rules = compile_rules(options.rules, streams);
    rows = what == "engines"    ? engines(rules)
           : what == "models"   ? models(rules)
           : what == "labels"   ? labels(rules)
           : what == "patterns" ? patterns(rules)
                                : modules(rules);
  }
  streams.out(format == "json" ? json_text(rows) : table_text(rows));
  return Exit::done;
}

Action setup_list(CLI::App& app) {
  auto options = std::make_shared<ListOptions>();
  app.add_option(
      "WHAT", options->what,
      "engines, models, labels, patterns, modules, checks, formats or rulesets (default: "
      "models)");
  app.add_option("--format", options->format, "table or json (default: table)")
      ->type_name("FORMAT");
  options->rules.add_to(app);
  return [options](Streams& streams) { return list(*options, streams); };
}

}  // namespace

extern const Verb list_verb;
const Verb list_verb{"list", "engines, models, labels and whatever else there is",
                     "kr list labels --rules vllm", setup_list, "Rules"};

}  // namespace kr::cli
