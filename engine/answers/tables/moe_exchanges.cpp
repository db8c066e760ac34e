// Dispatches of expert parallelism with their combines: each, by phase, by label, over ranks.
#include <algorithm>
#include <functional>
#include <map>

#include "job/instances.hpp"
#include "job/job.hpp"
#include "job/member.hpp"
#include "tables/collective_keys.hpp"
#include "tables/columns.hpp"
#include "tables/scope_parts.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using job::MemberExchanges;
using Exchange = MemberExchanges::Exchange;

/// A sum of which nothing is known if one of its parts is not.
class KnownSum {
 public:
  void add(std::optional<int64_t> value) {
    if (!value) known_ = false;
    sum_ = add_saturated(sum_, value.value_or(0));
    any_ = true;
  }
  std::optional<int64_t> get() const { return any_ && known_ ? std::optional(sum_) : std::nullopt; }

 private:
  int64_t sum_ = 0;
  bool any_ = false, known_ = true;
};

/// What members wait in their collectives, by run, device and place in Member::collectives.
class Waiting {
 public:
  explicit Waiting(const Source& source) {
    const job::Job* const job = source.job();
    if (job == nullptr) return;
    std::vector<job::JobRun> runs;
    runs.reserve(source.runs.size());
    for (const Run& run : source.runs)
      runs.push_back({run.get<job::Members>().all, run.summary.clock});
    for (size_t group = 0; group < job->groups.size(); ++group) {
      const std::vector<job::MatchedGroup::Part>& parts = job->groups[group].parts;
      job::each_instance(runs, *job, group, [&](size_t k, std::span<const job::InstanceTime> all) {
        for (size_t part = 0; part < all.size(); ++part) {
          waiting_[{all[part].run, all[part].device}][parts[part].instances[k]] =
              all[part].waiting_ns;
        }
      });
    }
  }
  std::optional<int64_t> of(size_t run, int32_t device,
                            const std::optional<uint32_t>& collective) const {
    const auto member = waiting_.find({run, device});
    if (member == waiting_.end() || !collective) return std::nullopt;
    const auto at = member->second.find(*collective);
    return at != member->second.end() ? std::optional(at->second) : std::nullopt;
  }

 private:
  std::map<std::pair<size_t, int32_t>, std::map<uint32_t, int64_t>> waiting_;
};

/// The times of an exchange that has both halves, or one.
struct ExchangeTimes {
  std::optional<int64_t> dispatch_ns, combine_ns;
  std::optional<int64_t> dispatch_bytes, combine_bytes;
  int64_t start_ns = 0;
  int64_t span_ns = 0;  // of both
  int64_t both_ns = 0;  // while both run

  ExchangeTimes(const job::Member& member, const Exchange& one) {
    const auto at = [&](const std::optional<uint32_t>& place) {
      return place ? &member.collectives[*place] : nullptr;
    };
    const job::CollectiveInstance* const dispatch = at(one.dispatch);
    const job::CollectiveInstance* const combine = at(one.combine);
    const auto bytes = [](const job::CollectiveInstance& of) {
      return of.bytes >= 0 ? std::optional(of.bytes) : std::nullopt;
    };
    if (dispatch != nullptr) {
      dispatch_ns = dispatch->duration_ns();
      dispatch_bytes = bytes(*dispatch);
    }
    if (combine != nullptr) {
      combine_ns = combine->duration_ns();
      combine_bytes = bytes(*combine);
    }
    start_ns = dispatch == nullptr  ? combine->start_ns
               : combine == nullptr ? dispatch->start_ns
                                    : std::min(dispatch->start_ns, combine->start_ns);
    if (dispatch == nullptr || combine == nullptr) return;
    span_ns = std::max(dispatch->end_ns, combine->end_ns) - start_ns;
    both_ns = *dispatch_ns + *combine_ns + one.between_ns - span_ns;
  }
};

using EachMember = std::function<void(size_t run, const job::Member&, const MemberExchanges&)>;

