// kr test: the tests written in rulesets.
#include "base/error.hpp"
#include "base/plural.hpp"
#include "diag/render.hpp"
#include "sema/load.hpp"
#include "session.hpp"
#include "testing/results.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct TestOptions {
  std::vector<std::string> paths;
  std::string format = "human";
  bool coverage = false;
};

/// The rules of one file, by itself: several files may define engines of one name. Null where they
/// do not load; what is wrong is then printed.
std::optional<match::CompiledRules> load_alone(const std::string& name,
                                               const source::Library& library, Streams& streams) {
  diag::Sink sink;
  match::CompiledRules compiled;
  compiled.rules = sema::load_rules({name}, library, sink);
  if (sink.has_errors()) {
    streams.raw_error(
        diag::render_human(compiled.sources(), sink.sorted(), {.color = streams.color_error()}) +
        '\n');
    return std::nullopt;
  }
  compiled.database = match::Database::of_automata(compiled.program());
  compiled.named = true;
  return compiled;
}

std::string parse_test_format(const std::string& word) {
  return parse_choice(word, "--format", {"human", "json", "junit"});
}

Exit test(const TestOptions& options, Streams& streams) {
  const std::string format = parse_test_format(options.format);
  const source::Library& library = own_library();
  std::vector<testing::TestedFile> files;
  size_t broken = 0;
  size_t unreadable = 0;
  for (const std::string& name : rule_paths(options.paths, library)) {
    std::optional<match::CompiledRules> compiled;
    try {
      compiled = load_alone(name, library, streams);
      broken += compiled ? 0 : 1;
    } catch (const Error& error) {
      streams.error(error.what());
      ++unreadable;
    }
    if (!compiled) continue;
    testing::TestedFile& file = files.emplace_back();
    file.rules = std::move(*compiled);
    file.outcomes = testing::run_tests(file.rules);
    if (options.coverage) file.coverage = testing::coverage_of(file.rules, file.outcomes);
  }
  if (format == "json") {
    streams.out(testing::tests_json(files));
  } else if (format == "junit") {
    streams.out(testing::tests_junit(files));
  } else if (!files.empty()) {
    streams.out(testing::tests_text(files, streams.color_out()));
  }
  if (broken > 0) {
    throw Error(
        "", fmt::format("{} {} errors", plural(broken, "rules file"), broken == 1 ? "has" : "have"),
        "fix them and run again");
  }
  if (unreadable > 0) return Exit::failed;
  return testing::count(files).failed > 0 ? Exit::findings : Exit::done;
}

void add_test_options(CLI::App& app, TestOptions& options) {
  app.add_option("PATH", options.paths,
                 "Rules files, folders, or names of shipped rulesets (default: all that ship)")
      ->configurable();
  app.add_option("--format", options.format, "human, json or junit (default: human)")
      ->type_name("FORMAT")
      ->check(project_check(parse_test_format))
      ->configurable();
  app.add_flag("--coverage", options.coverage,
               "Report rules and alternatives that no test reaches, each with a test to paste")
      ->configurable();
}

}  // namespace

const Verb test_verb{"test", "run the tests in rules files", "kr test rulesets/vllm.kr",
                     setup<TestOptions, add_test_options, test>, "Rules"};

}  // namespace kr::cli
