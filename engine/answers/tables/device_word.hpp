// What the devices of runs are called in sentences.
#pragma once

#include <span>
#include <string_view>

#include "tables/run.hpp"
#include "tables/source.hpp"

namespace kr::tables {

/// `GPU`, `TPU`, `NPU`, or `device` of others and where runs differ; by the names of the devices,
/// or the format of the trace.
std::string_view device_word(std::span<const Run* const> runs);
/// Of all runs.
std::string_view device_word(const Source& source);

}  // namespace kr::tables
