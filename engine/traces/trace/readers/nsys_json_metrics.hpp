// GPU metrics as exports of 2021 have them: GENERIC_EVENTS (rawTimestamp, typeId, data), where
// `data` is a JSON object of names and values: {"GR Active": 92, "SM Active": 81, "GPC Clock
// Frequency": 1380}.
//
// GENERIC_EVENTS has events of other sources, too. A typeId is of GPU metrics if its first object
// has a metric that every GPU has.
#pragma once

#include <functional>

#include "base/sqlite.hpp"
#include "trace/gpu_metrics.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

using AddMetricSample =
    std::function<void(int64_t type, std::string_view name, MetricSample sample)>;

/// Calls `add` for each value, in the order of the rows. False if the file had less than its tables
/// say. Rows that cannot be read are counted as dropped.
bool read_json_metrics(const SqliteTables& schema, TraceBuilder& out, const AddMetricSample& add);

}  // namespace kr::trace
