// The named colours of chrome://tracing: an event's `cname` is one of them.
#pragma once

#include <string_view>

namespace kr::exports {

/// The name of the colour nearest to `#rrggbb`; of equals the first in Chrome's list.
std::string_view chrome_color(std::string_view color);

}  // namespace kr::exports
