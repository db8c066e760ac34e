// Durations by distinct name and device.
#include "analyze/kernels.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_kernels_by_device(const Source& source, RowSink& sink) {
  for (size_t i = 0; i < source.runs.size(); ++i) {
    const Run& run = source.runs[i];
    for (const analyze::KernelStatistics& one : run.get<analyze::Kernels>().all) {
      sink.row({run.summary.id, source.rank(i), int64_t{one.device}, one.name, one.kind,
                one.instances, one.total_ns, one.min_ns, one.max_ns, one.mean_ns, one.stddev_ns,
                one.share});
    }
  }
}

}  // namespace

const Definition kernels_by_device_table{
    {"kernels_by_device",
     "kernel summary by device",
     "One row per run, device and distinct name with the same kind, the largest sum first.",
     {{"run", Unit::text, Role::key, "The run."},
      {"rank", Unit::id, Role::key, "The rank of the run, as in `ranks`."},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"name", Unit::name, Role::key, "The name of the kernel, copy or set."},
      {"kind", Unit::text, Role::key, "`compute`, `communication` or `memory`."},
      {"instances", Unit::count, Role::measure, "Operations of that name on the device."},
      {"total_ns", Unit::ns, Role::measure, "The sum of their durations."},
      {"min_ns", Unit::ns, Role::measure, "The shortest duration."},
      {"max_ns", Unit::ns, Role::measure, "The longest duration."},
      {"mean_ns", Unit::ns, Role::measure, "The mean duration."},
      {"stddev_ns", Unit::ns, Role::measure,
       "The standard deviation of the sample of durations; 0 for one."},
      {"share", Unit::ratio, Role::measure,
       "Their part of the durations of all operations of the run.", false, false, "total_ns"}}},
    needs<analyze::Kernels>,
    add_kernels_by_device};

}  // namespace kr::tables
