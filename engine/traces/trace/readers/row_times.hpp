// The times of an operation in a row of SQLite.
#pragma once

#include <string_view>

#include "base/sqlite.hpp"
#include "trace/time_fault.hpp"

namespace kr::trace {

struct RowTimes {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
};

/// Times that cannot be right are marked (trace/time_fault.hpp). Calls `fail(why)`, which throws,
/// on values that are not whole numbers, and if `strict`, on all that cannot be right.
template <class Fail>
RowTimes row_times(const sqlite::Statement::Cell& start, const sqlite::Statement::Cell& end,
                   bool strict, const Fail& fail) {
  using Type = sqlite::Statement::Type;
  const auto refuse = [&](bool wrong, std::string_view why) {
    if (wrong) fail(why);
  };
  const bool has_start = start.type == Type::integer;
  const bool has_end = end.type == Type::integer;
  refuse(!has_start && (strict || start.type != Type::null),
         "its start is missing or not a whole number");
  refuse(!has_end && end.type != Type::null, "its end is not a whole number");
  refuse(!has_end && strict, "its end is missing");
  if (!has_start) return {no_start(TimeFault::missing), 0};
  refuse(start.integer < 0 && strict, "its start is negative");
  if (start.integer < 0) return {no_start(TimeFault::negative), 0};
  if (!has_end) return {start.integer, no_duration(TimeFault::missing)};
  refuse(end.integer < start.integer && strict, "it ends before it starts");
  if (end.integer < start.integer) return {start.integer, no_duration(TimeFault::backwards)};
  return {start.integer, end.integer - start.integer};
}

}  // namespace kr::trace
