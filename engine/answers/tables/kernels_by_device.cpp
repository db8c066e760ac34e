// Durations by distinct name and device.
#include "analyze/kernels.hpp"
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::KernelStatistics;

struct DeviceKernelRow : Parts<Run, KernelStatistics> {
  int64_t rank;
};

void add_kernels_by_device(const Source& source, Rows<DeviceKernelRow>& rows) {
  for (size_t i = 0; i < source.runs.size(); ++i) {
    const Run& run = source.runs[i];
    for (const KernelStatistics& one : run.get<analyze::Kernels>().all) {
      rows.add({{run, one}, source.rank(i)});
    }
  }
}

}  // namespace

const Definition kernels_by_device_table = TableOf<DeviceKernelRow>{
    {"kernels_by_device",
     "kernel summary by device",
     "One row per run, device and distinct name with the same kind, the largest sum first.",
     {run_column,
      {"rank", Unit::id, Role::key, "The rank of the run, as in `ranks`.", &DeviceKernelRow::rank},
      {head::device, &KernelStatistics::device},
      {head::name, &KernelStatistics::name},
      {"kind", Unit::text, Role::key, "`compute`, `communication` or `memory`.",
       &KernelStatistics::kind},
      {"instances", Unit::count, Role::measure, "Operations of that name on the device.",
       &KernelStatistics::instances},
      {head::total_ns, &KernelStatistics::total_ns},
      {head::min_ns, &KernelStatistics::min_ns},
      {head::max_duration_ns, &KernelStatistics::max_ns},
      {head::mean_duration_ns, &KernelStatistics::mean_ns},
      {"stddev_ns", Unit::ns, Role::measure,
       "The standard deviation of the sample of durations; 0 for one.",
       &KernelStatistics::stddev_ns},
      {"share", Unit::ratio, Role::measure,
       "Their part of the durations of all operations of the run.", &KernelStatistics::share,
       read_with("total_ns")}}},
    needs<analyze::Kernels>,
    add_kernels_by_device};

}  // namespace kr::tables
