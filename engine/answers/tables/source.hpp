// What tables are made from. A table says what it needs; what fills a Source provides it
// (session/session.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/efficiency.hpp"
#include "job/options.hpp"
#include "tables/run.hpp"
#include "tables/setting.hpp"

namespace kr::analyze {
struct RankNumber;
struct Ranks;
}  // namespace kr::analyze
namespace kr::coverage {
struct TimeCoverage;
}
namespace kr::job {
struct Job;
struct JobRun;
struct NcclInspector;
}  // namespace kr::job
namespace kr::sema {
struct LoadedRules;
}

namespace kr::tables {

struct Explanation;
struct RulesDifference;
struct RunPair;
struct Tree;

/// How efficiencies are made.
struct EfficiencyOptions {
  std::vector<job::Nccl> readings{job::nccl_readings.begin(), job::nccl_readings.end()};
  job::Scaling scaling = job::Scaling::strong;
};

/// Runs as ranks of a job, by `numbers`. Nullopt unless all of them have their members. Refers to
/// the runs.
std::optional<std::vector<job::JobRun>> as_job(std::span<const Run> runs,
                                               std::span<const analyze::RankNumber> numbers);

struct Source {
  Source();
  ~Source();
  Source(Source&& other) noexcept;
  Source& operator=(Source&& other) noexcept;

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
  std::shared_ptr<const job::NcclInspector> nccl_inspector = nullptr;  // null: there is none
  /// For `list_rulesets`: the files that ship, each loaded by itself. Absent: those of `rules`.
  std::optional<std::vector<std::shared_ptr<const sema::LoadedRules>>> shipped;
  job::JobOptions job_options = {};
  std::string table;                   // of `list_columns`: the only table; empty: all
  bool only_about_runs = false;        // of `list_tables`
  std::vector<Setting> settings = {};  // of `list_config`

  /// Whether a result of all runs, or of rules, is there.
  bool has(facts::Id result) const noexcept;
  bool has(facts::Set any_of) const noexcept;
  std::vector<const analyze::RunSummary*> summaries() const;
  /// The runs as ranks of one job, made once. With statistics where all runs have them.
  const analyze::Ranks& ranks() const;
  /// The runs as a job, made once. Null unless all runs have their members, and are ranks of one
  /// job.
  const job::Job* job() const;
  /// The same of a baseline, whose runs are ranks of one job because the user says so. Null unless
  /// all of them have their members.
  const job::Job* baseline_job(size_t baseline) const;
  /// The number of processes of the job, if the runs are only some of them; nullopt: they are all,
  /// no trace contains it, or the runs are not ranks of one job.
  std::optional<int64_t> larger_job() const;
  /// The rank of a run.
  int64_t rank(size_t run) const;
  /// What people call a run (tables/run_names.hpp), by its id; made once. The text lives as long as
  /// this.
  const std::string& run_name(const std::string& id) const;
  /// Puts `runs` in the order of their ranks, if these identify them. Returns their places before.
  std::vector<size_t> sort_by_rank();

 private:
  /// What is made once, when it is first requested.
  struct Made;
  std::unique_ptr<Made> made_;
};

}  // namespace kr::tables
