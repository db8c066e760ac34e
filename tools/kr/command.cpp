// A command line of verbs. Parses, runs one verb, and turns what went wrong into a message and an
// exit status: 0 done, no findings, 1 findings, 2 failed.
#include <malloc.h>
#include <pthread.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/input_files.hpp"
#include "base/join.hpp"
#include "base/nearest.hpp"
#include "base/part_file.hpp"
#include "config.hpp"
#include "config_options.hpp"
#include "match/scanner.hpp"
#include "trace/subprocess.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

constexpr std::array ending{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};

/// Those that would end this process.
sigset_t effective_signals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  sigset_t chosen;
  sigemptyset(&chosen);
  for (const int signal : ending) {
    struct sigaction now {};
    const bool ends = ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
    if (ends && sigismember(&blocked, signal) == 0) sigaddset(&chosen, signal);
  }
  return chosen;
}

std::atomic<bool> verb_stops{false};
std::atomic<bool> stop_requested{false};

/// The next signal that is for this process, but for the first that only stops its verb.
int next_signal(const sigset_t& chosen) {
  while (true) {
    int signal = 0;
    while (::sigwait(&chosen, &signal) != 0) continue;
    const bool stops = verb_stops && (signal == SIGINT || signal == SIGTERM);
    if (!stops || stop_requested.exchange(true)) return signal;
  }
}

/// From now on a signal that ends this process first ends the programs it runs and removes the part
/// files it writes. To be called before other threads are started. Signals that the caller ignores
/// or blocks stay so. A file that grows beyond its limit is an error of writing, not a signal.
void clean_up_at_signals() {
  std::signal(SIGXFSZ, SIG_IGN);  // a write reports it
  std::signal(SIGCHLD, SIG_DFL);  // programs are waited for
  const sigset_t chosen = effective_signals();
  // A handler may call next to nothing, so a thread waits for signals instead of one.
  ::pthread_sigmask(SIG_BLOCK, &chosen, nullptr);
  try {
    std::thread([chosen] {
      const int signal = next_signal(chosen);
      trace::end_programs();
      remove_parts();
      if (program().at_signal != nullptr) program().at_signal(signal);
      // As if nobody had waited for it.
      sigset_t one;
      sigemptyset(&one);
      sigaddset(&one, signal);
      ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
      ::kill(::getpid(), signal);
      ::_exit(128 + signal);
    }).detach();
  } catch (const std::system_error&) {
    ::pthread_sigmask(SIG_UNBLOCK, &chosen, nullptr);
  }
}

std::string version_text() {
  return fmt::format("{} {}\nHyperscan {}\nSQLite {}\n", program().name, KR_VERSION,
                     match::Database::version(), sqlite3_libversion());
}

const Verb* find_verb(std::string_view name) {
  const auto at = std::find_if(program().verbs.begin(), program().verbs.end(),
                               [name](const Verb* verb) { return verb->name == name; });
  return at == program().verbs.end() ? nullptr : *at;
}

/// The first word is not a verb: a trace, which is reported.
bool is_run(const std::string& word) {
  const std::string path = word.substr(0, word.find(','));
  if (path.ends_with(".kr") || path == "-") return path == "-";
  std::error_code ignored;
  return path.find_first_of("./") != path.npos || std::filesystem::exists(path, ignored);
}

/// The parser would call it an unexpected argument.
[[noreturn]] void unknown_verb(const std::string& word) {
  const std::string what = fmt::format("unknown verb `{}`", word);
  if (word.ends_with(".kr") && find_verb("lint") != nullptr) {
    throw Error("", what, fmt::format("did you mean `{} lint {}`?", program().name, word));
  }
  std::vector<std::string> names;
  names.reserve(program().verbs.size());
  for (const Verb* verb : program().verbs) names.emplace_back(verb->name);
  const auto near = nearest(word, names);
  throw Error("", what,
              near ? fmt::format("did you mean `{} {}`?", program().name, *near)
                   : fmt::format("the verbs are: {}", join(names, ", ")));
}

std::vector<std::string> arguments(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) return words;
  if (words[0] == "version") return {"--version"};
  if (words[0] == "help") {
    words.erase(words.begin());
    words.resize(std::min<size_t>(words.size(), 1));
    words.emplace_back("--help");
  }
  const bool verb_or_option =
      find_verb(words[0]) != nullptr || (words[0].starts_with('-') && words[0] != "-");
  if (!verb_or_option && find_verb("report") != nullptr && is_run(words[0])) {
    words.insert(words.begin(), "report");
  }
  const auto at = std::find_if(words.begin(), words.end(),
                               [](const std::string& word) { return find_verb(word) != nullptr; });
  if (at != words.begin() && !words[0].starts_with('-')) unknown_verb(words[0]);
  if (at == words.end()) return words;
  const Verb* verb = find_verb(*at);
  const bool runs =
      verb->group == std::string_view("Traces") || verb->name == std::string_view("diff");
  if (!runs) return words;
  // `-,vllm,llama` is standard input with its engine and model, and to the parser an option.
  for (std::string& word : words) {
    if (word.starts_with("-,")) word.insert(1, " ");
  }
  return words;
}

