// Timelines of random traces against slow sums.
#include "timeline/timeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "support/host_traces.hpp"
#include "support/rounds.hpp"
#include "support/timelines.hpp"

namespace {

using kr::timeline::Bins;
using kr::timeline::Part;
using kr::timeline::Timeline;

/// A time of a lane and name, by bin.
using Sums = std::map<std::tuple<int64_t, uint32_t, uint32_t>, int64_t>;

const kr::match::CompiledRules& rules_with_phases() {
  static const kr::match::CompiledRules compiled = kr::test::compile(R"(
engine e {
  substage { gemm: "gemm"  first: "k0" | "k1"  rest: otherwise }
  phases { prefill: "prefill"  decode: /decode_(?<step>\d+)/ }
})");
  return compiled;
}

/// Streams of three devices that overlap, and long operations among short ones.
kr::trace::Trace random_trace(std::mt19937& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
  kr::trace::TraceBuilder builder("t.csv", "test");
  const int64_t names = 1 + below(6);
  const int64_t devices = 1 + below(3);
  const int64_t gap = 1 + below(12);
  const int64_t longest = 1 + below(25);
  int64_t now = below(1000);
  for (int64_t i = 1 + below(900); i > 0; --i) {
    now += below(gap);
    kr::trace::Track track;
    track.device = static_cast<int32_t>(below(devices));
    track.stream = below(2);
    const int64_t duration = below(40) == 0 ? below(600) : below(longest);
    builder.add({now, duration,
                 builder.name("k" + std::to_string(below(names)), kr::OperationKind::kernel),
                 builder.track(track)});
  }
  return std::move(builder).finish();
}

/// What an operation is in a timeline.
struct Placed {
  int64_t start;
  int64_t end;
  uint32_t lane;
  uint32_t name;
};

std::vector<Placed> placed(const kr::test::TimelineOfTrace& made) {
  const kr::trace::Trace& trace = made.run->trace;
  std::vector<Placed> all;
  all.reserve(trace.operations.size());
  for (const kr::trace::Operation& operation : trace.operations) {
    const kr::trace::Track& track = trace.track(operation.track);
    const auto lane = std::find_if(
        made.timeline.lanes.begin(), made.timeline.lanes.end(),
        [&](const auto& one) { return one.device == track.device && one.stream == track.stream; });
    const auto name = std::find_if(
        made.summary.names.begin(), made.summary.names.end(),
        [&](const auto& one) { return one.name == trace.names.get(operation.name).text; });
    if (lane == made.timeline.lanes.end()) continue;
    const int64_t start = operation.start_ns - trace.first_start_ns;
    all.push_back({start, start + operation.duration_ns,
                   static_cast<uint32_t>(lane - made.timeline.lanes.begin()),
                   static_cast<uint32_t>(name - made.summary.names.begin())});
  }
  return all;
}

/// ns by ns.
Sums slow_sums(const std::vector<Placed>& operations, const Timeline& timeline, int64_t bin_ns) {
  Sums sums;
  std::set<std::pair<int32_t, int64_t>> covered;
  for (const Placed& one : operations) {
    const int32_t device = timeline.lanes[one.lane].device;
    const auto first = std::find_if(timeline.lanes.begin(), timeline.lanes.end(),
                                    [&](const auto& lane) { return lane.device == device; });
    const auto first_lane = static_cast<uint32_t>(first - timeline.lanes.begin());
    for (int64_t ns = one.start; ns < one.end; ++ns) {
      ++sums[{ns / bin_ns, one.lane, one.name}];
      if (!covered.insert({device, ns}).second) continue;
      ++sums[{ns / bin_ns, first_lane, kr::timeline::busy}];
    }
  }
  return sums;
}

Sums sums_of(const Bins& bins) {
  Sums sums;
  for (size_t i = 0; i < bins.bins.size(); ++i) {
    const size_t end = i + 1 < bins.bins.size() ? bins.bins[i + 1].first : bins.parts.size();
    CHECK(bins.bins[i].first < end);
    for (size_t at = bins.bins[i].first; at < end; ++at) {
      const Part& part = bins.parts[at];
      const auto [place, fresh] =
          sums.try_emplace({bins.bins[i].number, part.lane, part.name}, part.ns);
      CHECK(fresh);
    }
  }
  return sums;
}

size_t packed_size(const Sums& sums, size_t lanes) {
  Bins bins;
  for (const auto& [key, ns] : sums) {
    const auto& [bin, lane, name] = key;
    if (bins.bins.empty() || bins.bins.back().number != bin) {
      bins.bins.push_back({bin, bins.parts.size()});
    }
    bins.parts.push_back({lane, name, ns});
  }
  return kr::timeline::packed_bins(bins, lanes).size();
}

/// The sums are exact, and the width is the smallest for which they fit.
void check_bins(const Bins& bins, const std::vector<Placed>& operations, const Timeline& timeline,
                size_t max_bytes) {
  const size_t lanes = timeline.lanes.size();
  const auto size_at = [&](int64_t width_ns) {
    return packed_size(slow_sums(operations, timeline, width_ns), lanes);
  };
  CHECK(kr::timeline::packed_bins(bins, lanes).size() <= max_bytes);
  if (bins.bins.empty()) {
    CHECK(bins.parts.empty());
    int64_t widest = 1;
    while (timeline.span_ns / widest > 64) widest *= 2;
    CHECK(size_at(widest) > max_bytes);
    return;
  }
  const int64_t width = bins.width_ns;
  CHECK((width & (width - 1)) == 0);
  CHECK(sums_of(bins) == slow_sums(operations, timeline, width));
  // At half the width they do not fit, or there would be more bins than bytes for them.
  const auto max_bins = std::max<int64_t>(64, static_cast<int64_t>(max_bytes) / 8);
  if (width > 1 && timeline.span_ns / (width / 2) <= max_bins) {
    CHECK(size_at(width / 2) > max_bytes);
  }
}

}  // namespace

