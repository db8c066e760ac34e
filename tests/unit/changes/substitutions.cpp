// Names that replace each other, in runs whose renames are known.
#include "changes/substitutions.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <random>

#include "changes/alignment.hpp"
#include "changes/compare.hpp"
#include "support/rounds.hpp"

using namespace kr;

namespace {

struct Step {
  std::string name;
  std::string label;
};

/// A run of one step per sequence, each operation of 1000 ns.
class SequencedRun {
 public:
  SequencedRun() {
    profile_.run = "run";
    profile_.dimensions = {"substage"};
  }

  SequencedRun& phase(const std::string& phase, const std::vector<Step>& steps) {
    return sequence(analyze::Sequence::Of::step, phase, steps);
  }
  SequencedRun& layers(const std::string& number, const std::vector<Step>& steps) {
    return sequence(analyze::Sequence::Of::layers, number, steps);
  }
  /// An operation that is in no sequence.
  SequencedRun& outside(const Step& step, int64_t ns = 1000) {
    add(step, ns);
    return *this;
  }
  std::vector<changes::Profile> side() const { return {profile_}; }

 private:
  SequencedRun& sequence(analyze::Sequence::Of of, const std::string& phase,
                         const std::vector<Step>& steps) {
    analyze::Sequence one{of, phase, {}};
    for (const Step& step : steps) one.names.push_back(add(step));
    profile_.sequences.push_back(std::move(one));
    return *this;
  }

  uint32_t add(const Step& step, int64_t ns = 1000) {
    const auto [at, added] = places_.try_emplace(step.name, profile_.names.size());
    if (added) profile_.names.push_back({step.name, {}, {step.label}, {}});
    profile_.names[at->second].amount += {1, ns};
    profile_.all += {1, ns};
    return static_cast<uint32_t>(at->second);
  }

  changes::Profile profile_;
  std::map<std::string, size_t> places_;
};

std::string found(const SequencedRun& a, const SequencedRun& b) {
  std::string text;
  for (const changes::Substitution& one :
       changes::find_substitutions(a.side(), b.side(), "substage")) {
    text += fmt::format("{} -> {} {} {}\n", fmt::join(one.a_names, " + "),
                        fmt::join(one.b_names, " + "), one.position ? "position" : "likeness",
                        changes::to_string(one.confidence));
  }
  return text;
}

std::vector<Step> repeated(std::vector<Step> layer, size_t times) {
  std::vector<Step> steps;
  for (size_t i = 0; i < times; ++i) steps.insert(steps.end(), layer.begin(), layer.end());
  return steps;
}

/// A layer of a model, with names of no meaning.
std::vector<Step> layer_of(const std::string& version) {
  return {{"norm_k", "norm"},        {version + "_aa", "gemm"},
          {"rope_k", "rope"},        {version + "_bb", "attention"},
          {version + "_cc", "gemm"}, {"allreduce", "comm"},
          {"norm_k", "norm"},        {version + "_dd", "gemm"},
          {"silu_k", "activation"},  {version + "_ee", "gemm"},
          {"allreduce", "comm"}};
}

}  // namespace

TEST_CASE("names in the same places of a step replace each other") {
  SequencedRun a, b;
  a.phase("decode", repeated(layer_of("qx"), 8));
  b.phase("decode", repeated(layer_of("zu"), 8));
  CHECK(found(a, b) ==
        "qx_aa -> zu_aa position high\nqx_bb -> zu_bb position high\n"
        "qx_cc -> zu_cc position high\nqx_dd -> zu_dd position high\n"
        "qx_ee -> zu_ee position high\n");
  CHECK(found(a, a).empty());
}

