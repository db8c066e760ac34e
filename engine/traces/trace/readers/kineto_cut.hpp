#pragma once

#include <span>

#include "base/gzip.hpp"
#include "trace/input.hpp"

namespace kr::trace {

/// TraceFormat::cut of Kineto JSON.
void cut_kineto(Input& input, std::span<const Trace* const> reduced, const ByteSink& out);

}  // namespace kr::trace
