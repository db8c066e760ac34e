// Sums by scope against a slow and simple computation over random operations, in steps that nest
// (deeper than what counts, too), in layers and modules; and without any of them.
#include "scopes/sum_by.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "classify/enclosing_steps.hpp"
#include "scopes/measures.hpp"
#include "support/rounds.hpp"

namespace {

using kr::classify::Attribution;
using kr::classify::EnclosingSteps;
using namespace kr::scopes;

constexpr uint32_t none = Attribution::none;

struct Sample {
  kr::trace::Trace trace;
  kr::classify::Labelled labelled;
  Attribution places;
};

Sample random_sample(std::mt19937& random) {
  const auto below = [&](size_t limit) { return static_cast<uint32_t>(random() % limit); };
  Sample out;
  kr::trace::TraceBuilder builder("t", "test");
  int64_t now = 0;
  for (uint32_t i = below(200); i > 0; --i) {
    kr::trace::Track track;
    track.device = static_cast<int32_t>(below(4)) * 3 - 5;
    track.stream = below(3);
    const auto kind = below(4) == 0 ? kr::OperationKind::memcpy : kr::OperationKind::kernel;
    builder.add(
        {now, below(20), builder.name("k" + std::to_string(below(5)), kind), builder.track(track)});
    now += below(10);
  }
  out.trace = std::move(builder).finish();
  const size_t operations = out.trace.operations.size();
  if (below(2) == 0) {
    auto& host = *(out.trace.host = std::make_unique<kr::trace::HostTrace>());
    host.range_names = {"", "a", "b", "c"};
    host.threads.emplace_back();
    for (uint32_t i = 0; i < 8; ++i) {
      kr::trace::HostRange range{};
      range.name = below(4);
      host.ranges.push_back(range);
    }
    out.places.module_of.resize(operations);
    out.places.range_of.resize(operations);
  }
  static const std::vector<std::string> phases{"prefill", "decode", "mixed"};
  static const std::vector<std::string> texts{"", "step 0", "step 1", "step 2", "step 3", "step 4"};
  const bool deep = below(3) == 0;
  std::map<uint32_t, uint32_t> numbers;  // of texts
  for (uint32_t i = 0, steps = below(3) == 0 ? 0 : below(150); i < steps; ++i) {
    const uint32_t text = below(static_cast<uint32_t>(texts.size()));
    const auto [at, added] = numbers.try_emplace(text);
    if (added) {
      kr::classify::Phase phase;
      phase.label = phases[below(deep ? 2 : 3)];
      at->second = out.places.steps.add_text(texts[text], phase);
    }
    out.places.steps.add(0, at->second, i);
    if (i > 0 && below(deep ? 40 : 2) != 0) {
      out.places.steps.set_outer(i, deep ? i - 1 : below(i));
    }
  }
  for (uint32_t unit = 0, first = 0; unit < below(4); ++unit) {
    auto& block = out.places.repeated_blocks.emplace_back();
    block.level = below(4) == 0 ? 1 : 0;
    block.period = below(4) == 0 ? 1 : 50;
    block.repeats = 1 + below(5);
    block.layers_before = below(3);
    block.first_layer = first;
    if (block.is_layers()) first += static_cast<uint32_t>(block.repeats);
    if (first > 0) out.places.layer_of.resize(operations);
    for (size_t i = 0; first > 0 && i < operations; ++i) {
      if (below(3) == 0) out.places.layer_of.set(i, below(first));
    }
  }
  if (!out.places.steps.empty()) out.places.step_of.resize(operations);
  for (size_t i = 0; i < operations; ++i) {
    if (!out.places.steps.empty() && below(4) != 0) {
      out.places.step_of.set(i, below(out.places.steps.size()));
    }
    if (out.trace.host && below(3) != 0) out.places.module_of.set(i, below(8));
    if (out.trace.host && below(3) != 0) out.places.range_of.set(i, below(8));
  }
  static const std::vector<std::string> labels{"gemm", "attention", "misc"};
  const bool by_operation = below(2) == 0;
  const size_t rows = by_operation ? 7 : out.trace.names.size();
  for (size_t row = 0; row < rows; ++row) {
    out.labelled.names.push_back({below(std::max<size_t>(1, out.trace.names.size()))});
  }
  for (size_t i = 0; by_operation && i < operations; ++i) out.labelled.row_of.push_back(below(7));
  for (size_t d = 0; d < 2; ++d) {
    auto& dimension = out.labelled.dimensions.emplace_back();
    for (size_t row = 0; row < rows; ++row)
      dimension.by_row.push_back({labels[below(3)], {}, true});
  }
  return out;
}

/// What an operation is of, as texts.
using Keys = std::function<std::set<std::string>(size_t operation)>;

struct Case {
  std::string name;
  Scope scope;
  std::function<std::string(uint32_t key)> key;
  Keys slow;
};

std::string text_of(const std::string& text) {
  return "'" + text + "'";
}

std::vector<Case> all_scopes(const Sample& of) {
  const auto& trace = of.trace;
  const auto& places = of.places;
  const auto one = [](std::string text) { return std::set<std::string>{std::move(text)}; };
  const auto optional = [](bool any, std::string text) {
    return any ? std::set<std::string>{std::move(text)} : std::set<std::string>();
  };
  const auto track = [&](size_t i) { return trace.track(trace.operations[i].track); };
  /// The innermost first; not more than `max`.
  const auto steps_of = [&](size_t i, size_t max) {
    std::vector<uint32_t> steps;
    for (uint32_t at = places.step_of[i]; at != none && steps.size() < max;) {
      steps.push_back(at);
      at = places.steps[at].outer;
    }
    return steps;
  };
  std::vector<Case> out;
  /// By the text of keys, or by their number.
  const auto add = [&](std::string name, Scope scope, bool texts, Keys slow) {
    out.push_back({std::move(name), scope,
                   [scope, texts](uint32_t key) {
                     return texts ? text_of(std::string(scope.text(key)))
                                  : std::to_string(scope.number(key));
                   },
                   std::move(slow)});
  };
  add("run", whole_run(trace), false, [=](size_t) { return one("0"); });
  add("device", by_device(trace), false,
      [=](size_t i) { return one(std::to_string(track(i).device)); });
  const Scope streams = by_stream(trace);
  out.push_back({"stream", streams,
                 [&trace, streams](uint32_t key) {
                   const auto& of_key = trace.tracks[static_cast<size_t>(streams.number(key))];
                   return std::to_string(of_key.device) + " " + std::to_string(of_key.stream);
                 },
                 [=](size_t i) {
                   return one(std::to_string(track(i).device) + " " +
                              std::to_string(track(i).stream));
                 }});
  add("name", by_name(trace), false,
      [=, &trace](size_t i) { return one(std::to_string(trace.operations[i].name.index)); });
  add("text of name", by_name_text(trace), true, [=, &trace](size_t i) {
    return one(text_of(std::string(trace.names.get(trace.operations[i].name).text)));
  });
  const auto row = [&](size_t i) { return of.labelled.row(i, trace.operations[i]); };
  add("row", by_row(trace, of.labelled), false,
      [=](size_t i) { return one(std::to_string(row(i))); });
  for (size_t d = 0; d < of.labelled.dimensions.size(); ++d) {
    add("label", by_label(trace, of.labelled, d), true, [=, &of](size_t i) {
      return one(text_of(std::string(of.labelled.dimensions[d].by_row[row(i)].label)));
    });
  }
  add("step", by_step(trace, places), false, [=](size_t i) {
    std::set<std::string> keys;
    for (const uint32_t step : steps_of(i, 64)) keys.insert(std::to_string(step));
    return keys;
  });
  add("innermost step", by_innermost_step(trace, places), false, [=, &places](size_t i) {
    return optional(places.step_of[i] != none, std::to_string(places.step_of[i]));
  });
  add("text of step", by_step_text(trace, places), true, [=, &places](size_t i) {
    const uint32_t step = places.step_of[i];
    const bool any = step != none && !places.steps[step].text.empty();
    return optional(any, any ? text_of(std::string(places.steps[step].text)) : "");
  });
  add("phase", by_phase(trace, places), true, [=, &places](size_t i) {
    std::set<std::string> keys;
    for (const uint32_t step : steps_of(i, SIZE_MAX)) {
      keys.insert(text_of(std::string(places.steps[step].phase.label)));
    }
    return keys.empty() && !places.steps.empty() ? one("'(outside steps)'") : keys;
  });
  add("layer", by_layer(trace, places), false, [=, &places](size_t i) {
    return optional(places.layer_of[i] != none, std::to_string(places.layer_of[i]));
  });
  const auto number = [&](size_t i) { return std::to_string(places.in_unit(places.layer_of[i])); };
  add("number of layer", by_layer_number(trace, places), false, [=, &places](size_t i) {
    const bool any = places.layer_of[i] != none;
    return optional(any, any ? number(i) : "");
  });
  add("number of layer or none", with_outside(by_layer_number(trace, places)), false,
      [=, &places](size_t i) { return one(places.layer_of[i] != none ? number(i) : "-1"); });
  const auto module = [&](size_t i) {
    const uint32_t node = places.node_of(i);
    return node == none ? std::string() : trace.host->range_names[trace.host->ranges[node].name];
  };
  add("module", by_module(trace, places), true,
      [=](size_t i) { return optional(!module(i).empty(), text_of(module(i))); });
  add("module or none", with_outside(by_module(trace, places)), true,
      [=](size_t i) { return one(text_of(module(i))); });
  return out;
}

/// Instances, total and the operations themselves, in order.
struct Sum {
  int64_t instances = 0;
  int64_t total_ns = 0;
  kr::scopes::Extent extent;
  std::vector<size_t> operations;

