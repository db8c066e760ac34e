#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "picture/color.hpp"
#include "picture/label_styles.hpp"
#include "picture/scene.hpp"
#include "picture/tree_bars.hpp"
#include "picture/tree_picture.hpp"
#include "support/module_traces.hpp"

using kr::test::Modules;
using kr::test::OwnedView;
using kr::trees::Metric;

namespace {

kr::trees::ViewOptions shown_picture(uint64_t top_k = 12, bool by_label = false) {
  kr::trees::ViewOptions options;
  options.level = {kr::trees::Level::Kind::kernel, 0};
  options.top_k = top_k;
  options.by_label = by_label;
  return options;
}

/// All letters equally wide, as in no real typeface.
double fixed_width(std::string_view text, double size, bool) {
  return static_cast<double>(text.size()) * size * 0.6;
}

kr::picture::PictureScene scene_of(const kr::picture::TreeBars& bars, const OwnedView& of,
                                   Metric metric = Metric::cuda_time_ms) {
  kr::picture::PictureWords words;
  words.title = "title";
  words.facts = {"batch 8", "4 GPUs"};
  words.colors = kr::picture::tree_colors(kr::test::module_rules().program(), *of.view);
  for (const kr::trees::ViewEntry& entry : of.view->entries()) words.names.push_back(entry.name);
  return kr::picture::lay_out_picture(bars, metric, words, fixed_width);
}

bool says(const kr::picture::PictureScene& scene, std::string_view text) {
  return std::any_of(scene.texts.begin(), scene.texts.end(),
                     [&](const kr::picture::DrawnText& one) { return one.text == text; });
}

OwnedView two_kernels(int64_t large, int64_t small, const char* key = "decode_1") {
  Modules modules;
  modules.begin(key, 3);
  modules.kernel("gemm_a", large, 2);
  modules.kernel("flash_b", small, 5);
  modules.end();
  return {std::move(modules).finish(), shown_picture()};
}

}  // namespace

TEST_CASE("the context is read in both forms, and what it does not say is left out") {
  Modules flat;
  kr::test::flat_context(flat);
  const kr::trace::ModuleTrace old = std::move(flat).finish();
  CHECK(kr::picture::tree_subject(old) == "meta-llama/Llama-3.1-8B-Instruct");
  CHECK(kr::picture::tree_facts(old) == std::vector<std::string>{"batch 32", "prompt 512 tokens",
                                                                 "output 128 tokens", "2 GPUs",
                                                                 "run of 12 steps"});
  Modules nested;
  kr::test::nested_context(nested);
  const kr::trace::ModuleTrace now = std::move(nested).finish();
  CHECK(kr::picture::tree_subject(now) == "neuralmagic/Llama-70B-2of4");
  CHECK(kr::picture::tree_facts(now) ==
        std::vector<std::string>{"batch 1", "prompt 2048 tokens", "output 1 token", "8 GPUs",
                                 "sparsity 2:4", "8 requests done a step"});
  const kr::trace::ModuleTrace none = kr::test::single_trace();
  CHECK(kr::picture::tree_subject(none) == "single.json");
  CHECK(kr::picture::tree_facts(none).empty());
}

TEST_CASE("steps go to the picture of their phase") {
  Modules modules;
  for (const char* key : {"prefill", "decode_1", "warmup", "decode_2", "prefill_2"}) {
    modules.begin(key);
    modules.kernel("gemm", 10);
    modules.end();
  }
  const OwnedView view(std::move(modules).finish(), shown_picture());
  const auto pictures = kr::picture::tree_bars(*view.view, Metric::cuda_time_ms);
  REQUIRE(pictures.size() == 3);
  CHECK(pictures[0].file_stem == "prefill");
  CHECK(pictures[1].file_stem == "decode_steps");
  CHECK(pictures[2].file_stem == "other_steps");
  const auto labels = [](const kr::picture::TreeBars& bars) {
    std::vector<std::string> labels;
    for (const kr::picture::TreeBar& bar : bars.bars) labels.push_back(bar.label);
    return labels;
  };
  CHECK(labels(pictures[0]) == std::vector<std::string>{"prefill", "prefill_2"});
  CHECK(labels(pictures[1]) == std::vector<std::string>{"decode_1", "decode_2"});
  CHECK(labels(pictures[2]) == std::vector<std::string>{"warmup"});

  const OwnedView none(Modules().finish(), shown_picture());
  CHECK(kr::picture::tree_bars(*none.view, Metric::cuda_time_ms).empty());
  CHECK(kr::picture::tree_pictures(kr::test::module_rules().program(), *none.view,
                                   Metric::cuda_time_ms)
            .empty());
}

