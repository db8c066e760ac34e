// Runs from their files to tables. A session opens each file once, labels and sums it, and keeps of
// it the facts in demand: the operations of a run are gone before the next is opened,
// unless a table is about them. What compares or explains is computed from what was read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "changes/gate.hpp"
#include "classify/classify.hpp"
#include "classify/run_spec.hpp"
#include "compare/moves.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"
#include "trace/open.hpp"
#include "trees/view.hpp"

namespace kr {
class PendingFile;
}

namespace kr::session {

/// What is to be known of each run.
struct Demand {
  /// What they use is computed, too. Without RunSummary, a file of module trees is read as these;
  /// with it, reading one throws Error.
  facts::Set facts = {};
  /// Of these, what a saved run may lack: only some scopes of a table are made from it.
  facts::Set if_saved = {};
  /// What else is read, for a Session::Visit.
  facts::Reads reads = facts::Reads::nothing;
  /// A visit is about each operation: saved runs, which have none, are refused.
  bool each_operation = false;
  /// How much of it the rules explain.
  std::optional<sema::DimensionId> measured = {};
  /// Module trees have labels from neighbours, of this dimension (trees::modules_of).
  std::optional<sema::DimensionId> tree_dimension = {};

  /// What these tables are made from.
  static Demand of(std::span<const tables::Definition* const> wanted);
  /// What comparing runs needs.
  static Demand of_comparison(bool module_trees);
  void add(const Demand& other) noexcept;
  /// What saving runs needs.
  static Demand of_saving(bool module_trees);
  /// What saved runs of operations lack of it, as words of a message: reading one throws. Empty:
  /// nothing.
  std::string beyond_saved() const;
  bool operator==(const Demand& other) const = default;
};

/// Writes the runs, or the one whose module trees are shown, without their operations to the empty
/// file at `location`. They were read with Demand::of_saving. Errors name `path`, where it will be.
void save(const tables::Source& source, const std::string& location, const std::string& path);

using ProgressCall = std::function<void(const ReadProgress&)>;

/// The model chosen for a name, its label, and the rule that gives it.
struct LabelledName {
  classify::Choice choice;
  std::string label;
  std::optional<sema::RuleId> rule = {};  // none: unclassified
};

/// Operations of one stream, all of it, in the order in which they ran.
struct SequenceQuery {
  std::vector<std::string> names;
  std::string engine = {};  // empty: detected
  std::string model = {};   // empty: detected
};

/// How runs are compared.
struct RunComparison {
  /// What the runs are called, by side; the session read their files in this order.
  std::vector<std::string> a = {};
  std::vector<std::string> b = {};
  /// The level of module trees; nullopt: by the names of operations.
  std::optional<trees::Level> level = {};
  std::string by = "substage";  // the dimension that decides whether they can be compared
  std::vector<changes::Gate> gates = {};
};

/// Labels one name as if it were the only one of a trace; without a dimension the model is only
/// chosen. Throws Error if the engine or model of the options is unknown.
LabelledName label_name(const match::CompiledRules& rules, std::string_view name,
                        OperationKind kind, const classify::ChooseOptions& options,
                        std::optional<sema::DimensionId> dimension = {});

class Session {
 public:
  /// Called for each run while its operations are in memory. May be empty.
  using Visit =
      std::function<void(const analyze::LabelledTrace&, const analyze::RunSummary&, size_t index)>;

