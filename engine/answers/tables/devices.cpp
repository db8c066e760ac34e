// What each device did over its span.
#include "tables/columns.hpp"
#include "tables/definition.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::DeviceSum;

using DeviceRow = Parts<Run, DeviceSum>;
void add_devices(const Source& source, Rows<DeviceRow>& rows) {
  for (const Run& run : source.runs) {
    for (const DeviceSum& one : run.summary.devices) {
      rows.add({run, one});
    }
  }
}

}  // namespace

const Definition devices_table = TableOf<DeviceRow>{
    {"devices",
     "time breakdown by device",
     "One row per run and device: span = compute + exposed communication + exposed memory + idle.",
     {run_column,
      {head::device, &DeviceSum::device},
      {"device_name", Unit::text, Role::detail, "Its name, if the trace has one.", &DeviceSum::name,
       optional},
      {"operations", Unit::count, Role::measure, "Operations that ran on it.",
       &DeviceSum::operations},
      {head::span_ns, &DeviceSum::span_ns},
      {"busy_ns", Unit::ns, Role::measure, "The time in which at least one operation ran.",
       &DeviceSum::busy_ns},
      {"compute_ns", Unit::ns, Role::measure, "The time in which a compute kernel ran.",
       &DeviceSum::compute_ns},
      {"communication_ns", Unit::ns, Role::detail,
       "The time in which communication ran, including the time when compute also ran.",
       &DeviceSum::communication_ns},
      {"exposed_communication_ns", Unit::ns, Role::measure,
       "The time in which communication ran and no compute.", &DeviceSum::exposed_communication_ns},
      {"memory_ns", Unit::ns, Role::detail, "The time in which a copy or set ran.",
       &DeviceSum::memory_ns},
      {"exposed_memory_ns", Unit::ns, Role::measure,
       "The time in which a copy or set ran, and neither compute nor communication.",
       &DeviceSum::exposed_memory_ns},
      {"idle_ns", Unit::ns, Role::measure, "The time of the span in which nothing ran.",
       &DeviceSum::idle_ns},
      {"first_start_ns", Unit::ns, Role::detail,
       "When its first operation begins, on the clock of the trace.", &DeviceSum::first_start_ns}}},
    needs<analyze::RunSummary>,
    add_devices};

}  // namespace kr::tables
