#include "analyze/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/saturated.hpp"
#include "trace/rank_place.hpp"

namespace kr::analyze {
namespace {

double over(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

Balance balance_of(std::string what, const std::vector<RankDevice>& devices,
                   int64_t Breakdown::*value) {
  Balance out;
  out.what = std::move(what);
  long double sum = 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    const auto of = [&](size_t device) { return devices[device].time.*value; };
    if (of(i) < of(out.least)) out.least = i;
    if (of(i) > of(out.most)) out.most = i;
    sum += static_cast<long double>(of(i));
  }
  out.min_ns = devices[out.least].time.*value;
  out.max_ns = devices[out.most].time.*value;
  out.mean_ns = static_cast<double>(sum / static_cast<long double>(devices.size()));
  out.max_over_mean = over(static_cast<double>(out.max_ns), out.mean_ns);
  return out;
}

/// Why runs are not ranks of one job; empty if they can be.
std::string reason_not_one_job(const std::vector<RankInput>& runs,
                               const std::vector<RankOfRun>& ranks) {
  for (size_t i = 1; i < runs.size(); ++i) {
    const RunSummary& first = *runs[0].summary;
    const RunSummary& other = *runs[i].summary;
    const auto& one = first.distributed.world_size;
    const auto& two = other.distributed.world_size;
    if (one && two && *one != *two) {
      return fmt::format("{} has a world size of {}, but {} has {}", first.source, *one,
                         other.source, *two);
    }
  }
  for (const RankInput& run : runs) {
    const trace::Distributed& info = run.summary->distributed;
    if (!info.world_size || static_cast<size_t>(*info.world_size) >= runs.size()) continue;
    return fmt::format("{} has a world size of {}, but there are {} runs", run.summary->source,
                       *info.world_size, runs.size());
  }
  std::map<int64_t, size_t> had_by;
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto [at, added] = had_by.try_emplace(ranks[i].number.rank, i);
    if (!added) {
      return fmt::format("{} and {} are both rank {}", runs[at->second].summary->source,
                         runs[i].summary->source, at->first);
    }
  }
  return {};
}

/// 2005: no trace of a GPU is older. One that seems to be counts from something else than 1970.
constexpr int64_t earliest_trace_ns = int64_t{1'104'537'600} * 1'000'000'000;

/// First start and last end of a run's operations on the clock of its host; nullopt: not known.
std::optional<std::pair<int64_t, int64_t>> time_of_run(const RunSummary& run) {
  if (!run.clock.utc_ns || run.devices.empty()) return std::nullopt;
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const DeviceSum& device : run.devices) first = std::min(first, device.first_start_ns);
  const int64_t begin = add_saturated(*run.clock.utc_ns, first);
  if (begin < earliest_trace_ns) return std::nullopt;
  return std::pair(begin, add_saturated(begin, run.span_ns));
}

/// Clocks of the hosts of a job are never that wrong.
constexpr int64_t far_apart_ns = int64_t{3600} * 1'000'000'000;

/// Why runs are not of one time; empty if they can be.
std::string reason_far_apart(const std::vector<RankInput>& runs) {
  const RunSummary* first_to_end = nullptr;
  const RunSummary* last_to_begin = nullptr;
  int64_t min_end = 0;
  int64_t latest_begin = 0;
  for (const RankInput& run : runs) {
    const auto time = time_of_run(*run.summary);
    if (!time) continue;
    if (first_to_end == nullptr || time->second < min_end) {
      first_to_end = run.summary;
      min_end = time->second;
    }
    if (last_to_begin == nullptr || time->first > latest_begin) {
      last_to_begin = run.summary;
      latest_begin = time->first;
    }
  }
  if (first_to_end == nullptr || subtract_saturated(latest_begin, min_end) < far_apart_ns) {
    return {};
  }
  return fmt::format("{} begins more than an hour after {} has ended", last_to_begin->source,
                     first_to_end->source);
}

/// Different files, in which there is a time at which all ran.
bool run_at_one_time(const std::vector<RankInput>& runs) {
  std::set<std::string_view> sources;
  int64_t latest_begin = std::numeric_limits<int64_t>::min();
  int64_t min_end = std::numeric_limits<int64_t>::max();
  for (const RankInput& run : runs) {
    const auto time = time_of_run(*run.summary);
    if (!time || !sources.insert(run.summary->source).second) return false;
    latest_begin = std::max(latest_begin, time->first);
    min_end = std::min(min_end, time->second);
  }
  return latest_begin < min_end;
}

/// That nothing says that the runs are ranks; empty if something does.
std::string reason_not_identified(const std::vector<RankInput>& runs,
                                  const std::vector<RankOfRun>& ranks) {
  size_t unnumbered = 0;
  while (unnumbered < runs.size() && (ranks[unnumbered].number.from != RankNumber::From::order ||
                                      !runs[unnumbered].summary->distributed.member.empty())) {
    ++unnumbered;
  }
  if (unnumbered == runs.size() || run_at_one_time(runs)) return {};
  return fmt::format("nothing says which rank {} is", runs[unnumbered].summary->source);
}

/// Numbers anew what has the number of a run before it.
void renumber(std::vector<RankOfRun>& ranks) {
  std::set<int64_t> taken;
  std::vector<RankOfRun*> repeated;
  for (RankOfRun& one : ranks) {
    if (!taken.insert(one.number.rank).second) repeated.push_back(&one);
  }
  int64_t next = 0;
  for (RankOfRun* const one : repeated) {
    while (!taken.insert(next).second) ++next;
    one->number = {next, RankNumber::From::order};
  }
}

std::vector<RankStep> match_steps(const std::vector<RankInput>& runs) {
  using Key = std::tuple<std::string, std::optional<int64_t>, int64_t>;
  std::map<Key, size_t> places;
  std::vector<RankStep> all;
  for (size_t run = 0; run < runs.size(); ++run) {
    const StepParts& steps = runs[run].steps->steps;
    const std::vector<int64_t> occurrences = occurrences_of(steps);
    for (size_t i = 0; i < steps.size(); ++i) {
      const int64_t occurrence = occurrences[i];
      if (steps.instances(i) == 0) continue;
      const StepPart step = steps[i];
      const auto [at, added] =
          places.try_emplace(Key(step.phase, step.step, occurrence), all.size());
      if (added) {
        all.push_back({std::string(step.phase), step.step, occurrence, {}, 0, 0, 0, 0});
      }
      all[at->second].parts.push_back({run, i, step.time});
    }
  }
  std::vector<RankStep> out;
  for (RankStep& step : all) {
    if (step.parts.size() < 2) continue;
    long double sum = 0;
    for (size_t i = 0; i < step.parts.size(); ++i) {
      const auto exposed = [&](size_t part) {
        return step.parts[part].time.exposed_communication_ns;
      };
      if (step.parts[i].own_ns() > step.parts[step.slowest].own_ns()) step.slowest = i;
      if (exposed(i) > exposed(step.waits_most)) step.waits_most = i;
      sum += static_cast<long double>(step.parts[i].own_ns());
    }
    step.mean_own_ns = static_cast<double>(sum / static_cast<long double>(step.parts.size()));
    step.slowest_over_mean =
        over(static_cast<double>(step.parts[step.slowest].own_ns()), step.mean_own_ns);
    out.push_back(std::move(step));
  }
  return out;
}

bool have_distinct_places(const std::vector<std::pair<trace::RankPlace, size_t>>& places) {
  std::set<trace::RankPlace> seen;
  return std::all_of(places.begin(), places.end(), [&](const auto& one) {
    return !one.first.empty() && seen.insert(one.first).second;
  });
}

}  // namespace

