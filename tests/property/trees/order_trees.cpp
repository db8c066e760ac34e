// Module trees with labels from neighbours against the labels of the operations.
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "classify/attribution.hpp"
#include "classify/order.hpp"
#include "support/host_traces.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"
#include "trees/view.hpp"

namespace {

using kr::test::HostTraces;
using kr::trees::Level;

const char* const order_rules = R"(
labels substage { gemm norm att copy }
engine e "E" {
  fold ^"Mlp"
  phases {
    prefill: ^"prefill"
    decode:  /^decode_(?<step>\d+)/
  }
  substage {
    gemm: "gemm"
    norm: "norm"
    att:  "flash"
    otherwise keep
  }
  part over substage {
    qkv: norm > [gemm+]
    out: att > [gemm]
    otherwise keep
  }
}
)";

using LabelSums = std::map<std::string, std::pair<int64_t, int64_t>>;  // time and number, by label

/// Of all rows of these trees.
LabelSums sums_of(const kr::trees::TreeView& view, const std::vector<size_t>& trees) {
  LabelSums sums;
  std::vector<kr::trace::ModuleNode> nodes;
  std::vector<kr::trees::ViewRow> rows;
  for (const size_t tree : trees) {
    view.rows(tree, nodes, rows);
    for (const kr::trees::ViewRow& row : rows) {
      auto& [total_ns, count] = sums[view.entries()[row.entry].name];
      total_ns += row.total_ns;
      count += row.invocations;
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("trees by labels from neighbours have the sums of the operations") {
  const kr::match::CompiledRules rules = kr::test::compile(order_rules);
  const kr::sema::Program& program = rules.program();
  const kr::sema::ModelId model = *program.model({0}, "default");
  const kr::sema::DimensionId part = *program.dimension("part");
  std::mt19937 random(57);
  size_t parts = 0;
  size_t mixed = 0;  // modules whose kernels of one name have several labels
  // A node has the label of one of its operations: found in round 1.
  const uint64_t rounds = kr::test::rounds(500, 1);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const HostTraces traces(random, round % 2 == 0);
    const kr::trace::Trace trace = traces.read(random);
    const kr::classify::TraceSubjects subjects(program, rules.database, trace, {"e", "default"});
    const kr::classify::Labelled labelled = kr::classify::classify(subjects, model, true);
    const kr::classify::DimensionLabels* labels = labelled.find(part);
    REQUIRE(labels != nullptr);
    LabelSums expected;
    int64_t total_ns = 0;
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const kr::trace::Operation& one = trace.operations[i];
      const std::string label(labels->by_row[labelled.row(i, one)].label);
      expected[label].first += one.duration_ns;
      expected[label].second += 1;
      total_ns += one.duration_ns;
      parts += label == "qkv" || label == "out" ? 1 : 0;
    }
    const kr::classify::Attribution attribution =
        kr::classify::attribute(trace, program, rules.database, model);
    const auto modules = kr::trees::label_modules(
        rules, {"t.json", "e", "default", {}},
        kr::trees::modules_of(trace, attribution, {"part", &labelled, labels}));
    modules->order_dimension = part;
    for (const bool merged : {false, true}) {
      for (const Level::Kind level : {Level::Kind::kernel, Level::Kind::module}) {
        CAPTURE(merged);
        const kr::trees::TreeView view(rules, *modules,
                                       {.level = {level, 0},
                                        .dimension = "part",
                                        .by_label = true,
                                        .merge_siblings = merged,
                                        .by_phase = merged});
        CHECK(sums_of(view, view.shown()) == expected);
      }
    }
    // What is above has a label only if all below it have it.
    for (uint32_t depth = 0; depth < 6; ++depth) {
      const kr::trees::TreeView view(rules, *modules,
                                     {.level = {Level::Kind::depth, depth}, .dimension = "part"});
      std::vector<kr::trace::ModuleNode> nodes;
      std::vector<kr::trees::ViewRow> rows;
      int64_t shown_ns = 0;
      for (const size_t tree : view.shown()) {
        view.rows(tree, nodes, rows);
        for (const kr::trees::ViewRow& row : rows) {
          shown_ns += row.total_ns;
          if (!view.labelled(row.path)) {
            mixed += nodes[row.node].end > row.node + 1 ? 1 : 0;
            continue;
          }
          for (uint32_t below = row.node; below < nodes[row.node].end; ++below) {
            CHECK(view.label(nodes[below].path) == view.label(row.path));
          }
        }
      }
      CHECK(shown_ns == total_ns);
    }
  }
  CHECK(parts > rounds / 2);
  CHECK(mixed > rounds / 2);
}
