// Labels by context are compared with a computation for every single operation.
#include <doctest/doctest.h>

#include <map>
#include <tuple>

#include "analyze/run.hpp"
#include "support/host_traces.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

using kr::test::HostTraces;

const char* const rules_text = R"(
engine e {
  detect: within "decode"
  substage {
    both:  "gemm" & within ("Attn" & "_1")
    attn:  within "Attn" & !"copy"
    mlp:   within "Mlp" | "flash" & within /^decode_[0-9]$/
    bare:  !within "prefill" & @memcpy
    other: within !("Attn" | "nccl")
    mlp:   "norm"
  }
  stage { outer: within "Model" plain: otherwise }
  kind { communication: within "nccl" }
  model m { detect: within "Mlp" }
}
engine f { detect: "flash" }
engine generic { }
)";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

struct Labels {
  std::string substage, stage, kind;
  auto operator<=>(const Labels&) const = default;
};

Labels slow_labels(const HostTraces& traces, const HostTraces::Work& work) {
  std::vector<std::string> around;
  for (const HostTraces::Range* range : traces.around(work)) around.push_back(range->name);
  const auto within = [&](const auto& holds) {
    return std::any_of(around.begin(), around.end(), holds);
  };
  const auto within_text = [&](std::string_view text) {
    return within([&](const std::string& name) { return has(name, text); });
  };
  Labels out{"unclassified", "plain", "compute"};
  if (work.name == "gemm" && within_text("Attn_1")) {
    out.substage = "both";
  } else if (within_text("Attn") && work.name != "copy") {
    out.substage = "attn";
  } else if (within_text("Mlp") || (work.name == "flash" && within_text("decode_"))) {
    out.substage = "mlp";
  } else if (!within_text("prefill") && work.kind == kr::OperationKind::memcpy) {
    out.substage = "bare";
  } else if (within([](const std::string& name) {
               return !has(name, "Attn") && !has(name, "nccl");
             })) {
    out.substage = "other";
  } else if (work.name == "norm") {
    out.substage = "mlp";
  }
  if (within_text("Model")) out.stage = "outer";
  if (work.kind == kr::OperationKind::memcpy) out.kind = "memory";
  if (within_text("nccl")) out.kind = "communication";
  return out;
}

}  // namespace

TEST_CASE("labels by context are those of a slow computation, and sums agree") {
  const kr::match::CompiledRules rules = kr::test::compile(rules_text);
  const kr::sema::Program& program = rules.program();
  const kr::classify::ChooseOptions options{"e", "m", true};
  const kr::sema::ModelId model = *program.model(*program.engine("e"), "m");
  CHECK(kr::classify::uses_within(program, kr::classify::possible_expressions(program, options)));
  CHECK_FALSE(kr::classify::uses_within(
      program, kr::classify::possible_expressions(program, {"f", "default", true})));
  std::mt19937 random(21);
  // Two contexts together are the first of them: found in round 59.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 59); ++round) {
    CAPTURE(round);
    const HostTraces traces(random, false);
    const kr::trace::Trace trace = traces.read(random);
    const kr::classify::TraceSubjects subjects(program, rules.database, trace, options);
    const kr::classify::Labelled labelled = kr::classify::classify(subjects, model);
    REQUIRE(trace.operations.size() == traces.work.size());

    using Row = std::tuple<std::string, kr::OperationKind, Labels>;
    std::map<Row, std::pair<int64_t, int64_t>> rows;  // instances and total
    const auto label = [&](std::string_view dimension, uint32_t row) {
      return std::string(labelled.find(*program.dimension(dimension))->by_row[row].label);
    };
    for (size_t i = 0; i < traces.work.size(); ++i) {
      CAPTURE(i);
      const HostTraces::Work& work = traces.work[i];
      const Labels expected = slow_labels(traces, work);
      const uint32_t row = labelled.row(i, trace.operations[i]);
      CHECK(label("substage", row) == expected.substage);
      CHECK(label("stage", row) == expected.stage);
      CHECK(label("kind", row) == expected.kind);
      auto& [instances, total] = rows[{work.name, work.kind, expected}];
      ++instances;
      total += work.duration;
    }
    // A row a distinct (name, kind, labels), and nothing lost (summarize checks its sums).
    const kr::analyze::RunSummary run = kr::analyze::summarize(rules, trace, labelled, {});
    CHECK(run.names.size() == rows.size());
    for (const kr::analyze::NameSum& sum : run.names) {
      const auto at = [&](std::string_view dimension) {
        return sum.labels[*run.dimension(dimension)].label;
      };
      const auto expected =
          rows.find({sum.name, sum.kind, {at("substage"), at("stage"), at("kind")}});
      REQUIRE(expected != rows.end());
      CHECK(sum.instances == expected->second.first);
      CHECK(sum.total_ns == expected->second.second);
    }
  }
}

