// The order of events in a file shows in no output.
#include <doctest/doctest.h>

#include "analyze/run.hpp"
#include "analyze/streams.hpp"
#include "base/shared.hpp"
#include "compute/compute.hpp"
#include "overview/overview.hpp"
#include "render/render.hpp"
#include "support/host_traces.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"
#include "tables/registry.hpp"
#include "tables/source.hpp"
#include "tables/tree.hpp"
#include "trees/labels.hpp"

namespace {

const char* const rules_text = R"(
engine e {
  phases {
    prefill: ^"prefill"
    decode:  /^decode_(?<step>\d+)/
  }
  substage {
    attn: within "Attn"
    gemm: "gemm" | "flash"
    rest: otherwise
  }
}
)";

/// All that `kr analyze`, `kr report` and `kr tree` say of a trace.
std::string outputs(const kr::match::CompiledRules& rules, kr::trace::Trace trace) {
  const kr::sema::Program& program = rules.program();
  const kr::classify::ChooseOptions options{"e", "default", true};
  auto run = std::make_unique<kr::analyze::LabelledTrace>();
  run->trace = std::move(trace);
  const kr::classify::TraceSubjects subjects(program, rules.database, run->trace, options);
  run->choice = kr::classify::choose_model(rules.database, subjects, options);
  run->labelled = kr::classify::classify(subjects, run->choice.model);
  kr::analyze::RunSummary summary =
      kr::analyze::summarize(rules, run->trace, run->labelled, std::nullopt);
  std::string out = kr::overview::classify_csv(summary);
  kr::tables::Source source;
  source.rules = &rules;
  kr::facts::Set demand;
  for (const kr::tables::Definition* one : kr::tables::all()) demand |= one->needs;
  kr::tables::Run& made = source.runs.emplace_back(kr::tables::Run{std::move(summary), {}});
  kr::facts::compute({rules, *run, made.summary, made.facts, kr::facts::closed(demand)},
                     made.facts);
  made.facts.set<kr::analyze::LabelledTrace>(std::move(run));
  const kr::analyze::LabelledTrace& labelled = made.get<kr::analyze::LabelledTrace>();

  const kr::classify::Attribution attribution =
      kr::classify::attribute(labelled.trace, program, rules.database, labelled.choice.model);
  const auto modules = kr::trees::label_modules(rules, {"t.json", "e", "default", {}},
                                                kr::trees::modules_of(labelled.trace, attribution));
  modules->attribution = kr::classify::sum(labelled.trace, attribution);
  modules->layer_evidence = kr::classify::layer_evidence(attribution);
  for (const kr::trees::Level::Kind level :
       {kr::trees::Level::Kind::kernel, kr::trees::Level::Kind::module,
        kr::trees::Level::Kind::layer}) {
    kr::trees::ViewOptions view;
    view.level = {level, 0};
    view.unique_names = true;
    const kr::trees::TreeView tree(rules, *modules, view);
    const auto write = [&](std::string_view text) { out += text; };
    kr::overview::write_tree_csv(tree, kr::trees::Metric::pct_cuda_time, write);
    const kr::tables::Tree shown{"t", "e", "default", &tree};
    source.tree = &shown;
    std::vector<kr::table::Table> tables;
    for (const kr::tables::Definition* one : kr::tables::all()) {
      const bool of_source = !one->needs.empty() && !one->needs.has<kr::match::CompiledRules>();
      if (of_source && kr::tables::absent(*one, source).empty()) {
        tables.push_back(kr::tables::make(*one, source));
      }
    }
    kr::render::json(tables, write);
    kr::overview::write_tree_text(tree, {"t", "e", "default"}, kr::trees::Metric::cuda_time_ms, {},
                                  write);
  }
  return out;
}

}  // namespace

TEST_CASE("what is said of a trace is the same in any order of its events") {
  const kr::match::CompiledRules rules = kr::test::compile(rules_text);
  std::mt19937 random(41);
  // Operations of equal times are in any order: found in round 31.
  for (uint64_t round = 0; round < kr::test::rounds(320, 31); ++round) {
    CAPTURE(round);
    const kr::test::HostTraces traces(random, true);
    const std::string first = outputs(rules, traces.read(random));
    CHECK(first.size() > 1000);
    CHECK(outputs(rules, traces.read(random)) == first);
  }
}