void each_member(const Source& source, const EachMember& each) {
  for (size_t run = 0; run < source.runs.size(); ++run) {
    for (const job::Member& member : source.runs[run].get<job::Members>().all) {
      if (member.exchanges) each(run, member, *member.exchanges);
    }
  }
}

std::string without_exchanges(const Source& source) {
  bool any = false;
  each_member(source, [&](auto...) { any = true; });
  return any ? "" : "the dimension `exchange` labels no operation `dispatch` or `combine`";
}

/// What tables of exchanges and of their sums have in common; nothing of what is not known.
struct Between {
  std::optional<int64_t> compute_ns = {}, communication_ns = {}, memory_ns = {}, idle_ns = {};
  std::optional<int64_t> dispatch_waiting_ns, combine_waiting_ns;
  std::optional<int64_t> dispatch_bytes, combine_bytes;
};

struct ExchangeRow : Parts<Run, job::Member, Exchange, ExchangeTimes, Between> {
  int64_t number;
  std::string_view group;
  std::string_view phase;
};

/// Nothing where one half is alone.
template <class Of>
auto of_both(int64_t Of::*ns) {
  return [ns](const ExchangeRow& row) {
    const Exchange& one = row;
    return cell_if(one.dispatch && one.combine, row.of<Of>().*ns);
  };
}

void add_exchanges(const Source& source, Rows<ExchangeRow>& rows) {
  const Waiting waiting(source);
  each_member(source, [&](size_t run, const job::Member& member, const MemberExchanges& all) {
    const std::vector<CollectiveKey> keys = keys_of_groups(member.groups);
    int64_t number = 0;
    for (const Exchange& one : all.exchanges) {
      const ExchangeTimes times(member, one);
      Between between{.dispatch_waiting_ns = waiting.of(run, member.device, one.dispatch),
                      .combine_waiting_ns = waiting.of(run, member.device, one.combine),
                      .dispatch_bytes = times.dispatch_bytes,
                      .combine_bytes = times.combine_bytes};
      if (one.dispatch && one.combine) {
        between.compute_ns = one.compute_ns;
        between.communication_ns = one.communication_ns;
        between.memory_ns = one.memory_ns;
        between.idle_ns = one.idle_ns;
      }
      const uint32_t first = one.dispatch ? *one.dispatch : *one.combine;
      rows.add({{source.runs[run], member, one, times, between},
                number++,
                keys[member.collectives[first].group].group,
                all.phases[one.phase].name});
    }
  });
}

struct PhaseSums {
  int64_t pairs = 0, span_ns = 0, dispatch_ns = 0, between_ns = 0, combine_ns = 0, both_ns = 0;
  int64_t compute_ns = 0, communication_ns = 0, memory_ns = 0, idle_ns = 0;
  KnownSum dispatch_waiting, combine_waiting, dispatch_bytes, combine_bytes;
  MemberExchanges::Others lone_dispatches, lone_combines;
};

/// By phase of the member.
std::vector<PhaseSums> phase_sums(size_t run, const job::Member& member, const MemberExchanges& all,
                                  const Waiting& waiting) {
  std::vector<PhaseSums> sums(all.phases.size());
  const auto raise = [](int64_t& sum, int64_t value) { sum = add_saturated(sum, value); };
  for (const Exchange& one : all.exchanges) {
    PhaseSums& to = sums[one.phase];
    const ExchangeTimes times(member, one);
    if (!one.dispatch || !one.combine) {
      MemberExchanges::Others& lone = one.dispatch ? to.lone_dispatches : to.lone_combines;
      ++lone.instances;
      raise(lone.total_ns, times.dispatch_ns.value_or(0));
      raise(lone.total_ns, times.combine_ns.value_or(0));
      continue;
    }
    ++to.pairs;
    raise(to.span_ns, times.span_ns);
    raise(to.dispatch_ns, times.dispatch_ns.value_or(0));
    raise(to.between_ns, one.between_ns);
    raise(to.combine_ns, times.combine_ns.value_or(0));
    raise(to.both_ns, times.both_ns);
    raise(to.compute_ns, one.compute_ns);
    raise(to.communication_ns, one.communication_ns);
    raise(to.memory_ns, one.memory_ns);
    raise(to.idle_ns, one.idle_ns);
    to.dispatch_waiting.add(waiting.of(run, member.device, one.dispatch));
    to.combine_waiting.add(waiting.of(run, member.device, one.combine));
    to.dispatch_bytes.add(times.dispatch_bytes);
    to.combine_bytes.add(times.combine_bytes);
  }
  return sums;
}

