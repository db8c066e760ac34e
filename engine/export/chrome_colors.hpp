// The colours that chrome://tracing knows by name: an event's `cname` is one of them.
#pragma once

#include <string_view>

namespace kr::exports {

/// The name of that which looks most like `#rrggbb`; of equals the first in Chrome's list.
std::string_view chrome_color(std::string_view color);

}  // namespace kr::exports
