// Pictures and pages of module trees that tests/support contains.
#include <fmt/format.h>

#include <filesystem>

#include "base/file.hpp"
#include "make_pages.hpp"
#include "page/pages.hpp"
#include "picture/tree_picture.hpp"
#include "support/module_traces.hpp"

namespace kr::test::tree_pages {
namespace {

class Maker {
 public:
  explicit Maker(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void pictures(const std::string& name, const OwnedView& of, kr::trees::Metric metric) const {
    for (const kr::picture::Picture& picture :
         kr::picture::tree_pictures(module_rules().program(), *of.view, metric)) {
      const std::string file = fmt::format("{}-{}", name, picture.file_stem);
      kr::write_file(folder_ / (file + ".png"), picture.png);
      kr::write_file(folder_ / (file + ".svg"), picture.svg);
    }
  }

  void page(const std::string& name, const OwnedView& of,
            const kr::page::TreePageLimits& limits = {},
            kr::trees::Metric metric = kr::trees::Metric::cuda_time_ms) const {
    kr::write_file(folder_ / (name + ".html"),
                   kr::page::to_tree_html(module_rules().program(), *of.view,
                                          {name, "vllm", "default"}, metric, limits));
  }

 private:
  std::filesystem::path folder_;
};

kr::trees::ViewOptions modules(uint64_t top_k = 12) {
  kr::trees::ViewOptions options;
  options.top_k = top_k;
  options.unique_names = true;
  options.width = 50;
  options.merge_siblings = true;
  return options;
}

kr::trees::ViewOptions labels() {
  kr::trees::ViewOptions options = modules();
  options.by_label = true;
  options.level = {kr::trees::Level::Kind::kernel, 0};
  return options;
}

}  // namespace

void make(const std::filesystem::path& folder) {
  using kr::trees::Metric;
  const Maker maker(folder);
  const OwnedView llama(llama_trace(12), modules());
  maker.pictures("llama", llama, Metric::cuda_time_ms);
  maker.pictures("shares", llama, Metric::pct_cuda_time);
  maker.pictures("calls", OwnedView(llama_trace(32), modules()), Metric::invocations);
  maker.pictures("labels", OwnedView(llama_trace(128), labels()), Metric::cuda_time_ms);
  maker.pictures("many", OwnedView(llama_trace(2500, 1), modules()), Metric::cuda_time_ms);
  maker.pictures("too-many", OwnedView(llama_trace(6000, 1), labels()), Metric::pct_cuda_time);
  maker.pictures("hostile", OwnedView(hostile_trace(), modules()), Metric::cuda_time_ms);
  maker.pictures("wide", OwnedView(wide_trace(60), modules(40)), Metric::cuda_time_ms);
  maker.pictures("all", OwnedView(wide_trace(300), modules(0)), Metric::invocations);
  maker.pictures("single", OwnedView(single_trace(), modules()), Metric::cuda_time_ms);
  maker.pictures("zero", OwnedView(single_trace(0), modules()), Metric::cuda_time_ms);
  maker.pictures("huge", OwnedView(single_trace(INT64_MAX), modules()), Metric::cuda_time_ms);

  maker.page("tree", llama);
  kr::trees::ViewOptions phases = modules();
  phases.by_phase = true;
  maker.page("tree-phases", OwnedView(llama_trace(12), phases));
  OwnedView walls(llama_trace(12),
                  phases);  // as trees made from operations have them: 1 ms, 2 ms, …
  const size_t steps = walls.modules->trace.steps.size();
  for (size_t i = 0; i + 1 < steps; ++i) {
    walls.modules->wall_ns.emplace_back(static_cast<int64_t>(i + 1) * 1'000'000);
  }
  walls.modules->wall_ns.emplace_back();
  maker.page("tree-walls", walls);
  maker.pictures("phases", OwnedView(llama_trace(12), phases), Metric::cuda_time_ms);
  kr::trees::ViewOptions apart = modules();
  apart.merge_siblings = false;
  maker.page("tree-apart", OwnedView(llama_trace(3), apart));
  maker.page("tree-labels", OwnedView(llama_trace(128), labels()), {}, Metric::pct_cuda_time);
  maker.page("tree-hostile", OwnedView(hostile_trace(), modules()));
  maker.page("tree-wide", OwnedView(wide_trace(3000, 3), modules(0)));
  maker.page("tree-many", OwnedView(llama_trace(10'000, 32), modules()));
  maker.page("tree-cut", OwnedView(llama_trace(40), modules()),
             {.entries = 4, .phases = 1, .bar_cells = 100, .tree_values = 200, .path_cells = 60});
  maker.page("tree-empty", OwnedView(Modules().finish(), modules()));
  maker.page("tree-single", OwnedView(single_trace(INT64_MAX), modules()));
}

}  // namespace kr::test::tree_pages