using ExchangeSumsRow = Parts<Run, job::Member, MemberExchanges::Phase, PhaseSums, Between>;

void add_exchange_sums(const Source& source, Rows<ExchangeSumsRow>& rows) {
  const Waiting waiting(source);
  each_member(source, [&](size_t run, const job::Member& member, const MemberExchanges& all) {
    const std::vector<PhaseSums> sums = phase_sums(run, member, all, waiting);
    for (size_t phase = 0; phase < sums.size(); ++phase) {
      const PhaseSums& of = sums[phase];
      const Between between{of.compute_ns,
                            of.communication_ns,
                            of.memory_ns,
                            of.idle_ns,
                            of.dispatch_waiting.get(),
                            of.combine_waiting.get(),
                            of.dispatch_bytes.get(),
                            of.combine_bytes.get()};
      rows.add({source.runs[run], member, all.phases[phase], of, between});
    }
  });
}

struct ExchangeLabelRow : Parts<Run, job::Member, MemberExchanges::BetweenLabel> {
  std::string_view phase;
  int64_t between_ns;  // of the phase
};

void add_exchange_labels(const Source& source, Rows<ExchangeLabelRow>& rows) {
  each_member(source, [&](size_t run, const job::Member& member, const MemberExchanges& all) {
    std::vector<int64_t> between(all.phases.size());
    for (const Exchange& one : all.exchanges) {
      between[one.phase] = add_saturated(between[one.phase], one.between_ns);
    }
    for (const MemberExchanges::BetweenLabel& one : all.labels) {
      rows.add({{source.runs[run], member, one}, all.phases[one.phase].name, between[one.phase]});
    }
  });
}

std::string without_several_exchanging(const Source& source) {
  if (std::string why = without_exchanges(source); !why.empty()) return why;
  if (std::string why = not_ranks(source); !why.empty()) return why;
  size_t members = 0;
  each_member(source, [&](auto...) { ++members; });
  return members < 2 ? "one device has dispatches and combines" : "";
}

/// A time over the devices of all ranks.
struct ExchangeBalanceRow {
  std::string_view phase, what;
  int64_t devices;
  int64_t min_ns;
  double mean_ns;
  int64_t max_ns;
  int64_t min_rank, min_device, max_rank, max_device;
};

