// How evenly time is spread over ranks and devices.
#include "tables/scope_parts.hpp"
#include "tables/scoped.hpp"

namespace kr::tables {

const Definition balance_table =
    scoped("balance", "load balance of ranks and devices",
           "One row per time of devices, label, kernel, or time of exchanges of experts: how "
           "evenly it is spread over the ranks.",
           {{.part = rank_balance_part(), .name = "device", .key = "what"},
            {.part = label_balance_part(), .by = "dimension", .key = "label"},
            {.part = kernel_balance_part(), .name = "kernel", .key = "name"},
            {.part = moe_exchange_balance_part(), .name = "moe_exchange", .key = "what"}});

}  // namespace kr::tables
