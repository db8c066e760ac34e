// Tables beside those of runs: coverage, differences, explanations, trees, lists; and what is true
// of every definition.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "changes/compare.hpp"
#include "classify/why.hpp"
#include "compare/moves.hpp"
#include "coverage/suggest.hpp"
#include "support/module_traces.hpp"
#include "support/rules.hpp"
#include "tables/difference.hpp"
#include "tables/explanation.hpp"
#include "tables/registry.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"
#include "tables/tree.hpp"
#include "trace/format.hpp"

using namespace kr;
using kr::tables::Cell;
using kr::tables::Definition;
using kr::tables::Role;
using kr::tables::Source;
using kr::tables::Unit;

namespace {

/// Shown line by line where a test fails.
struct Lines : std::vector<std::string> {
  using vector::vector;
  friend std::ostream& operator<<(std::ostream& out, const Lines& lines) {
    return out << fmt::format("\n{}\n", fmt::join(lines, "\n"));
  }
};

std::string cell_text(const Cell& cell) {
  if (table::is_nothing(cell)) return "-";
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  if (const auto* number = std::get_if<int64_t>(&cell)) return fmt::format("{}", *number);
  return fmt::format("{:.3f}", std::get<double>(cell));
}

/// Rows as text: cells between `|`, nothing as `-`. Checks that each fits its column.
class OtherTablesSink : public table::RowSink {
 public:
  explicit OtherTablesSink(const std::vector<table::Column>& columns) : columns_(columns) {}
  void row(std::span<const Cell> cells) override {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const table::Column& column = columns_[i];
      INFO(column.id);
      CHECK((column.optional || !table::is_nothing(cells[i])));
      if (!table::is_nothing(cells[i])) {
        CHECK(std::holds_alternative<std::string_view>(cells[i]) == table::is_text(column.unit));
      }
      line += (i > 0 ? "|" : "") + cell_text(cells[i]);
    }
    lines.push_back(std::move(line));
  }
  Lines lines;

 private:
  const std::vector<table::Column>& columns_;
};

Lines rows(std::string_view id, const Source& source) {
  const Definition* definition = tables::find(id);
  REQUIRE(definition != nullptr);
  REQUIRE(tables::absent(*definition, source).empty());
  const table::Table made = tables::make(*definition, source);
  OtherTablesSink sink(made.columns());
  made.write(sink);
  return sink.lines;
}

std::string absent(std::string_view id, const Source& source) {
  return tables::absent(*tables::find(id), source);
}

bool is_sentence(const std::string& text) {
  return text.size() > 1 && text.back() == '.' && text.find('\n') == std::string::npos;
}

}  // namespace

TEST_CASE("every definition is whole") {
  std::set<std::string> ids;
  for (const Definition* one : tables::all()) {
    const table::Info& info = one->info;
    INFO(info.id);
    CHECK(ids.insert(info.id).second);
    CHECK(tables::find_whole(info.id) == one);
    REQUIRE(!info.title.empty());
    CHECK(std::islower(static_cast<unsigned char>(info.title[0])));
    CHECK(info.doc.starts_with("One row per "));
    CHECK(is_sentence(info.doc));
    for (const Definition* part : tables::parts_of(*one)) {
      CHECK((part->rows != nullptr));
      CHECK(tables::find(part->info.id) == part);
      CHECK(&tables::whole_of(*part) == one);
    }
    std::set<std::string> columns;
    bool has_key = false;
    for (const table::Column& column : info.columns) {
      INFO(column.id);
      CHECK(!column.id.empty());
      CHECK(columns.insert(column.id).second);  // so there is one `*` at most
      CHECK(is_sentence(column.doc));
      CHECK(column.id.ends_with("_ns") == (column.unit == Unit::ns));
      if (column.id == table::dimension_columns) CHECK(column.unit == Unit::text);
      has_key = has_key || column.role == Role::key;
      // People see a share right of the column of the part, in the same form.
      if (column.id == "share") CHECK(!column.share_of.empty());
      if (column.share_of.empty()) continue;
      const auto part = std::ranges::find(info.columns, column.share_of, &table::Column::id);
      REQUIRE((part != info.columns.end()));
      CHECK(part->role == column.role);
    }
    CHECK((has_key || info.describes_results));
  }
}

