#include "tables/source.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "analyze/ranks.hpp"
#include "analyze/steps.hpp"
#include "job/extract.hpp"
#include "job/job.hpp"
#include "tables/run_names.hpp"

namespace kr::tables {
namespace {

std::optional<job::Job> analyzed(std::span<const Run> runs,
                                 std::span<const analyze::RankNumber> numbers,
                                 const job::JobOptions& options) {
  const auto of = as_job(runs, numbers);
  return of ? std::optional(job::analyze_job(*of, options)) : std::nullopt;
}

}  // namespace

std::optional<std::vector<job::JobRun>> as_job(std::span<const Run> runs,
                                               std::span<const analyze::RankNumber> numbers) {
  std::vector<job::JobRun> of;
  of.reserve(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto* const members = runs[i].find<job::Members>();
    if (members == nullptr) return std::nullopt;
    job::JobRun& one = of.emplace_back(job::JobRun{members->all, runs[i].summary.clock});
    // The order of files is not evidence.
    if (numbers[i].from != analyze::RankNumber::From::order) one.rank = numbers[i].rank;
    one.world_size = runs[i].summary.distributed.world_size;
  }
  return of;
}

struct Source::Made {
  std::optional<analyze::Ranks> ranks;
  std::optional<job::Job> job;
  std::map<size_t, job::Job> baseline_jobs;
  std::map<std::string, std::string> run_names;
  size_t named_runs = 0;  // how many there were when they were named
};

Source::Source() : made_(std::make_unique<Made>()) {}
Source::~Source() = default;
Source::Source(Source&& other) noexcept = default;
Source& Source::operator=(Source&& other) noexcept = default;

bool Source::has(facts::Id result) const noexcept {
  switch (result) {
    case facts::id_of<match::CompiledRules>:
      return rules != nullptr;
    case facts::id_of<ShippedRules>:
      return rules != nullptr || shipped.has_value();
    case facts::id_of<Tree>:
      return tree != nullptr;
    case facts::id_of<coverage::TimeCoverage>:
      return coverage != nullptr;
    case facts::id_of<RunPair>:
      return run_difference != nullptr;
    case facts::id_of<RulesDifference>:
      return rules_difference != nullptr;
    case facts::id_of<Explanation>:
      return explanation != nullptr;
    default:
      return false;
  }
}

bool Source::has(facts::Set any_of) const noexcept {
  bool found = false;
  any_of.each([&](facts::Id id) { found |= has(id); });
  return found;
}

std::vector<const analyze::RunSummary*> Source::summaries() const {
  std::vector<const analyze::RunSummary*> all;
  all.reserve(runs.size());
  for (const Run& run : runs) all.push_back(&run.summary);
  return all;
}

const analyze::Ranks& Source::ranks() const {
  if (!made_->ranks) {
    std::vector<analyze::RankInput> inputs;
    for (const Run& run : runs) {
      inputs.push_back({&run.summary, run.find<analyze::StepSums>()});
    }
    made_->ranks = analyze::compare_ranks(inputs, job_options.as_job);
  }
  return *made_->ranks;
}

std::optional<int64_t> Source::larger_job() const {
  if (!ranks().not_comparable_reason.empty()) return std::nullopt;
  for (const Run& run : runs) {
    const std::optional<int64_t>& size = run.summary.distributed.world_size;
    if (size && *size > static_cast<int64_t>(runs.size())) return size;
  }
  return std::nullopt;
}

int64_t Source::rank(size_t run) const {
  return ranks().runs[run].number.rank;
}

const job::Job* Source::job() const {
  if (!made_->job) {
    if (!ranks().not_comparable_reason.empty()) return nullptr;
    std::vector<analyze::RankNumber> numbers;
    numbers.reserve(ranks().runs.size());
    for (const analyze::RankOfRun& one : ranks().runs) numbers.push_back(one.number);
    made_->job = analyzed(runs, numbers, job_options);
  }
  return made_->job ? &*made_->job : nullptr;
}

const job::Job* Source::baseline_job(size_t baseline) const {
  const auto known = made_->baseline_jobs.find(baseline);
  if (known != made_->baseline_jobs.end()) return &known->second;
  const std::vector<Run>& of = baselines[baseline].runs;
  std::vector<analyze::RankInput> inputs;
  inputs.reserve(of.size());
  for (const Run& run : of) inputs.push_back({&run.summary, nullptr});
  std::optional<job::Job> job = analyzed(of, analyze::rank_numbers(inputs), job_options);
  if (!job) return nullptr;
  return &made_->baseline_jobs.emplace(baseline, std::move(*job)).first->second;
}

const std::string& Source::run_name(const std::string& id) const {
  if (made_->named_runs != runs.size() + other_runs.size()) {
    made_->named_runs = runs.size() + other_runs.size();
    made_->run_names = names_of_runs(*this);
  }
  return made_->run_names.try_emplace(id, id).first->second;
}

std::vector<size_t> Source::sort_by_rank() {
  std::vector<size_t> places(runs.size());
  std::iota(places.begin(), places.end(), size_t{0});
  if (!named_by_rank(*this)) return places;
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return rank(a) < rank(b); });
  std::vector<Run> sorted;
  sorted.reserve(runs.size());
  for (const size_t place : places) sorted.push_back(std::move(runs[place]));
  runs = std::move(sorted);
  made_->ranks.reset();
  made_->job.reset();
  return places;
}

}  // namespace kr::tables
