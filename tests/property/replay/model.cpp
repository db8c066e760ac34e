// A replay in one pass is compared with the longest path in a graph of all that each operation and
// each call waits for, made from the definitions by looking at everything.
#include "replay/model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include "support/rounds.hpp"

namespace {

using kr::replay::Changed;
using kr::replay::Model;
using kr::replay::PathPart;
using kr::trace::HostRange;
using kr::trace::Launch;
using kr::trace::Operation;
using kr::trace::Trace;

constexpr uint32_t none = HostRange::none;
constexpr std::array functions{"cudaLaunchKernel",    "cudaLaunchKernel",      "cudaMemcpyAsync",
                               "cudaStreamWaitEvent", "cudaStreamSynchronize", "cudaMalloc",
                               "cudaGraphLaunch"};

/// Every node's time is the latest of what it follows, plus a time.
class SlowReplay {
 public:
  SlowReplay(const Trace& trace, const Changed& changed) : trace_(trace), changed_(changed) {
    latency_ = median_latency();
    for (uint32_t i = 0; i < count(); ++i) {
      if (launch(i) != none && (last_.count(launch(i)) == 0 || end(i) >= end(last_[launch(i)]))) {
        last_[launch(i)] = i;
      }
    }
  }

  int64_t latency() const { return latency_; }
  int64_t start_of(uint32_t i) {
    int64_t start = ready_of(i);
    if (!overlapped(i)) return start;
    for (uint32_t j = 0; j < i; ++j) {
      if (track(j) == track(i) && overlapped(j)) start = std::max(start, end_of(j));
    }
    return start;
  }
  int64_t end_of(uint32_t i) {
    if (const auto known = ends_.find(i); known != ends_.end()) return known->second;
    const int64_t duration =
        changed_.duration_ns.empty() ? operation(i).duration_ns : changed_.duration_ns[i];
    return ends_[i] = start_of(i) + duration;
  }

 private:
  uint32_t count() const { return static_cast<uint32_t>(trace_.operations.size()); }
  const Operation& operation(uint32_t i) const { return trace_.operations[i]; }
  int64_t start(uint32_t i) const { return operation(i).start_ns; }
  int64_t end(uint32_t i) const { return operation(i).end_ns(); }
  uint32_t track(uint32_t i) const { return operation(i).track.index; }
  int32_t device(uint32_t i) const { return trace_.track(operation(i).track).device; }
  uint32_t launch(uint32_t i) const { return trace_.host->launch_of[i]; }
  const Launch& call(uint32_t c) const { return trace_.host->launches[c]; }
  std::string function(uint32_t c) const { return trace_.host->calls[call(c).call].name; }
  std::string process(uint32_t c) const { return trace_.host->threads[call(c).thread].process; }
  bool overlapped(uint32_t i) const {
    return !changed_.overlapped.empty() && changed_.overlapped[i];
  }
  bool synchronizes(uint32_t c) const { return function(c) == "cudaStreamSynchronize"; }
  bool works(uint32_t c) const { return synchronizes(c) || last_.count(c) > 0; }
  int64_t host(int64_t ns) const {
    return changed_.host == 1 ? ns : std::llround(static_cast<double>(ns) * changed_.host);
  }

  int64_t median_latency() const {
    std::vector<int64_t> all;
    for (uint32_t i = 0; i < count(); ++i) {
      if (launch(i) == none || (i > 0 && launch(i - 1) == launch(i))) continue;
      const int64_t called = call(launch(i)).start_ns;
      bool empty = called <= start(i);
      for (uint32_t j = 0; j < i; ++j)
        empty = empty && (device(j) != device(i) || end(j) <= called);
      if (empty) all.push_back(start(i) - called);
    }
    std::sort(all.begin(), all.end());
    return all.empty() ? 0 : all[all.size() / 2];
  }

