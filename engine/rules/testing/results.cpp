#include "testing/results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/printable.hpp"
#include "diag/junit_xml.hpp"
#include "diag/render.hpp"
#include "layout/layout.hpp"

namespace kr::testing {
namespace {

/// The properties of an outcome that all formats show.
class OutcomeView {
 public:
  OutcomeView(const TestedFile& file, const TestOutcome& outcome)
      : program_(file.rules.program()), sources_(file.rules.sources()), outcome_(outcome) {}

  const sema::Test& test() const { return program_.tests[outcome_.test]; }
  const std::string& file() const { return sources_.path(test().span.file); }
  uint32_t line() const { return sources_.begin(test().span).line; }
  const sema::Model& model() const { return program_.models.get(outcome_.model); }
  const sema::Engine& engine() const { return program_.engines.get(model().engine); }
  OperationKind kind() const { return test().kind.value_or(operation_kind_of(test().name)); }
  /// `file:line` of the rule that gave the label; empty: none.
  std::string rule(const TestOutcome::Miss& miss) const {
    if (miss.cost) return sources_.place(program_.costs.get(*miss.cost).span);
    return miss.rule ? sources_.place(program_.rules.get(*miss.rule).span) : std::string();
  }
  uint32_t line_of(const TestOutcome::Miss& miss) const { return sources_.begin(miss.span).line; }