  /// `rules` has to outlive the session. `progress`, which may be empty, is called about ten times
  /// per second while a file is read, first by this thread, then by another one. An exception that
  /// it throws ends reading, and is thrown by the call that reads. Kernels of graphs are placed by
  /// the traces `references` (align::References); without any, by those that stand beside a run,
  /// where engines write them (find_references).
  explicit Session(const match::CompiledRules& rules, trace::OpenOptions open = {},
                   ProgressCall progress = {}, std::vector<std::string> references = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Reads these runs, behind those that were read before. A file that `save` wrote
  /// (saved/codec.hpp) has sums and what comparing needs, of one run or several. Throws Error, also
  /// if a saved run lacks what is wanted.
  void read(std::span<const classify::RunSpec> specs, const Demand& demand,
            const Visit& visit = {});

  /// Writes what of a run is inside the window of the options, in the format of its trace
  /// (trace/cut.hpp). Warnings are noted; the run is none of those that were read. Throws Error.
  void cut(const classify::RunSpec& spec, PendingFile& to);

  /// From now on the source of runs saved at `path` is called `name`.
  void call_saved(std::string path, std::string name);

  /// Reads the runs of a job that the others are compared with (tables::Source::baselines), with
  /// what efficiencies need. Throws Error.
  void read_baseline(const JobSource& source, const Demand& demand);

  /// Joins measurements of ncu (files or folders of its pages) to all runs read from now on, with
  /// the peaks of a GPU where pages have none. A run of pages is joined to itself in any case.
  /// `gpu` may be null, and has to outlive the session. Throws Error.
  void join_ncu(std::vector<std::string> pages, const ncu::GpuPeaks* gpu);

  /// Reads peaks that were measured on a GPU (ncu/measured_peaks.hpp). They are used, beside those
  /// of the data sheet, for all runs of this GPU read from now on. Throws Error.
  void join_peaks(const std::string& path);

  /// Labels from neighbours take a part of a second for each million operations, and are otherwise
  /// only looked for in runs of at most 500,000: if `always`, or if the dimension is one of order
  /// rules, they are in all runs read from now on.
  void look_for_order(std::string_view dimension, bool always = false);

  /// Adds what NCCL Inspector wrote, a file or a folder of them. Throws Error.
  void join_nccl_inspector(const std::string& path);

  /// Runs read from now on have these facts, beside what else is in demand.
  void add_demand(facts::Set facts) noexcept;

  /// What runs read from now on are replayed with. Throws Error.
  void change(const std::vector<std::string>& changes);

  /// How runs are compared as ranks of a job.
  void compare_ranks_with(const job::JobOptions& options);

  /// Begins with the runs that another session of the same rules has read.
  void share_runs(const Session& other);

  /// How many files were read. A saved run may be several runs.
  size_t files_read() const noexcept;

  /// How much of the runs the rules explain, with `most` suggestions (0: all).
  const coverage::TimeCoverage& cover(size_t most);
  /// The module trees of a run, in the order of reading.
  const trees::LabelledModules& modules(size_t run) const;
  /// Whether module trees of the first run were read, and some of its operations are in modules.
  bool has_modules() const;
  /// Makes the tables of module trees, of the first run.
  void show_tree(const trees::ViewOptions& options);
  /// Whether two files contain module trees. Throws Error if only one of them does.
  bool are_module_trees(const classify::RunSpec& a, const classify::RunSpec& b) const;
  /// Throws Error: a condition is about a label that does not exist.
  const tables::RunPair& compare_runs(const RunComparison& options);
  /// The names of the runs that were summed.
  std::vector<compare::SeenName> names_met() const;
  /// What `before` labels differently from the rules of the session. `names`, those of the
  /// operations of `specs`, which are opened, and those of the tests of both are counted and serve
  /// as examples. `chosen`: engines and models of either side (compare::pair_models). Throws Error
  /// if neither has the engine or model of a run.
  const tables::RulesDifference& compare_rules(
      const match::CompiledRules& before, std::vector<compare::SeenName> names,
      std::span<const classify::RunSpec> specs,
      const std::pair<compare::Chosen, compare::Chosen>& chosen = {});
  /// Throws Error if the engine or model is unknown.
  const tables::Explanation& explain(const NameQuery& query);
  /// Each with its neighbours.
  const tables::Explanation& explain(const SequenceQuery& query);
  /// Reads the run, and explains one of its operations with its neighbours. Throws Error: there is
  /// no such operation, there are several, or operations have no order.
  const tables::Explanation& explain(const classify::RunSpec& spec, const OperationQuery& query);

  /// For tables, and the runs read.
  tables::Source& source() noexcept;
  const tables::Source& source() const noexcept;
  /// Warnings about the runs read, each with the path of its run.
  const std::vector<std::pair<std::string, Warning>>& warnings() const noexcept;

 private:
  void read_one(const classify::RunSpec& spec, const Demand& demand, const Visit& visit);
  void read_saved(const classify::RunSpec& spec, const Demand& demand);
  /// `ops`: with the shapes of their ops, for costs.
  align::References* references_for(const classify::RunSpec& spec, bool ops,
                                    std::vector<Warning>& notes);
  using Open = std::function<void(const trace::OpenOptions&)>;
  void watched(const classify::RunSpec& spec, trace::OpenOptions options, const Open& open) const;
  void add_names(const classify::RunSpec& spec, std::vector<compare::SeenName>& names) const;
  size_t runs_read() const noexcept;
  void add_modules(std::unique_ptr<trees::LabelledModules> modules, const Demand& demand,
                   const classify::RunSpec& spec);
  void add_labelled(std::unique_ptr<analyze::LabelledTrace> run, const Demand& demand,
                    const classify::RunSpec& spec, const Visit& visit);
  void add_run(analyze::RunSummary summary, std::unique_ptr<analyze::LabelledTrace> run,
               size_t index, const Demand& demand, const Visit& visit);
  void replay_alone(tables::Run& to, const analyze::LabelledTrace& run) const;
  /// Replays what was read together, as a job if it is one.
  void replay_with_changes();
  void add_replays(size_t begin, size_t end);
  void measure(tables::Run& to, const std::shared_ptr<analyze::LabelledTrace>& run);
  template <class Trace>
  void add_head(const Trace& trace, const classify::Choice& choice, const std::string& id);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kr::session