TEST_CASE("tables and columns are listed from the definitions") {
  const Source nothing;
  CHECK(rows("list_tables", nothing).size() == tables::all().size());
  size_t columns = 0;
  for (const Definition* one : tables::all()) columns += one->info.columns.size();
  const Lines listed = rows("list_columns", nothing);
  REQUIRE(listed.size() == columns);
  CHECK(std::find(listed.begin(), listed.end(),
                  "coverage|share|ratio|measure|1|The part of the total time that is explained; "
                  "nothing if the run has no time.") != listed.end());
  CHECK(rows("list_formats", nothing).size() == trace::formats().size());
  CHECK(rows("list_gpus", nothing)[1] ==
        "V100 PCIe|7000000000000|14000000000000|-|112000000000000|-|-|-|900000000000|-|80|NVIDIA "
        "V100 data sheet (2020)");
  CHECK(!rows("list_checks", nothing).empty());
  tables::Source settings;
  settings.settings = {{"lint", "--info", "true", "kr.toml:3:8", "What."},
                       {"", "--color", "", "default", ""}};
  CHECK(rows("list_config", settings) ==
        std::vector<std::string>{"lint|--info|true|kr.toml:3:8|What.", "-|--color|-|default|"});
  CHECK(absent("list_models", nothing) == "it is not a result of this command");
  CHECK(absent("list_rulesets", nothing) == "it is not a result of this command");
}

TEST_CASE("what rules define is listed") {
  const match::CompiledRules rules = test::compile(R"(
requires kr >= 0.0.9
author "A" author "B"
## Of tests.
pattern dense = "gemm"
labels substage { gemm "Products" color "#4e79a7" attn }
## An engine.
engine e "E" {
  since "2026-11"
  link "https://e"
  detect: "x" & "y"
  detect: "z"
  substage { gemm: dense attn: "flash" }
  model m "M" { author "C" detect: "q" }
}
)");
  Source source;
  source.rules = &rules;
  CHECK(rows("list_engines", source) ==
        Lines{"e|E|test.kr|An engine.|\"x\" & \"y\" | \"z\"|A, B|2026-11|https://e"});
  CHECK(rows("list_models", source) ==
        Lines{"e|default|E|test.kr|only the rules of the engine|-|A, B|2026-11|https://e",
              "e|m|M|test.kr||\"q\"|C|2026-11|https://e"});
  const Lines labels = rows("list_labels", source);
  REQUIRE(labels.size() >= 2);
  CHECK(labels[0] == "e|substage|gemm|Products|#4e79a7|test.kr|");
  CHECK(labels[1] == "e|substage|attn|-|-|test.kr|");
  CHECK(rows("list_patterns", source) == Lines{"test.dense|test.kr|Of tests.|\"gemm\""});
  CHECK(rows("list_rulesets", source) == Lines{"test|test.kr|e||0.0.9|A, B|2026-11|https://e"});
}

TEST_CASE("coverage") {
  const match::CompiledRules rules =
      test::compile("engine e {\n  substage {\n    attn: \"flash\"\n    rest: otherwise\n  }\n}\n");
  const sema::ModelId model = *rules.program().model(*rules.program().engine("e"), "default");
  std::vector<coverage::MeasuredRun> runs(2);
  runs[0].id = "one";
  runs[0].model = model;
  runs[0].has_dimension = true;
  runs[0].explained_ns = 600;
  runs[0].common_words_ns = 200;
  runs[0].total_ns = 1000;
  runs[0].names = {{"flash_fwd", OperationKind::kernel, 3, 600, "attn", true},
                   {"acme_topk_8", OperationKind::kernel, 2, 300, "rest", false},
                   {"acme_topk_16", OperationKind::kernel, 1, 100, "rest", false}};
  runs[1].id = "two";
  runs[1].model = model;
  runs[1].has_dimension = true;
  const coverage::TimeCoverage coverage =
      coverage::cover(rules, *rules.program().dimension("substage"), std::move(runs), 0);
  Source source;
  source.rules = &rules;
  source.coverage = &coverage;
  CHECK(rows("coverage", source) ==
        Lines{"one|substage|600|1000|0.600|3|2|200", "two|substage|0|0|-|0|0|0"});
  REQUIRE(coverage.unexplained.size() == 1);
  const coverage::Suggestion& group = coverage.unexplained[0];
  CHECK(rows("unexplained", source) ==
        Lines{fmt::format("0|{}|2|3|400|40.000|rest|-|{}|test.kr|{}|{}|engine e|{}|acme_topk_8|{}",
                          group.common_text, group.rule, group.place.line, group.place.byte,
                          group.insert, group.test)});
  CHECK(rows("unexplained_names", source) ==
        Lines{"0|acme_topk_8|kernel|2|300", "0|acme_topk_16|kernel|1|100"});
  CHECK(rows("unexplained_runs", source) == Lines{"0|one|3|400|40.000"});
}

