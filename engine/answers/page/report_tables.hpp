// The tables of a report where the user chooses none: of its page, JSON and terminal.
#pragma once

#include <array>

namespace kr::page {

inline constexpr std::array report_tables{
    "optimize_first",    "ncu_match", "ncu_kernels",  "roofline",
    "roofline_roofs",    "devices",   "coverage",     "labels",
    "label_balance",     "ranks",     "rank_balance", "efficiency",
    "efficiency_labels", "scaling",   "kernels",      "kernel_balance"};

}  // namespace kr::page