/// What the parser says, with the option that may have been meant.
[[noreturn]] void usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const std::string help = fmt::format("see `{} {}--help`", program().name,
                                       chosen.empty() ? "" : chosen[0]->get_name() + " ");
  std::vector<std::string> options;
  for (const CLI::App* level :
       {&app, static_cast<const CLI::App*>(chosen.empty() ? &app : chosen[0])}) {
    for (const CLI::Option* option : level->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
  }
  const auto unknown = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unknown.empty()) {
    const std::string word = shown_whole(unknown[0].substr(0, unknown[0].find('=')));
    const auto near = word.starts_with("--") ? nearest(word, options) : std::nullopt;
    throw Error("", fmt::format("unexpected argument `{}`", word),
                near ? fmt::format("did you mean `{}`?", *near) : help);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !chosen.empty()) {
    const Verb* verb = find_verb(chosen[0]->get_name());
    throw Error("", error.what(), fmt::format("for example `{}`; {}", verb->example, help));
  }
  throw Error("", shown_whole(error.what()), help);
}

Exit run(int argc, const char* const* argv, Streams& streams) {
  std::vector<std::string> words = arguments(argc, argv);
  std::ranges::for_each(words, keep_whole);
  // The parser takes them from the end.
  std::reverse(words.begin(), words.end());
  std::vector<Action> actions;
  const auto app = make_app(streams, actions);
  try {
    app->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app->get_subcommands();
    streams.out(chosen.empty() ? app->help() : chosen[0]->help(app->get_name()));
    return Exit::done;
  } catch (const CLI::CallForVersion&) {
    streams.out(version_text());
    return Exit::done;
  } catch (const CLI::ParseError& error) {
    usage_error(*app, error);
  }
  const auto chosen = app->get_subcommands();
  if (chosen.empty()) {
    streams.raw_error(app->help());
    return Exit::failed;
  }
  for (size_t i = 0; i < program().verbs.size(); ++i) {
    if (chosen[0]->get_name() != program().verbs[i]->name) continue;
    // Verbs of the setup have nothing to do with a project.
    const bool reads = app->get_option("--no-config")->count() == 0 &&
                       program().verbs[i]->group != std::string_view("Setup");
    ProjectFile project = reads ? ProjectFile::find() : ProjectFile();
    project.apply(*app, *chosen[0]);
    settings_in_force() = project.settings(*app, *chosen[0]);
    try {
      return actions[i](streams);
    } catch (const Error& error) {
      if (const auto placed = project.placed(error)) throw *placed;
      throw;
    }
  }
  return Exit::failed;
}

/// An option `auto`, `always` or `never`.
void add_when(CLI::App& app, const char* name, const char* doc, When& when) {
  const auto set = [&when](const std::string& word) {
    when = word == "always" ? When::always : word == "never" ? When::never : When::automatic;
  };
  app.add_option_function<std::string>(name, set, doc)
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->type_name("WHEN")
      ->configurable();
}

}  // namespace

void stop_when_interrupted() {
  verb_stops = true;
}
bool interrupted() {
  return stop_requested;
}

std::unique_ptr<CLI::App> make_app(Streams& streams, std::vector<Action>& actions) {
  auto app = std::make_unique<CLI::App>(program().description, program().name);
  app->set_version_flag("-V,--version", "", "Print the version and exit");
  app->set_help_flag("-h,--help", "Print this help and exit");
  app->footer(fmt::format("Example: {}\n`{} help VERB` shows the options of a verb.",
                          program().example, program().name));
  app->require_subcommand(0, 1);
  app->fallthrough();
  // What a kr.toml may set says so: it must not make kr write files or run programs.
  app->option_defaults()->configurable(false);
  add_when(*app, "--color", "Colour: auto, always, never", streams.color);
  add_when(*app, "--progress", "Progress of long reads: auto, always, never", streams.progress);
  app->add_flag("-q,--quiet", streams.quiet, "Print no warnings and notes")->configurable();
  app->add_flag("--no-config")->description("Read no kr.toml");
  for (const Verb* verb : program().verbs) {
    CLI::App* sub = app->add_subcommand(verb->name, verb->summary);
    sub->footer(fmt::format("Example: {}", verb->example));
    sub->group(verb->group);
    actions.push_back(verb->setup(*sub));
    take_whole(*sub);
  }
  take_whole(*app);
  return app;
}

int run_command(int argc, char** argv) {
#ifdef __GLIBC__
  // What is freed goes back to the system. Left to itself, glibc keeps up to 64 MiB: it takes from
  // its heap whatever is as small as the largest array that was freed.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  // But of small blocks a little is kept: a thousand files that each get pages from the system and
  // give them back take twice the time.
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
#endif
  std::signal(SIGPIPE, SIG_IGN);  // a write returns the error: see Streams
  clean_up_at_signals();
  const InputFiles inputs;  // of this run: no output replaces one
  Streams streams;
  streams.program = program().name;
  try {
    const Exit status = run(argc, argv, streams);
    streams.finish();
    return static_cast<int>(status);
  } catch (const Error& error) {
    streams.error(error.what());
  } catch (const std::bad_alloc&) {
    streams.error("out of memory");
  } catch (const std::exception& error) {
    streams.error(error.what());
  }
  return static_cast<int>(Exit::failed);
}

}  // namespace kr::cli
