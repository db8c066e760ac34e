// `nsys export --type sqlite`: the tables of GPU activity of any schema since 2020.
#pragma once

#include "base/sqlite.hpp"
#include "trace/input.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct NsysReading {
  int64_t rows_a_range = 16384;  // that one thread reads at a time
};

/// Throws Error. With truncated files allowed, what cannot be reached is left out with a warning.
void read_nsys_database(sqlite::Database& database, const OpenOptions& options, TraceBuilder& out,
                        const NsysReading& reading = {});
void read_nsys_sqlite(Input& input, TraceBuilder& out);

}  // namespace kr::trace