TEST_CASE("differences of rulesets") {
  const match::CompiledRules before = test::compile(
      "engine e { stage { a: \"x\" \n b: otherwise } model m { stage { q: \"q\" } } }");
  const match::CompiledRules after = test::compile(
      "engine e { stage { d: within \"M\" \n a: \"x\" & !@memcpy \n b: otherwise } model n { } }");
  tables::RulesDifference difference;
  difference.changes = compare::compare_rules(
      {&before.program(), before.database}, {&after.program(), after.database},
      {{"[CUDA memcpy x]", OperationKind::memcpy, 70}, {"x", OperationKind::kernel, 30}});
  REQUIRE(difference.changes.moves.size() == 3);
  difference.rules = {{{"old.kr:1", "a: \"x\""}, {"new.kr:4", "b: otherwise"}}, {}, {}};
  Source source;
  source.rules_difference = &difference;
  CHECK(rows("rule_changes", source) ==
        Lines{"e|default|stage|a|b|[CUDA memcpy x]|memcpy|-|-|1|70|0|list|old.kr:1|new.kr:4",
              "e|default|stage|a|d|x_kernel|kernel|M|-|0|0|0|invented|-|-",
              "e|default|stage|b|d|a_kernel|kernel|M|-|0|0|0|invented|-|-"});
  CHECK(rows("model_changes", source) == Lines{"e/m|old", "e/n|new"});
  CHECK_FALSE(absent("label_changes", source).empty());
}

TEST_CASE("differences of runs") {
  const auto run = [](const char* id, std::vector<changes::NameTime> names) {
    changes::Profile profile;
    profile.run = id;
    profile.dimensions = {"substage"};
    for (const changes::NameTime& name : names) profile.all += name.amount;
    profile.elapsed_ns = profile.all.total_ns;
    profile.names = std::move(names);
    return profile;
  };
  const std::vector<changes::Profile> a{
      run("a", {{"gemm_a", {}, {"gemm"}, {2, 100}}, {"norm", {}, {"norm"}, {10, 500}}})};
  const std::vector<changes::Profile> b{
      run("b", {{"gemm_b", {}, {"gemm"}, {2, 70}}, {"norm", {}, {"norm"}, {20, 1000}}})};
  tables::RunPair pair{"a.csv", "b.csv", changes::compare(a, b, "substage"), {}};
  const changes::Gate gate = changes::parse_gate("work > 5%");
  const changes::Measured measured = pair.comparison.total.measured();
  pair.gates.push_back({gate, "", measured, changes::judge(gate, measured)});
  Source source;
  source.run_difference = &pair;
  CHECK(
      rows("comparison", source) ==
      Lines{
          "a.csv|b.csv|1|83.3 % and 93.5 % of the time has names that both runs have, 100.0 % and "
          "100.0 % labels that both have|-|operations of common names|10|20|-|-|-|-|-|-|-|-|-|600|"
          "1070|470|78.333|600|1070|12|22|60.000|53.500|-10.833|500|0|-30|-|-"});
  CHECK(
      rows("label_changes", source) ==
      Lines{"substage|gemm|100|70|-30|-30.000|2|2|10.000|3.500|-65.000|50.000|35.000|0|0|-30|-|-|-|"
            "-",
            "substage|norm|500|1000|500|100.000|10|20|50.000|50.000|0.000|50.000|50.000|500|0|0|-|"
            "-|-|-"});
  CHECK(rows("name_changes", source) ==
        Lines{"gemm_a|kernel|100|0|-100|-100.000|2|0|10.000|0.000|-100.000|50.000|-|0|0|-100",
              "gemm_b|kernel|0|70|70|-|0|2|0.000|3.500|-|-|35.000|0|0|70",
              "norm|kernel|500|1000|500|100.000|10|20|50.000|50.000|0.000|50.000|50.000|500|0|0"});
  CHECK(rows("conditions", source) == Lines{"work > 5%|-|-|passed|60|-7|-10.833|-|-|-|-"});
  pair.trend = changes::trend_of(a, b, pair.comparison);
  const std::string of = "operation of common names", few = "a side has fewer than three values";
  CHECK(rows("trend", source) ==
        Lines{"run|-|-|work|0|a|a|60.000|" + of + "|-|-",
              "run|-|-|work|1|b|b|53.500|" + of + "|-|" + few,
              "label|substage|gemm|work|0|a|a|10.000|" + of + "|-|-",
              "label|substage|gemm|work|1|b|b|3.500|" + of + "|-|" + few,
              "label|substage|norm|work|0|a|a|50.000|" + of + "|-|-",
              "label|substage|norm|work|1|b|b|50.000|" + of + "|-|" + few});
}

