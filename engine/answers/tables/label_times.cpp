// Time by label within parts of a run.
#include "tables/scope_parts.hpp"
#include "tables/scoped.hpp"

namespace kr::tables {

const Definition label_times_table =
    scoped("label_times", "time by label within parts of a run",
           "One row per run, dimension, label, and the phase, step, device, rank or exchanges that "
           "it is in.",
           {{.part = phase_labels_part(), .name = "phase", .key = "phase"},
            {.part = step_labels_part(), .name = "step", .key = "step_id"},
            {.part = found_phase_labels_part(), .name = "found_phase", .key = "phase"},
            {.part = labels_by_device_part(), .name = "device", .key = "device"},
            {.part = rank_labels_part(), .name = "rank", .key = "rank"},
            {.part = moe_exchange_labels_part(), .name = "moe_exchange", .key = "phase"}});

}  // namespace kr::tables