 private:
  const sema::Program& program_;
  const source::SourceMap& sources_;
  const TestOutcome& outcome_;
};

void write_json(const TestedFile& file, const TestOutcome& outcome, JsonWriter& json) {
  const OutcomeView view(file, outcome);
  json.open('{', true);
  json.key("file").text(view.file());
  json.key("line").number(view.line());
  json.key("engine").text(view.engine().name);
  json.key("model").text(view.model().name);
  json.key("kind").text(to_string(view.kind()));
  json.key("name").text(view.test().name);
  json.key("within").open('[');
  for (const std::string& outer : view.test().within) json.text(outer);
  json.close(']');
  json.key("passed").number(outcome.passed());
  json.key("misses").open('[');
  for (const TestOutcome::Miss& miss : outcome.misses) {
    json.open('{');
    json.key("dimension").text(miss.dimension);
    json.key("expected").text(miss.expected);
    json.key("actual").text(miss.actual);
    json.key("rule");
    if (miss.rule || miss.cost) {
      json.text(view.rule(miss));
    } else {
      json.null();
    }
    json.close('}');
  }
  json.close(']');
  json.close('}');
}

diag::JunitCase junit_case(const TestedFile& file, const TestOutcome& outcome) {
  const OutcomeView view(file, outcome);
  diag::JunitCase one{.classname = view.engine().name + '/' + view.model().name,
                      .name = view.test().name,
                      .file = view.file(),
                      .line = view.line(),
                      .failure = outcome.passed() ? "" : "failing-test",
                      .message = {},
                      .lines = {}};
  if (view.kind() != operation_kind_of(one.name)) {
    one.name = fmt::format("@{} {}", to_string(view.kind()), one.name);
  }
  for (const std::string& outer : view.test().within) one.name += " within " + outer;
  for (const TestOutcome::Miss& miss : outcome.misses) {
    const std::string report =
        fmt::format("expected {} {}, got {}", miss.dimension, miss.expected, miss.actual);
    one.message += (one.message.empty() ? "" : "; ") + report;
    one.lines += fmt::format("{}:{}: {}", view.file(), view.line_of(miss), report);
    one.lines += miss.rule || miss.cost ? ", by the rule at " + view.rule(miss) : ", by no rule";
    one.lines += '\n';
  }
  return one;
}

/// The lines of the tests of one engine or model.
struct Block {
  std::string whose;
  std::vector<std::string> lines;
};

/// A `test` block in the layout of `kr fmt`.
std::string tests_of(const Block& block) {
  return layout::laid_out(
      fmt::format("test {} {{\n{}\n}}\n", block.whose, join(block.lines, "\n")));
}

/// Test blocks that reach the unreached rules, without duplicate lines.
std::string tests_to_paste(std::span<const Unreached> unreached) {
  std::vector<Block> blocks;
  for (const Unreached& one : unreached) {
    if (one.test.empty()) continue;
    auto at = std::ranges::find(blocks, one.whose, &Block::whose);
    if (at == blocks.end()) at = blocks.insert(at, {one.whose, {}});
    if (std::ranges::find(at->lines, one.test) == at->lines.end()) {
      at->lines.push_back(one.test);
    }
  }
  std::string text;
  for (const Block& block : blocks) text += (text.empty() ? "" : "\n") + tests_of(block);
  return text;
}

/// The text of an unreached place, as one short line.
std::string text_of(const TestedFile& file, const Unreached& one) {
  constexpr size_t shown = 60;
  std::string text(file.rules.sources().text(one.place));
  std::ranges::replace(text, '\n', ' ');
  return excerpt(text, shown);
}

void write_json(const TestedFile& file, const Unreached& one, JsonWriter& json) {
  const sema::Program& program = file.rules.program();
  const sema::Rule& rule = program.rules.get(one.rule);
  const source::Position at = file.rules.sources().begin(one.place);
  json.open('{', true);
  json.key("file").text(file.rules.sources().path(one.place.file));
  json.key("line").number(at.line);
  json.key("column").number(at.column);
  json.key("dimension").text(program.dimensions.get(rule.dimension).name);
  json.key("label").text(rule.label);
  json.key("text").text(text_of(file, one));
  json.key("test").text(one.test.empty() ? "" : tests_of({one.whose, {one.test}}));
  json.key("real_name").number(one.is_real);
  json.close('}');
}

/// The sum over all files; none if coverage was not requested.
std::optional<Coverage> coverage_of(std::span<const TestedFile> files) {
  std::optional<Coverage> all;
  for (const TestedFile& file : files) {
    if (!file.coverage) continue;
    if (!all) all.emplace();
    all->rules += file.coverage->rules;
    all->rules_reached += file.coverage->rules_reached;
    all->alternatives += file.coverage->alternatives;
    all->alternatives_reached += file.coverage->alternatives_reached;
  }
  return all;
}

void write_json(std::span<const TestedFile> files, const Coverage& all, JsonWriter& json) {
  json.open('{');
  json.key("rules").number(all.rules);
  json.key("rules_reached").number(all.rules_reached);
  json.key("alternatives").number(all.alternatives);
  json.key("alternatives_reached").number(all.alternatives_reached);
  json.key("unreached").open('[');
  for (const TestedFile& file : files) {
    for (const Unreached& one : file.coverage->unreached) write_json(file, one, json);
  }
  json.close(']');
  json.close('}');
}

std::string coverage_text(std::span<const TestedFile> files) {
  const auto all = coverage_of(files);
  if (!all) return {};
  std::string text;
  const bool any_real = std::ranges::any_of(files, [](const TestedFile& file) {
    return std::ranges::any_of(file.coverage->unreached, &Unreached::is_real);
  });
  for (const TestedFile& file : files) {
    for (const Unreached& one : file.coverage->unreached) {
      const sema::Rule& rule = file.rules.program().rules.get(one.rule);
      const source::Position at = file.rules.sources().begin(one.place);
      const std::string what =
          one.whole ? fmt::format("rule `{}`", printable(rule.label)) : text_of(file, one);
      text += fmt::format("{}:{}:{}: no test reaches {}{}\n",
                          printable(file.rules.sources().path(one.place.file)), at.line, at.column,
                          what,
                          one.test.empty()           ? ", and no name was found that does"
                          : any_real && !one.is_real ? ", and no name of the run does"
                                                     : "");
    }
    const std::string tests = tests_to_paste(file.coverage->unreached);
    if (!tests.empty()) text += '\n' + tests + '\n';
  }
  return text + fmt::format("tests reach {} of {} and {} of {}\n", all->rules_reached,
                            plural(all->rules, "rule"), all->alternatives_reached,
                            plural(all->alternatives, "alternative"));
}

}  // namespace

TestCounts count(std::span<const TestedFile> files) {
  TestCounts all;
  for (const TestedFile& file : files) {
    all.tests += file.outcomes.size();
    for (const TestOutcome& outcome : file.outcomes) all.failed += outcome.passed() ? 0 : 1;
  }
  return all;
}

std::string tests_text(std::span<const TestedFile> files, bool color) {
  std::string text;
  for (const TestedFile& file : files) {
    diag::Sink sink;
    report_failures(file.rules, file.outcomes, sink);
    const std::string failures =
        diag::render_human(file.rules.sources(), sink.sorted(), {.color = color});
    if (!failures.empty()) text += failures + '\n';
  }
  text += coverage_text(files);
  const TestCounts all = count(files);
  const std::string where = fmt::format(" ({})", plural(files.size(), "file"));
  if (all.failed > 0) {
    return text + fmt::format("{} of {} failed{}\n", all.failed, plural(all.tests, "test"), where);
  }
  if (all.tests == 0) return text + "no tests" + where + '\n';
  return text + plural(all.tests, "test") + " passed" + where + '\n';
}

std::string tests_json(std::span<const TestedFile> files) {
  std::string text;
  JsonWriter json(text);
  const TestCounts all = count(files);
  json.open('{');
  json.key("tests").number(all.tests);
  json.key("failed").number(all.failed);
  json.key("results").open('[');
  for (const TestedFile& file : files) {
    for (const TestOutcome& outcome : file.outcomes) write_json(file, outcome, json);
  }
  json.close(']');
  if (const auto coverage = coverage_of(files)) {
    json.key("coverage");
    write_json(files, *coverage, json);
  }
  json.close('}');
  return text + '\n';
}

std::string tests_junit(std::span<const TestedFile> files) {
  std::vector<diag::JunitSuite> suites;
  for (const TestedFile& file : files) {
    diag::JunitSuite& suite = suites.emplace_back(
        diag::JunitSuite{file.rules.sources().path(file.rules.rules->files.front().file), {}});
    for (const TestOutcome& outcome : file.outcomes) {
      suite.cases.push_back(junit_case(file, outcome));
    }
  }
  return diag::junit_xml("kr test", suites);
}

}  // namespace kr::testing
