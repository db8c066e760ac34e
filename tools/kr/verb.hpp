// What a verb of the command line is. verbs.cpp lists them; main.cpp does the rest from the list:
// help, dispatch, suggestions, completions, manual pages.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "streams.hpp"

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

/// In the order of `kr --help`.
std::span<const Verb* const> verbs();

/// The whole command line, for parsing, completions and manual pages. `actions` is filled in the
/// order of `verbs()`.
std::unique_ptr<CLI::App> make_app(Streams& streams, std::vector<Action>& actions);

}  // namespace kr::cli
