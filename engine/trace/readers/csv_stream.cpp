#include "trace/readers/csv_stream.hpp"

#include <fmt/format.h>

namespace kr::trace {

void warn_of_row_cut_off(const Input& input, uint64_t offset, TraceBuilder& out) {
  if (input.truncated()) return;  // said once, for the compressed file
  out.warn("truncated",
           fmt::format("{} is cut off: its last row, at byte {}, is incomplete and is dropped",
                       input.shown(), offset));
}

void warn_where_cut_off(const Input& input, TraceBuilder& out) {
  if (!input.truncated()) return;
  out.warn("truncated",
           fmt::format("{} is cut off: its text ends at byte {}", input.shown(), input.offset()));
}

}  // namespace kr::trace
