// Devices on a terminal: what each did over its span.
#pragma once

#include <string>

#include "overview/overview.hpp"

namespace kr::overview {

/// One line per device of all runs: a bar if there is room, then the span and its four parts, with
/// their shares of it; of several devices a last line with their sums. Empty without devices.
std::string devices_text(const tables::Source& source, TableOptions options);

}  // namespace kr::overview
