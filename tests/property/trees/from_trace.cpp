// Attribution and the trees made of it, against a slow reading of calls, ranges and operations.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "classify/periods.hpp"
#include "support/host_traces.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"
#include "trees/labels.hpp"

namespace {

using kr::test::HostTraces;
using Range = HostTraces::Range;
using Work = HostTraces::Work;

const char* const rules_text = R"(
engine e {
  phases {
    prefill: ^"prefill"
    decode:  /^decode_(?<step>\d+)/
  }
  substage { misc: otherwise }
}
)";

/// Where an operation belongs. Null: nowhere.
struct Place {
  const HostTraces::Call* call = nullptr;
  const Range* step = nullptr;
  std::vector<const Range*> modules;
  std::string layer;      // `layer 3`; empty: in none
  std::string layer_run;  // which stretch
};

class SlowReading {
 public:
  explicit SlowReading(const HostTraces& traces) : traces_(traces), places_(traces.work.size()) {
    for (const Range& range : traces.ranges) any_step_ |= is_step(range);
    for (size_t i = 0; i < places_.size(); ++i) find(i);
    find_layers();
  }
  const Place& operator[](size_t i) const { return places_[i]; }
  bool any_step() const { return any_step_; }

 private:
  static bool is_step(const Range& range) {
    return !range.module &&
           (range.name.starts_with("prefill") || range.name.starts_with("decode_"));
  }
  void find(size_t i) {
    Place& place = places_[i];
    place.call = traces_.call_of(traces_.work[i]);
    for (const Range* range : traces_.around(traces_.work[i])) {
      if (range->module) place.modules.push_back(range);
      if (is_step(*range)) place.step = range;
    }
    if (place.step == nullptr && place.call != nullptr) place.step = step_of_process(*place.call);
  }
  /// For a thread without steps of its own: the step that began last and holds the time of the
  /// call, on any thread of its process.
  const Range* step_of_process(const HostTraces::Call& call) const {
    const Range* last = nullptr;
    const auto order = [](const Range& range) {
      return std::tuple(range.start, range.thread, range.whole_process, -range.end);
    };
    for (const Range& range : traces_.ranges) {
      if (!is_step(range) || range.process != call.process) continue;
      if (!range.whole_process && range.thread == call.thread) return nullptr;
      if (range.start > call.start || range.end <= call.start) continue;
      if (last == nullptr || order(range) > order(*last)) last = &range;
    }
    return last;
  }
  /// The unit in which repetitions of an operation are searched; empty: in none.
  std::string unit(size_t i) const {
    const Work& work = traces_.work[i];
    if (work.kind != kr::OperationKind::kernel) return {};
    const auto launched =
        std::count_if(traces_.work.begin(), traces_.work.end(),
                      [&](const Work& other) { return other.correlation == work.correlation; });
    const std::string track = fmt::format("{}/{}", work.device, work.stream);
    const Place& place = places_[i];
    if (place.call != nullptr && launched > 1) {
      return fmt::format("graph {} on {}", work.correlation, track);
    }
    if (place.step != nullptr) return fmt::format("step {} on {}", place.step->start, track);
    return any_step_ ? "" : track;
  }
  void find_layers() {
    std::map<std::string, std::vector<size_t>> units;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (const std::string key = unit(i); !key.empty()) units[key].push_back(i);
    }
    for (const auto& [key, members] : units) {
      std::vector<uint32_t> names;
      std::vector<std::string> known;
      for (const size_t i : members) {
        const auto at = std::find(known.begin(), known.end(), traces_.work[i].name);
        names.push_back(static_cast<uint32_t>(at - known.begin()));
        if (at == known.end()) known.push_back(traces_.work[i].name);
      }
      size_t before = 0;
      for (const kr::classify::Repetition& found : kr::classify::find_repetitions(names)) {
        if (found.level != 0) continue;
        for (size_t k = 0; k < found.covered(); ++k) {
          Place& place = places_[members[found.first + k]];
          // If the operation has its own launch, its modules are used instead.
          if (!place.modules.empty() && !key.starts_with("graph")) continue;
          place.layer = fmt::format("layer {}", before + k / found.period);
          place.layer_run = fmt::format("{} at {}", key, found.first);
        }
        before += found.repeats;
      }
    }
  }

  const HostTraces& traces_;
  std::vector<Place> places_;
  bool any_step_ = false;
};

struct Sums {
  int64_t total = 0;
  std::set<std::string> uses;
};

std::string key_of(const kr::classify::TraceStep& step) {
  return fmt::format("{}@{}", step.text, step.start_ns);
}

/// By step: the outermost one around it. Which step is around which one is told by the attribution.
std::map<std::string, std::string> outermost_steps(const kr::classify::Attribution& attribution) {
  std::map<std::string, std::string> out;
  for (size_t i = 0; i < attribution.steps.size(); ++i) {
    size_t outer = i;
    while (attribution.steps[outer].outer != kr::classify::Attribution::none) {
      outer = attribution.steps[outer].outer;
    }
    out[key_of(attribution.steps[i])] = key_of(attribution.steps[outer]);
  }
  return out;
}