  void add(const kr::trace::Trace& trace, size_t i) {
    ++instances;
    total_ns += trace.operations[i].duration_ns;
    extent.add(trace.operations[i]);
    operations.push_back(i);
  }
};

void check_same(const Sum& sum, const kr::trace::Trace& trace,
                const std::vector<size_t>& operations) {
  int64_t total_ns = 0, first = INT64_MAX, last = INT64_MIN;
  for (const size_t i : operations) {
    total_ns += trace.operations[i].duration_ns;
    first = std::min(first, trace.operations[i].start_ns);
    last = std::max(last, trace.operations[i].end_ns());
  }
  CHECK(sum.operations == operations);
  CHECK(sum.instances == static_cast<int64_t>(operations.size()));
  CHECK(sum.total_ns == total_ns);
  CHECK(sum.extent.start_ns == first);
  CHECK(sum.extent.end_ns == last);
}

}  // namespace

TEST_CASE("sums by a scope are those of its operations") {
  std::mt19937 random(20261127);
  for (uint64_t round = 0; round < kr::test::rounds(150, 10); ++round) {
    const Sample sample = random_sample(random);
    for (const Case& one : all_scopes(sample)) {
      CAPTURE(round);
      CAPTURE(one.name);
      std::map<std::string, std::vector<size_t>> slow;
      for (size_t i = 0; i < sample.trace.operations.size(); ++i) {
        for (const std::string& key : one.slow(i)) slow[key].push_back(i);
      }
      const auto sums =
          kr::scopes::sum_by<Sum>(one.scope, [&](Sum& sum, size_t i) { sum.add(sample.trace, i); });
      REQUIRE(sums.size() == one.scope.size());
      std::set<std::string> keys;
      for (uint32_t key = 0; key < sums.size(); ++key) {
        // Each key is of another part.
        CHECK(keys.insert(one.key(key)).second);
        if (sums[key].instances == 0) {
          CHECK(!slow.contains(one.key(key)));
        } else {
          check_same(sums[key], sample.trace, slow[one.key(key)]);
        }
      }
      for (const auto& [key, operations] : slow) CHECK(keys.contains(key));
    }
  }
}

