// What each device did over its span.
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

void add_devices(const Source& source, RowSink& sink) {
  for (const Run& run : source.runs) {
    for (const analyze::DeviceSum& one : run.summary.devices) {
      sink.row({run.summary.id, int64_t{one.device}, table::cell_or_nothing(one.name),
                one.operations, one.span_ns, one.busy_ns, one.compute_ns, one.communication_ns,
                one.exposed_communication_ns, one.memory_ns, one.exposed_memory_ns, one.idle_ns,
                one.first_start_ns});
    }
  }
}

}  // namespace

const Definition devices_table{
    {"devices",
     "time breakdown by device",
     "One row per run and device: span = compute + exposed communication + exposed memory + idle.",
     {{"run", Unit::text, Role::key, "The run."},
      {"device", Unit::id, Role::key, "The number of the device."},
      {"device_name", Unit::text, Role::detail, "Its name, if the trace has one.", true},
      {"operations", Unit::count, Role::measure, "Operations that ran on it."},
      {"span_ns", Unit::ns, Role::measure, "From its first start to its last end."},
      {"busy_ns", Unit::ns, Role::measure, "The time in which at least one operation ran."},
      {"compute_ns", Unit::ns, Role::measure, "The time in which a compute kernel ran."},
      {"communication_ns", Unit::ns, Role::detail,
       "The time in which communication ran, including the time when compute also ran."},
      {"exposed_communication_ns", Unit::ns, Role::measure,
       "The time in which communication ran and no compute."},
      {"memory_ns", Unit::ns, Role::detail, "The time in which a copy or set ran."},
      {"exposed_memory_ns", Unit::ns, Role::measure,
       "The time in which a copy or set ran, and neither compute nor communication."},
      {"idle_ns", Unit::ns, Role::measure, "The time of the span in which nothing ran."},
      {"first_start_ns", Unit::ns, Role::detail,
       "When its first operation begins, on the clock of the trace."}}},
    needs<analyze::RunSummary>,
    add_devices};

}  // namespace kr::tables
