#pragma once

#include <span>
#include <string>

#include "trace/input.hpp"

namespace kr::trace {

/// TraceFormat::cut_database of nsys SQLite.
void cut_nsys(Input& input, std::span<const Trace* const> reduced, const std::string& location,
              const std::string& path);

}  // namespace kr::trace
