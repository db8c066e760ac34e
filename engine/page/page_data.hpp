// What the page knows of the runs, as JSON that may stand inside a script element.
#pragma once

#include <string>

#include "overview/report.hpp"

namespace kr::page {

/// Appends it. Whole numbers are JSON numbers where a double holds them, strings otherwise; texts
/// of kernels, labels and rules stand once in `texts` and are meant by their place in it.
void append_page_data(std::string& out, const overview::Report& report);

/// A guess of what `append_page_data` appends, for `reserve`.
size_t estimated_page_data(const overview::Report& report);

}  // namespace kr::page
