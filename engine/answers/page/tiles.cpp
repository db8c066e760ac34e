#include <fmt/format.h>

#include <algorithm>

#include "analyze/ranks.hpp"
#include "base/plural.hpp"
#include "overview/overview.hpp"
#include "page/page_data.hpp"
#include "tables/device_word.hpp"
#include "tables/registry.hpp"
#include "text/numbers.hpp"

namespace kr::page {
namespace {

std::string exact_ns(int64_t ns) {
  return text::grouped(ns) + " ns";
}

std::string share_text(int64_t part, int64_t whole) {
  return whole == 0 ? "–" : text::share(part, whole) + " %";
}

Tile time_tile(std::string_view title, int64_t ns, std::string beside) {
  return {std::string(title), text::human_time(ns), std::move(beside), exact_ns(ns)};
}

/// How much of the total time rules explain, by dimension: of all runs.
void add_explained(std::vector<Tile>& tiles, const tables::Source& source) {
  int64_t total_ns = 0;
  for (const tables::Run& run : source.runs) total_ns += run.summary.gpu_total_ns;
  for (const std::string& dimension : tables::name_dimensions_of(source)) {
    int64_t explained_ns = 0;
    for (const tables::Run& run : source.runs) {
      explained_ns += overview::explained_ns(run.summary, dimension);
    }
    tiles.push_back({"Explained", overview::share_explained(explained_ns, total_ns) + " %",
                     "of total, by " + dimension, exact_ns(explained_ns), dimension});
  }
}

/// The span of all devices, and what of it is busy, the four parts of the table `devices`.
void add_device_times(std::vector<Tile>& tiles, const analyze::DeviceSum& all, size_t devices) {
  tiles.push_back(time_tile("Span", all.span_ns,
                            "of " + plural(devices, "device") + (devices > 1 ? ", added up" : "")));
  const auto part = [&](const char* title, int64_t ns) {
    tiles.push_back(
        {title, share_text(ns, all.span_ns), text::human_time(ns) + " of the span", exact_ns(ns)});
  };
  part("Busy", all.busy_ns);
  part("Compute", all.compute_ns);
  part("Exposed communication", all.exposed_communication_ns);
  part("Exposed memory", all.exposed_memory_ns);
  part("Idle", all.idle_ns);
}

size_t devices_of(const tables::Source& source) {
  size_t devices = 0;
  for (const tables::Run& run : source.runs) devices += run.summary.devices.size();
  return devices;
}

analyze::DeviceSum sum_of_devices(const tables::Source& source) {
  analyze::DeviceSum all;
  for (const tables::Run& run : source.runs) {
    for (const analyze::DeviceSum& device : run.summary.devices) {
      for (const auto time :
           {&analyze::DeviceSum::span_ns, &analyze::DeviceSum::busy_ns,
            &analyze::DeviceSum::compute_ns, &analyze::DeviceSum::communication_ns,
            &analyze::DeviceSum::exposed_communication_ns, &analyze::DeviceSum::memory_ns,
            &analyze::DeviceSum::exposed_memory_ns, &analyze::DeviceSum::idle_ns}) {
        all.*time += device.*time;
      }
    }
  }
  return all;
}

/// In how much of the wall time no device worked. Of one device, and its own span, this is its idle
/// time.
void add_wall_time(std::vector<Tile>& tiles, const analyze::RunSummary& run,
                   std::string_view device) {
  const bool given = run.wall_from == analyze::WallFrom::user;
  if (!given && run.devices.size() < 2) return;
  tiles.push_back(time_tile(
      fmt::format("No {} busy", device), run.non_gpu_ns,
      share_text(run.non_gpu_ns, run.wall_ns) + " of the " + (given ? "wall time" : "trace")));
}

/// Sums mean something of one run, and of the ranks of a job.
bool can_be_added(const tables::Source& source) {
  return source.runs.size() == 1 || source.ranks().not_comparable_reason.empty();
}

}  // namespace

std::vector<Tile> report_tiles(const tables::Source& source) {
  if (!can_be_added(source)) return {};
  const analyze::DeviceSum all = sum_of_devices(source);
  if (std::none_of(source.runs.begin(), source.runs.end(),
                   [](const tables::Run& run) { return run.summary.operations > 0; })) {
    return {};
  }
  std::vector<Tile> tiles;
  add_device_times(tiles, all, devices_of(source));
  if (source.runs.size() == 1) {
    add_wall_time(tiles, source.runs[0].summary, tables::device_word(source));
  }
  add_explained(tiles, source);
  return tiles;
}

}  // namespace kr::page