void add_exchange_balance(const Source& source, Rows<ExchangeBalanceRow>& rows) {
  struct OfDevice {
    size_t run;
    int32_t device;
    PhaseSums sums;
  };
  const Waiting waiting(source);
  std::vector<std::pair<std::string, std::vector<OfDevice>>> phases;  // in order of occurrence
  each_member(source, [&](size_t run, const job::Member& member, const MemberExchanges& all) {
    const std::vector<PhaseSums> sums = phase_sums(run, member, all, waiting);
    for (size_t phase = 0; phase < sums.size(); ++phase) {
      if (sums[phase].pairs == 0) continue;
      const std::string& name = all.phases[phase].name;
      auto at = std::find_if(phases.begin(), phases.end(),
                             [&](const auto& one) { return one.first == name; });
      if (at == phases.end()) at = phases.insert(at, {name, {}});
      at->second.push_back({run, member.device, sums[phase]});
    }
  });
  struct Measure {
    std::string_view what;
    std::optional<int64_t> (*of)(const PhaseSums&);
  };
  constexpr Measure measures[] = {
      {"span", [](const PhaseSums& one) { return std::optional(one.span_ns); }},
      {"dispatch", [](const PhaseSums& one) { return std::optional(one.dispatch_ns); }},
      {"dispatch_waiting", [](const PhaseSums& one) { return one.dispatch_waiting.get(); }},
      {"between", [](const PhaseSums& one) { return std::optional(one.between_ns); }},
      {"compute", [](const PhaseSums& one) { return std::optional(one.compute_ns); }},
      {"idle", [](const PhaseSums& one) { return std::optional(one.idle_ns); }},
      {"combine", [](const PhaseSums& one) { return std::optional(one.combine_ns); }},
      {"combine_waiting", [](const PhaseSums& one) { return one.combine_waiting.get(); }}};
  for (const auto& [phase, devices] : phases) {
    for (const Measure& measure : measures) {
      const OfDevice *least = nullptr, *most = nullptr;
      int64_t min_ns = 0, max_ns = 0, known = 0;
      long double all_ns = 0;
      for (const OfDevice& one : devices) {
        const std::optional<int64_t> ns = measure.of(one.sums);
        if (!ns) continue;
        ++known;
        all_ns += static_cast<long double>(*ns);
        if (least == nullptr || *ns < min_ns) {
          least = &one;
          min_ns = *ns;
        }
        if (most == nullptr || *ns > max_ns) {
          most = &one;
          max_ns = *ns;
        }
      }
      if (known == 0) continue;
      const auto mean_ns = static_cast<double>(all_ns / static_cast<long double>(known));
      rows.add({phase, measure.what, known, min_ns, mean_ns, max_ns, source.rank(least->run),
                least->device, source.rank(most->run), most->device});
    }
  }
}

constexpr table::Head exchange_phase{
    "phase", Unit::text, Role::key,
    "The phase of the innermost step that launched the dispatch, or the combine where it is alone; "
    "`(outside steps)`: in none; empty: the trace has no steps.",
    optional};

/// Of the time between the halves. `alone`: optional where a half may be alone.
template <class Row>
Columns<Row> between_columns(table::More alone) {
  return {{"compute_ns", Unit::ns, Role::measure,
           "Of `between_ns`, the time in which a compute kernel of the device runs: the experts, "
           "and what else is computed meanwhile.",
           &Between::compute_ns, alone},
          {"communication_ns", Unit::ns, Role::measure,
           "Of the rest, the time in which other communication runs.", &Between::communication_ns,
           alone},
          {"memory_ns", Unit::ns, Role::detail,
           "Of the rest, the time in which copies or sets run.", &Between::memory_ns, alone},
          {"idle_ns", Unit::ns, Role::measure, "The rest: nothing runs on the device.",
           &Between::idle_ns, alone},
          {"dispatch_waiting_ns", Unit::ns, Role::measure,
           "Of the dispatch, the waiting for other ranks, as in `rank_collectives`; empty if it is "
           "not compared between devices.",
           &Between::dispatch_waiting_ns, optional},
          {"combine_waiting_ns", Unit::ns, Role::measure, "The same of the combine.",
           &Between::combine_waiting_ns, optional},
          {"dispatch_bytes", Unit::bytes, Role::detail,
           "The bytes of the dispatch; empty: the trace does not contain them.",
           &Between::dispatch_bytes, optional},
          {"combine_bytes", Unit::bytes, Role::detail, "The same of the combine.",
           &Between::combine_bytes, optional}};
}

}  // namespace

