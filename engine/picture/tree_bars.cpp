#include "picture/tree_bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace kr::picture {
namespace {

std::string label_of(const trees::ViewStep& step) {
  if (!step.running_seqs) return step.key;
  return fmt::format("{} ({} seq{})", step.key, *step.running_seqs,
                     *step.running_seqs == 1 ? "" : "s");
}

/// Every k-th and the last, so that no more than most_bars are left.
void thin_out(std::vector<size_t>& steps) {
  if (steps.size() <= most_bars) return;
  const size_t interval = (steps.size() + most_bars - 2) / (most_bars - 1);
  std::vector<size_t> kept;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i % interval == 0 || i + 1 == steps.size()) kept.push_back(steps[i]);
  }
  steps = std::move(kept);
}

class BarMaker {
 public:
  BarMaker(const trees::TreeView& view, trees::Metric metric)
      : view_(view), metric_(metric), sums_(view.entries().size(), 0) {}

  TreeBar make(size_t step) {
    view_.rows(step, nodes_, rows_);
    for (const trees::ViewRow& row : rows_) {
      const int64_t value = metric_ == trees::Metric::invocations ? row.invocations : row.total_ns;
      sums_[row.entry] = bounded_sum(sums_[row.entry], value);
    }
    TreeBar bar;
    bar.step = step;
    bar.label = label_of(view_.steps()[step]);
    for (uint32_t entry = 0; entry < sums_.size(); ++entry) {
      if (sums_[entry] == 0) continue;
      bar.parts.push_back({entry, sums_[entry]});
      bar.total = bounded_sum(bar.total, sums_[entry]);
      sums_[entry] = 0;
    }
    bar.whole = metric_ == trees::Metric::invocations ? bar.total : view_.steps()[step].total_ns;
    return bar;
  }

 private:
  const trees::TreeView& view_;
  trees::Metric metric_;
  std::vector<int64_t> sums_;  // by entry; 0 between bars
  std::vector<trace::ModuleNode> nodes_;
  std::vector<trees::ViewRow> rows_;
};

}  // namespace

int64_t bounded_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

std::vector<TreeBars> tree_bars(const trees::TreeView& view, trees::Metric metric) {
  struct Group {
    const char* begin;
    const char* file_stem;
    const char* heading;
    std::vector<size_t> steps;
  };
  std::array<Group, 3> groups{{{"prefill", "prefill", "prefill", {}},
                               {"decode", "decode_steps", "decode steps", {}},
                               {"", "other_steps", "other steps", {}}}};
  for (size_t i = 0; i < view.steps().size(); ++i) {
    const std::string& phase = view.steps()[i].phase;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
      return phase.rfind(one.begin, 0) == 0;
    });
    group->steps.push_back(i);
  }
  std::vector<TreeBars> pictures;
  BarMaker maker(view, metric);
  for (Group& group : groups) {
    if (group.steps.empty()) continue;
    TreeBars& bars = pictures.emplace_back();
    bars.file_stem = group.file_stem;
    bars.heading = group.heading;
    bars.steps = group.steps.size();
    thin_out(group.steps);
    for (const size_t step : group.steps) bars.bars.push_back(maker.make(step));
  }
  return pictures;
}

}  // namespace kr::picture
