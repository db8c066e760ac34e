#include "trace/readers/nsys_missing.hpp"

#include <fmt/format.h>

#include <string_view>

#include "trace/readers/nsys_host_rows.hpp"

namespace kr::trace {
namespace {

struct MissingColumn {
  std::string_view name;
  const char* without;
  bool host = false;  // of use only with calls of the host
};

constexpr MissingColumn device_number{"deviceId", "all its operations are assigned to device 0"};

constexpr MissingColumn of_operations[] = {
    {"streamId", "all its operations are assigned to stream 0"},
    {"correlationId", "its operations have no launch", true},
};
constexpr MissingColumn of_copies[] = {
    {"copyKind", "where copies come from and go to is not known"},
};
constexpr MissingColumn of_calls[] = {
    {"globalTid", "all calls are taken to be of one thread"},
    {"nameId", "calls have no names"},
};

}  // namespace

void note_missing_columns(const SqliteTables& schema, const std::vector<NsysTable>& tables,
                          bool host, TraceBuilder& out) {
  const auto note = [&](const char* code, std::string_view table, const SqliteColumns& columns,
                        const MissingColumn& column) {
    if ((column.host && !host) || columns.has(column.name)) return;
    out.warn(code, fmt::format("{} has no column `{}`: {}", table, column.name, column.without));
  };
  for (const NsysTable table : tables) {
    const SqliteColumns columns = schema.columns(name_of(table));
    note("no-device-column", name_of(table), columns, device_number);
    for (const auto& column : of_operations) {
      note("missing-columns", name_of(table), columns, column);
    }
    if (table != NsysTable::memcpy) continue;
    for (const auto& column : of_copies) note("missing-columns", name_of(table), columns, column);
  }
  constexpr NsysHostTable calls = NsysHostTable::calls;
  if (!host || !schema.has(name_of(calls)) || !has_columns(schema, calls)) return;
  const SqliteColumns columns = schema.columns(name_of(calls));
  for (const auto& column : of_calls) note("missing-columns", name_of(calls), columns, column);
}

}  // namespace kr::trace