TEST_CASE("a result that is certain by the names of ranges is the same with the ranges") {
  const kr::match::CompiledRules rules = kr::test::compile(std::string(rules_text) + R"(
engine g {
  detect: !within "Attn" & "gemm"
  substage { gemm: "gemm" & !within "prefill" }
}
)");
  const kr::sema::Program& program = rules.program();
  const kr::classify::ChooseOptions options{"", "", true};
  std::mt19937 random(23);
  uint64_t chosen = 0, labelled = 0;
  // Ranges that perhaps enclose an operation surely do: found in round 3.
  const uint64_t rounds = kr::test::rounds(1000, 3);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const HostTraces traces(random, false);
    const kr::trace::Trace trace = traces.read(random);
    kr::trace::Trace alone = traces.read(random);
    alone.host.reset();
    kr::classify::RangeNames names(program, rules.database,
                                   kr::classify::possible_expressions(program, options));
    for (const std::string& name : trace.host->range_names) names.add(name);
    CHECK(names.empty() == traces.ranges.empty());

    const kr::classify::TraceSubjects subjects(program, rules.database, trace, options);
    const kr::classify::Choice choice =
        kr::classify::choose_model(rules.database, subjects, options);
    CHECK(choice.certain);
    const kr::classify::TraceSubjects open(program, rules.database, alone, options);
    const kr::classify::Choice perhaps =
        kr::classify::choose_model(rules.database, open, options, names.sets());
    if (!perhaps.certain) continue;
    ++chosen;
    CHECK(program.title(perhaps.model) == program.title(choice.model));
    const kr::sema::Model& model = program.models.get(choice.model);
    const kr::classify::ChooseOptions named{program.engines.get(model.engine).name, model.name,
                                            true};
    if (names.may_match(kr::classify::possible_expressions(program, named))) continue;
    ++labelled;
    const kr::classify::Labelled with = kr::classify::classify(subjects, choice.model);
    const kr::classify::Labelled without = kr::classify::classify(open, choice.model);
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const uint32_t row = with.row(i, trace.operations[i]);
      const uint32_t other = without.row(i, alone.operations[i]);
      for (size_t d = 0; d < with.dimensions.size(); ++d) {
        CHECK(with.dimensions[d].by_row[row].label == without.dimensions[d].by_row[other].label);
      }
    }
  }
  CHECK(chosen > rounds / 20);
  CHECK(chosen < rounds);
  CHECK(labelled > rounds / 50);
  CHECK(labelled < chosen);
}

TEST_CASE("detection by context is that of a slow computation") {
  const kr::match::CompiledRules rules = kr::test::compile(rules_text);
  const kr::sema::Program& program = rules.program();
  std::mt19937 random(22);
  // Of two engines with the same time the first is chosen: found in round 4.
  for (uint64_t round = 0; round < kr::test::rounds(1000, 4); ++round) {
    CAPTURE(round);
    const HostTraces traces(random, false);
    const kr::trace::Trace trace = traces.read(random);
    const kr::classify::ChooseOptions options{"", "", true};
    const kr::classify::TraceSubjects subjects(program, rules.database, trace, options);
    const kr::classify::Choice choice =
        kr::classify::choose_model(rules.database, subjects, options);

    int64_t e = 0, m = 0, f = 0, total = 0;
    for (const HostTraces::Work& work : traces.work) {
      const auto around = traces.around(work);
      const auto within = [&](std::string_view text) {
        return std::any_of(around.begin(), around.end(),
                           [&](const auto* range) { return has(range->name, text); });
      };
      if (within("decode") || within("Mlp")) e += work.duration;
      if (within("Mlp")) m += work.duration;
      if (work.name == "flash") f += work.duration;
      total += work.duration;
    }
    // Ranges name e, so that it needs no share of the time.
    const bool enough = f * 100 >= total * kr::classify::min_engine_percent;
    const std::string expected = e == f  ? "generic/default"
                                 : e < f ? (enough ? "f/default" : "generic/default")
                                 : m > 0 ? "e/m"
                                         : "e/default";
    CHECK(program.title(choice.model) == expected);
  }
}
