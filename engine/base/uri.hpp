#pragma once

#include <string>
#include <string_view>

namespace kr {

/// A path as the path of a URI: all but the plainest bytes become `%NN`.
std::string uri_path(std::string_view path);

}  // namespace kr
