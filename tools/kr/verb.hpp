// What a verb of the command line is. The main.cpp of a program lists them; the rest is made from
// the list: help, dispatch, suggestions, completions, manual pages.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "streams.hpp"

namespace CLI {
class App;
}

namespace kr::cli {

enum class Exit : int { done = 0, findings = 1, failed = 2 };

using Action = std::function<Exit(Streams&)>;

struct Verb {
  const char* name;
  const char* summary;
  const char* example;
  /// Adds the verb's options to `app`; the action runs after they are parsed.
  Action (*setup)(CLI::App& app);
  /// Its heading in `kr --help`: Traces (it reads runs), Results, Rules or Setup.
  const char* group;
};

/// How to set up a verb that `add` adds the options of, and `run` runs.
template <class Options, void (*add)(CLI::App& app, Options& options),
          Exit (*run)(const Options& options, Streams& streams)>
Action setup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add(app, *options);
  return [options](Streams& streams) { return run(*options, streams); };
}

/// One file each.
extern const Verb report_verb, classify_verb, tree_verb, analyze_verb, coverage_verb, why_verb,
    sql_verb, fmt_verb, explain_verb, list_verb, lint_verb, test_verb, diff_verb, cut_verb,
    merge_verb, init_verb, import_verb, export_verb, compile_verb, lsp_verb, mcp_verb,
    completions_verb, man_verb;

/// A program of verbs.
struct Program {
  const char* name;
  const char* description;
  const char* example;
  std::span<const Verb* const> verbs;  // in the order of `--help`
  /// What else is done before a signal ends the program, on a thread of its own. May be null.
  void (*at_signal)(int signal) = nullptr;
};
/// This program: each main.cpp defines its own.
const Program& program();
/// What `main` does. Returns the exit status.
int run_command(int argc, char** argv);

/// From now on the first SIGINT or SIGTERM does not end this process: the verb ends by itself.
void stop_when_interrupted();
/// Whether it came.
bool interrupted();

/// The whole command line, for parsing, completions and manual pages. `actions` is filled in the
/// order of the verbs.
std::unique_ptr<CLI::App> make_app(Streams& streams, std::vector<Action>& actions);

}  // namespace kr::cli