TEST_CASE("planted renames are found, and nothing else, in sequences that differ elsewhere") {
  int planted = 0, right = 0;
  // Names of different labels meet: found in round 7.
  for (uint64_t seed = 0; seed < kr::test::rounds(70, 7); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
    const std::vector<Step> one = layer_of("qx");
    std::vector<Step> a, b;
    // B renames three of five; it has a kernel that A has not, lacks one that A has, and now and
    // then the order or the number of operations differs.
    const std::map<std::string, std::string> renamed{
        {"qx_aa", "blue"}, {"qx_bb", "green"}, {"qx_dd", "red"}};
    for (int layer = 0; layer < 30; ++layer) {
      for (const Step& step : one) {
        if (!chance(3)) a.push_back(step);
        if (step.name == "rope_k" && chance(90)) a.push_back({"only_a", "copy"});
        if (chance(3)) continue;
        const auto name = renamed.find(step.name);
        b.push_back({name == renamed.end() ? step.name : name->second, step.label});
        if (step.name == "silu_k") b.push_back({"only_b", "quantization"});
        if (chance(2)) b.push_back({"noise_" + std::to_string(random() % 3), "copy_of_b"});
      }
    }
    SequencedRun left, right_run;
    left.phase("decode", a);
    right_run.phase("decode", b);
    planted += static_cast<int>(renamed.size());
    for (const auto& pair :
         changes::find_substitutions(left.side(), right_run.side(), "substage")) {
      const auto expected = renamed.find(pair.a_names[0]);
      const bool good = pair.a_names.size() == 1 && pair.b_names.size() == 1 &&
                        expected != renamed.end() && expected->second == pair.b_names[0];
      CHECK(good);
      right += good ? 1 : 0;
      CHECK(pair.confidence == changes::Confidence::high);
    }
  }
  CHECK(right == planted);
}

TEST_CASE("a place that two alignments see differently counts for none of them") {
  SequencedRun a, b;
  a.phase("decode", repeated({{"norm", "norm"}, {"qx", "gemm"}, {"silu", "activation"}}, 8));
  // Which of the two replaces qx?
  b.phase("decode",
          repeated({{"norm", "norm"}, {"uv", "gemm"}, {"wz", "gemm"}, {"silu", "activation"}}, 8));
  CHECK(found(a, b).empty());
}

TEST_CASE("what stands in few places, or in sequences that have little in common, is a guess") {
  SequencedRun a, b;
  a.phase("decode", {{"norm", "norm"}, {"qx", "gemm"}, {"rope", "rope"}});
  b.phase("decode", {{"norm", "norm"}, {"zu", "gemm"}, {"rope", "rope"}});
  CHECK(found(a, b) == "qx -> zu position low\n");
  SequencedRun c, d;
  c.phase(
      "decode",
      repeated({{"norm", "norm"}, {"qx", "gemm"}, {"p", "one"}, {"q", "two"}, {"r", "three"}}, 8));
  d.phase(
      "decode",
      repeated({{"u", "four"}, {"zu", "gemm"}, {"v", "five"}, {"norm", "six"}, {"w", "seven"}}, 8));
  for (const auto& one : changes::find_substitutions(c.side(), d.side(), "substage")) {
    CHECK(one.confidence == changes::Confidence::low);
  }
}

TEST_CASE("names with many operations outside the sequences are a guess") {
  SequencedRun a, b;
  a.phase("decode", repeated(layer_of("qx"), 8));
  b.phase("decode", repeated(layer_of("zu"), 8));
  // zu_aa does the work of another name of A, too, which no sequence shows.
  for (int i = 0; i < 30; ++i) b.outside({"zu_aa", "gemm"});
  CHECK(found(a, b) ==
        "qx_aa -> zu_aa position low\nqx_bb -> zu_bb position high\n"
        "qx_cc -> zu_cc position high\nqx_dd -> zu_dd position high\n"
        "qx_ee -> zu_ee position high\n");
}

TEST_CASE("blocks of layers are aligned with those that are most like them") {
  SequencedRun a, b;
  const std::vector<Step> prefill = repeated(
      {{"norm", "norm"}, {"qx", "gemm"}, {"flash", "attention"}, {"silu", "activation"}}, 20);
  const std::vector<Step> decode = repeated(
      {{"norm", "norm"}, {"qy", "gemm"}, {"paged", "attention"}, {"silu", "activation"}}, 20);
  a.layers("0", prefill).layers("1", decode);
  const auto renamed = [](std::vector<Step> steps) {
    for (Step& step : steps) {
      if (step.label == "gemm") step.name = step.name == "qx" ? "zx" : "zy";
    }
    return steps;
  };
  b.layers("0", renamed(decode)).layers("1", renamed(prefill));
  CHECK(found(a, b) == "qx -> zx position high\nqy -> zy position high\n");
}

TEST_CASE("several names that share places are one group, with the time of all") {
  SequencedRun a, b;
  a.phase("decode",
          repeated({{"norm", "norm"}, {"qx", "gemm"}, {"rope", "rope"}, {"wv", "gemm"}}, 8));
  b.phase("decode",
          repeated({{"norm", "norm"}, {"zu", "gemm"}, {"rope", "rope"}, {"zu", "gemm"}}, 8));
  CHECK(found(a, b) == "qx + wv -> zu position high\n");
  const auto one = changes::find_substitutions(a.side(), b.side(), "substage").front();
  CHECK(one.time.a.total_ns == 16000);
  CHECK(one.time.b.total_ns == 16000);
  CHECK(*one.position == 1);
}

