// Windows of random traces. What is inside is compared with a slow reading of each operation, the
// reduced trace with the trace that is read of what is inside alone, and sums inside and outside
// with those of the whole.
#include "analyze/windowed.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"
#include "support/host_traces.hpp"
#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

using kr::test::HostTraces;

const char* const windowed_rules = R"(
engine e {
  substage {
    attn: within "Attn"
    dec:  within "decode"
    gemm: "gemm"
    rest: otherwise
  }
  kind { communication: within "nccl" }
  phases { decode: /^decode_(?<step>\d+)/ prefill: "prefill" }
}
)";

constexpr uint32_t none = kr::classify::Attribution::none;

std::string dump(const kr::trace::Trace& trace) {
  const kr::trace::HostTrace& host = *trace.host;
  const auto thread = [&](uint32_t number) {
    const kr::trace::HostThread& one = host.threads[number];
    return fmt::format("{}/{}{}", one.process, one.thread, one.whole_process ? " all" : "");
  };
  std::string out;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const kr::trace::Operation& one = trace.operations[i];
    const kr::trace::OperationName& name = trace.names.get(one.name);
    out += fmt::format("{} {} {} {} {}/{}", one.start_ns, one.duration_ns, name.text,
                       to_string(name.kind), trace.track(one.track).device,
                       trace.track(one.track).stream);
    if (const auto* launch = host.launch(i)) out += fmt::format(" <- {}", launch->start_ns);
    out += '\n';
  }
  for (const kr::trace::Launch& launch : host.launches) {
    out += fmt::format("{} {} {} {} {}\n", launch.correlation, launch.start_ns, launch.duration_ns,
                       host.calls[launch.call].name, thread(launch.thread));
  }
  for (const kr::trace::HostRange& range : host.ranges) {
    out += fmt::format("{} {} `{}` {} {} {}\n", range.start_ns, range.end_ns,
                       host.range_names[range.name], thread(range.thread),
                       static_cast<int>(range.kind),
                       range.parent == kr::trace::HostRange::none ? -1 : int64_t{range.parent});
  }
  return out + fmt::format(
                   "{} names, {} tracks, {} calls, {} threads, {} names of ranges, {} "
                   "orphans, {} to {}",
                   trace.names.size(), trace.tracks.size(), host.calls.size(), host.threads.size(),
                   host.range_names.size(), host.orphans, trace.first_start_ns, trace.last_end_ns);
}

/// The parts of a random trace that are inside, one by one.
class SlowWindow {
 public:
  SlowWindow(const HostTraces& traces, const kr::trace::Trace& trace,
             const kr::classify::Attribution& attribution, const kr::trace::Window& window)
      : traces_(traces), trace_(trace), attribution_(attribution), window_(window) {
    for (size_t i = 0; i < traces.work.size(); ++i) inside.push_back(is_inside(i));
  }

  /// What a file of what is inside would have.
  HostTraces reduced() const {
    HostTraces out = traces_;
    out.work.clear();
    std::set<int64_t> kept, others;
    int64_t begin = std::numeric_limits<int64_t>::max(), end = -1;
    const auto add = [&](int64_t from, int64_t to) {
      begin = std::min(begin, from);
      end = std::max(end, to);
    };
    for (size_t i = 0; i < inside.size(); ++i) {
      const HostTraces::Work& one = traces_.work[i];
      const HostTraces::Call* const call = traces_.call_of(one);
      if (call != nullptr) (inside[i] ? kept : others).insert(one.correlation);
      if (!inside[i]) continue;
      out.work.push_back(one);
      add(one.start, one.start + one.duration);
      if (call != nullptr) add(call->start, call->start + call->duration);
    }
    std::erase_if(out.calls, [&](const HostTraces::Call& call) {
      if (kept.contains(call.correlation)) return false;
      return others.contains(call.correlation) || call.start > end ||
             call.start + call.duration < begin;
    });
    std::erase_if(out.ranges, [&](const HostTraces::Range& range) {
      return range.start > end || range.end < begin || is_empty_step(range);
    });
    return out;
  }

  std::vector<bool> inside;

 private:
  /// The steps of an operation, outwards.
  std::vector<uint32_t> steps_of(size_t i) const {
    std::vector<uint32_t> out;
    for (uint32_t at = attribution_.step_of[i]; at != none; at = attribution_.steps[at].outer) {
      out.push_back(at);
    }
    return out;
  }

  bool is_inside(size_t i) const {
    const HostTraces::Work& one = traces_.work[i];
    const int64_t since = one.start - trace_.first_start_ns;
    if (window_.from_ns && since < *window_.from_ns) return false;
    if (window_.to_ns && since >= *window_.to_ns) return false;
    const std::vector<uint32_t> steps = steps_of(i);
    const auto any = [&](const auto& holds) {
      return std::any_of(steps.begin(), steps.end(), holds);
    };
    if (window_.steps && !any([&](uint32_t step) {
          return window_.steps->first <= step && step <= window_.steps->second;
        })) {
      return false;
    }
    if (!window_.phase.empty() && !any([&](uint32_t step) {
          return attribution_.steps[step].phase.label == window_.phase;
        })) {
      return false;
    }
    return window_.range.empty() || is_in_range(one);
  }

