#include "overview/shown_runs.hpp"

#include <fmt/format.h>

#include <numeric>

#include "tables/run_names.hpp"

namespace kr::overview {
namespace {

constexpr size_t max_shown_runs = 8;

int64_t own_ns(const analyze::RunSummary& run) {
  int64_t most = 0;
  for (const analyze::DeviceSum& device : run.devices) {
    most = std::max(most, device.span_ns - device.exposed_communication_ns);
  }
  return most;
}

}  // namespace

std::string ShownRuns::left_text() const {
  if (left == 0) return {};
  return fmt::format("the {} {} of {} {} (--all shows all)", slowest ? "slowest" : "first",
                     runs.size(), text::grouped(static_cast<int64_t>(runs.size() + left)),
                     slowest ? "ranks" : "runs");
}

ShownRuns shown_runs(const tables::Source& source, const TableOptions& options) {
  ShownRuns shown;
  shown.runs.resize(source.runs.size());
  std::iota(shown.runs.begin(), shown.runs.end(), size_t{0});
  if (options.all_rows || shown.runs.size() <= max_shown_runs) return shown;
  shown.slowest = tables::named_by_rank(source);
  if (shown.slowest) {
    std::vector<int64_t> own;
    own.reserve(source.runs.size());
    for (const tables::Run& run : source.runs) own.push_back(own_ns(run.summary));
    std::stable_sort(shown.runs.begin(), shown.runs.end(),
                     [&](size_t a, size_t b) { return own[a] > own[b]; });
  }
  shown.left = shown.runs.size() - max_shown_runs;
  shown.runs.resize(max_shown_runs);
  return shown;
}

}  // namespace kr::overview