  /// Rules 1, 3, 4 and 5.
  std::set<uint32_t> follows(uint32_t i) const {
    std::set<uint32_t> out;
    for (uint32_t j = 0; j < i; ++j) {
      const bool same = track(j) == track(i) || (launch(i) == none && device(j) == device(i));
      if (same && end(j) <= start(i)) out.insert(j);
    }
    if (launch(i) == none) return out;
    bool first = true;                                       // of its launch on its stream
    int64_t before = -1;                                     // the launch before it to its stream
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> last;  // by stream: launch and operation
    std::map<uint32_t, std::vector<uint32_t>> together;      // by other stream of its launch
    for (uint32_t j = 0; j < count(); ++j) {
      if (launch(j) == none || launch(j) > launch(i)) continue;
      if (launch(j) == launch(i)) {
        first = first && (track(j) != track(i) || j >= i);
        if (track(j) != track(i)) together[track(j)].push_back(j);
        continue;
      }
      if (track(j) == track(i)) before = std::max(before, static_cast<int64_t>(launch(j)));
      if (track(j) == track(i) || device(j) != device(i)) continue;
      auto& newest = last.try_emplace(track(j), launch(j), j).first->second;
      newest = std::max(newest, {launch(j), j});
    }
    bool waited = false;
    for (uint32_t c = 0; c < launch(i); ++c) {
      waited = waited || (function(c) == "cudaStreamWaitEvent" && c > before &&
                          process(c) == process(launch(i)));
    }
    for (const auto& [stream, newest] : last) {
      const auto own = together.find(stream);
      const bool begun = own != together.end() && own->second.front() < i;
      const bool done = newest.second < i && end(newest.second) <= start(i);
      if (first && waited && !begun && done) out.insert(newest.second);
    }
    for (const auto& [stream, on] : together) {
      std::optional<uint32_t> ended;  // the last of those before the first that had not
      for (const uint32_t j : on) {
        if (j > i || end(j) > start(i)) break;
        ended = j;
      }
      if (ended) out.insert(*ended);
    }
    return out;
  }

  int64_t seen_end(uint32_t i) { return overlapped(i) ? ready_of(i) : end_of(i); }

  int64_t ready_of(uint32_t i) {
    if (const auto known = ready_.find(i); known != ready_.end()) return known->second;
    int64_t measured = INT64_MIN;
    int64_t replayed = INT64_MIN;
    for (const uint32_t j : follows(i)) {
      measured = std::max(measured, end(j));
      replayed = std::max(replayed, seen_end(j));
    }
    const uint32_t c = launch(i);
    if (c != none && call(c).start_ns <= start(i)) {
      const int64_t latency = std::min(start(i) - call(c).start_ns, latency_);
      measured = std::max(measured, call(c).start_ns + latency);
      replayed = std::max(replayed, call_of(c) + latency);
    }
    if (measured == INT64_MIN) return ready_[i] = start(i);
    int64_t delay = start(i) - measured;
    if (changed_.explained_only) delay = std::min(delay, kr::replay::longest_delay_ns);
    return ready_[i] = replayed + delay;
  }

  /// What a call waits for when it returns: measured and replayed.
  std::optional<std::pair<int64_t, int64_t>> waits_for(uint32_t c, bool replay) {
    std::vector<uint32_t> ended;
    if (synchronizes(c)) {
      std::set<int32_t> devices;
      for (uint32_t i = 0; i < count(); ++i) {
        if (launch(i) != none && process(launch(i)) == process(c)) devices.insert(device(i));
      }
      for (uint32_t i = 0; i < count(); ++i) {
        const bool done = start(i) < call(c).end_ns() && end(i) <= call(c).end_ns();
        if (devices.count(device(i)) > 0 && done) ended.push_back(i);
      }
    } else if (function(c) == "cudaMemcpyAsync" && last_.count(c) > 0) {
      const uint32_t i = last_[c];
      if (start(i) < call(c).end_ns() && end(i) <= call(c).end_ns()) ended.push_back(i);
    }
    if (ended.empty()) return std::nullopt;
    std::pair out{INT64_MIN, INT64_MIN};
    for (const uint32_t i : ended) {
      out.first = std::max(out.first, end(i));
      if (replay) out.second = std::max(out.second, end_of(i));
    }
    return out;
  }

  /// Whether the return of a call is a time of its own: no call inside it has waited.
  bool returns(uint32_t c) {
    if (const auto known = returns_.find(c); known != returns_.end()) return known->second;
    bool one = waits_for(c, false).has_value();
    for (uint32_t d = 0; one && d < trace_.host->launches.size(); ++d) {
      const bool earlier =
          std::pair(call(d).end_ns(), d) < std::pair(call(c).end_ns(), c) && d != c;
      if (call(d).thread != call(c).thread || !earlier) continue;
      if (call(d).end_ns() > call(c).start_ns && returns(d)) one = false;
    }
    return returns_[c] = one;
  }