TEST_CASE("keys are in the order of numbers, or of first occurrence") {
  std::mt19937 random(20261130);
  for (uint64_t round = 0; round < kr::test::rounds(100, 10); ++round) {
    CAPTURE(round);
    const Sample sample = random_sample(random);
    const Scope devices = by_device(sample.trace);
    for (uint32_t key = 1; key < devices.size(); ++key) {
      CHECK(devices.number(key - 1) < devices.number(key));
    }
    const Scope streams = by_stream(sample.trace);
    const auto stream = [&](uint32_t key) {
      const auto& track = sample.trace.tracks[static_cast<size_t>(streams.number(key))];
      return std::pair(track.device, track.stream);
    };
    for (uint32_t key = 1; key < streams.size(); ++key) CHECK(stream(key - 1) < stream(key));
    std::vector<std::string_view> phases;
    const auto add = [](std::vector<std::string_view>& to, std::string_view text) {
      if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
    };
    for (const auto& step : sample.places.steps) add(phases, step.phase.label);
    if (!phases.empty()) phases.push_back("(outside steps)");
    const Scope by_phase = kr::scopes::by_phase(sample.trace, sample.places);
    REQUIRE(by_phase.size() == phases.size());
    for (uint32_t key = 0; key < phases.size(); ++key) CHECK(by_phase.text(key) == phases[key]);
    std::vector<std::string_view> labels;
    for (const auto& one : sample.labelled.dimensions[1].by_row) add(labels, one.label);
    const Scope by_label = kr::scopes::by_label(sample.trace, sample.labelled, 1);
    REQUIRE(by_label.size() == labels.size());
    for (uint32_t key = 0; key < labels.size(); ++key) CHECK(by_label.text(key) == labels[key]);
    size_t layers = 0;
    for (const auto& block : sample.places.repeated_blocks) {
      layers += block.is_layers() ? block.repeats : 0;
    }
    CHECK(by_layer(sample.trace, sample.places).size() == layers);
    // The innermost step and phase come first.
    const Scope steps = by_step(sample.trace, sample.places);
    for (size_t i = 0; i < sample.trace.operations.size(); ++i) {
      const uint32_t step = sample.places.step_of[i];
      if (step == none) continue;
      CHECK(steps.keys(i)[0] == step);
      CHECK(by_phase.text(by_phase.keys(i)[0]) == sample.places.steps[step].phase.label);
    }
  }
}

