// Where the results of a verb go: standard output, a file (`-o`), a folder (`--out-dir`). Files are
// opened before traces are read, so that a place that cannot be written is known at once. They
// appear together, whole, when all is done; until then earlier files stay. They replace only files
// that kr wrote, unless the user says `--force`.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/gzip.hpp"
#include "classify/run_spec.hpp"
#include "nsys_names.hpp"
#include "session.hpp"
#include "session/session.hpp"
#include "session/sql.hpp"
#include "streams.hpp"

namespace kr::render {
struct Renderer;
}
namespace kr::exports {
class ParaverFiles;
}

namespace kr::cli {

/// What a verb can make.
struct OutputRules {
  std::string stem = {};                      // of files in a folder: `result`
  std::vector<std::string> tables = {};       // where `--tables` names none
  std::vector<std::string> database = {};     // the same for SQLite; empty: `tables`
  std::vector<std::string> page = {};         // that pages have, too, of runs that can have them
  std::vector<std::string> more_tables = {};  // that `--tables` may name, too
  bool operations = false;                    // also the formats that have every operation
  // CSV without `--tables` is the verb's own, and begins with this; empty: it has none.
  std::string own_csv = {};
  bool timeline = false;                         // the page shows operations over time
  bool found_phases = false;                     // own outputs for people show them
  bool any_tables = false;                       // the results are made by the verb: see `write`
  bool whole_lists = false;                      // a terminal shows all rows
  std::vector<std::string> without = {"table"};  // formats where `--format` names none
  bool files_without = false;                    // what is made then goes to files
  // What goes to standard output even with a folder.
  std::vector<std::string> to_terminal = {"table"};
};

struct OutputOptions {
  std::string formats;
  std::string tables;
  std::string out_dir;
  std::string file;
  bool all = false;
  bool force = false;
  RowChoice rows;
  session::RowBound bound;
  std::string nsys_names;  // of verbs that have the option: see NsysNames
  /// `--format`, `--tables`, `--where`, `--sort`, `--max-rows`, `--max-bytes`, `--out-dir`, `-o`,
  /// `--all`, `--force`.
  void add_to(CLI::App& app, const OutputRules& rules);
};

/// What verbs over runs have in common.
struct RunVerbOptions {
  RulesOptions rules;
  TraceOptions trace;
  OutputOptions outputs;
  void add_to(CLI::App& app, const OutputRules& made, PhaseOption phase = PhaseOption::of_window);
};

/// The GPU with this name and a file of peaks that were measured on it; both may be empty. Throws
/// Error.
void join_gpu(session::Session& session, const std::string& gpu, const std::string& peaks,
              const std::vector<std::string>& ncu_pages = {});

/// `--ncu`, `--gpu`, `--peaks`, `--costs`.
struct NcuOptions {
  std::vector<std::string> pages;
  std::string gpu;
  std::string peaks;
  bool costs = false;
  void add_to(CLI::App& app);
  /// Reads the pages. Throws Error.
  void join(session::Session& session) const;
};

/// `--job`, `--clock`, `--link`, `--rank-name`.
struct JobOptions {
  std::string as_job;
  std::string clock;
  double link = 0;
  std::vector<std::string> rank_names;  // RANK=NAME
  void add_to(CLI::App& app);
  /// Throws Error.
  void apply(session::Session& session) const;
};

class Outputs {
 public:
  /// Opens all files. `runs`: how the runs are called, for formats with one file per run. Throws
  /// Error.
  Outputs(const OutputOptions& options, const OutputRules& rules,
          const std::vector<classify::RunSpec>& runs = {});
  ~Outputs();

  /// Saves the runs, too, or their module trees (session::save).
  void save(const std::filesystem::path& path, bool module_trees);

  bool makes(std::string_view format) const;
  /// Any format but `table`.
  bool makes_for_programs() const;
  /// The verb's page shows operations over time.
  bool makes_timeline() const {
    return timeline_ && makes("html") && !tables_named_ && (all_rows_ || !many_runs_);
  }
  /// What has to be read for what is made.
  session::Demand demand() const;
  /// The user named tables.
  bool tables_named() const noexcept { return tables_named_; }
  /// Writes run number `index` to the outputs that want every operation. `by` is a dimension.
  void add_run(const match::CompiledRules& rules, const analyze::LabelledTrace& run,
               const analyze::RunSummary& summary, size_t index, std::string_view by,
               Streams& streams);

  using Bytes = std::function<void(std::string_view)>;
  /// How the verb writes a format in its own way, with these tables. Not used if the user names
  /// tables.
  using Writer = std::function<void(const Bytes&, std::span<const Table>)>;
  using OwnFormats = std::map<std::string, Writer, std::less<>>;
  /// Writes the others; then all files appear.
  void finish(const tables::Source& source, const OwnFormats& own, Streams& streams);
  /// The same of a table that is not in the registry, beside the tables that describe results.
  void write(const tables::Source& source, const Table& table, Streams& streams);

 private:
  struct Target;
  void write_tables(Target& target, const std::vector<Table>& tables, Streams& streams);
  void choose_rows(std::vector<Table>& tables, const tables::Source& source, Streams& streams);
  static void name_empty(const std::vector<Table>& tables, Streams& streams);
  void appear(Streams& streams);
  /// `begin`: how a CSV file begins.
  Target& open(const render::Renderer& format, const std::filesystem::path& path,
               std::string_view begin = {});
  void print(const render::Renderer& format);
  std::vector<Table> present(const tables::Source& source, const Target& target, Streams& streams);
  RowChoice rows_;
  session::RowBound bound_;
  bool rows_noted_ = false;
  bool tables_named_ = false;
  bool force_ = false;
  bool all_rows_ = false;
  bool whole_lists_ = false;
  bool several_runs_ = false;
  bool many_runs_ = false;
  bool timeline_ = false;
  bool found_phases_ = false;
  NsysNames nsys_names_;
  std::string title_;                      // of a page
  std::set<std::string> reported_absent_;  // tables
  std::set<std::string> named_parts_;      // of tables, that the user named
  std::vector<Target> targets_;
  std::unique_ptr<exports::ParaverFiles> paraver_;  // null: not wanted
  std::unique_ptr<PendingFile> manifest_;           // of the traces for Perfetto, if several
};

}  // namespace kr::cli
