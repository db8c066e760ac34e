#include "trees/merge.hpp"

#include <doctest/doctest.h>

#include "support/module_traces.hpp"
#include "trees/names.hpp"

using kr::test::Modules;
using kr::test::OwnedView;
using kr::trees::Siblings;
using kr::trees::TreeView;
using kr::trees::ViewOptions;

namespace {

ViewOptions merged(kr::trees::Level::Kind level = kr::trees::Level::Kind::kernel) {
  ViewOptions options;
  options.level = {level, 0};
  options.merge_siblings = true;
  return options;
}

/// `path nodes calls ns` of each row.
std::vector<std::string> rows_of(const TreeView& view, size_t step = 0) {
  std::vector<kr::trace::ModuleNode> nodes;
  std::vector<kr::trees::ViewRow> rows;
  view.rows(step, nodes, rows);
  std::vector<std::string> texts;
  for (const kr::trees::ViewRow& row : rows) {
    const std::string name = row.path.valid() ? kr::trees::path_text(view.trace(), row.path, true)
                                              : view.entries()[row.entry].name;
    texts.push_back(fmt::format("{} ×{} {} {}", name, row.nodes, row.invocations, row.total_ns));
  }
  return texts;
}

/// `least number median most number` of a node.
std::string spread_of(const TreeView& view, size_t step, std::string_view path) {
  const std::vector<Siblings> siblings = view.siblings(step);
  for (uint32_t i = 0; i < siblings.size(); ++i) {
    if (kr::trees::path_text(view.trace(), {i}, true) != path) continue;
    const Siblings& one = siblings[i];
    return fmt::format("{} [{}] {} {} [{}]", one.min_ns, view.number_text(one.least), one.median_ns,
                       one.max_ns, view.number_text(one.most));
  }
  return "no node";
}

using Rows = std::vector<std::string>;

}  // namespace

TEST_CASE("layers that differ in their number are one node, and what is below them, too") {
  Modules modules;
  modules.begin("prefill");
  modules.module("Model", 1, [&] {
    for (int layer = 0; layer < 4; ++layer) {
      modules.module(fmt::format("Layer_{}", layer), 1, [&] {
        modules.module(fmt::format("Attention_{}", layer), 1,
                       [&] { modules.kernel("flash", 100 + (layer * 3) % 4); });
        modules.module(fmt::format("Linear_{}", 2 * layer), 1,
                       [&] { modules.kernel("gemm_64", 10); });
        modules.module(fmt::format("Linear_{}", 2 * layer + 1), 1,
                       [&] { modules.kernel("gemm_128", 20 + layer); });
      });
    }
    modules.module("Norm", 1, [&] { modules.kernel("norm_kernel", 5); });
  });
  modules.end();
  const OwnedView of(std::move(modules).finish(), merged());
  CHECK(rows_of(*of.view) == Rows{"Model > Layer > Attention > flash ×4 4 406",
                                  "Model > Layer > Linear > gemm_64 ×4 4 40",
                                  "Model > Layer > Linear > gemm_128 ×4 4 86",
                                  "Model > Norm > norm_kernel ×1 1 5"});
  CHECK(spread_of(*of.view, 0, "Model > Layer") == "130 [0] 134 134 [1]");
  CHECK(spread_of(*of.view, 0, "Model > Layer > Attention") == "100 [0] 101.5 103 [1]");
  CHECK(spread_of(*of.view, 0, "Model > Layer > Linear") == "10 [0.0] 15 23 [3.7]");
  CHECK(spread_of(*of.view, 0, "Model > Layer > Linear > gemm_128") == "20 [0.1] 21.5 23 [3.7]");
  CHECK(spread_of(*of.view, 0, "Model > Norm") == "5 [] 5 5 []");

  const TreeView layers(kr::test::module_rules(), *of.modules,
                        merged(kr::trees::Level::Kind::layer));
  CHECK(rows_of(layers) == Rows{"Model > Layer ×4 4 532", "Model > Norm ×1 1 5"});
  CHECK_FALSE(layers.without_layers());
}

TEST_CASE("siblings of different classes, kernels and labels stay apart") {
  Modules modules;
  modules.begin("prefill");
  modules.module("Model", 1, [&] {
    modules.module("Dense_0", 1, [&] { modules.kernel("k_0", 1); });
    modules.module("Moe_1", 1, [&] { modules.kernel("k_1", 2); });
    modules.module("Moe_2", 1, [&] { modules.kernel("k_2", 3); });
    modules.kernel("tile_64", 4);
    modules.kernel("tile_128", 5);
    modules.kernel("tile_128", 6);
  });
  modules.end();
  const OwnedView of(std::move(modules).finish(), merged());
  CHECK(rows_of(*of.view) == Rows{"Model > Dense_0 > k_0 ×1 1 1", "Model > Moe > k_1 ×1 1 2",
                                  "Model > Moe > k_2 ×1 1 3", "Model > tile_64 ×1 1 4",
                                  "Model > tile_128 ×2 2 11"});
  CHECK(spread_of(*of.view, 0, "Model > tile_128") == "5 [#1] 5.5 6 [#2]");
}

