#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/sqlite.hpp"
#include "support.hpp"
#include "support/kineto_dump.hpp"

namespace kr::test::nsys_waits_test {
namespace {

constexpr int64_t process = int64_t{1} << 56 | int64_t{77} << 24;  // globalPid

const std::string base =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaStreamSynchronize_v3020'), (3, 'poll');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
    "streamId INTEGER, demangledName INTEGER, correlationId INTEGER, globalPid INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
    "correlationId INTEGER, nameId INTEGER);" +
    fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 30, {}, 5, 2);", process + 9);
const std::string synchronizations =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, syncType INTEGER);";
const std::string system_calls =
    "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);";

trace::Trace read(const std::string& sql, bool waits = true) {
  const Folder folder;
  sqlite::Database::write(folder.path("t.sqlite")).execute(base + sql);
  trace::OpenOptions options;
  options.host = trace::HostDetail::all;
  options.waits = waits;
  return trace::open_trace(folder.path("t.sqlite"), options);
}

std::string synchronization(const std::string& values) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (" + values + ");";
}

/// `type process start-end`, with the function of the call of equal correlation.
std::string shown(const trace::Trace& trace) {
  const trace::HostWaits& waits = *trace.host->waits;
  std::string out;
  for (const auto& one : waits.synchronizations) {
    out += fmt::format("{} {} {}-{}", waits.types[one.type], waits.processes[one.process],
                       one.start_ns, one.end_ns);
    for (const trace::Launch& call : trace.host->launches) {
      if (call.correlation == one.correlation) out += ' ' + trace.host->calls[call.call].name;
    }
    out += '\n';
  }
  for (const auto& one : waits.system_calls) {
    out += fmt::format("{} {} {}-{}\n", waits.names[one.name], waits.processes[one.process],
                       one.start_ns, one.end_ns);
  }
  return out;
}

TEST_CASE("synchronizations by type, and calls of the operating system") {
  const std::string rows =
      synchronizations + system_calls + synchronization(fmt::format("11, 29, 5, {}, 3", process)) +
      synchronization(fmt::format("40, 41, 6, {}, 2", process)) +
      synchronization(fmt::format("40, 42, 7, {}, 9", process)) +
      fmt::format("INSERT INTO OSRT_API VALUES (3, 9, {0}, 3), (4, 5, {0}, 44);", process + 9);
  const std::string number = fmt::format("{}", process >> 24);
  const auto expected = [&](const char* wait_event) {
    return fmt::format(
        "stream_synchronize {0} 11-29 cudaStreamSynchronize\n{1} {0} 40-41\ntype 9 {0} 40-42\n"
        "poll {0} 3-9\n(unnamed call 44) {0} 4-5\n",
        number, wait_event);
  };
  CHECK(shown(read(rows)) == expected("stream_wait_event"));
  CHECK(read(rows).dropped.empty());
  CHECK(read(rows, false).host->waits == nullptr);
  // The names of types are those of the file.
  const std::string names =
      "CREATE TABLE ENUM_CUPTI_SYNC_TYPE (id INTEGER, name TEXT, label TEXT);"
      "INSERT INTO ENUM_CUPTI_SYNC_TYPE VALUES (2, "
      "'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_NEW_EVENT', 'x'), (3, 'other', 'y');";
  CHECK(shown(read(rows + names)) == expected("new_event"));
}

TEST_CASE("tables and rows of waits that cannot be") {
  const trace::Trace none = read("");
  CHECK(shown(none).empty());
  CHECK(none.dropped.empty());
  const trace::Trace bad =
      read(synchronizations + system_calls + synchronization("9, 8, 5, 0, 3") +
           synchronization("'x', 8, 5, 0, 3") + "INSERT INTO OSRT_API VALUES (1, NULL, 0, 3);");
  CHECK(shown(bad).empty());
  CHECK(dump_dropped(bad) ==
        "2 x synchronization without a valid time at 1\n1 x OS runtime call without a valid time "
        "at 1\n");
  const trace::Trace columns = read(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER);"
      "CREATE TABLE OSRT_API (start INTEGER);");
  CHECK(dump_dropped(columns) ==
        "1 x table of synchronizations without the column correlationId at 0\n1 x table of OS "
        "runtime calls without times or names at 0\n");
}

}  // namespace
}  // namespace kr::test::nsys_waits_test
