// Streams, collectives and kernels of the devices of saved runs.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/saturated.hpp"
#include "changes/saved_collectives.hpp"
#include "changes/saved_tables.hpp"

namespace kr::changes {
namespace {

using analyze::Concurrency;
using analyze::DeviceSum;
using sqlite::Statement;

class DevicesReader {
 public:
  DevicesReader(const SavedTables& tables, const std::string& run, SavedRun& saved)
      : tables_(tables), run_(run), summary_(saved.summary), out_(saved) {
    for (const DeviceSum& one : summary_.devices) {
      out_.streams.devices.emplace_back().device = one.device;
      begin_ns_ = std::min(begin_ns_, one.first_start_ns);
    }
  }

  void read() {
    read_kernel_times();
    read_streams();
    if (tables_.has("in_flight")) read_in_flight();
    if (tables_.has("in_flight_over_time")) read_bins();
    if (tables_.has("stream_overlap")) read_overlaps();
    if (tables_.has("saved_collective_groups")) read_groups();
    if (tables_.has("saved_collectives")) read_collectives();
  }

 private:
  /// The place of a device among those of the run.
  size_t place(const Statement& row, int column) const {
    const int32_t device = tables_.device(row, column);
    const auto at = std::find_if(summary_.devices.begin(), summary_.devices.end(),
                                 [&](const DeviceSum& one) { return one.device == device; });
    tables_.check(at != summary_.devices.end());
    return static_cast<size_t>(at - summary_.devices.begin());
  }

  void read_kernel_times() {
    std::map<std::pair<size_t, size_t>, std::pair<int64_t, int64_t>> sums;
    Statement rows = tables_.of_run(
        "SELECT dimension, label, device, kernels_ns, compute_ns FROM labels_by_device WHERE run = "
        "?1 ORDER BY rowid",
        run_);
    while (rows.step()) {
      const auto dimension = summary_.dimension(rows.text(0));
      tables_.check(dimension.has_value());
      const size_t device = place(rows, 2);
      summary_.kernel_times.push_back({.dimension = *dimension,
                                       .label = std::string(rows.text(1)),
                                       .device = summary_.devices[device].device,
                                       .kernels_ns = tables_.amount(rows, 3),
                                       .compute_ns = tables_.amount(rows, 4)});
      const analyze::KernelTime& one = summary_.kernel_times.back();
      auto& [kernels_ns, compute_ns] = sums[{*dimension, device}];
      kernels_ns = add_saturated(kernels_ns, one.kernels_ns);
      compute_ns = add_saturated(compute_ns, one.compute_ns);
    }
    for (const auto& [key, sum] : sums) {
      const DeviceSum& of = summary_.devices[key.second];
      tables_.check(sum.first == of.compute_ns + of.exposed_communication_ns &&
                    sum.second == of.compute_ns);
    }
  }

  void read_streams() {
    int64_t operations = 0, total_ns = 0;
    Statement rows = tables_.of_run(
        "SELECT device, stream, operations, total_ns, span_ns, busy_ns, longest_gap_ns FROM "
        "streams WHERE run = ?1 ORDER BY rowid",
        run_);
    while (rows.step()) {
      analyze::StreamUse one;
      const DeviceSum& device = summary_.devices[place(rows, 0)];
      one.device = device.device;
      one.stream = rows.integer(1);
      one.operations = tables_.amount(rows, 2);
      one.total_ns = tables_.amount(rows, 3);
      one.span_ns = tables_.amount(rows, 4);
      one.busy_ns = tables_.amount(rows, 5);
      one.longest_gap_ns = tables_.amount(rows, 6);
      tables_.check(one.busy_ns <= one.span_ns && one.span_ns <= device.span_ns &&
                    one.longest_gap_ns <= one.span_ns);
      operations = add_saturated(operations, one.operations);
      total_ns = add_saturated(total_ns, one.total_ns);
      out_.streams.streams.push_back(one);
    }
    tables_.check(operations == summary_.operations && total_ns == summary_.gpu_total_ns);
  }

  void read_in_flight() {
    constexpr int64_t max_at_once = 1 << 20;
    Statement rows = tables_.of_run(
        "SELECT device, operations, total_ns FROM in_flight WHERE run = ?1 ORDER BY rowid", run_);
    while (rows.step()) {
      std::vector<int64_t>& times = out_.streams.devices[place(rows, 0)].in_flight_ns;
      const int64_t running = tables_.amount(rows, 1);
      tables_.check(running <= max_at_once && running >= static_cast<int64_t>(times.size()));
      times.resize(static_cast<size_t>(running) + 1);
      times.back() = tables_.amount(rows, 2);
    }
    for (size_t i = 0; i < summary_.devices.size(); ++i) {
      int64_t span_ns = 0;
      const std::vector<int64_t>& times = out_.streams.devices[i].in_flight_ns;
      for (const int64_t ns : times) span_ns = add_saturated(span_ns, ns);
      tables_.check(span_ns == summary_.devices[i].span_ns &&
                    (times.empty() || times[0] == summary_.devices[i].idle_ns));
    }
  }