const char* to_string(RankNumber::From from) noexcept {
  switch (from) {
    case RankNumber::From::trace:
      return "trace";
    case RankNumber::From::name:
      return "name";
    case RankNumber::From::order:
      break;
  }
  return "order";
}

std::vector<RankNumber> rank_numbers(const std::vector<RankInput>& runs) {
  std::vector<RankNumber> numbers(runs.size());
  std::vector<std::pair<trace::RankPlace, size_t>> places;
  std::set<int64_t> taken;
  bool all_differ = true;
  for (size_t i = 0; i < runs.size(); ++i) {
    const RunSummary& run = *runs[i].summary;
    const auto in_trace = run.distributed.rank;
    const auto rank = in_trace ? in_trace : trace::rank_in_path(run.source);
    places.emplace_back(
        run.distributed.place.empty() ? trace::place_in_path(run.source) : run.distributed.place,
        i);
    all_differ = all_differ && rank && taken.insert(*rank).second;
    if (!rank) continue;
    numbers[i] = {*rank, in_trace ? RankNumber::From::trace : RankNumber::From::name};
    taken.insert(*rank);
  }
  if (!all_differ && have_distinct_places(places)) {
    std::sort(places.begin(), places.end());
    for (size_t i = 0; i < places.size(); ++i) {
      const bool in_trace = !runs[places[i].second].summary->distributed.place.empty();
      numbers[places[i].second] = {static_cast<int64_t>(i),
                                   in_trace ? RankNumber::From::trace : RankNumber::From::name};
    }
    return numbers;
  }
  int64_t next = 0;
  for (RankNumber& number : numbers) {
    if (number.from != RankNumber::From::order) continue;
    while (taken.contains(next)) ++next;
    number.rank = next++;
  }
  return numbers;
}