TEST_CASE("explanations") {
  const match::CompiledRules rules = test::compile(R"(
engine e {
  substage {
    copies: @memcpy
    mla:    "attn" & within "MLA"
    attn:   "flash"
          | "attn"
    flash:  "flash"
  }
}
)");
  const sema::ModelId model = *rules.program().model(*rules.program().engine("e"), "default");
  const auto explain = [&](const classify::WhyQuery& query) {
    tables::Explanation explanation{query.name, "e/default", "", {}, {}};
    for (classify::WhyDimension& one : classify::why(rules, model, query)) {
      if (rules.program().dimensions.get(one.dimension).name == "substage") {
        explanation.dimensions.push_back(std::move(one));
      }
    }
    return explanation;
  };
  Source source;
  source.rules = &rules;
  const auto sure =
      explain({.name = "flash_attn_flash", .kind = OperationKind::kernel, .within = {{}}});
  source.explanation = &sure;
  CHECK(rows("explanations", source) ==
        Lines{"substage|0|attn|test.kr:6|attn: \"flash\" | \"attn\"|0-5,6-10,11-16|-|-"});
  CHECK(rows("explanation_alternatives", source) == Lines{"substage|0|flash|test.kr:8|-"});
  const auto open = explain({.name = "other", .kind = {}, .within = {{}}});
  source.explanation = &open;
  CHECK(
      rows("explanations", source) ==
      Lines{"substage|0|unclassified|-|-|-|" + open.dimensions[0].outcomes[0].conditions[0] + "|-",
            "substage|1|copies|test.kr:4|copies: @memcpy|-|" +
                open.dimensions[0].outcomes[1].conditions[0] + "|-"});
  CHECK(rows("explanation_alternatives", source).empty());
}

