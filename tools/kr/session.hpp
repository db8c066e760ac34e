// What verbs share: the options that name rules and runs, and loading them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "classify/run_spec.hpp"
#include "match/compiled_rules.hpp"
#include "session/session.hpp"
#include "streams.hpp"
#include "trace/open.hpp"

namespace kr::cli {

class Outputs;

struct RulesOptions {
  std::vector<std::string> names;
  void add_to(CLI::App& app);
};

/// Where this program finds rules: in KR_PATH, and in the data folder beside it,
/// `BIN/../share/kr` (a build tree has one that leads to the sources).
const source::Library& own_library();

/// The caches of this process. Says, once, where that of the user is not used, and why.
std::optional<match::Database::Cache> cache_of_process(Streams& streams);

/// Loads and compiles; prints what is wrong in the rules. Throws Error where they do not compile.
match::CompiledRules compile_rules(const RulesOptions& options, Streams& streams);

/// Loads what was named and nothing beside it, by the rules of one .krdb too; prints what is wrong
/// and throws as compile_rules does. Nothing is compiled, so the database may be null.
match::CompiledRules load_named(const std::vector<std::string>& names, Streams& streams);

/// The names in a file (`-`: standard input), one per line; blank lines do not count.
std::vector<std::string> names_of_file(const std::string& path);

/// Whether `--phase` is an option of the window, or the verb has one of its own.
enum class PhaseOption : uint8_t { of_window, of_verb };

struct TraceOptions {
  trace::OpenOptions open;
  std::vector<std::string> references;
  void add_to(CLI::App& app, PhaseOption phase = PhaseOption::of_window);
};

/// Parses a run as written; the file system decides which paths exist.
classify::RunSpec parse_run(const std::string& text);
/// Several of one command. Throws Error where more than one is standard input.
std::vector<classify::RunSpec> parse_runs(const std::vector<std::string>& texts);

/// The same; a folder of traces stands for these, such as those of the ranks of a job.
std::vector<classify::RunSpec> parse_runs_and_folders(const std::vector<std::string>& texts);

/// A session that shows how far reading is, once it takes longer than a second.
session::Session open_session(const match::CompiledRules& rules, const TraceOptions& options,
                              Streams& streams);

/// Whether warnings of severity `info` are printed: only where the results show what they are
/// about.
enum class Infos : uint8_t { hidden, shown };

/// Prints the warnings about the runs of a session.
void show_warnings(const session::Session& session, Streams& streams, Infos infos);

/// Reads runs, gives each to those of `outputs`, if any, that want every operation, and prints
/// warnings. `by`: a dimension.
void read_runs(session::Session& session, const std::vector<classify::RunSpec>& specs,
               const session::Demand& demand, Streams& streams, Infos infos = Infos::hidden,
               const session::Session::Visit& visit = {});
void read_runs(session::Session& session, const std::vector<classify::RunSpec>& specs,
               Outputs& outputs, const std::string& by, Streams& streams,
               Infos infos = Infos::hidden, const session::Session::Visit& also = {});

/// `a,b` as a list of the choices; throws Error naming an unknown choice, with a near one or all.
/// Those in `also` are known, too, but not listed.
std::vector<std::string> parse_choices(const std::string& text, std::string_view option,
                                       const std::vector<std::string>& choices,
                                       const std::vector<std::string>& also = {});

/// The same where only one makes sense: throws Error where several are given.
std::string parse_choice(const std::string& text, std::string_view option,
                         const std::vector<std::string>& choices);

/// A check of an option: digits, and `least` or more. CLI11 would take `-1` for 2^64 - 1.
CLI::Validator whole_number(uint64_t least = 0);
/// The same of any number above 0.
CLI::Validator positive_number();

/// A check of values from kr.toml, where mistakes are found whatever verb runs. Values of the
/// command line are not checked by it, but by the verb. `check` throws Error.
CLI::Validator project_check(std::function<void(const std::string& value)> check);
/// Its name, for ProjectFile.
inline constexpr const char* project_check_name = "project";

/// Each `PATH` as the names that load_rules takes: a folder means the .kr files in and below
/// it, in the order of their names; hidden folders are left out. No PATH: all shipped rulesets. A
/// file reached twice is named once. Throws Error if a folder has no rules or cannot be read,
/// or a path is a .krdb, which has lost what these verbs look at.
std::vector<std::string> rule_paths(const std::vector<std::string>& paths,
                                    const source::Library& library);

/// The .kr files in and below a folder, in the order of their names; hidden folders are left out. A
/// folder below it that cannot be read is in the list itself, so that its reader reports it.
/// Throws Error where there is none, or the folder cannot be read.
std::vector<std::string> rules_in_folder(const std::string& folder);

}  // namespace kr::cli