bool shown_together(const Ranks& ranks) noexcept {
  return ranks.not_comparable_reason.empty() && ranks.devices.size() > 1;
}

std::vector<LabelBalance> balance_labels(const std::vector<const RunSummary*>& runs,
                                         std::string_view dimension) {
  std::map<std::string_view, LabelBalance> by_label;
  for (size_t run = 0; run < runs.size(); ++run) {
    const auto at = runs[run]->dimension(dimension);
    if (!at) continue;
    for (const LabelSum& sum : runs[run]->dimensions[*at].labels) {
      LabelBalance& label = by_label[sum.label];
      label.label = sum.label;
      if (__builtin_add_overflow(label.sum_ns, sum.busy_ns, &label.sum_ns)) {
        label.sum_ns = std::numeric_limits<int64_t>::max();
      }
      if (sum.busy_ns > label.max_ns) {
        label.max_ns = sum.busy_ns;
        label.most = run;
      }
    }
  }
  std::vector<LabelBalance> out;
  out.reserve(by_label.size());
  for (auto& [text, label] : by_label) {
    label.mean_ns = static_cast<double>(label.sum_ns) / static_cast<double>(runs.size());
    label.max_over_mean = over(static_cast<double>(label.max_ns), label.mean_ns);
    out.push_back(std::move(label));
  }
  std::stable_sort(out.begin(), out.end(), [](const LabelBalance& a, const LabelBalance& b) {
    return a.sum_ns > b.sum_ns;
  });
  return out;
}

AsJob named_as_job(const std::string& name, const std::string& option) {
  if (name == "auto") return AsJob::automatic;
  if (name == "yes") return AsJob::yes;
  if (name == "no") return AsJob::no;
  throw Error("", fmt::format("`{}` is not a valid value for {}", name, option),
              "choose from auto, yes, no");
}

Ranks compare_ranks(const std::vector<RankInput>& runs, AsJob as_job) {
  Ranks out;
  for (const RankNumber& number : rank_numbers(runs)) out.runs.push_back({number, {}});
  if (runs.size() > 1) {
    std::string reason = reason_not_one_job(runs, out.runs);
    if (reason.empty()) reason = reason_far_apart(runs);
    if (reason.empty()) {
      reason = reason_not_identified(runs, out.runs);
      if (!reason.empty() && as_job == AsJob::automatic) {
        reason += " (`--job yes` numbers runs in their order)";
      }
    }
    if (as_job == AsJob::no) reason = "that was requested";
    if (as_job == AsJob::yes) {
      out.forced_although = std::exchange(reason, {});
      renumber(out.runs);
    }
    out.not_comparable_reason = std::move(reason);
  }
  if (!out.not_comparable_reason.empty()) return out;
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const DeviceSum& device : runs[run].summary->devices) {
      out.devices.push_back({run, device.device, device});
    }
  }
  if (out.devices.size() > 1) {
    for (const auto& [what, value] :
         std::initializer_list<std::pair<const char*, int64_t Breakdown::*>>{
             {"span_ns", &Breakdown::span_ns},
             {"busy_ns", &Breakdown::busy_ns},
             {"compute_ns", &Breakdown::compute_ns},
             {"communication_ns", &Breakdown::communication_ns},
             {"exposed_communication_ns", &Breakdown::exposed_communication_ns},
             {"memory_ns", &Breakdown::memory_ns},
             {"exposed_memory_ns", &Breakdown::exposed_memory_ns},
             {"idle_ns", &Breakdown::idle_ns}}) {
      out.balance.push_back(balance_of(what, out.devices, value));
    }
  }
  const bool all_steps = std::all_of(runs.begin(), runs.end(), [](const RankInput& run) {
    return run.steps != nullptr && !run.steps->sample;
  });
  if (runs.size() < 2 || !all_steps) return out;
  out.steps = match_steps(runs);
  if (!out.steps.empty()) {
    for (RankOfRun& run : out.runs) run.slowest_steps = 0;
  }
  for (const RankStep& step : out.steps) ++*out.runs[step.parts[step.slowest].run].slowest_steps;
  return out;
}

}  // namespace kr::analyze