TEST_CASE("explanations of operations with their neighbours") {
  const match::CompiledRules rules = test::compile(R"(
engine e {
  substage { norm: "norm" gemm: "gemm" rest: otherwise }
  part over substage {
    ignore rest
    qkv: norm > [gemm]
    any: _ > [gemm]
    otherwise keep
  }
}
)");
  const sema::ModelId model = *rules.program().model(*rules.program().engine("e"), "default");
  const std::vector<std::string> names{"norm", "x", "gemm"};
  std::vector<match::AtomSet> sets(names.size(), match::AtomSet(rules.program().atoms.size()));
  std::vector<match::Subject> subjects;
  match::Scanner scanner(rules.database);
  for (size_t i = 0; i < names.size(); ++i) {
    scanner.scan(names[i], sets[i]);
    subjects.push_back({.name = &sets[i]});
  }
  const std::vector<uint32_t> subject_of{0, 1, 2};
  const std::vector<size_t> asked{2};
  tables::Explanation explanation{"", "e/default", "", {}, {}};
  explanation.sequence = classify::why(
      rules, model,
      {subjects, subject_of, [&](size_t at) -> std::string_view { return names[at]; }}, asked, 0);
  Source source;
  source.rules = &rules;
  source.explanation = &explanation;
  CHECK(rows("explanations", source) ==
        Lines{"substage|0|gemm|test.kr:3|gemm: \"gemm\"|-|-|2",
              "kind|0|compute|stdlib/kind.kr:10|compute: otherwise|-|-|2",
              "part|0|qkv|test.kr:6|qkv: norm > [gemm]|-|depends on neighbours|2"});
  CHECK(rows("explanation_alternatives", source) == Lines{"part|0|any|test.kr:7|2"});
  // What the match needs, and no more.
  CHECK(explanation.sequence->first == 0);
  CHECK(explanation.sequence->operations.size() == 3);
  CHECK(explanation.sequence->operation(3) == nullptr);
}

TEST_CASE("trees") {
  test::Modules modules;
  modules.builder().context("model", "m");
  const auto step = [&](const std::string& key, int64_t ns, int64_t sequences) {
    modules.begin(key, sequences);
    modules.module("Model", 1, [&] {
      modules.module("Attention", 2, [&] {
        modules.kernel("flash_fwd", 10 * ns, 2);
        modules.kernel("gemm_a", 3 * ns, 2);
      });
      modules.module("Mlp", 1, [&] { modules.kernel("gemm_b", ns); });
    });
    modules.kernel("sample", 2);
    modules.end();
  };
  step("prefill", 7, 4);
  step("decode_1", 1, -1);
  step("decode_3", 2, -1);

  trees::ViewOptions options;
  options.level = trees::named_level("module");
  options.top_k = 2;
  const test::OwnedView owned(std::move(modules).finish(), options);
  const tables::Tree tree{"run", "vllm", "default", owned.view.get()};
  Source source;
  source.rules = &test::module_rules();
  source.tree = &tree;
  CHECK(
      rows("tree", source) ==
      Lines{
          "run|0|prefill|-|-|0|1|Model > Attention|Attention|-|Attention|1|1|2|91|91.000|-|-|-|-|-",
          "run|0|prefill|-|-|1|1|Model > Mlp|Mlp|-|Mlp|1|1|1|7|7.000|-|-|-|-|-",
          "run|0|prefill|-|-|2|-|-|others|-|others|1|1|1|2|2.000|-|-|-|-|-",
          "run|1|decode|1|-|0|1|Model > Attention|Attention|-|Attention|1|1|2|13|13.000|-|-|-|-|-",
          "run|1|decode|1|-|1|1|Model > Mlp|Mlp|-|Mlp|1|1|1|1|1.000|-|-|-|-|-",
          "run|1|decode|1|-|2|-|-|others|-|others|1|1|1|2|2.000|-|-|-|-|-",
          "run|2|decode|3|-|0|1|Model > Attention|Attention|-|Attention|1|1|2|26|26.000|-|-|-|-|-",
          "run|2|decode|3|-|1|1|Model > Mlp|Mlp|-|Mlp|1|1|1|2|2.000|-|-|-|-|-",
          "run|2|decode|3|-|2|-|-|others|-|others|1|1|1|2|2.000|-|-|-|-|-"});
  CHECK(rows("tree_steps", source) == Lines{"run|0|prefill|-|-|prefill|4|-|-|100",
                                            "run|1|decode|1|-|decode_1|-|-|-|16",
                                            "run|2|decode|3|-|decode_3|-|-|-|30"});
  CHECK(rows("tree_trends", source) ==
        Lines{"run|prefill|Attention|1|91|91|91|0.000|91.000",
              "run|prefill|Mlp|1|7|7|7|0.000|7.000", "run|prefill|others|1|2|2|2|0.000|2.000",
              "run|decode|Attention|2|39|13|26|6.500|19.500", "run|decode|Mlp|2|3|1|2|0.500|1.500",
              "run|decode|others|2|4|2|2|0.000|2.000"});
  CHECK(rows("tree_attribution", source) == Lines{"run|launch|140", "run|layer|0", "run|none|6"});
  CHECK(rows("tree_context", source) == Lines{"run|model|m"});
  CHECK(absent("tree_layers", source) ==
        "its module trees come from a profile, not from operations");

  options = {};
  options.level = trees::named_level("kernel");
  options.phase = "prefill";
  options.by_label = true;
  const trees::TreeView labels(test::module_rules(), *owned.modules, options);
  const tables::Tree by_label{"run", "vllm", "default", &labels};
  source.tree = &by_label;
  CHECK(rows("tree", source) ==
        Lines{"run|0|prefill|-|-|0|2|Model > Attention > "
              "flash_fwd|attn|-|attn|1|1|2|70|70.000|-|-|-|-|-",
              "run|0|prefill|-|-|1|-|-|gemm|-|gemm|1|2|3|28|28.000|-|-|-|-|-",
              "run|0|prefill|-|-|2|0|sample|other|-|other|1|1|1|2|2.000|-|-|-|-|-"});
}