  void read_bins() {
    Statement rows = tables_.of_run(
        "SELECT device, begin_ns, end_ns, operation_ns, most FROM in_flight_over_time WHERE run = "
        "?1 ORDER BY rowid",
        run_);
    while (rows.step()) {
      std::vector<Concurrency::Bin>& bins = out_.streams.devices[place(rows, 0)].bins;
      const int64_t begin_ns = tables_.amount(rows, 1), end_ns = tables_.amount(rows, 2);
      tables_.check(begin_ns < end_ns && static_cast<int64_t>(bins.size()) < Concurrency::max_bins);
      bins.push_back({begin_ns + begin_ns_, end_ns + begin_ns_, tables_.amount(rows, 3),
                      tables_.amount(rows, 4)});
    }
  }

  void read_overlaps() {
    Statement rows = tables_.of_run(
        "SELECT device, communication_stream, compute_stream, communication_ns, overlap_ns FROM "
        "stream_overlap WHERE run = ?1 ORDER BY rowid",
        run_);
    while (rows.step()) {
      const size_t device = place(rows, 0);
      Concurrency::Overlap one;
      one.communication_stream = rows.integer(1);
      if (!rows.is_null(2)) one.compute_stream = rows.integer(2);
      one.communication_ns = tables_.amount(rows, 3);
      one.overlap_ns = tables_.amount(rows, 4);
      tables_.check(one.overlap_ns <= one.communication_ns &&
                    one.communication_ns <= summary_.devices[device].communication_ns);
      out_.streams.devices[device].overlaps.push_back(one);
    }
  }

  void read_groups() {
    Statement rows = tables_.of_run(
        "SELECT device, group_id, coalesce(\"group\", ''), coalesce(ranks, ''), "
        "coalesce(description, ''), kind, coalesce(kernel, ''), group_size, instances, total_ns, "
        "bytes FROM saved_collective_groups WHERE run = ?1 ORDER BY rowid",
        run_);
    while (rows.step()) {
      const DeviceSum& device = summary_.devices[place(rows, 0)];
      if (out_.members.empty() || out_.members.back().device != device.device) {
        tables_.check(out_.members.empty() || out_.members.back().device < device.device);
        job::Member& added = out_.members.emplace_back();
        added.device = device.device;
        added.first_start_ns = device.first_start_ns;
        sums_.emplace_back();
      }
      job::Member& member = out_.members.back();
      tables_.check(rows.integer(1) == static_cast<int64_t>(member.groups.size()));
      const auto kind = job::collective_kind_from(rows.text(5));
      if (!kind) tables_.refuse("has a collective of an unknown kind");
      job::CollectiveGroup& group = member.groups.emplace_back();
      group.name = rows.text(2);
      group.ranks = rows.text(3);
      group.description = rows.text(4);
      group.kind = *kind;
      group.kernel = rows.text(6);
      if (!rows.is_null(7)) group.size = tables_.amount(rows, 7);
      sums_.back().push_back({.instances = tables_.amount(rows, 8),
                              .total_ns = tables_.amount(rows, 9),
                              .bytes = tables_.amount_or_nothing(rows, 10)});
    }
  }

  void read_collectives() {
    size_t next = 0;
    Statement rows = tables_.of_run(
        "SELECT device, collectives FROM saved_collectives WHERE run = ?1 ORDER BY rowid", run_);
    while (rows.step()) {
      tables_.check(next < out_.members.size() &&
                    out_.members[next].device == tables_.device(rows, 0));
      tables_.check(unpack_collectives(rows.text(1), sums_[next], out_.members[next]));
      ++next;
    }
    tables_.check(next == out_.members.size());
  }

  const SavedTables& tables_;
  const std::string& run_;
  analyze::RunSummary& summary_;
  SavedRun& out_;
  int64_t begin_ns_ = std::numeric_limits<int64_t>::max();
  std::vector<std::vector<job::CollectiveRest>> sums_;  // by member and group
};

}  // namespace

void read_saved_devices(const SavedTables& tables, const std::string& run, SavedRun& saved) {
  DevicesReader(tables, run, saved).read();
}

}  // namespace kr::changes