TEST_CASE("sequences stand in the label where they are known") {
  Modules modules;
  modules.begin("decode_1", 3);
  modules.end();
  modules.begin("decode_2", 1);
  modules.end();
  modules.begin("decode_3");
  modules.end();
  const OwnedView view(std::move(modules).finish(), shown_picture());
  const auto bars = kr::picture::tree_bars(*view.view, Metric::cuda_time_ms).at(0).bars;
  CHECK(bars[0].label == "decode_1 (3 seqs)");
  CHECK(bars[1].label == "decode_2 (1 seq)");
  CHECK(bars[2].label == "decode_3");
  CHECK(bars[0].parts.empty());
}

TEST_CASE("a bar of a phase is the mean of its steps") {
  Modules modules;
  for (const int64_t ns : {10, 20, 31}) {
    modules.begin(fmt::format("decode_{}", ns), 3);
    for (int layer = 0; layer < 2; ++layer) {
      modules.module(fmt::format("Layer_{}", layer), 1, [&] { modules.kernel("gemm_a", ns, 4); });
    }
    modules.end();
  }
  kr::trees::ViewOptions options = shown_picture();
  options.by_phase = true;
  options.merge_siblings = true;
  const OwnedView of(std::move(modules).finish(), options);
  const auto times = kr::picture::tree_bars(*of.view, Metric::cuda_time_ms);
  REQUIRE(times.size() == 1);
  REQUIRE(times[0].bars.size() == 1);
  CHECK(times[0].bars[0].label == "decode (3 steps)");
  REQUIRE(times[0].bars[0].parts.size() == 1);
  CHECK(times[0].bars[0].total == 41);  // 122 / 3
  CHECK(times[0].bars[0].whole == 41);
  CHECK(kr::picture::tree_bars(*of.view, Metric::invocations)[0].bars[0].total == 8);
  CHECK(of.view->entries()[0].siblings == 2);
}

TEST_CASE("of very many steps every k-th and the last are drawn") {
  const OwnedView view(kr::test::llama_trace(6001, 1), shown_picture());
  const auto pictures = kr::picture::tree_bars(*view.view, Metric::cuda_time_ms);
  const kr::picture::TreeBars& decode = pictures.at(1);
  CHECK(decode.steps == 6001);
  CHECK(decode.bars.size() <= kr::picture::max_bars);
  CHECK(decode.bars.front().label.rfind("decode_1 ", 0) == 0);
  CHECK(decode.bars.back().label.rfind("decode_6001 ", 0) == 0);
  const kr::picture::PictureScene scene = scene_of(decode, view);
  CHECK(scene.width < 3500);
  CHECK(says(scene, "batch 8  ·  4 GPUs  ·  2,001 of 6,001 steps"));
}

TEST_CASE("values stand where they fit, totals on top") {
  const OwnedView view = two_kernels(90'000'000, 1'500'000);
  const kr::picture::TreeBars bars = kr::picture::tree_bars(*view.view, Metric::cuda_time_ms).at(0);
  const kr::picture::PictureScene scene = scene_of(bars, view);
  CHECK(says(scene, "90.0"));
  CHECK_FALSE(says(scene, "1.50"));  // some six pixels high
  CHECK(says(scene, "91.5"));
  CHECK(says(scene, "title"));
  CHECK(says(scene, "decode_1"));
  CHECK(says(scene, "(3 seqs)"));

  const OwnedView equal = two_kernels(40'000'000, 50'500'000);
  const kr::picture::TreeBars halves =
      kr::picture::tree_bars(*equal.view, Metric::pct_cuda_time).at(0);
  const kr::picture::PictureScene shares = scene_of(halves, equal, Metric::pct_cuda_time);
  CHECK(says(shares, "44.2"));
  CHECK(says(shares, "55.8"));
  CHECK(says(shares, "90.5 ms"));

  const kr::picture::TreeBars counted =
      kr::picture::tree_bars(*equal.view, Metric::invocations).at(0);
  CHECK(counted.bars[0].total == 7);
  const kr::picture::PictureScene calls = scene_of(counted, equal, Metric::invocations);
  CHECK(says(calls, "5"));
  CHECK(says(calls, "7"));
}