const Definition moe_exchanges_table = TableOf<ExchangeRow>{
    {.id = "moe_exchanges",
     .title = "dispatches with their combines",
     .doc = "One row per exchange of expert parallelism and device: a dispatch of tokens to the "
            "devices of their experts and the combine of the results, or one of them alone.",
     .columns =
         {run_column,
          {head::the_device, &job::Member::device},
          {"exchange", Unit::id, Role::key, "Its place on the device, in order of launch, from 0.",
           &ExchangeRow::number},
          {"group", Unit::text, Role::detail,
           "The process group, as in `collectives`; empty: the trace does not contain it.",
           &ExchangeRow::group, optional},
          {exchange_phase, &ExchangeRow::phase},
          {"step_id", Unit::id, Role::detail, "This step, as in `steps`.", &Exchange::step_id,
           optional},
          {"step", Unit::id, Role::measure, "Its number, if the annotation has one.",
           &Exchange::step, optional},
          {"layer", Unit::id, Role::measure,
           "The layer of the dispatch in a repeated block, as in `operations`, else that of the "
           "annotation.",
           &Exchange::layer, optional},
          {"start_ns", Unit::ns, Role::measure, "Its start, as in `operations`.",
           &ExchangeTimes::start_ns},
          {"span_ns", Unit::ns, Role::measure,
           "From the start of the dispatch to the end of the combine: `dispatch_ns` + `between_ns` "
           "+ `combine_ns` - `both_ns`; empty: it has one half.",
           of_both(&ExchangeTimes::span_ns), optional},
          {"dispatch_ns", Unit::ns, Role::measure,
           "The duration of the dispatch; empty: the combine is alone.",
           &ExchangeTimes::dispatch_ns, optional},
          {"between_ns", Unit::ns, Role::measure,
           "From the end of the dispatch to the start of the combine.",
           of_both(&Exchange::between_ns), optional},
          {"combine_ns", Unit::ns, Role::measure,
           "The duration of the combine; empty: the dispatch is alone.", &ExchangeTimes::combine_ns,
           optional},
          {"both_ns", Unit::ns, Role::detail, "The time in which both run.",
           of_both(&ExchangeTimes::both_ns), optional},
          between_columns<ExchangeRow>(optional)},
     .in_short_form = false,
     .many_rows = true},
    needs<job::Members, job::Overlaps>,
    add_exchanges,
    without_exchanges};

const Definition moe_exchange_sums_table = TableOf<ExchangeSumsRow>{
    {.id = "moe_exchange_sums",
     .title = "dispatch and combine of experts by phase",
     .doc = "One row per device and phase: the sums of its exchanges with both halves, and what "
            "is in no pair. With it, all `dispatch_ns` add up to the time of label `dispatch` of "
            "dimension `exchange`, `combine_ns` to that of `combine`.",
     .columns =
         {run_column,
          {head::the_device, &job::Member::device},
          {exchange_phase, &MemberExchanges::Phase::name},
          {"exchanges", Unit::count, Role::measure, "Dispatches with their combines.",
           &PhaseSums::pairs},
          {"span_ns", Unit::ns, Role::measure,
           "The sum of their spans: `dispatch_ns` + `between_ns` + `combine_ns` - `both_ns`. "
           "Exchanges that run at the same time count several times.",
           &PhaseSums::span_ns},
          {"dispatch_ns", Unit::ns, Role::measure, "The durations of their dispatches.",
           &PhaseSums::dispatch_ns},
          {"between_ns", Unit::ns, Role::measure,
           "The times from the ends of the dispatches to the starts of their combines.",
           &PhaseSums::between_ns},
          {"combine_ns", Unit::ns, Role::measure, "The durations of their combines.",
           &PhaseSums::combine_ns},
          {"both_ns", Unit::ns, Role::detail, "The times in which both halves run.",
           &PhaseSums::both_ns},
          between_columns<ExchangeSumsRow>({}),
          {"lone_dispatches", Unit::count, Role::measure, "Dispatches without a combine.",
           [](const PhaseSums& of) { return of.lone_dispatches.instances; }},
          {"lone_dispatches_ns", Unit::ns, Role::detail, "Their durations.",
           [](const PhaseSums& of) { return of.lone_dispatches.total_ns; }},
          {"lone_combines", Unit::count, Role::measure, "Combines without a dispatch.",
           [](const PhaseSums& of) { return of.lone_combines.instances; }},
          {"lone_combines_ns", Unit::ns, Role::detail, "Their durations.",
           [](const PhaseSums& of) { return of.lone_combines.total_ns; }},
          {"preparations", Unit::count, Role::detail,
           "Operations that prepare an exchange: label `preparation`.",
           [](const MemberExchanges::Phase& of) { return of.preparation.instances; }},
          {"preparation_ns", Unit::ns, Role::measure, "Their durations.",
           [](const MemberExchanges::Phase& of) { return of.preparation.total_ns; }},
          {"unknown", Unit::count, Role::detail,
           "Exchanges whose names do not show the direction: label `unknown`.",
           [](const MemberExchanges::Phase& of) { return of.unknown.instances; }},
          {"unknown_ns", Unit::ns, Role::detail, "Their durations.",
           [](const MemberExchanges::Phase& of) { return of.unknown.total_ns; }}}},
    needs<job::Members, job::Overlaps>,
    add_exchange_sums,
    without_exchanges};

