// Columns that a table of an nsys export lacks. What can be read without them is; what cannot is
// said.
#pragma once

#include <vector>

#include "trace/readers/nsys_rows.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Adds a note for each column without which numbers of a device, a stream or a kind are made up,
/// or, with `host`, operations are not linked to calls: `no-device-column`, else `missing-columns`.
/// `tables`: those that have rows.
void note_missing_columns(const SqliteTables& schema, const std::vector<NsysTable>& tables,
                          bool host, TraceBuilder& out);

}  // namespace kr::trace