TEST_CASE("parts are stacked in their order, as high as their values, and bars do not touch") {
  Modules modules;
  for (const auto& [key, factor] : {std::pair("decode_1", 1), {"decode_2", 2}, {"decode_3", 3}}) {
    modules.begin(key);
    modules.kernel("gemm_a", 50'000'000 * factor);
    modules.kernel("flash_b", 20'000'000 * factor);
    modules.kernel("norm_c", 10'000'000 * factor);
    modules.end();
  }
  const OwnedView view(std::move(modules).finish(), shown_picture());
  const kr::picture::TreeBars bars = kr::picture::tree_bars(*view.view, Metric::cuda_time_ms).at(0);
  const kr::picture::PictureScene scene = scene_of(bars, view);
  REQUIRE(bars.bars.size() == 3);
  REQUIRE(scene.parts.size() == 9);
  const double pixels_per_ns = scene.parts[6].place.height / 150e6;
  for (size_t i = 0; i < scene.parts.size(); ++i) {
    const kr::picture::DrawnPart& part = scene.parts[i];
    CHECK(part.bar == i / 3);
    CHECK(part.entry == bars.bars[i / 3].parts[i % 3].entry);
    CHECK(part.value == bars.bars[i / 3].parts[i % 3].value);
    CHECK(std::abs(part.place.height - static_cast<double>(part.value) * pixels_per_ns) <= 1);
    CHECK(part.place.width == scene.parts[0].place.width);
    if (i % 3 > 0) {
      const kr::picture::Rectangle& below = scene.parts[i - 1].place;
      CHECK(part.place.x == below.x);
      CHECK(part.place.y + part.place.height == below.y);
    } else if (i > 0) {
      const kr::picture::Rectangle& left = scene.parts[i - 3].place;
      CHECK(part.place.x > left.x + left.width);
    }
  }
}

TEST_CASE("the legend has what is drawn, from the top, and does not touch the plot") {
  const OwnedView view(kr::test::wide_trace(60), shown_picture(40));
  const kr::picture::TreeBars bars = kr::picture::tree_bars(*view.view, Metric::cuda_time_ms).at(0);
  const kr::picture::PictureScene scene = scene_of(bars, view);
  REQUIRE(scene.legend.size() == 41);
  CHECK(view.view->entries()[scene.legend.front().entry].others);
  CHECK(scene.legend.back().entry == 0);
  for (size_t i = 1; i < scene.legend.size(); ++i) {
    CHECK(scene.legend[i].entry < scene.legend[i - 1].entry);
    CHECK(scene.legend[i].swatch.y > scene.legend[i - 1].swatch.y);
    CHECK(scene.legend[i].swatch.x > scene.plot.x + scene.plot.width);
  }
  for (const kr::picture::DrawnText& text : scene.texts) {
    CHECK(text.x >= 0);
    CHECK(text.x <= scene.width);
    CHECK(text.y >= 0);
    CHECK(text.y <= scene.height);
  }
  CHECK(scene.legend.back().swatch.y + 11 <= scene.height);
}

TEST_CASE("a legend of very many entries ends with a count") {
  const OwnedView view(kr::test::wide_trace(200, 2), shown_picture(0));
  const kr::picture::TreeBars bars = kr::picture::tree_bars(*view.view, Metric::cuda_time_ms).at(0);
  const kr::picture::PictureScene scene = scene_of(bars, view);
  CHECK(scene.legend.size() == 47);
  CHECK(says(scene, "and 153 more"));
}