TEST_CASE("bins have the exact time of every name, and are as narrow as the limit allows") {
  std::mt19937 random(20);
  size_t exact = 0;
  size_t binned = 0;
  size_t binned_by_label = 0;
  // An interval counts whole in the bin of its start: found in round 2.
  for (uint64_t round = 0; round < kr::test::rounds(400, 2); ++round) {
    CAPTURE(round);
    const kr::timeline::Limits limits{.bytes = 200 + random() % 4000, .lanes = 1 + random() % 7};
    const kr::test::TimelineOfTrace made(rules_with_phases(), random_trace(random), limits);
    const Timeline& timeline = made.timeline;
    CHECK(timeline.lanes.size() <= limits.lanes);
    const std::vector<Placed> operations = placed(made);
    const size_t max_bytes = limits.bytes - kr::timeline::packed_bands(timeline).size();
    CHECK(kr::timeline::packed_operations(timeline).size() <= max_bytes);
    if (timeline.is_exact) {
      ++exact;
      size_t at = 0;
      for (const Placed& one : operations) {
        if (one.start == one.end) continue;
        REQUIRE(at < timeline.operations.size());
        const kr::timeline::Interval& got = timeline.operations[at++];
        CHECK(got.start_ns == one.start);
        CHECK(got.duration_ns == one.end - one.start);
        CHECK(got.lane == one.lane);
        CHECK(got.name == one.name);
      }
      CHECK(at == timeline.operations.size());
      continue;
    }
    // The first name with the same label.
    std::vector<Placed> by_label = operations;
    bool shared = false;
    for (Placed& one : by_label) {
      const auto& names = made.summary.names;
      const auto first = std::find_if(names.begin(), names.end(), [&](const auto& name) {
        return name.labels[0].label == names[one.name].labels[0].label;
      });
      const auto place = static_cast<uint32_t>(first - names.begin());
      shared |= place != one.name;
      one.name = place;
    }
    binned += !timeline.by_name.bins.empty();
    if (timeline.label_dimensions.empty()) {
      CHECK(!shared);
      CHECK(timeline.by_labels.bins.empty());
      check_bins(timeline.by_name, operations, timeline, max_bytes);
    } else {
      binned_by_label += !timeline.by_labels.bins.empty();
      CHECK(timeline.label_dimensions == std::vector<std::string>{"substage", "kind"});
      check_bins(timeline.by_name, operations, timeline, max_bytes / 4);
      check_bins(timeline.by_labels, by_label, timeline, max_bytes - max_bytes / 4);
    }
  }
  CHECK(exact > 0);
  CHECK(binned > 0);
  CHECK(binned_by_label > 0);
}

