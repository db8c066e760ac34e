// Memory of the run, of phases, steps and modules is compared with a slow and simple computation:
// every event with every time.
#include "analyze/memory.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "scopes/scope.hpp"
#include "support/host_traces.hpp"
#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace kr::test::memory_of_runs {
namespace {

using kr::analyze::MemoryPart;
using kr::analyze::MemoryUse;
using kr::trace::HostRange;
using kr::trace::MemoryEvent;
using kr::trace::MemoryLevel;
using kr::trace::MemorySeries;

const kr::match::CompiledRules& memory_rules() {
  static const kr::match::CompiledRules rules = kr::test::compile(R"(
engine e {
  phases { decode: /^decode_(?<step>\d+)/ prefill: "prefill" nccl: /^nccl/ }
  substage { misc: otherwise }
})");
  return rules;
}

kr::trace::Memory random_memory(std::mt19937& random) {
  const auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % limit); };
  kr::trace::Memory memory;
  memory.threads = {{"1", "0"}, {"1", "1"}, {"2", "0"}, {"2", ""}, {"9", "0"}};
  for (int32_t i = 0; i < 3; ++i) {
    MemorySeries& one = memory.series.emplace_back();
    one.kind = "cuda";
    if (i < 2) one.device = i;
    const bool has_reserved = below(2) == 0;
    for (int64_t events = below(30); events > 0; --events) {
      one.events.push_back(
          {below(120),
           below(20) - 9,
           {below(40), has_reserved ? below(50) : MemoryLevel::unknown},
           below(8) == 0 ? MemoryEvent::no_thread : static_cast<uint32_t>(below(i == 0 ? 2 : 5)),
           below(9) == 0});
    }
    for (int64_t failed = below(3); failed > 0; --failed) one.out_of_memory.push_back(below(120));
  }
  memory.order();
  return memory;
}

std::string text(const std::optional<int64_t>& number) {
  return number ? std::to_string(*number) : "-";
}

std::string line(const MemoryPart& part) {
  return fmt::format("{} {}: peak {} {} at {} step {} in `{}`, {} to {}, +{} {} -{} {} ?{} !{}\n",
                     part.series, part.key, text(part.peak_bytes), text(part.peak_reserved_bytes),
                     part.peak_bytes ? part.peak_ns : 0,
                     part.peak_step ? std::to_string(*part.peak_step) : "-", part.peak_module,
                     text(part.first_bytes), text(part.last_bytes), part.allocations,
                     part.allocated_bytes, part.releases, part.released_bytes,
                     part.unknown_releases, part.out_of_memory);
}

std::string lines(const std::vector<MemoryPart>& parts) {
  std::string out;
  for (const MemoryPart& part : parts) out += line(part);
  return out;
}

class Slow {
 public:
  Slow(const kr::trace::Trace& trace, const kr::classify::Attribution& attribution, size_t series)
      : trace_(trace),
        attribution_(attribution),
        number_(series),
        series_(trace.memory->series[series]) {
    for (size_t i = 0; i < attribution.steps.size(); ++i) {
      const HostRange& range = trace.host->ranges[attribution.steps[i].range];
      bool has = true;
      bool any = false;
      for (const MemoryEvent& event : series_.events) {
        if (event.thread == MemoryEvent::no_thread) continue;
        const bool own = trace.memory->threads[event.thread].process ==
                         trace.host->threads[range.thread].process;
        has = any ? has || own : own;
        any = true;
      }
      if (has) steps_.push_back(i);
    }
  }

  const HostRange& range(size_t step) const {
    return trace_.host->ranges[attribution_.steps[step].range];
  }
  const std::vector<size_t>& steps() const { return steps_; }

  std::string module_of(const MemoryEvent& event) const {
    if (event.thread == MemoryEvent::no_thread) return {};
    const kr::trace::HostThread& thread = trace_.memory->threads[event.thread];
    std::string found;
    for (const HostRange& one : trace_.host->ranges) {
      const bool own = trace_.host->threads[one.thread] == thread;
      if (own && one.kind == HostRange::Kind::module && one.contains(event.time_ns)) {
        found = trace_.host->range_names[one.name];
      }
    }
    return found;
  }

  /// [begin, end) of the host; the first may begin at `always`.
  using Stretch = std::pair<int64_t, int64_t>;
  static constexpr int64_t always = -1;
  static constexpr int64_t last_ns = 400;

  static std::vector<Stretch> stretches(const std::function<bool(int64_t)>& in) {
    std::vector<Stretch> out;
    for (int64_t ns = always; ns < last_ns; ++ns) {
      if (!in(ns)) continue;
      if (out.empty() || out.back().second != ns) out.emplace_back(ns, ns);
      out.back().second = ns + 1;
    }
    return out;
  }