/// By step and path: time and calls of every node.
std::map<std::pair<std::string, std::string>, std::pair<int64_t, size_t>> slow_trees(
    const HostTraces& traces, const SlowReading& slow,
    const std::map<std::string, std::string>& outermost) {
  std::map<std::pair<std::string, std::string>, Sums> nodes;
  for (size_t i = 0; i < traces.work.size(); ++i) {
    const Place& place = slow[i];
    const std::string step =
        place.step != nullptr
            ? outermost.at(fmt::format("{}@{}", place.step->name, place.step->start))
        : slow.any_step() ? "(outside steps)"
                          : "trace";
    std::string path;
    const auto add = [&](const std::string& name, const std::string& use) {
      path += "/" + name;
      Sums& sums = nodes[{step, path}];
      sums.total += traces.work[i].duration;
      sums.uses.insert(use);
    };
    for (const Range* module : place.modules) add(module->name, fmt::format("{}", module->start));
    if (!place.layer.empty()) add(place.layer, place.layer_run);
    add(traces.work[i].name, fmt::format("operation {}", i));
  }
  std::map<std::pair<std::string, std::string>, std::pair<int64_t, size_t>> out;
  for (const auto& [key, sums] : nodes) out[key] = {sums.total, sums.uses.size()};
  return out;
}

}  // namespace

TEST_CASE("operations are attributed as by a slow computation, and trees contain all of them") {
  const kr::match::CompiledRules rules = kr::test::compile(rules_text);
  const kr::sema::ModelId model = *rules.program().model({0}, "default");
  std::mt19937 random(31);
  size_t layers = 0;
  // Threads without steps are in none of their process: found in round 2.
  const uint64_t rounds = kr::test::rounds(3000, 2);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const HostTraces traces(random, round % 2 == 0);
    const kr::trace::Trace trace = traces.read(random);
    const SlowReading slow(traces);
    const kr::classify::Attribution got =
        kr::classify::attribute(trace, rules.program(), rules.database, model);
    const kr::trace::HostTrace& host = *trace.host;
    REQUIRE(trace.operations.size() == traces.work.size());
    kr::classify::AttributionSums expected;
    for (size_t i = 0; i < traces.work.size(); ++i) {
      CAPTURE(i);
      const Place& place = slow[i];
      const uint32_t step = got.step_of[i];
      REQUIRE((step == kr::classify::Attribution::none) == (place.step == nullptr));
      if (place.step != nullptr) CHECK(got.steps[step].start_ns == place.step->start);
      const uint32_t module = got.module_of[i];
      REQUIRE((module == kr::classify::Attribution::none) == place.modules.empty());
      if (!place.modules.empty()) {
        CHECK(host.ranges[module].start_ns == place.modules.back()->start);
        const std::vector<uint32_t> chain =
            host.modules_at(host.launch(i)->thread, host.launch(i)->start_ns);
        REQUIRE(chain.size() == place.modules.size());
        for (size_t k = 0; k < chain.size(); ++k) {
          CHECK(host.ranges[chain[k]].start_ns == place.modules[k]->start);
        }
      }
      layers += place.layer.empty() ? 0 : 1;
      using kr::classify::PlaceEvidence;
      const PlaceEvidence evidence = !place.modules.empty() ? PlaceEvidence::launch
                                     : !place.layer.empty() ? PlaceEvidence::layer
                                                            : PlaceEvidence::none;
      expected[evidence].total_ns += traces.work[i].duration;
    }
    const kr::classify::AttributionSums sums = kr::classify::sum(trace, got);
    for (size_t i = 0; i < sums.parts.size(); ++i) {
      CHECK(sums.parts[i].total_ns == expected.parts[i].total_ns);
    }

    const kr::trace::ModuleTrace trees = kr::trees::modules_of(trace, got);
    std::vector<std::string> keys;
    for (const kr::classify::TraceStep& step : got.steps) {
      if (step.outer == kr::classify::Attribution::none) keys.push_back(key_of(step));
    }
    std::map<std::pair<std::string, std::string>, std::pair<int64_t, size_t>> nodes;
    std::vector<kr::trace::ModuleNode> forest;
    for (size_t s = 0; s < trees.steps.size(); ++s) {
      trees.expand(s, forest);
      const std::string key = s < keys.size() ? keys[s] : trees.steps[s].key;
      for (const kr::trace::ModuleNode& node : forest) {
        std::string path;
        for (kr::trace::PathId at = node.path; at.valid(); at = trees.paths.parent(at)) {
          path = "/" + std::string(trees.name(at)) + path;
        }
        CHECK(nodes.try_emplace({key, path}, node.total_ns, static_cast<size_t>(node.invocations))
                  .second);
      }
    }
    CHECK(nodes == slow_trees(traces, slow, outermost_steps(got)));
  }
  CHECK(layers > rounds / 30);
}