TEST_CASE("bands are from the first start to the last end of each step and layer") {
  std::mt19937 random(21);
  size_t bands = 0;
  // A step does not enclose those inside it: found in round 3.
  for (uint64_t round = 0; round < kr::test::rounds(300, 3); ++round) {
    CAPTURE(round);
    const kr::test::HostTraces traces(random, false);
    if (traces.work.empty()) continue;
    const kr::test::TimelineOfTrace made(rules_with_phases(), traces.read(random), {});
    const kr::trace::Trace& trace = made.run->trace;
    const kr::classify::Attribution& places = made.run->attribution(rules_with_phases());
    std::map<std::tuple<int32_t, uint32_t, uint32_t>, std::pair<int64_t, int64_t>> wanted;
    const auto add = [&](size_t i, uint32_t row, uint32_t number) {
      const kr::trace::Operation& operation = trace.operations[i];
      const int64_t start = operation.start_ns - trace.first_start_ns;
      const int64_t end = start + operation.duration_ns;
      const std::tuple key{trace.track(operation.track).device, row, number};
      auto& [from, to] = wanted.try_emplace(key, start, end).first->second;
      from = std::min(from, start);
      to = std::max(to, end);
    };
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      std::vector<uint32_t> steps;  // the innermost first
      constexpr uint32_t none = kr::classify::Attribution::none;
      for (uint32_t at = places.step_of[i]; at != none; at = places.steps[at].outer) {
        steps.push_back(at);
      }
      for (size_t k = 0; k < steps.size(); ++k) {
        const size_t depth = steps.size() - 1 - k;
        if (depth < kr::timeline::layer_row) add(i, static_cast<uint32_t>(depth), steps[k]);
      }
      if (places.layer_of[i] != none) add(i, kr::timeline::layer_row, places.layer_of[i]);
    }
    using Row = std::tuple<int32_t, uint32_t, int64_t, int64_t, std::string, int64_t>;
    std::vector<Row> slow;
    for (const auto& [key, times] : wanted) {
      const auto& [device, row, number] = key;
      const bool layer = row == kr::timeline::layer_row;
      slow.emplace_back(device, row, times.first, times.second,
                        layer ? "" : places.steps[number].phase.label,
                        layer ? static_cast<int64_t>(places.in_unit(number))
                              : places.steps[number].phase.step.value_or(-1));
    }
    std::vector<Row> got;
    for (const kr::timeline::Band& band : made.timeline.bands) {
      CHECK(band.count == 1);
      got.emplace_back(band.device, band.row, band.start_ns, band.end_ns,
                       band.phase == kr::timeline::no_phase ? "" : made.timeline.phases[band.phase],
                       band.number);
    }
    CHECK(std::is_sorted(got.begin(), got.end(), [](const Row& a, const Row& b) {
      return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
             std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
    }));
    std::sort(slow.begin(), slow.end());
    std::sort(got.begin(), got.end());
    CHECK(got == slow);
    bands += got.size();
  }
  CHECK(bands > 0);
}
