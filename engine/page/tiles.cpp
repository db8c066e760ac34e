#include <fmt/ranges.h>

#include <set>

#include "base/plural.hpp"
#include "page/page_data.hpp"
#include "sema/program.hpp"
#include "table/numbers.hpp"

namespace kr::page {
namespace {

std::string exact_ns(int64_t ns) {
  return table::grouped(ns) + " ns";
}

std::string share_text(int64_t part, int64_t whole) {
  return whole == 0 ? "–" : table::share(part, whole) + " %";
}

Tile time_tile(std::string_view title, int64_t ns, std::string beside) {
  return {std::string(title), table::human_time(ns), std::move(beside), exact_ns(ns)};
}

/// How much of the GPU time a rule labels, by dimension.
void add_labelled(std::vector<Tile>& tiles, const analyze::RunSummary& run) {
  for (const analyze::DimensionSum& dimension : run.dimensions) {
    int64_t labelled_ns = run.gpu_elapsed_ns;
    for (const analyze::LabelSum& sum : dimension.labels) {
      if (sum.label == sema::reserved::unclassified) labelled_ns -= sum.elapsed_ns;
    }
    tiles.push_back({"Labelled", share_text(labelled_ns, run.gpu_elapsed_ns),
                     "of GPU time, by " + dimension.dimension, exact_ns(labelled_ns),
                     dimension.dimension});
  }
}

}  // namespace

std::vector<Tile> report_tiles(const tables::Source& source) {
  if (source.runs.size() != 1 || source.runs[0].summary.operations == 0) return {};
  const analyze::RunSummary& run = source.runs[0].summary;
  const int64_t elapsed_ns = run.gpu_elapsed_ns + run.non_gpu_ns;
  const auto of_elapsed = [&](int64_t ns) { return share_text(ns, elapsed_ns) + " of elapsed"; };
  std::set<std::string> devices;
  for (const analyze::DeviceSum& device : run.devices) {
    if (!device.name.empty()) devices.insert(device.name);
  }
  const double factor = static_cast<double>(run.gpu_total_ns) /
                        static_cast<double>(std::max<int64_t>(run.gpu_elapsed_ns, 1));
  std::vector<Tile> tiles{
      time_tile("GPU time", run.gpu_elapsed_ns, of_elapsed(run.gpu_elapsed_ns)),
      time_tile(sema::reserved::non_gpu, run.non_gpu_ns, of_elapsed(run.non_gpu_ns)),
      time_tile("Sum of durations", run.gpu_total_ns, table::short_number(factor) + " × GPU time"),
      {"Operations", table::grouped(run.operations),
       table::grouped(static_cast<int64_t>(run.names.size())) + " distinct names"}};
  add_labelled(tiles, run);
  tiles.push_back(
      {"Devices", table::grouped(static_cast<int64_t>(run.devices.size())),
       devices.empty() ? "without a name" : fmt::format("{}", fmt::join(devices, ", "))});
  return tiles;
}

std::vector<Tile> analysis_tiles(const tables::Source& source) {
  analyze::DeviceSum all;
  size_t devices = 0;
  int64_t operations = 0, host_bound_ns = 0;
  bool launches = false;
  for (const tables::Run& run : source.runs) {
    devices += run.summary.devices.size();
    operations += run.summary.operations;
    for (const analyze::DeviceSum& device : run.summary.devices) {
      for (const auto time :
           {&analyze::DeviceSum::span_ns, &analyze::DeviceSum::busy_ns,
            &analyze::DeviceSum::compute_ns, &analyze::DeviceSum::communication_ns,
            &analyze::DeviceSum::exposed_communication_ns, &analyze::DeviceSum::memory_ns,
            &analyze::DeviceSum::exposed_memory_ns, &analyze::DeviceSum::idle_ns}) {
        all.*time += device.*time;
      }
    }
    if (!run.statistics || !run.statistics->launches) continue;
    launches = true;
    host_bound_ns += run.statistics->launches->host_bound_ns;
  }
  if (all.span_ns == 0) return {};
  const auto part = [&](const char* title, int64_t ns, std::string beside) {
    return Tile{title, share_text(ns, all.span_ns), std::move(beside), exact_ns(ns)};
  };
  const auto of = [](int64_t ns, int64_t whole_ns) {
    return table::human_time(ns) + " of " + table::human_time(whole_ns);
  };
  std::vector<Tile> tiles{
      part("Busy", all.busy_ns, of(all.busy_ns, all.span_ns)),
      part("Compute", all.compute_ns, table::human_time(all.compute_ns)),
      part("Exposed communication", all.exposed_communication_ns,
           "not hidden: " + of(all.exposed_communication_ns, all.communication_ns)),
      part("Exposed memory", all.exposed_memory_ns,
           "not hidden: " + of(all.exposed_memory_ns, all.memory_ns)),
      part("Idle", all.idle_ns, table::human_time(all.idle_ns))};
  if (launches) {
    tiles.push_back({"Host-bound", share_text(host_bound_ns, all.idle_ns),
                     "of idle time: " + table::human_time(host_bound_ns), exact_ns(host_bound_ns)});
  }
  tiles.push_back({"Operations", table::grouped(operations),
                   plural(devices, "device") + ", " + plural(source.runs.size(), "run")});
  return tiles;
}

}  // namespace kr::page