  /// Empty: nothing is known.
  std::string line_of(size_t key, const std::vector<Stretch>& times) const {
    MemoryPart part{number_, key};
    const MemoryEvent* peak = nullptr;
    const auto add_level = [&](const MemoryLevel& level, int64_t time, const MemoryEvent* event) {
      if (level.reserved >= 0) {
        part.peak_reserved_bytes = std::max(part.peak_reserved_bytes.value_or(0), level.reserved);
      }
      if (part.peak_bytes && level.used <= *part.peak_bytes) return;
      part.peak_bytes = level.used;
      part.peak_ns = time;
      peak = event;
    };
    const auto& events = series_.events;
    for (const auto& [begin, end] : times) {
      std::optional<MemoryLevel> before = series_.before;
      for (const MemoryEvent& event : events) {
        if (event.time_ns < begin) before = event.after;
        if (event.time_ns < begin || event.time_ns >= end) continue;
        add_level(event.after, event.time_ns, &event);
        if (!part.first_bytes) part.first_bytes = event.after.used;
        part.last_bytes = event.after.used;
        if (event.bytes > 0) {
          ++part.allocations;
          part.allocated_bytes += event.bytes;
        } else if (event.bytes < 0 || event.unknown_address) {
          ++part.releases;
          part.released_bytes -= event.bytes;
          part.unknown_releases += event.unknown_address ? 1 : 0;
        }
      }
      const int64_t first = events.size() > 0 ? events[0].time_ns : 0;
      if (before) add_level(*before, begin == always ? first : begin, nullptr);
      for (const int64_t time : series_.out_of_memory) {
        part.out_of_memory += begin <= time && time < end ? 1 : 0;
      }
    }
    if (!part.peak_bytes && part.out_of_memory == 0) return {};
    for (const size_t step : steps_) {
      if (part.peak_bytes && range(step).contains(part.peak_ns)) part.peak_step = step;
    }
    if (peak != nullptr) part.peak_module = module_of(*peak);
    return line(part);
  }

 private:
  const kr::trace::Trace& trace_;
  const kr::classify::Attribution& attribution_;
  size_t number_;
  const MemorySeries& series_;
  std::vector<size_t> steps_;
};

}  // namespace

TEST_CASE("memory of a run, its phases, steps and modules, as of every event") {
  std::mt19937 random(78);
  for (uint64_t round = 0; round < kr::test::rounds(250, 3); ++round) {
    CAPTURE(round);
    kr::trace::Trace trace = kr::test::HostTraces(random, true).read(random);
    trace.memory = std::make_unique<kr::trace::Memory>(random_memory(random));
    const auto run = kr::test::label(memory_rules(), std::move(trace));
    const kr::classify::Attribution& attribution = run->attribution(memory_rules());
    const MemoryUse use = kr::analyze::sum_memory(run->trace, attribution);
    REQUIRE(use.series.size() == run->trace.memory->series.size());

    std::string whole, steps, phases, modules, fast_modules;
    for (size_t series = 0; series < use.series.size(); ++series) {
      const Slow slow(run->trace, attribution, series);
      whole += slow.line_of(0, {{Slow::always, Slow::last_ns}});
      for (const size_t step : slow.steps()) {
        steps += slow.line_of(step, {{slow.range(step).start_ns, slow.range(step).end_ns}});
      }
      for (size_t phase = 0; phase < use.phases.size(); ++phase) {
        const bool outside = use.phases[phase] == kr::scopes::outside_steps_name;
        phases += slow.line_of(phase, Slow::stretches([&](int64_t ns) {
                                 bool in_phase = false;
                                 bool in_any = false;
                                 for (const size_t step : slow.steps()) {
                                   if (!slow.range(step).contains(ns)) continue;
                                   in_any = true;
                                   in_phase |=
                                       attribution.steps[step].phase.label == use.phases[phase];
                                 }
                                 return outside ? !in_any : in_phase;
                               }));
      }
      std::map<std::string, std::pair<int64_t, int64_t>> sums;
      for (const MemoryEvent& event : run->trace.memory->series[series].events) {
        if (event.bytes <= 0) continue;
        auto& [count, bytes] = sums[slow.module_of(event)];
        ++count;
        bytes += event.bytes;
      }
      if (!use.has_modules) continue;
      for (const auto& [name, sum] : sums) {
        modules += fmt::format("{} `{}` {} {}\n", series, name, sum.first, sum.second);
      }
    }
    std::map<std::pair<size_t, std::string>, std::string> sorted;
    for (const kr::analyze::MemoryModule& one : use.modules) {
      sorted[{one.series, one.module}] = fmt::format("{} `{}` {} {}\n", one.series, one.module,
                                                     one.allocations, one.allocated_bytes);
    }
    for (const auto& [key, text] : sorted) fast_modules += text;
    CHECK(lines(use.whole) == whole);
    CHECK(lines(use.in_steps) == steps);
    CHECK(lines(use.in_phases) == phases);
    CHECK(fast_modules == modules);
  }
}

}  // namespace kr::test::memory_of_runs
