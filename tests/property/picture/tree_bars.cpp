// Bars of random forests: what is drawn adds up to the step, and lies without gap or overlap.
#include "picture/tree_bars.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "picture/label_styles.hpp"
#include "picture/scene.hpp"
#include "support/module_traces.hpp"
#include "support/rounds.hpp"

using kr::test::Modules;
using kr::trees::Metric;

namespace {

class RandomTrace {
 public:
  explicit RandomTrace(uint32_t seed) : random_(seed) {}

  kr::trace::ModuleTrace make() {
    Modules modules;
    const size_t steps = 1 + below(12);
    for (size_t i = 0; i < steps; ++i) {
      const char* phases[] = {"prefill", "decode", "warm"};
      modules.begin(fmt::format("{}_{}", phases[below(3)], i), static_cast<int64_t>(below(4)) - 1);
      for (size_t roots = below(4); roots > 0; --roots) node(modules, 0);
      modules.end();
    }
    return std::move(modules).finish();
  }

  kr::trees::ViewOptions options() {
    kr::trees::ViewOptions options;
    const kr::trees::Level::Kind kinds[] = {
        kr::trees::Level::Kind::kernel, kr::trees::Level::Kind::module,
        kr::trees::Level::Kind::layer, kr::trees::Level::Kind::depth};
    options.level = {kinds[below(4)], static_cast<uint32_t>(below(4))};
    options.by_label = below(2) == 0;
    options.unique_names = below(2) == 0;
    options.top_k = below(2) == 0 ? 0 : 1 + below(5);
    options.step_interval = 1 + below(3);
    return options;
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }

  void node(Modules& modules, int depth) {
    if (depth == 5 || below(3) == 0) {
      const char* names[] = {"gemm", "flash", "nccl", "rms_norm_kernel", "copy", ""};
      const int64_t sizes[] = {0, 1, 999, 1'000'003, 77'000'000'001};
      modules.kernel(names[below(6)], sizes[below(5)], static_cast<int64_t>(below(5)));
      return;
    }
    modules.module(fmt::format("Module{}", below(4)), static_cast<int64_t>(below(5)), [&] {
      for (size_t children = below(5); children > 0; --children) node(modules, depth + 1);
    });
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("the parts drawn add up to the step, to the nanosecond, and touch each other") {
  // The sums of a bar are kept for the next: found in round 1.
  for (uint32_t seed = 0; seed < kr::test::rounds(400, 1); ++seed) {
    CAPTURE(seed);
    RandomTrace random(seed);
    kr::trace::ModuleTrace trace = random.make();
    const kr::test::OwnedView of(std::move(trace), random.options());
    const kr::trees::TreeView& view = *of.view;
    kr::picture::PictureWords words;
    words.colors = kr::picture::tree_colors(kr::test::module_rules().program(), view);
    for (const kr::trees::ViewEntry& entry : view.entries()) words.names.push_back(entry.name);
    for (const Metric metric : {Metric::cuda_time_ms, Metric::pct_cuda_time, Metric::invocations}) {
      size_t steps = 0;
      for (const kr::picture::TreeBars& bars : kr::picture::tree_bars(view, metric)) {
        steps += bars.bars.size();
        const kr::picture::PictureScene scene = kr::picture::lay_out_picture(
            bars, metric, words, [](std::string_view text, double size, bool) {
              return static_cast<double>(text.size()) * size / 2;
            });
        std::map<size_t, int64_t> sums;
        std::map<size_t, double> tops;
        for (const kr::picture::DrawnPart& part : scene.parts) {
          sums[part.bar] += part.value;
          REQUIRE(part.value > 0);
          const double bottom = part.place.y + part.place.height;
          const auto [below, first] = tops.try_emplace(part.bar, scene.plot.y + scene.plot.height);
          REQUIRE(bottom == below->second);
          REQUIRE(part.place.height >= 0);
          REQUIRE(part.place.y >= scene.plot.y);
          REQUIRE(part.place.x >= scene.plot.x);
          REQUIRE(part.place.x + part.place.width <= scene.plot.x + scene.plot.width);
          below->second = part.place.y;
        }
        for (size_t i = 0; i < bars.bars.size(); ++i) {
          const kr::picture::TreeBar& bar = bars.bars[i];
          REQUIRE(sums[i] == bar.total);
          if (metric == Metric::invocations) continue;
          REQUIRE(bar.total == view.steps()[bar.step].total_ns);
          REQUIRE(bar.whole == bar.total);
        }
      }
      REQUIRE(steps == view.steps().size());
    }
  }
}