  bool is_in_range(const HostTraces::Work& one) const {
    const HostTraces::Call* const call = traces_.call_of(one);
    if (call == nullptr) return false;
    bool has_own = false, in_process = false;
    for (const HostTraces::Range& range : traces_.ranges) {
      if (range.name.find(window_.range) == std::string::npos) continue;
      if (range.holds(*call)) return true;
      if (range.process != call->process) continue;
      has_own = has_own || (!range.whole_process && range.thread == call->thread);
      in_process = in_process || (range.start <= call->start && call->start < range.end);
    }
    return in_process && !has_own;
  }

  /// A step without operations inside, that encloses none of their launches.
  bool is_empty_step(const HostTraces::Range& range) const {
    const kr::trace::HostTrace& host = *trace_.host;
    for (uint32_t step = 0; step < attribution_.steps.size(); ++step) {
      const kr::trace::HostRange& one = host.ranges[attribution_.steps[step].range];
      // No two ranges begin at once.
      if (one.start_ns != range.start) continue;
      for (size_t i = 0; i < inside.size(); ++i) {
        if (!inside[i]) continue;
        const std::vector<uint32_t> steps = steps_of(i);
        if (std::find(steps.begin(), steps.end(), step) != steps.end()) return false;
        const HostTraces::Call* const call = traces_.call_of(traces_.work[i]);
        if (call != nullptr && range.holds(*call)) return false;
      }
      return true;
    }
    return false;
  }

  const HostTraces& traces_;
  const kr::trace::Trace& trace_;
  const kr::classify::Attribution& attribution_;
  const kr::trace::Window& window_;
};

kr::trace::Window random_window(std::mt19937& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
  kr::trace::Window window;
  if (below(3) == 0) window.from_ns = below(60);
  if (below(3) == 0) window.to_ns = window.from_ns.value_or(0) + 1 + below(90);
  if (below(3) == 0) {
    const int64_t first = below(3);
    window.steps = {first, below(2) == 0 ? std::numeric_limits<int64_t>::max() : first + below(2)};
  }
  if (below(4) == 0) window.phase = below(2) == 0 ? "decode" : "prefill";
  const std::vector<std::string> texts{"Attn", "decode_", "nccl", "_0", "e"};
  if (below(4) == 0) window.range = texts[static_cast<size_t>(below(5))];
  return window;
}

/// By dimension and label, and by device: instances and total.
using WindowSums = std::map<std::string, std::pair<int64_t, int64_t>>;

void add_sums(const kr::match::CompiledRules& rules, kr::trace::Trace trace, WindowSums& to) {
  const auto run = kr::test::label(rules, std::move(trace));
  const auto& operations = run->trace.operations;
  for (size_t i = 0; i < operations.size(); ++i) {
    const auto add = [&](const std::string& key) {
      auto& [instances, total_ns] = to[key];
      ++instances;
      total_ns += operations[i].duration_ns;
    };
    const uint32_t row = run->labelled.row(i, operations[i]);
    for (const auto& dimension : run->labelled.dimensions) {
      add(fmt::format("{} {}", dimension.dimension.index, dimension.by_row[row].label));
    }
    add(fmt::format("device {}", run->trace.track(operations[i].track).device));
  }
}

}  // namespace

TEST_CASE("a window has the operations of a slow reading, and a reduced trace what a file would") {
  const kr::match::CompiledRules rules = kr::test::compile(windowed_rules);
  std::mt19937 random(3);
  uint64_t compared = 0;
  // A range that ends as the window begins belongs to it, planted as not: found in round 60.
  for (uint64_t round = 0; round < kr::test::rounds(6000, 61); ++round) {
    CAPTURE(round);
    const HostTraces traces(random, false);
    const auto run = kr::test::label(rules, traces.read(random));
    const kr::trace::Window window = random_window(random);
    if (window.empty() || traces.work.empty()) continue;
    const kr::classify::Attribution& attribution = run->attribution(rules);
    const SlowWindow slow(traces, run->trace, attribution, window);
    std::optional<kr::analyze::Inside> inside;
    try {
      inside = kr::analyze::find_inside(rules, *run, window);
    } catch (const kr::Error&) {
      // A step, phase or range that the trace does not have, or nothing inside.
      const bool any = std::find(slow.inside.begin(), slow.inside.end(), true) != slow.inside.end();
      const auto steps = static_cast<int64_t>(attribution.steps.size());
      const bool beyond = window.steps && window.steps->second >= steps;
      CHECK((!any || beyond));
      continue;
    }
    CHECK(inside->kept.operations == slow.inside);
    ++compared;
    kr::trace::Trace reduced = traces.read(random);
    kr::trace::reduce(reduced, inside->kept);
    CHECK(dump(reduced) == dump(slow.reduced().read(random)));

    WindowSums whole, parts;
    add_sums(rules, traces.read(random), whole);
    add_sums(rules, std::move(reduced), parts);
    kr::trace::Kept rest{inside->kept.operations};
    rest.operations.flip();
    if (std::find(rest.operations.begin(), rest.operations.end(), true) != rest.operations.end()) {
      kr::trace::Trace outside = traces.read(random);
      kr::trace::reduce(outside, rest);
      add_sums(rules, std::move(outside), parts);
    }
    CHECK(whole == parts);
  }
  CHECK(compared > 500);
}