Definition moe_exchange_labels_part() {
  return TableOf<ExchangeLabelRow>{
      {.id = "moe_exchange_labels",
       .title = "between dispatch and combine by label",
       .doc = "One row per device, phase, dimension and label that runs between a dispatch and its "
              "combine. The labels of a dimension add up to `between_ns` - `idle_ns` of "
              "`moe_exchange_sums`.",
       .columns = {run_column,
                   {head::the_device, &job::Member::device},
                   {exchange_phase, &ExchangeLabelRow::phase},
                   {head::the_dimension, &MemberExchanges::BetweenLabel::dimension},
                   {head::label, &MemberExchanges::BetweenLabel::label},
                   {"instances", Unit::count, Role::measure,
                    "Parts of operations: one that runs in two exchanges counts twice.",
                    &MemberExchanges::BetweenLabel::instances},
                   {"busy_ns", Unit::ns, Role::measure,
                    "Their time there that no earlier operation of the device covers.",
                    &MemberExchanges::BetweenLabel::busy_ns},
                   {"share", Unit::ratio, Role::measure, "`busy_ns` as a part of `between_ns`.",
                    [](const ExchangeLabelRow& row) {
                      return ratio_of(row.of<MemberExchanges::BetweenLabel>().busy_ns,
                                      row.between_ns);
                    },
                    read_with("busy_ns")}},
       .in_short_form = false},
      needs<job::Members, job::Overlaps>,
      add_exchange_labels,
      without_exchanges};
}

Definition moe_exchange_balance_part() {
  using Row = ExchangeBalanceRow;
  return TableOf<Row>{
      {.id = "moe_exchange_balance",
       .title = "dispatch and combine of experts over ranks",
       .doc =
           "One row per phase and time of `moe_exchange_sums`: its smallest, mean and largest sum "
           "over the devices of all ranks that have exchanges in the phase.",
       .columns = {{exchange_phase, &Row::phase},
                   {"what", Unit::text, Role::key,
                    "The time, as in `moe_exchange_sums`, without `_ns`: `span`, `dispatch`, "
                    "`compute` and so on.",
                    &Row::what},
                   {"devices", Unit::count, Role::measure, "Devices of which it is known.",
                    &Row::devices},
                   {"min_ns", Unit::ns, Role::measure, "The smallest.", &Row::min_ns},
                   {"mean_ns", Unit::ns, Role::measure, "The mean.", &Row::mean_ns},
                   {"max_ns", Unit::ns, Role::measure, "The largest.", &Row::max_ns},
                   {"max_over_mean", Unit::factor, Role::measure,
                    "`max_ns` divided by `mean_ns`: 1 if all are equal; empty if all are 0.",
                    [](const Row& row) {
                      return cell_if(row.mean_ns > 0,
                                     static_cast<double>(row.max_ns) / row.mean_ns);
                    },
                    optional},
                   {head::min_rank, &Row::min_rank},
                   {"min_device", Unit::id, Role::detail, "Its device.", &Row::min_device},
                   {head::max_rank, &Row::max_rank},
                   {"max_device", Unit::id, Role::detail, "Its device.", &Row::max_device}}},
      needs<job::Members, job::Overlaps>,
      add_exchange_balance,
      without_several_exchanging};
}

}  // namespace kr::tables
