// The library of kr: rules, and runs from their files to tables.
//
//   kr::Rules rules = kr::Rules::load({"vllm"});
//   kr::Session session(rules);
//   session.add({.path = "trace.sqlite", .engine = "vllm"});
//   for (const kr::Table& table : session.tables({"labels", "devices"})) table.write(sink);
//
// Functions throw kr::Error if something is wrong with the input or the system, kr::InternalError
// if something is wrong with kr, and std::bad_alloc. Nothing here prints, exits or handles signals.
// An object is for one thread at a time; different objects are independent. Rules may be shared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kr/error.hpp"
#include "kr/run.hpp"
#include "kr/table.hpp"

namespace kr {

/// Of the library: `0.1.0`.
std::string_view version() noexcept;

struct LoadOptions {
  /// A folder with `stdlib/` and `rulesets/`. Default: `share/kr` in the prefix that this library
  /// was built for. The folders in the environment variable KR_PATH come first.
  std::optional<std::filesystem::path> rules_folder = {};
  /// Read and write compiled rules in the user's cache (KR_CACHE_DIR). Without it, load() may take
  /// some seconds.
  bool use_cache = true;
};

/// A mangled name (`_Z…` of C++, `_R…` of Rust) demangled, as `c++filt` shows it. Nothing if
/// the name is not mangled, not valid, or longer than 4,096 bytes. For any thread.
std::optional<std::string> demangled(std::string_view name);

/// The rule that gives a label, as `kr why` shows it.
struct DecidingRule {
  std::string place;  // `FILE:LINE`; `built-in` if it is not in a file
  std::string text;   // as written, on one line; empty if it is not in a file
};

/// The labels of many names.
struct NameLabels {
  std::vector<std::string> labels;  // each once
  std::vector<uint32_t> label_of;   // by name: its place in `labels`
};

/// Rules, ready for use. Copies share them.
class Rules {
 public:
  /// Names of shipped rulesets, paths of rules files, or the path of one .krdb. None: the rulesets
  /// that ship. Throws Error if a file cannot be read or the rules have errors; its text has all of
  /// them.
  static Rules load(const std::vector<std::string>& names = {}, const LoadOptions& options = {});

  /// The label of an operation with this name in a dimension such as `substage`, without enclosing
  /// modules and ranges: `unclassified` if no rule matches. Engine and model: empty detects them.
  /// Throws Error if one of them, or the dimension, is unknown.
  std::string label(std::string_view name, std::string_view dimension, std::string_view engine = {},
                    std::string_view model = {}) const;
  /// The rule that gives this label; none if no rule matches. Throws as label() does.
  std::optional<DecidingRule> rule(std::string_view name, std::string_view dimension,
                                   std::string_view engine = {}, std::string_view model = {}) const;
  /// The columns of a table with the dimensions of all models. The table of a session has those of
  /// its models, in the same order. Throws Error if there is no such table.
  std::vector<Column> columns(const std::string& table) const;
  /// The labels of many names, which may repeat, as those of one run: an empty engine or model is
  /// detected from all names together. Throws Error as `label` does.
  NameLabels label_names(std::span<const std::string_view> names, std::string_view dimension,
                         std::string_view engine = {}, std::string_view model = {}) const;

