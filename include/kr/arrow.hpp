// Tables for other libraries in one process, through the Arrow C stream interface.
#pragma once

#include <cstdint>
#include <memory>

#include "kr/arrow.h"
#include "kr/table.hpp"

namespace kr::render {

/// The largest number of rows in one record batch.
inline constexpr int64_t arrow_batch_rows = int64_t{64} << 10;

/// Fills `out` with a stream of record batches. The consumer releases it, as the interface says.
///
/// - Columns: text is `large_utf8`, boolean `bool`, whole numbers `int64`, other numbers `float64`.
///   A column that is only for terminals (role `short_form`) is left out.
/// - Metadata of a column: `unit`, `role`, `doc`; of the schema: `table`, `title`, `doc`.
/// - A byte of a text that is not UTF-8 becomes four characters, `\xNN`.
///
/// Rows are made on a thread of the stream, only during a call of `get_next`. If that fails, it
/// returns an errno code, and `get_last_error` says why. What the table refers to has to outlive
/// the stream; `owner` lives as long as the stream.
void arrow(Table table, std::shared_ptr<const void> owner, ArrowArrayStream* out);

}  // namespace kr::render
