#include "trace/operation_details.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>

#include "base/sqlite.hpp"
#include "support.hpp"

namespace kr::test::operation_details_test {
namespace {

using trace::DetailField;

trace::Trace read(const Folder& folder, const std::string& sql, trace::HostDetail host,
                  size_t block_size = 256 << 10) {
  const std::string path = folder.path("t.sqlite");
  sqlite::Database::write(path).execute(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'a'), (2, 'b');" +
      sql);
  trace::OpenOptions options;
  options.host = host;
  options.operation_details = true;
  options.block_size = block_size;
  return trace::open_trace(path, options);
}

/// Start, correlation, grid, block, registers, bytes and source of every operation.
std::string lines_of(const trace::Trace& trace) {
  std::string out;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    out += fmt::format("{} {}", trace.operations[i].start_ns, trace.details->correlation_of[i]);
    for (const DetailField field :
         {DetailField::grid_x, DetailField::block_z, DetailField::registers, DetailField::bytes,
          DetailField::source_kind, DetailField::graph_node}) {
      const auto value = trace.details->of(i).get(field);
      out += value ? fmt::format(" {}", *value) : " -";
    }
    out += '\n';
  }
  return out;
}

const std::string kernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, demangledName INTEGER, "
    "correlationId INTEGER, gridX INTEGER, blockZ INTEGER, registersPerThread INTEGER, "
    "graphNodeId INTEGER);";
const std::string copies =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, copyKind INTEGER, "
    "correlationId INTEGER, bytes INTEGER, srcKind INTEGER);";

}  // namespace

TEST_CASE("details follow their operations, whatever the order of rows") {
  const Folder folder;
  const std::string sql =
      kernels + copies +
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (50, 60, 1, 5, 8, 1, 32, NULL), "
      "(10, 20, 2, 1, 4, 1, 16, 9), (30, 40, 1, 3, 8, 1, 32, NULL);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (20, 25, 1, 2, 4096, 0), (5, 6, 2, 0, 8, 2);";
  const std::string expected =
      "5 0 - - - 8 2 -\n10 1 4 1 16 - - 9\n20 2 - - - 4096 0 -\n30 3 8 1 32 - - -\n"
      "50 5 8 1 32 - - -\n";
  for (const auto host : {trace::HostDetail::none, trace::HostDetail::all}) {
    const trace::Trace trace = read(folder, sql, host);
    CHECK(lines_of(trace) == expected);
    CHECK(trace.details->distinct.size() == 4);
    CHECK(trace.details->memory_kinds.at(0) == "Pageable");
    std::filesystem::remove(folder.path("t.sqlite"));
  }
}

TEST_CASE("operations that differ in correlation alone have one order") {
  const Folder folder;
  const std::string sql =
      kernels +
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 1, 7, 70, 1, 1, 0), "
      "(1, 2, 1, 3, 30, 1, 1, 0), (1, 2, 1, 5, 50, 1, 1, 0);";
  CHECK(lines_of(read(folder, sql, trace::HostDetail::none)) ==
        "1 3 30 1 1 - - 0\n1 5 50 1 1 - - 0\n1 7 70 1 1 - - 0\n");
}

TEST_CASE("many distinct details in many blocks keep their operations") {
  const Folder folder;
  std::string rows;
  constexpr int count = 3000;
  for (int i = 0; i < count; ++i) {
    // Rows go backwards in time.
    rows += fmt::format("{}({}, {}, 1, {}, {}, 1, 1, 0)", i == 0 ? "" : ",", count - i,
                        count - i + 1, i, i * 7 % 1000);
  }
  const trace::Trace trace =
      read(folder, kernels + "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " + rows + ";",
           trace::HostDetail::none, 1024);
  REQUIRE(trace.operations.size() == count);
  CHECK(trace.details->distinct.size() == 1000);
  for (size_t i = 0; i < count; ++i) {
    const int64_t row = count - trace.operations[i].start_ns;
    CHECK(trace.details->correlation_of[i] == row);
    CHECK(trace.details->of(i).get(DetailField::grid_x) == row * 7 % 1000);
  }
}

TEST_CASE("what is not a number is left out and counted") {
  const Folder folder;
  const trace::Trace trace = read(folder,
                                  kernels +
                                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
                                      "(1, 2, 1, -1, 'wide', 1, '64', NULL), "
                                      "(3, 4, 1, 4294967295, NULL, 1, 1, NULL);",
                                  trace::HostDetail::none);
  CHECK(lines_of(trace) == "1 4294967295 - 1 64 - - -\n3 4294967295 - 1 1 - - -\n");
  REQUIRE(trace.dropped.size() == 1);
  CHECK(trace.dropped[0].what == "launch shape or size of an operation that is not a number");
}

TEST_CASE("a trace has no details unless they are asked for") {
  const Folder folder;
  const std::string path = folder.path("t.sqlite");
  sqlite::Database::write(path).execute(kernels);
  CHECK(trace::open_trace(path).details == nullptr);
}

}  // namespace kr::test::operation_details_test
