// What tables are made from. A table says what it needs; whoever fills a Source provides it
// (session/session.hpp).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/found_phases.hpp"
#include "analyze/ranks.hpp"
#include "analyze/run.hpp"
#include "analyze/statistics.hpp"
#include "analyze/streams.hpp"
#include "changes/compare.hpp"
#include "changes/gate.hpp"
#include "classify/why.hpp"
#include "compare/moves.hpp"
#include "cost/costed_run.hpp"
#include "coverage/suggest.hpp"
#include "job/efficiency.hpp"
#include "job/job.hpp"
#include "kr/run.hpp"
#include "ncu/joined.hpp"
#include "replay/what_if.hpp"
#include "sema/load.hpp"
#include "table/table.hpp"
#include "trees/view.hpp"

namespace kr::tables {

/// One run, as far as it is needed.
struct Run {
  analyze::RunSummary summary;
  std::optional<analyze::RunStatistics> statistics;
  std::shared_ptr<const analyze::LabelledTrace> trace;  // every operation
  std::optional<analyze::FoundPhases> found = {};
  std::optional<changes::Profile> saved = {};   // of a saved run, which has none of these three
  std::shared_ptr<const ncu::Joined> ncu = {};  // where there are pages of ncu
  std::optional<std::vector<job::Member>> members = {};  // what communicates, by device
  std::optional<cost::CostedRun> costs = {};             // what ops cost
  std::optional<replay::RunReplay> replay = {};          // with the changes asked for
  const ncu::GpuPeaks* gpu = nullptr;                    // whose peaks are roofs of costs
  std::optional<analyze::StreamUses> streams = {};
  std::optional<analyze::StepSums> saved_steps = {};  // of a saved run

  /// Null: not known.
  const analyze::StepSums* steps() const;
};

/// A job that others are compared with: its runs are its ranks.
struct Baseline {
  std::string name;
  std::vector<Run> runs;
};

/// How efficiencies are made.
struct EfficiencyOptions {
  std::vector<job::Nccl> readings{job::nccl_readings.begin(), job::nccl_readings.end()};
  job::Scaling scaling = job::Scaling::strong;
};

using Note = RunNote;

/// What is to be known of a run: dropped records, inexact times, warnings.
std::vector<Note> notes_of(const std::string& run,
                           const std::vector<trace::DroppedRecords>& dropped,
                           const std::string& inexact, const std::vector<Warning>& warnings);

/// What was read and by which rules, of runs that are not in Source::runs.
struct RunHead {
  std::string run;
  std::string source;
  std::string format;
  std::string engine;
  std::string model;
  std::string why;
  std::vector<Note> notes = {};
};

struct Source;
/// Those of all runs, then those of the results: what the table `notes` has.
std::vector<Note> all_notes(const Source& source);
/// What the other results do not show: omitted groups, omitted time, an incomplete proof.
std::vector<Note> result_notes(const Source& source);
/// Why several runs are not compared as ranks, or not in all they have; what their collectives
/// tell.
std::vector<Note> rank_notes(const Source& source);
/// What decides the time in collectives, and its evidence, as one sentence; empty: no collective
/// is compared.
std::string collective_headline(const Source& source);

/// `kr tree` of one run.
struct Tree {
  std::string run;
  std::string engine;
  std::string model;
  const trees::TreeView* view = nullptr;
  std::vector<std::string> unknown_folds = {};  // as notes
  const ncu::GpuPeaks* gpu = nullptr;           // whose peaks are roofs of costs
};

/// A condition of `--fail-if`, and what it says of the total or of one label.
struct GateResult {
  changes::Gate gate;
  std::string label;  // empty: the total
  changes::Measured measured;
  changes::Outcome outcome = changes::Outcome::passed;
};

/// `kr diff` of runs.
struct RunPair {
  std::string a;  // what the two sides are called
  std::string b;
  changes::Comparison comparison;
  std::vector<GateResult> gates;
};

/// `kr diff` of two rulesets.
struct RulesDifference {
  /// A rule of one side; empty texts: no rule decides, or it is built in.
  struct Rule {
    std::string place;  // `mine.kr:12`
    std::string text;   // on one line
  };
  compare::RuleChanges changes;
  std::vector<std::pair<Rule, Rule>> rules;  // by move: those that decide for its witness
};

/// `kr why` of one name.
struct Explanation {
  std::string name;
  std::string model;       // engine/model
  std::string choice_why;  // empty: the user named it
  std::vector<classify::WhyDimension> dimensions;
  /// Clauses of costs for an op of this name, in the order tried.
  std::vector<sema::CostId> costs;
};

/// An option of the command line or a variable of the environment, as it is in force.
struct Setting {
  std::string verb;    // empty: of all
  std::string option;  // `--rules`, `KR_PATH`
  std::string value;   // empty: the default, as `doc` says
  std::string from;    // `default`, `FILE:LINE:COLUMN`, `environment`, `command line`
  std::string doc;
};

struct Source {
  const match::CompiledRules* rules = nullptr;  // there but for tables about kr itself
  std::vector<Run> runs;
  std::vector<RunHead> other_runs;
  std::vector<Baseline> baselines;  // the first is the reference
  EfficiencyOptions efficiency;
  const Tree* tree = nullptr;
  const coverage::TimeCoverage* coverage = nullptr;
  const RunPair* run_difference = nullptr;
  const RulesDifference* rules_difference = nullptr;
  const Explanation* explanation = nullptr;
  /// For `list_rulesets`: the files that ship, each loaded by itself. Absent: those of `rules`.
  std::optional<std::vector<std::shared_ptr<const sema::LoadedRules>>> shipped;
  job::JobOptions job_options = {};
  std::string table;                   // of `list_columns`: the only table; empty: all
  bool only_about_runs = false;        // of `list_tables`
  std::vector<Setting> settings = {};  // of `list_config`

  std::vector<const analyze::RunSummary*> summaries() const;
  /// The runs as ranks of one job, made once. With statistics where all runs have them.
  const analyze::Ranks& ranks() const;
  /// The runs as a job, made once. Null unless all runs have their members, and are ranks of one
  /// job.
  const job::Job* job() const;
  /// The same of a baseline, whose runs are ranks of one job because the user says so. Null unless
  /// all of them have their members.
  const job::Job* baseline_job(size_t baseline) const;
  /// The rank of a run.
  int64_t rank(size_t run) const { return ranks().runs[run].number.rank; }
  /// What people call a run (tables/run_names.hpp), by its id; made once. The text lives as long as
  /// this.
  const std::string& run_name(const std::string& id) const;
  /// Puts `runs` in the order of their ranks, if these identify them. Returns their places before.
  std::vector<size_t> sort_by_rank();

 private:
  mutable std::optional<analyze::Ranks> ranks_;
  mutable std::optional<job::Job> job_;
  mutable std::map<size_t, job::Job> baseline_jobs_;
  mutable std::map<std::string, std::string> run_names_;
  mutable size_t named_runs_ = 0;  // how many there were when they were named
};

}  // namespace kr::tables