TEST_CASE("merged siblings and steps of trees") {
  test::Modules modules;
  for (const int step : {1, 2}) {
    modules.begin(fmt::format("decode_{}", step));
    modules.module("Model", 1, [&] {
      for (int layer = 0; layer < 3; ++layer) {
        modules.module(fmt::format("layers.{}", layer), 1,
                       [&] { modules.kernel("gemm_a", 10 * step + layer); });
      }
    });
    modules.kernel("sample", step);
    modules.end();
  }
  trees::ViewOptions options;
  options.level = trees::named_level("module");
  options.merge_siblings = true;
  options.by_phase = true;
  options.top_k = 1;
  const test::OwnedView owned(std::move(modules).finish(), options);
  const tables::Tree tree{"run", "vllm", "default", owned.view.get()};
  Source source;
  source.rules = &test::module_rules();
  source.tree = &tree;
  CHECK(
      rows("tree", source) ==
      Lines{"run|-|decode|-|-|0|1|Model > layers|layers|-|layers|2|3|6|96|48.000|30|32.000|34|0|2",
            "run|-|decode|-|-|1|-|-|others|-|others|2|1|2|3|1.500|-|-|-|-|-"});
  // The single steps are there, whatever the trees are made of.
  CHECK(rows("tree_steps", source) ==
        Lines{"run|0|decode|1|-|decode_1|-|-|-|34", "run|1|decode|2|-|decode_2|-|-|-|65"});
  CHECK(rows("tree_trends", source) == Lines{"run|decode|layers|2|96|33|63|30.000|48.000",
                                             "run|decode|others|2|3|1|2|1.000|1.500"});
}

TEST_CASE("repeated blocks of trees from operations") {
  test::OwnedView owned(test::single_trace(), {});
  classify::LayerEvidence found;
  found.block.unit = 40;
  found.block.period = 12;
  found.block.repeats = 3;
  found.block.graph = true;
  found.block.total_ns = 90;
  found.block.unit_ns = 100;
  found.units = 2;
  using classify::PlaceEvidence;
  classify::AttributionSums& sums = owned.modules->attribution.emplace();
  sums[PlaceEvidence::launch] = {1, 5};
  sums[PlaceEvidence::creation] = {1, 4};
  sums[PlaceEvidence::kind] = {1, 2};
  sums[PlaceEvidence::abstain] = {1, 1};
  sums[PlaceEvidence::range] = {1, 3};
  sums[PlaceEvidence::layer] = {1, 90};
  sums[PlaceEvidence::none] = {1, 10};
  owned.modules->layer_evidence = {found};
  const tables::Tree tree{"run", "vllm", "default", owned.view.get()};
  Source source;
  source.rules = &test::module_rules();
  source.tree = &tree;
  CHECK(rows("tree_layers", source) ==
        Lines{"run|0|12|3|2|40|90|100|" + classify::evidence(found.block)});
  CHECK(rows("tree_attribution", source) == Lines{"run|launch|5", "run|creation|4", "run|kind|2",
                                                  "run|abstain|1", "run|range|3", "run|layer|90",
                                                  "run|none|10"});
}
