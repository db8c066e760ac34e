// Memory in use: of the whole run, by phase and step, and what modules allocated.
#include "analyze/memory.hpp"

#include <algorithm>

#include "analyze/steps.hpp"
#include "tables/columns.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using analyze::MemoryKind;
using analyze::MemoryModule;
using analyze::MemoryPart;
using analyze::MemoryUse;

struct MemoryRow : Parts<Run, MemoryUse, MemoryKind, MemoryPart> {};

/// Calls `each` for the runs that have events of memory.
template <class Each>
void each_memory_run(const Source& source, const Each& each) {
  for (const Run& run : source.runs) {
    if (const MemoryUse* const use = run.find<MemoryUse>()) each(run, *use);
  }
}

bool any_memory(const Source& source, bool (*has)(const MemoryUse& use)) {
  bool any = false;
  each_memory_run(source, [&](const Run&, const MemoryUse& use) { any |= has(use); });
  return any;
}

std::string without_memory_phases(const Source& source) {
  return any_memory(source, [](const MemoryUse& use) { return !use.phases.empty(); })
             ? std::string()
             : "no annotation of a trace matches the `phases` of its model";
}

std::string without_memory_modules(const Source& source) {
  return any_memory(source, [](const MemoryUse& use) { return !use.modules.empty(); })
             ? std::string()
             : "no trace with memory events contains modules; PyTorch's profiler records them with "
               "`with_modules=True` and `with_stack=True`";
}

void add_memory(const Source& source, Rows<MemoryRow>& rows) {
  each_memory_run(source, [&](const Run& run, const MemoryUse& use) {
    for (const MemoryPart& part : use.whole) rows.add({{run, use, use.series[part.series], part}});
  });
}

struct MemoryPhaseRow : MemoryRow {
  std::string_view phase;
};

void add_memory_phases(const Source& source, Rows<MemoryPhaseRow>& rows) {
  each_memory_run(source, [&](const Run& run, const MemoryUse& use) {
    for (const MemoryPart& part : use.in_phases) {
      rows.add({{{run, use, use.series[part.series], part}}, use.phases[part.key]});
    }
  });
}

struct MemoryStepRow : MemoryRow {
  analyze::StepPart step;
};

void add_memory_steps(const Source& source, Rows<MemoryStepRow>& rows) {
  each_memory_run(source, [&](const Run& run, const MemoryUse& use) {
    const analyze::StepParts& steps = run.get<analyze::StepSums>().steps;
    for (const MemoryPart& part : use.in_steps) {
      rows.add({{{run, use, use.series[part.series], part}}, steps[part.key]});
    }
  });
}

using MemoryModuleRow = Parts<Run, MemoryKind, MemoryModule>;

void add_memory_modules(const Source& source, Rows<MemoryModuleRow>& rows) {
  each_memory_run(source, [&](const Run& run, const MemoryUse& use) {
    for (const MemoryModule& one : use.modules) rows.add({run, use.series[one.series], one});
  });
}

template <class Row>
Columns<Row> kind_columns() {
  return {
      {"source", Unit::text, Role::key,
       "What reports it: `allocator`, the allocator of PyTorch or another framework; `driver`, "
       "calls of the CUDA driver, of which an allocator makes one for many tensors; `pool`, memory "
       "pools of the driver (`cudaMallocAsync`).",
       [](const MemoryKind& one) { return to_string(one.source); }},
      {"memory", Unit::text, Role::key,
       "The kind of memory: of an allocator the type of the device, such as `cuda`, `hip` or "
       "`cpu`; "
       "of the driver `Device`, `Pinned` (memory of the host), `Managed` (of either).",
       &MemoryKind::kind},
      {"device", Unit::id, Role::key,
       "The device, as the source numbers it: PyTorch numbers those that its process can use, "
       "which "
       "may differ from `devices`. Empty: the host.",
       &MemoryKind::device, optional}};
}