TEST_CASE("sums by pairs of scopes are those of the operations of both") {
  std::mt19937 random(20261128);
  for (uint64_t round = 0; round < kr::test::rounds(30, 3); ++round) {
    const Sample sample = random_sample(random);
    const std::vector<Case> cases = all_scopes(sample);
    const Case& first = cases[random() % cases.size()];
    for (const Case& second : cases) {
      CAPTURE(round);
      CAPTURE(first.name);
      CAPTURE(second.name);
      std::map<std::pair<std::string, std::string>, std::vector<size_t>> slow;
      for (size_t i = 0; i < sample.trace.operations.size(); ++i) {
        for (const std::string& key : first.slow(i)) {
          for (const std::string& other : second.slow(i)) slow[{key, other}].push_back(i);
        }
      }
      const auto sums = kr::scopes::sum_by<Sum>(
          first.scope, second.scope, [&](Sum& sum, size_t i) { sum.add(sample.trace, i); });
      CHECK(sums.size() == slow.size());
      std::pair<uint32_t, uint32_t> before;
      size_t visited = 0;
      sums.each([&](uint32_t key, uint32_t other, const Sum& sum) {
        if (visited++ > 0) CHECK(before < std::pair(key, other));
        before = {key, other};
        check_same(sum, sample.trace, slow[{first.key(key), second.key(other)}]);
      });
      CHECK(visited == slow.size());
    }
  }
}

TEST_CASE("many pairs are summed like few") {
  // More than a table has room for.
  constexpr uint32_t many = 3'000'000;
  kr::scopes::PairSums<int> sums(many, many);
  std::map<std::pair<uint32_t, uint32_t>, int> slow;
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::pair pair(static_cast<uint32_t>(random() % 30 * 99'999),
                         static_cast<uint32_t>(random() % 2 * (many - 1)));
    sums.of(pair.first, pair.second) += i;
    slow[pair] += i;
  }
  auto at = slow.begin();
  sums.each([&](uint32_t first, uint32_t second, int sum) {
    REQUIRE(at != slow.end());
    CHECK(at->first == std::pair(first, second));
    CHECK(at->second == sum);
    ++at;
  });
  CHECK(at == slow.end());
}

TEST_CASE("the steps that enclose a step are those met outwards") {
  struct Step {
    uint32_t outer = none;
  };
  struct Part {
    std::optional<size_t> outer;
  };
  std::mt19937 random(20261129);
  for (uint64_t round = 0; round < kr::test::rounds(200, 10); ++round) {
    CAPTURE(round);
    std::vector<Step> steps(random() % 200);
    std::vector<Part> parts(steps.size());
    const auto reach = static_cast<uint32_t>(round % 2 == 0 ? 1 : 1 + random() % 9);
    for (uint32_t i = 1; i < steps.size(); ++i) {
      if (random() % 90 == 0) continue;
      steps[i].outer = i - 1 - static_cast<uint32_t>(random() % std::min(i, reach));
      parts[i].outer = steps[i].outer;
    }
    const EnclosingSteps enclosing(steps), of_parts(parts);
    REQUIRE(enclosing.size() == steps.size());
    for (uint32_t i = 0; i < steps.size(); ++i) {
      std::vector<uint32_t> chain{i};
      while (steps[chain.back()].outer != none) chain.push_back(steps[chain.back()].outer);
      CHECK(enclosing.outer(i) == steps[i].outer);
      CHECK(enclosing.outermost(i) == chain.back());
      CHECK(enclosing.is_cut(i) == (chain.size() > 64));
      chain.resize(std::min<size_t>(chain.size(), 64));
      const std::vector<uint32_t> got(enclosing.of(i).begin(), enclosing.of(i).end());
      CHECK(got == chain);
      const std::vector<uint32_t> other(of_parts.of(i).begin(), of_parts.of(i).end());
      CHECK(other == chain);
      const uint32_t wanted = chain.size() > 1 ? chain[random() % chain.size()] : i;
      CHECK(enclosing.is_inside(i, [&](uint32_t step) { return step == wanted; }) == (wanted != i));
    }
  }
}
