// Aggregates that SQLite lacks, for queries over tables.
#pragma once

struct sqlite3;

namespace kr::session {

/// `median(x)`: the mean of the middle values if they are two and differ. `percentile(x, p)`: the
/// least value that p percent of the values do not exceed, as in tables; p is from 0 to 100 and the
/// same for all rows. Both are NULL of no numbers; NULLs and texts do not count.
void add_sql_functions(sqlite3* connection);

}  // namespace kr::session