TEST_CASE("names with several numbers are compared without their parent's name") {
  Modules modules;
  modules.begin("prefill");
  for (int layer = 0; layer < 2; ++layer) {
    modules.module(fmt::format("layers.{}", layer), 1, [&] {
      for (int expert = 0; expert < 3; ++expert) {
        modules.module(fmt::format("layers.{}.experts.{}", layer, expert), 1,
                       [&] { modules.kernel("gemm", 1 + expert + 3 * layer); });
      }
      modules.kernel(fmt::format("layers.{}.act", layer), 50);
    });
  }
  modules.module("stage_1_block_1", 1, [&] { modules.kernel("gemm", 100); });
  modules.module("stage_1_block_2", 1, [&] { modules.kernel("gemm", 100); });
  modules.module("stage_2_block_1", 1, [&] { modules.kernel("gemm", 100); });
  modules.end();
  const OwnedView of(std::move(modules).finish(), merged(kr::trees::Level::Kind::module));
  CHECK(rows_of(*of.view) == Rows{"layers > layers.experts ×6 6 21", "layers > layers.act ×2 2 100",
                                  "stage_1_block ×2 2 200", "stage_2_block_1 ×1 1 100"});
  CHECK(spread_of(*of.view, 0, "layers > layers.experts") == "1 [0.0] 3.5 6 [1.2]");
}

TEST_CASE(
    "siblings of different structure: a node holds the union, what has no children is (self)") {
  Modules modules;
  modules.begin("decode_1");
  modules.module("Layer_0", 1, [&] { modules.module("mlp", 1, [&] { modules.kernel("a", 7); }); });
  modules.module("Layer_1", 1, [&] {
    modules.kernel("mlp", 5, 2);
    modules.kernel("b", 1);
  });
  modules.end();
  // Elsewhere it has children: what never has any is a kernel, and no module is merged with it.
  modules.begin("decode_2");
  modules.module("Layer_1", 1, [&] { modules.module("mlp", 1, [&] { modules.kernel("a", 1); }); });
  modules.end();
  const OwnedView of(std::move(modules).finish(), merged());
  CHECK(rows_of(*of.view) ==
        Rows{"Layer > mlp > a ×1 1 7", "Layer > mlp > (self) ×1 0 5", "Layer > b ×1 1 1"});
  CHECK(spread_of(*of.view, 0, "Layer > mlp") == "5 [1] 6 7 [0]");
}

TEST_CASE("the steps of a phase are one tree, with the sums of all") {
  ViewOptions options = merged(kr::trees::Level::Kind::layer);
  options.by_phase = true;
  const OwnedView of(kr::test::llama_trace(6), options);
  const TreeView& view = *of.view;
  REQUIRE(view.steps().size() == 7);
  REQUIRE(view.shown().size() == 2);
  CHECK(view.step(view.shown()[0]).key == "prefill");
  const kr::trees::ViewStep& decode = view.step(view.shown()[1]);
  CHECK(decode.of == std::vector<size_t>{1, 2, 3, 4, 5, 6});
  CHECK_FALSE(decode.step.has_value());
  CHECK_FALSE(decode.running_seqs.has_value());
  int64_t total = 0, shown = 0;
  for (const kr::trees::ViewStep& step : view.steps().subspan(1)) total += step.total_ns;
  CHECK(decode.total_ns == total);
  std::vector<kr::trace::ModuleNode> nodes;
  std::vector<kr::trees::ViewRow> rows;
  view.rows(view.shown()[1], nodes, rows);
  for (const kr::trees::ViewRow& row : rows) shown += row.total_ns;
  CHECK(shown == total);
  const auto layers = std::find_if(rows.begin(), rows.end(), [&](const kr::trees::ViewRow& row) {
    return view.trace().name(row.path) == "LlamaDecoderLayer";
  });
  REQUIRE(layers != rows.end());
  CHECK(layers->nodes == 4);
  CHECK(layers->invocations == 24);
}

TEST_CASE("others are at most a fifth of each tree, or less than each entry shown") {
  const auto entries = [](const std::vector<int64_t>& times, uint64_t top_k, bool limit) {
    Modules modules;
    modules.begin("prefill");
    for (size_t i = 0; i < times.size(); ++i) modules.kernel(fmt::format("k{}", i), times[i]);
    modules.end();
    ViewOptions options;
    options.level = {kr::trees::Level::Kind::kernel, 0};
    options.top_k = top_k;
    options.limit_others = limit;
    return OwnedView(std::move(modules).finish(), options).view->entries().size();
  };
  const std::vector<int64_t> equal(10, 10);
  CHECK(entries(equal, 2, false) == 3);
  CHECK(entries(equal, 2, true) == 9);                  // eight, and others with 20 %
  CHECK(entries({100, 10, 10, 10}, 1, true) == 2);      // others 23 %, but less than the first
  CHECK(entries({100, 20, 10, 10, 10}, 2, true) == 3);  // exactly a fifth
  CHECK(entries({100, 20, 11, 10, 10}, 2, true) == 4);  // 20.5 %, and more than the second
  CHECK(entries({100, 20, 11, 10, 10}, 0, true) == 5);  // all
}

TEST_CASE("a fold names siblings with and without their number") {
  const auto shown = [](const std::string& fold) {
    Modules modules;
    modules.begin("prefill");
    for (int layer = 0; layer < 2; ++layer) {
      modules.module(fmt::format("Layer_{}", layer), 1, [&] { modules.kernel("gemm", 1); });
    }
    modules.end();
    ViewOptions options = merged();
    options.folds = {fold};
    return rows_of(*OwnedView(std::move(modules).finish(), options).view);
  };
  CHECK(shown("Layer") == Rows{"Layer ×2 2 2"});
  CHECK(shown("Layer_1") == Rows{"Layer_0 > gemm ×1 1 1", "Layer_1 ×1 1 1"});
}
