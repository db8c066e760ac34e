// Parts of tables of several scopes that are defined in files of their own.
#pragma once

#include "tables/definition.hpp"

namespace kr::tables {

// balance.cpp
Definition rank_balance_part();
Definition label_balance_part();
Definition kernel_balance_part();
Definition moe_exchange_balance_part();
// label_times.cpp
Definition phase_labels_part();
Definition step_labels_part();
Definition found_phase_labels_part();
Definition labels_by_device_part();
Definition rank_labels_part();
Definition moe_exchange_labels_part();

}  // namespace kr::tables