  /// The last time of a thread before a call: measured, replayed.
  std::optional<std::pair<int64_t, int64_t>> clock(uint32_t thread, uint32_t before) {
    std::optional<uint32_t> called;
    std::optional<uint32_t> returned;
    for (uint32_t c = 0; c < before; ++c) {
      if (call(c).thread == thread) called = c;
    }
    if (!called) return std::nullopt;
    for (uint32_t c = 0; c < before; ++c) {
      if (call(c).thread != thread || call(c).end_ns() > call(before).start_ns) continue;
      const bool precedes = c < *called && call(c).end_ns() <= call(*called).start_ns;
      if (precedes || !returns(c)) continue;
      const auto end = [&](uint32_t d) { return std::pair(call(d).end_ns(), d); };
      if (!returned || end(c) > end(*returned)) returned = c;
    }
    if (!returned) return std::pair(call(*called).start_ns, call_of(*called));
    return std::pair(call(*returned).end_ns(), return_of(*returned));
  }

  int64_t call_of(uint32_t c) {
    if (const auto known = calls_.find(c); known != calls_.end()) return known->second;
    const auto own = clock(call(c).thread, c);
    int64_t quiet = 0;
    std::optional<uint32_t> other;
    for (uint32_t d = c; d-- > 0;) {
      if (process(d) != process(c)) continue;
      if (call(d).thread == call(c).thread) break;
      if (!works(d)) continue;
      ++quiet;
      if (!other) other = call(d).thread;
    }
    if (other && quiet >= kr::replay::handover_calls) {
      const auto last = clock(*other, c);
      if (!own || last->first >= own->first) {
        const int64_t from = own ? std::max(own->second, last->second) : last->second;
        return calls_[c] = from + host(call(c).start_ns - last->first);
      }
    }
    if (!own) return calls_[c] = call(c).start_ns;
    return calls_[c] = own->second + host(call(c).start_ns - own->first);
  }

  int64_t return_of(uint32_t c) {
    if (const auto known = return_times_.find(c); known != return_times_.end())
      return known->second;
    const auto [measured, replayed] = *waits_for(c, true);
    const int64_t from = std::max(call(c).start_ns, measured);
    return return_times_[c] = std::max(call_of(c), replayed) + host(call(c).end_ns() - from);
  }

  const Trace& trace_;
  const Changed& changed_;
  int64_t latency_ = 0;
  std::map<uint32_t, uint32_t> last_;  // by call: its last operation
  std::map<uint32_t, int64_t> ends_, ready_, calls_, return_times_;
  std::map<uint32_t, bool> returns_;
};

Trace random_run(std::mt19937& random) {
  const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % end); };
  kr::trace::TraceBuilder builder("", "");
  kr::trace::HostTrace& host = builder.host();
  const int64_t threads = 1 + below(3);
  std::vector<int64_t> time(static_cast<size_t>(threads), 0);
  const int64_t calls = 4 + below(24);
  std::vector<int64_t> starts;
  int64_t thread = 0;
  for (int64_t c = 0; c < calls; ++c) {
    if (below(3) == 0) thread = below(threads);
    int64_t& now = time[static_cast<size_t>(thread)];
    now += below(6) == 0 ? below(40) : below(4);
    if (below(2) == 0) now = std::max(now, *std::max_element(time.begin(), time.end()));
    const int64_t duration = below(4) == 0 ? below(30) : below(3);
    const char* const name = functions[static_cast<size_t>(below(functions.size()))];
    host.launches.push_back({c, now, duration, builder.call({name, false}),
                             builder.thread({thread == 2 ? "2" : "1", std::to_string(thread)})});
    starts.push_back(now);
    if (below(3) > 0) now += duration;
  }
  std::map<std::pair<int64_t, int64_t>, int64_t> ends;
  for (int64_t i = 1 + below(24); i > 0; --i) {
    kr::trace::Track track;
    track.device = below(5) == 0 ? 1 : 0;
    track.stream = below(3);
    const int64_t c = below(calls);
    int64_t& end = ends[{track.device, track.stream}];
    int64_t start = starts[static_cast<size_t>(c)] + below(5);
    if (below(4) > 0) start = std::max(start, end + below(2));
    if (below(12) == 0) start = below(100);  // before its launch, perhaps
    if (below(40) == 0) start += 2 * kr::replay::longest_delay_ns;
    const int64_t duration = below(12);
    end = start + duration;
    builder.add(
        {start, duration, builder.name("a", kr::OperationKind::kernel), builder.track(track)});
    const int64_t correlation = below(8) == 0 ? 1000 : c;
    builder.add_correlations(&correlation, 1);
  }
  return std::move(builder).finish();
}

