#include <doctest/doctest.h>

#include <numeric>

#include "page/pages.hpp"
#include "page/tree_page_data.hpp"
#include "support/module_traces.hpp"

using kr::test::OwnedView;

namespace {

kr::trees::ViewOptions shown(uint64_t top_k = 12) {
  kr::trees::ViewOptions options;
  options.top_k = top_k;
  options.unique_names = true;
  options.merge_siblings = true;
  options.by_phase = true;
  return options;
}

/// The time of the roots of a sum.
int64_t sum_of_roots(const kr::page::TreePageData::Forest& forest,
                     const kr::page::TreePageData::Nodes& sum) {
  int64_t total = 0;
  for (size_t i = 0; i < sum.places.size(); ++i) {
    if (forest.places[sum.places[i]].parent < 0) total += sum.ns[i];
  }
  return total;
}

/// Both forests, phase by phase and all together, are `total` in time.
void check_sums(const kr::page::TreePageData& data, int64_t total) {
  for (const kr::page::TreePageData::Forest* forest : {&data.plain, &data.merged}) {
    REQUIRE(forest->sums.size() == data.phases.size() + 1);
    int64_t phases = 0;
    for (size_t phase = 0; phase < data.phases.size(); ++phase) {
      phases += sum_of_roots(*forest, forest->sums[phase]);
    }
    CHECK(phases == total);
    CHECK(sum_of_roots(*forest, forest->sums.back()) == total);
  }
}

int64_t total_of(const kr::trees::TreeView& view) {
  int64_t total = 0;
  for (const kr::trees::ViewStep& step : view.steps()) total += step.total_ns;
  return total;
}

}  // namespace

TEST_CASE("a page contains the tree of every step if they are few") {
  const OwnedView view(kr::test::llama_trace(20), shown());
  const kr::page::TreePageData data = kr::page::tree_page_data(*view.view, {});
  CHECK(data.bars.size() == 21);
  CHECK(data.trees.size() == 21);
  CHECK(data.plain.shapes.size() == 1);
  CHECK(data.merged.shapes.size() == 1);
  CHECK(data.tree_interval == 1);
  CHECK_FALSE(data.cut_in_depth);
  CHECK(data.plain.places.size() == view.modules->trace.paths.size());
  CHECK(data.merged.places.size() < data.plain.places.size());
  CHECK(data.merged_of.size() == data.plain.places.size());
  CHECK(data.entries == 11);
  CHECK_FALSE(data.others);
  check_sums(data, total_of(*view.view));
  CHECK(data.entry_sums.back().ns.back() == total_of(*view.view));
  CHECK(data.phase_ns.back() == total_of(*view.view));
  for (const kr::page::TreePageData::Forest* forest : {&data.plain, &data.merged}) {
    for (size_t place = 0; place < forest->places.size(); ++place) {
      CHECK(forest->places[place].parent < static_cast<int32_t>(place));
    }
  }
}

TEST_CASE("sums are of all steps, also of those that the page omits") {
  const OwnedView view(kr::test::llama_trace(200), shown());
  for (const size_t room : {1, 10, 100, 1000, 10'000, 100'000}) {
    CAPTURE(room);
    const kr::page::TreePageLimits limits{3, 1, room, room, room, room};
    const kr::page::TreePageData data = kr::page::tree_page_data(*view.view, limits);
    CHECK(data.entries == 3);
    CHECK(data.phases == std::vector<std::string>{"prefill", "all other phases"});
    // The first and the last step of a phase always have their bars.
    CHECK(data.bars.size() <= room / 3 + 3);
    CHECK(data.bars.back() == 200);
    size_t values = 0;
    for (const kr::page::TreePageData::Tree& tree : data.trees) {
      values += data.plain.shapes[tree.shape].places.size() +
                data.merged.shapes[tree.shape].places.size();
    }
    CHECK(values <= room);
    CHECK(data.plain.places.size() * data.phases.size() <= room);
    CHECK(data.phase_ns.back() == total_of(*view.view));
    if (data.deepest >= 0) check_sums(data, total_of(*view.view));
    CHECK(data.cut_in_depth == (data.plain.places.size() < view.modules->trace.paths.size()));
  }
}

TEST_CASE("a page is small whatever the trace") {
  // Ten thousand names of three thousand letters each, in twenty phases.
  kr::test::Modules modules;
  for (int step = 0; step < 20; ++step) {
    modules.begin(fmt::format("{}{}", std::string(300, 'p'), static_cast<char>('a' + step)));
    for (int k = 0; k < 10'000; ++k) {
      modules.kernel(fmt::format("{}{}", std::string(3000, 'k'), k), 1000 + k);
    }
    modules.end();
  }
  const OwnedView view(std::move(modules).finish(), shown(0));
  const std::string page =
      kr::page::to_tree_html(kr::test::module_rules().program(), *view.view,
                             {"id", "vllm", "default"}, kr::trees::Metric::cuda_time_ms);
  CHECK(page.size() < 20'000'000);
  CHECK(page.find("</html>") != std::string::npos);
}

TEST_CASE("no text of a trace ends the page's data or is markup") {
  const OwnedView view(kr::test::hostile_trace(), shown());
  const std::string page =
      kr::page::to_tree_html(kr::test::module_rules().program(), *view.view,
                             {"<b>id</b>", "vllm", "default"}, kr::trees::Metric::invocations);
  const size_t begin = page.find("id=\"data\">");
  REQUIRE(begin != std::string::npos);
  const std::string_view data =
      std::string_view(page).substr(begin, page.find("</script>", begin) - begin);
  CHECK(data.find('<') == std::string_view::npos);
  CHECK(data.find("window.hacked=3") != std::string_view::npos);
  CHECK(page.find("<title>Module trees of &lt;b&gt;id&lt;/b&gt;</title>") != std::string::npos);
}

TEST_CASE("siblings that are alike are one: modules without their number, kernels of one name") {
  kr::test::Modules modules;
  modules.begin("prefill");
  modules.kernel("k_1", 1);
  modules.kernel("k_2", 2);
  modules.end();
  const OwnedView view(std::move(modules).finish(), shown());
  const kr::page::TreePageData data = kr::page::tree_page_data(*view.view, {});
  CHECK(data.merged.places.size() == data.plain.places.size());  // kernels keep their numbers

  const OwnedView llama(kr::test::llama_trace(2), shown());
  const kr::page::TreePageData merged = kr::page::tree_page_data(*llama.view, {});
  int64_t most = 0;
  for (const int64_t count : merged.merged.sums.back().counts) most = std::max(most, count);
  CHECK(most > 1);
  for (const int64_t count : merged.plain.sums.back().counts) CHECK(count == 1);
}