TEST_CASE("names of different labels or types never replace each other") {
  SequencedRun a, b;
  a.phase("decode", repeated({{"norm", "norm"}, {"qx", "gemm"}}, 8));
  b.phase("decode", repeated({{"norm", "norm"}, {"zu", "attention"}}, 8));
  CHECK(found(a, b).empty());
}

TEST_CASE("without places, names are paired by likeness, with less confidence") {
  SequencedRun a, b;
  a.outside({"cutlass_fused_moe_64x128_f16", "moe"}).outside({"cutlass_gemm_64", "gemm"}, 500);
  b.outside({"cutlass_fused_moe_128x128_bf16", "moe"}).outside({"nvjet_tst_64", "gemm"}, 500);
  CHECK(found(a, b) ==
        "cutlass_fused_moe_64x128_f16 -> cutlass_fused_moe_128x128_bf16 likeness medium\n");
  // Two that are equally similar: one is taken, and that is a guess.
  b.outside({"cutlass_fused_moe_256x128_bf16", "moe"})
      .outside({"cutlass_fused_moe_256x128_bf16", "moe"});
  CHECK(found(a, b) ==
        "cutlass_fused_moe_64x128_f16 -> cutlass_fused_moe_128x128_bf16 likeness low\n");
  // What only one alignment has seen is no evidence against it, but what both have seen apart is.
  SequencedRun c, d;
  c.phase("decode", {{"moe_run_8", "moe"}, {"norm", "norm"}});
  d.phase("decode", {{"norm", "norm"}, {"moe_run_16", "moe"}});
  CHECK(found(c, d).empty());
}

TEST_CASE("of several runs the sequence of median length is aligned: a stray short one is not") {
  const auto decode = [](const char* version, size_t layers) {
    SequencedRun run;
    run.phase("decode", repeated(layer_of(version), layers));
    return run.side()[0];
  };
  const std::vector<changes::Profile> a{decode("qx", 1), decode("qx", 8), decode("qx", 8)};
  const std::vector<changes::Profile> b{decode("zu", 8), decode("zu", 8), decode("zu", 1)};
  const auto pairs = changes::find_substitutions(a, b, "substage");
  CHECK(pairs.size() == 5);
  for (const auto& one : pairs) CHECK(one.confidence == changes::Confidence::high);
}

TEST_CASE("substitutions change no other number") {
  SequencedRun a, b;
  a.phase("decode", repeated(layer_of("qx"), 8));
  b.phase("decode", repeated(layer_of("zu"), 9));
  std::vector<changes::Profile> left = a.side(), right = b.side();
  const auto with = changes::compare(left, right, "substage");
  REQUIRE(with.substitutions.size() == 5);
  left[0].sequences.clear();
  const auto without = changes::compare(left, right, "substage");
  for (const changes::Substitution& one : without.substitutions) CHECK_FALSE(one.position);
  REQUIRE(with.labels.size() == without.labels.size());
  for (size_t i = 0; i < with.labels.size(); ++i) {
    const changes::Parts& parts = with.labels[i].parts;
    CHECK(parts.names_ns == without.labels[i].parts.names_ns);
    CHECK(parts.calls_ns + parts.names_ns + parts.time_per_call_ns ==
          with.labels[i].time.change_ns());
  }
}

TEST_CASE("an alignment lets equal names meet as often as possible") {
  const auto score = [](uint32_t x, uint32_t y) {
    return x == y ? 5U : x / 10 == y / 10 ? 2U : 0U;
  };
  using Meetings = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;
  const auto of = [&](const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
    return changes::meetings(a, b, score);
  };
  CHECK(of({1, 2, 3}, {1, 2, 3}) == Meetings{{{1, 1}, 1}, {{2, 2}, 1}, {{3, 3}, 1}});
  CHECK(of({1, 11, 21}, {1, 12, 21}) == Meetings{{{1, 1}, 1}, {{11, 12}, 1}, {{21, 21}, 1}});
  CHECK(of({1, 11, 21}, {21, 12}) == Meetings{{{21, 21}, 1}});
  CHECK(of({}, {1}).empty());
  // 11 may meet 12 or 13.
  CHECK(of({11}, {12, 13}).empty());
  CHECK(of({12, 13}, {11}).empty());
  CHECK(of({11}, {12, 12}) == Meetings{{{11, 12}, 1}});
}