Changed random_change(const Trace& trace, std::mt19937& random) {
  Changed changed;
  for (const Operation& one : trace.operations) {
    const bool longer = random() % 4 == 0;
    changed.duration_ns.push_back(random() % 2 == 0
                                      ? one.duration_ns * static_cast<int64_t>(random() % 3)
                                      : one.duration_ns + (longer ? 7 : 0));
    if (random() % 3 == 0) changed.overlapped.resize(trace.operations.size());
  }
  for (size_t i = 0; i < changed.overlapped.size(); ++i) changed.overlapped[i] = random() % 3 == 0;
  constexpr std::array factors{1.0, 1.0, 0.0, 0.5, 2.0};
  changed.host = factors[random() % factors.size()];
  changed.explained_only = random() % 2 == 0;
  return changed;
}

using Times = std::vector<std::pair<int64_t, int64_t>>;
Times replay(const Model& model, const Changed& changed) {
  Times times;
  model.replay(changed, [&](uint32_t operation, int64_t start_ns, int64_t end_ns) {
    CHECK(operation == times.size());
    times.emplace_back(start_ns, end_ns);
  });
  return times;
}

}  // namespace

TEST_CASE("a replay is the longest path in the graph of all that waits") {
  std::mt19937 random(190);
  int differ = 0;
  // An operation that ends at the start of another runs then: found in round 2.
  const uint64_t rounds = kr::test::rounds(1000, 2);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Trace trace = random_run(random);
    const Changed changed = random_change(trace, random);
    const Model model(trace);
    SlowReplay slow(trace, changed);
    REQUIRE(model.launch_latency_ns() == slow.latency());
    const Times got = replay(model, changed);
    for (uint32_t i = 0; i < trace.operations.size(); ++i) {
      CAPTURE(i);
      REQUIRE(got[i] == std::pair(slow.start_of(i), slow.end_of(i)));
      if (got[i].first != trace.operations[i].start_ns) ++differ;
    }
  }
  CHECK(differ > rounds / 3);
}

TEST_CASE("an unchanged replay is what was measured; nothing gets later by less work") {
  std::mt19937 random(191);
  // Long delays are cut in every replay: found in round 6.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 6); ++round) {
    CAPTURE(round);
    const Trace trace = random_run(random);
    const Model model(trace);
    const Times measured = replay(model, {});
    Changed less;
    for (uint32_t i = 0; i < trace.operations.size(); ++i) {
      const Operation& one = trace.operations[i];
      REQUIRE(measured[i] == std::pair(one.start_ns, one.end_ns()));
      less.duration_ns.push_back(one.duration_ns - (random() % 3 == 0 ? one.duration_ns / 2 : 0));
    }
    less.host = random() % 2 == 0 ? 1 : 0.5;
    const Times sooner = replay(model, less);
    for (uint32_t i = 0; i < trace.operations.size(); ++i) {
      CHECK(sooner[i].first <= measured[i].first + (less.host == 1 ? 0 : 50));
      CHECK((less.host != 1 || sooner[i].second <= measured[i].second));
    }
  }
}

TEST_CASE("the parts of a critical path add up to the span") {
  std::mt19937 random(192);
  std::set<PathPart> met;
  // The rest of the span at the end is not reported: found in round 3.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 3); ++round) {
    CAPTURE(round);
    const Trace trace = random_run(random);
    int64_t sum = 0;
    Model(trace).critical_path([&](PathPart part, uint32_t operation, int64_t ns) {
      CHECK(operation < trace.operations.size());
      CHECK(ns > 0);
      sum += ns;
      met.insert(part);
    });
    CHECK(sum == trace.last_end_ns - trace.first_start_ns);
  }
  CHECK(met.size() == kr::replay::path_parts);
}