template <class Row>
Columns<Row> use_columns() {
  return {
      {"peak_bytes", Unit::bytes, Role::measure,
       "The most that was in use at once. Of `driver` this is what was allocated since the trace "
       "began and not released: at least so much more than then.",
       &MemoryPart::peak_bytes, optional},
      {"peak_reserved_bytes", Unit::bytes, Role::measure,
       "The most that the allocator or the pool held of the driver at once.",
       &MemoryPart::peak_reserved_bytes, optional},
      {"first_bytes", Unit::bytes, Role::measure, "In use after the first event.",
       &MemoryPart::first_bytes, optional},
      {"last_bytes", Unit::bytes, Role::measure, "In use after the last event.",
       &MemoryPart::last_bytes, optional},
      {"peak_at_ns", Unit::ns, Role::measure,
       "When the peak was reached first, on the host, counted from the start of the run's first "
       "operation; negative: before it.",
       [](const MemoryRow& row) {
         const MemoryPart& part = row;
         return part.peak_bytes ? Cell(part.peak_ns - row.of<MemoryUse>().first_start_ns) : Cell();
       },
       optional},
      {"peak_step_id", Unit::id, Role::detail,
       "The innermost step then, as in `steps`; empty: none.",
       [](const MemoryPart& part) {
         return part.peak_step ? Cell(static_cast<int64_t>(*part.peak_step)) : Cell();
       },
       optional},
      {"peak_step", Unit::text, Role::measure, "Its annotation.",
       [](const MemoryRow& row) {
         const MemoryPart& part = row;
         return part.peak_step ? std::string_view(row.of<MemoryUse>().steps[*part.peak_step])
                               : std::string_view();
       },
       optional},
      {"peak_module", Unit::text, Role::measure,
       "The innermost module of the thread that reached the peak, if the trace has modules.",
       &MemoryPart::peak_module, optional},
      {"allocations", Unit::count, Role::measure, "Allocations.", &MemoryPart::allocations},
      {"allocated_bytes", Unit::bytes, Role::measure, "Their sum.", &MemoryPart::allocated_bytes},
      {"releases", Unit::count, Role::measure, "Releases.", &MemoryPart::releases},
      {"released_bytes", Unit::bytes, Role::measure, "Their sum.", &MemoryPart::released_bytes},
      {"unknown_releases", Unit::count, Role::measure,
       "Of `driver`, those of memory that was allocated before the trace began: they lower no "
       "total.",
       &MemoryPart::unknown_releases},
      {"out_of_memory", Unit::count, Role::measure, "Requests that failed for lack of memory.",
       &MemoryPart::out_of_memory}};
}

const Definition memory_part = TableOf<MemoryRow>{
    {.id = "memory",
     .title = "memory",
     .doc = "One row per run, source, kind of memory and device: how much was in use. Times are "
            "those of the host: work that was queued may still have used what is released.",
     .columns = {run_column, kind_columns<MemoryRow>(), use_columns<MemoryRow>()}},
    needs<MemoryUse>,
    add_memory,
    nullptr};

const Definition memory_phases_part = TableOf<MemoryPhaseRow>{
    {.id = "memory_phases",
     .title = "memory by phase",
     .doc = "One row per run, source, kind of memory, device and phase: how much was in use while "
            "steps of the phase ran on the host, or when one of them began. The events of all "
            "threads of the process count.",
     .columns = {run_column,
                 kind_columns<MemoryPhaseRow>(),
                 {head::phase_of_phases, &MemoryPhaseRow::phase},
                 use_columns<MemoryPhaseRow>()}},
    needs<MemoryUse>,
    add_memory_phases,
    without_memory_phases};

const Definition memory_steps_part = TableOf<MemoryStepRow>{
    {.id = "memory_steps",
     .title = "memory by step",
     .doc = "One row per run, source, kind of memory, device and step: how much was in use while "
            "its annotation was open on the host, or when it began.",
     .columns = {run_column,
                 kind_columns<MemoryStepRow>(),
                 {"step_id", Unit::id, Role::key, "The step, as in `steps`.",
                  [](const MemoryPart& part) { return static_cast<int64_t>(part.key); }},
                 {head::phase_of_step, [](const MemoryStepRow& row) { return row.step.phase; }},
                 {head::step, [](const MemoryStepRow& row) { return row.step.step; }},
                 use_columns<MemoryStepRow>()},
     .in_short_form = false},
    needs<MemoryUse, analyze::StepSums>,
    add_memory_steps,
    without_memory_phases};

const Definition memory_modules_part = TableOf<MemoryModuleRow>{
    {.id = "memory_modules",
     .title = "memory by module",
     .doc = "One row per run, source, kind of memory, device and name of a module: what threads "
            "allocated while it was their innermost module. Releases are not subtracted.",
     .columns = {run_column,
                 kind_columns<MemoryModuleRow>(),
                 {"module", Unit::text, Role::key, "The module; empty: outside modules.",
                  &MemoryModule::module, optional},
                 {"allocations", Unit::count, Role::measure, "Allocations.",
                  &MemoryModule::allocations},
                 {"allocated_bytes", Unit::bytes, Role::measure, "Their sum.",
                  &MemoryModule::allocated_bytes}},
     .in_short_form = false},
    needs<MemoryUse>,
    add_memory_modules,
    without_memory_modules};

}  // namespace

const Definition memory_table = scoped(
    "memory", "memory", "One row per run, source, kind of memory, device, and what it is about.",
    {{.part = memory_part, .name = "run"},
     {.part = memory_phases_part, .name = "phase", .key = "phase"},
     {.part = memory_steps_part, .name = "step", .key = "step_id"},
     {.part = memory_modules_part, .name = "module", .key = "module"}});

}  // namespace kr::tables