TEST_CASE("labels keep their colours, nodes get their own, no two neighbours are alike") {
  const kr::sema::Program& program = kr::test::module_rules().program();
  const OwnedView labels(kr::test::llama_trace(3), shown_picture(12, true));
  const auto colors = kr::picture::tree_colors(program, *labels.view);
  const auto& entries = labels.view->entries();
  REQUIRE(colors.size() == entries.size());
  std::set<std::string> seen;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].label == "gemm") CHECK(colors[i] == "#4e79a7");
    if (entries[i].label == "attn") CHECK(colors[i] == "#59a14f");
    CHECK(seen.insert(colors[i]).second);
  }
  CHECK(seen.count("#4e79a7") == 1);

  // Nodes that have no label are told from the labels beside them.
  kr::test::Modules mixed;
  mixed.begin("decode_1");
  for (int i = 0; i < 12; ++i) {
    mixed.module(fmt::format("Module{}", i), 1, [&] { mixed.kernel("copy", 100 + i); });
  }
  mixed.kernel("gemm", 5);
  mixed.kernel("flash", 5);
  mixed.end();
  kr::trees::ViewOptions by_module = shown_picture(0, true);
  by_module.level = {};
  const OwnedView both(std::move(mixed).finish(), by_module);
  const auto mixed_colors = kr::picture::tree_colors(program, *both.view);
  for (size_t i = 0; i < mixed_colors.size(); ++i) {
    if (both.view->entries()[i].is_label) continue;
    for (const char* label : {"#4e79a7", "#59a14f"}) {
      CHECK(kr::picture::color_difference(kr::picture::oklab(mixed_colors[i]),
                                          kr::picture::oklab(label)) > 0.11);
    }
  }

  const OwnedView wide(kr::test::wide_trace(300), shown_picture(0));
  const auto many = kr::picture::tree_colors(program, *wide.view);
  CHECK(std::set<std::string>(many.begin(), many.begin() + 40).size() == 40);
  for (size_t i = 1; i < many.size(); ++i) {
    CHECK(kr::picture::color_difference(kr::picture::oklab(many[i]),
                                        kr::picture::oklab(many[i - 1])) > 0.06);
  }
  // Neighbours differ for colour-blind eyes, too.
  for (size_t i = 1; i < 24; ++i) {
    CHECK(kr::picture::min_difference(kr::picture::looks(many[i]),
                                      kr::picture::looks(many[i - 1])) > 0.08);
  }
  const OwnedView cut(kr::test::wide_trace(300), shown_picture(12));
  CHECK(kr::picture::tree_colors(program, *cut.view).back() == kr::picture::grey);
}

TEST_CASE("colours are taken apart and put together") {
  CHECK(kr::picture::oklab("#ffffff").lightness == doctest::Approx(1));
  CHECK(kr::picture::oklab("#000000").lightness == doctest::Approx(0));
  const std::string color = kr::picture::oklch(0.6, 0.1, 200);
  const kr::picture::Oklab look = kr::picture::oklab(color);
  CHECK(look.lightness == doctest::Approx(0.6).epsilon(0.01));
  CHECK(std::hypot(look.a, look.b) == doctest::Approx(0.1).epsilon(0.03));
  CHECK(kr::picture::is_light("#ffff00"));
  CHECK_FALSE(kr::picture::is_light("#2459c4"));
  CHECK(kr::picture::is_light("#808080"));  // white on it has a contrast of 3.9 only
}

TEST_CASE("colours that colour-blind eyes confuse are found") {
  const auto differ = [](const char* one, const char* other) {
    return kr::picture::min_difference(kr::picture::looks(one), kr::picture::looks(other));
  };
  CHECK(differ("#000000", "#ffffff") == doctest::Approx(1).epsilon(0.01));
  CHECK(differ("#7a9a3c", "#b8862f") < 0.08);  // green and brown: protanopia, deuteranopia
  CHECK(kr::picture::color_difference(kr::picture::oklab("#7a9a3c"),
                                      kr::picture::oklab("#b8862f")) > 0.08);
  CHECK(differ("#4e79a7", "#f1ce63") > 0.2);
}

TEST_CASE("the same view gives the same bytes, whatever was drawn before") {
  const kr::sema::Program& program = kr::test::module_rules().program();
  const auto draw = [&](kr::trace::ModuleTrace trace, Metric metric) {
    const OwnedView view(std::move(trace), shown_picture());
    const auto one = kr::picture::tree_pictures(program, *view.view, metric);
    const auto other = kr::picture::tree_pictures(program, *view.view, metric);
    REQUIRE(one.size() == other.size());
    REQUIRE_FALSE(one.empty());
    for (size_t i = 0; i < one.size(); ++i) {
      CHECK(one[i].svg == other[i].svg);
      CHECK(one[i].png == other[i].png);
      CHECK(one[i].png.rfind("\x89PNG", 0) == 0);
      CHECK(one[i].svg.find("</svg>") != std::string::npos);
    }
  };
  draw(kr::test::llama_trace(3), Metric::cuda_time_ms);
  draw(kr::test::hostile_trace(), Metric::pct_cuda_time);
  draw(kr::test::single_trace(0), Metric::invocations);
  draw(kr::test::single_trace(INT64_MAX), Metric::cuda_time_ms);
}
