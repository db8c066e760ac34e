// kr test: the tests written in rulesets.
#include <algorithm>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "base/plural.hpp"
#include "diag/render.hpp"
#include "sema/load.hpp"
#include "session.hpp"
#include "testing/results.hpp"
#include "trace/open.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct TestOptions {
  std::vector<std::string> paths;
  std::string format = "human";
  bool coverage = false;
  std::vector<std::string> runs;
};

/// The names of runs, those with the most time first.
std::vector<testing::RealName> names_of_runs(const std::vector<std::string>& runs) {
  std::map<std::pair<std::string, OperationKind>, int64_t> sums;
  for (const std::string& run : runs) {
    for (const trace::Trace& trace : trace::open_traces(parse_run(run).path, {})) {
      std::vector<int64_t*> places;
      for (const trace::OperationName& name : trace.names) {
        places.push_back(&sums[{std::string(name.text), name.kind}]);
      }
      for (const trace::Operation& operation : trace.operations) {
        // A time that does not fit only decides which name comes first.
        (void)__builtin_add_overflow(*places[operation.name.index], operation.duration_ns,
                                     places[operation.name.index]);
      }
    }
  }
  std::vector<std::pair<int64_t, testing::RealName>> sorted;
  for (const auto& [name, total_ns] : sums) {
    if (!name.first.empty()) sorted.push_back({total_ns, {name.first, name.second}});
  }
  std::ranges::stable_sort(sorted, std::greater(), &std::pair<int64_t, testing::RealName>::first);
  std::vector<testing::RealName> names;
  names.reserve(sorted.size());
  for (auto& [total_ns, name] : sorted) names.push_back(std::move(name));
  return names;
}

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
  if (!options.runs.empty() && !options.coverage) {
    throw Error("", "--run gives names for the tests that --coverage suggests", "add --coverage");
  }
  const std::vector<testing::RealName> real = names_of_runs(options.runs);
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
    if (options.coverage) file.coverage = testing::coverage_of(file.rules, file.outcomes, real);
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
  app.add_option("--run", options.runs,
                 "With --coverage: take the names of these tests from a run, where it has one "
                 "(repeatable)")
      ->type_name("PATH")
      ->allow_extra_args(false);
}

}  // namespace

const Verb test_verb{"test", "run the tests in rules files", "kr test rulesets/vllm.kr",
                     setup<TestOptions, add_test_options, test>, "Rules"};

}  // namespace kr::cli
