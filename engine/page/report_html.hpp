// report.html: a report's labels, names, ranks and devices, in one file that needs nothing else.
#pragma once

#include <string>

#include "overview/report.hpp"

namespace kr::page {

/// A page that needs nothing else: data, script and style in one file.
std::string to_html(const overview::Report& report);

}  // namespace kr::page