 private:
  friend class Session;
  struct Impl;
  explicit Rules(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// What tables about coverage, module trees and comparisons are made with.
struct TableOptions {
  std::string by = "substage";  // the dimension of `coverage`, `unexplained` and `tree`
  size_t max_groups = 1000;     // rows of `unexplained`; 0: all
  /// Of `tree` and of comparisons of module trees: `kernel`, `module`, `layer` or a depth. Empty:
  /// `module`, and runs of operations are compared by name.
  std::string level = {};
  std::string phase = {};               // only these steps are in `tree`; empty: all
  std::optional<int64_t> step = {};     // only the step with this number is in `tree`
  std::vector<std::string> folds = {};  // nodes of these names hide what is below them in `tree`
  bool each_call = false;     // of a layer-wise profile: one node per call, not sums of calls
  bool all_steps = false;     // `tree` has one tree per step, also with `step`; else one per phase
  bool each_sibling = false;  // siblings that differ only in their number are not merged in `tree`
  /// Of comparisons of runs: so many first runs are compared with the others. 0: there are two.
  size_t runs_before = 0;
  /// Of the same, for the table `conditions`: `step > +5%`; see `--fail-if` in docs/cli.md.
  std::vector<std::string> conditions = {};
};

struct SessionOptions {
  bool allow_truncated = false;  // read a truncated file up to the point where it ends
  bool allow_inexact = false;    // accept times in seconds, which nsys rounds to 100 us
  bool strict = false;           // refuse records whose time cannot be right
  std::string rank = {};         // of a merged trace only this rank; empty: all
  /// What of the runs is looked at: `steps 5..20; phase decode; from 1.2s; to 1.4s; range TEXT;
  /// skip-warmup; steady`, one of them or several; see docs/cli.md. Empty: all.
  std::string window = {};
  unsigned threads = 0;               // of readers; 0: one per processor
  std::string nsys_command = "nsys";  // exports .nsys-rep files
  int nsys_timeout_seconds = 0;       // stop nsys if it is silent for so long; 0: never
  /// Traces that show in which modules kernels of CUDA and HIP graphs are launched: of the capture,
  /// or of a run without graphs. None: those that engines write beside a run.
  std::vector<std::string> references = {};
  std::vector<std::string> ncu = {};  // pages of ncu, files or folders, that are joined to all runs
  std::string gpu = {};               // its data sheet has the peaks that pages lack; empty: none
  /// Peaks that were measured on the GPU, as `tools/peaks` writes them: see docs/roofline.md.
  std::string peaks = {};
  bool costs = false;  // FLOPs and bytes from the shapes of ops, too, for the roofline
  /// What brings several runs to one clock: `collectives`, `utc` or `none`. Empty: `collectives`.
  std::string clock = {};
  /// Whether several runs are ranks of one job: `auto`, `yes` or `no`. Empty: `auto`.
  std::string job = {};
  std::vector<std::string> rank_names = {};  // what ranks are called: `0=prefill`
  double link_gb_per_s = 0;  // of links between devices, to compare collectives with; 0: not known
  /// Jobs that efficiencies are compared with; the first is the reference.
  std::vector<JobSource> baselines = {};
  std::string scaling = "strong";  // or `weak`: the problem grows with the devices
  /// What communication kernels count as in efficiencies: `useful`, `communication` or `both`.
  std::string nccl = "both";
  /// Changes that `what_if` replays the runs with: `substage/moe_gemm = roof`; see docs/cli.md.
  std::vector<std::string> what_if = {};
  /// Called when a file is opened (0 of 0), then about ten times per second while it is read, on
  /// another thread. An exception that it throws ends reading, and is thrown to the caller.
  std::function<void(const ReadProgress&)> progress = {};
  /// Called all the time while a query runs: whether it is to end, with an Error.
  std::function<bool()> stop_query = {};
  TableOptions tables = {};
};

/// The module trees of steps as stacked bars, an SVG document.
struct TreePicture {
  std::string name;  // of the phases that it shows: `prefill`, `decode_steps`, `other_steps`
  std::string svg;   // letters are outlines: it looks the same on every system
};

struct TextOptions {
  bool markdown = false;  // for pull requests and wikis, else for a terminal
  bool color = false;     // of a terminal
  int width = 0;          // columns of it; 0: no limit
  bool all_rows = false;  // else the first of each table
};

struct WriteOptions {
  /// `table`, `csv`, `json`, `jsonl`, `markdown`, `sqlite`, `html`, `perfetto` (one run) or
  /// `paraver` (three files, FILE.prv). Empty: by the ending of the file. `.gz` compresses.
  std::string format = {};
  std::string view = "report";  // see Session::page
  /// Ids. Empty: what the view shows; in a database all tables about runs. CSV has one.
  std::vector<std::string> tables = {};
  std::string title = {};  // of a page
  bool force = false;      // replace a file that kr did not write
};

/// Runs and their tables.
///
/// Files are opened by the first call that needs them: all that were added, each once, for what its
/// tables need. Runs added later are opened when they are needed. A later call whose tables need
/// more than any before it (operations, or the statistics of `kr analyze`) opens all files again,
/// so one call for all tables is fastest; a run from standard input cannot be opened again. After
/// an exception the session is as before the call.
///
/// `coverage` and `unexplained` are about all runs, the tables of module trees about one,
/// `comparison` and the tables of changes about two: the first added is `a`, the second `b`. A
/// saved run has what the tables about sums and comparisons need; for others its file is an Error.
///
/// Tables own what they refer to: they stay valid, with the same rows, whatever becomes of the
/// session. The tables of one session are for one thread at a time.
class Session {
 public:
  explicit Session(const Rules& rules, SessionOptions options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// Adds a run; opens nothing. Throws Error if it cannot be one.
  void add(RunSource run);
  size_t runs() const noexcept;

  /// The tables with these ids, in this order. Those that these runs do not have are left out:
  /// absent() says why. Throws Error if an id is unknown, or a file cannot be read.
  std::vector<Table> tables(const std::vector<std::string>& ids);
  /// One table. Throws Error if these runs do not have it.
  Table table(const std::string& id);
  /// The chosen rows of it. Throws Error, also if the condition is wrong.
  Table table(const std::string& id, const RowChoice& choice);
  /// Why these runs have no such table; empty: they have it. Opens what is needed to know.
  std::string absent(const std::string& id);

  /// What the table `notes` has.
  std::vector<RunNote> notes();

  /// The result of a SELECT over the tables about runs, `query`: see docs/cli.md. Opens what the
  /// tables that it names need. Throws Error if the query is wrong.
  Table sql(const std::string& query);

  /// Writes the sums of the runs, without operations, to a file `FILE.krun`, for comparisons: it
  /// can be added as a run. Runs of operations, or one run of module trees. Throws Error.
  void save(const std::string& path);

  /// `rule_changes` says what these rules label differently from those of the
  /// session, and count the names of the runs, if there are any.
  void compare_with(const Rules& before);
  /// `explanations` is about this name.
  void explain(NameQuery name);
  /// `explanations` is about an operation of the first run, with its neighbours.
  void explain_operation(OperationQuery operation);
  /// From now on tables are made with these options, of the runs as they were read: `each_call`
  /// stays as it is.
  void make_tables_with(TableOptions options);
  /// Writes what of the only run is inside the window of the options to a file, in the format of
  /// its trace. Throws Error, also if there is a file that kr did not write.
  void cut(const std::string& path);

  /// What a verb of the command line shows of the runs: `report`, `analyze`, `tree`, `diff`,
  /// `coverage`, `why`. As a page: one HTML document that needs no other file and fetches nothing;
  /// an empty title is made from the runs. Throws Error if there is nothing to show.
  std::string page(const std::string& view = "report", const std::string& title = {});
  /// The same as a text for a terminal, or Markdown.
  std::string text(const std::string& view = "report", const TextOptions& options = {});
  /// Writes results to a file, which appears when it is whole. `perfetto` and `paraver` have every
  /// operation: the runs are kept in memory meanwhile. Throws Error, also if there is a file that
  /// kr did not write.
  void write(const std::string& path, const WriteOptions& options = {});
  /// The pictures of `kr tree`, with the options of `TableOptions`. Throws Error if there is not
  /// one run.
  std::vector<TreePicture> tree_pictures();

 private:
  friend struct SessionRows;  // rows by number, for SQLite
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Writes the runs of saved runs, `FILE.krun`, to one, as `kr merge`: the same bytes in whatever
/// order they are given, and in however many steps. Returns the number of runs. Throws Error.
size_t merge_saved(const std::vector<std::string>& parts, const std::string& path);

/// All tables there are, with and without data: docs/tables.md.
std::vector<const TableInfo*> all_tables();

}  // namespace kr
