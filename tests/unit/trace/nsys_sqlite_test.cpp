#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/sqlite.hpp"
#include "support.hpp"

namespace kr::test::nsys_sqlite_test {
namespace {

const std::string kernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
    "streamId INTEGER, demangledName, shortName);";
const std::string strings =
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES (3, 'three'), (9000000000, 'far');";

std::string make(const Folder& folder, const std::string& sql, const char* name = "t.sqlite") {
  const std::string path = folder.path(name);
  sqlite::Database::write(path).execute(sql);
  return path;
}

std::string kernel(const std::string& values) {
  return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " + values + ";";
}

// After the path.
std::string refused(const std::string& sql, const trace::OpenOptions& options = {}) {
  const Folder folder;
  const std::string path = make(folder, sql);
  const std::string what = error_of(path, options);
  return what.starts_with(path) ? what.substr(path.size()) : what;
}

}  // namespace

TEST_CASE("names come by id, by text, or are made up and counted") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(make(
      folder, strings + kernels +
                  kernel("(1, 2, 0, 7, 3, 3), (2, 3, 0, 7, 9000000000, 3), (3, 4, 0, 7, NULL, 3),"
                         "(4, 5, 0, 7, 'inline', 3), (5, 6, 0, 7, 44, 44), (6, 7, 0, 7, 44, 44),"
                         "(7, 8, 0, 7, -1, 3), (8, 9, 0, 7, NULL, NULL)")));
  CHECK(dump(trace) ==
        "1 1 kernel GPU (0) 7 three\n2 1 kernel GPU (0) 7 far\n3 1 kernel GPU (0) 7 three\n"
        "4 1 kernel GPU (0) 7 inline\n5 1 kernel GPU (0) 7 (unnamed kernel 44)\n"
        "6 1 kernel GPU (0) 7 (unnamed kernel 44)\n7 1 kernel GPU (0) 7 (unnamed kernel -1)\n"
        "8 1 kernel GPU (0) 7 (unnamed kernel)\n");
  REQUIRE(trace.dropped.size() == 2);
  CHECK(trace.dropped[0].what == "kernel name id without a string");
  CHECK(trace.dropped[0].count == 3);
  CHECK(trace.dropped[0].first_offset == 5);
  CHECK(trace.dropped[1].what == "operation without a name");
  CHECK(trace.dropped[1].count == 1);
}

TEST_CASE("operations with an open end have no time, and are counted") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(
      make(folder, strings + kernels +
                       kernel("(1, 2, 0, 7, 3, 3), (2, NULL, 0, 7, 3, 3), (3, NULL, 0, 7, 3, 3)")));
  CHECK(trace.operations.size() == 3);
  CHECK(trace.untimed == std::vector<uint32_t>{1, 2});
  CHECK(trace.untimed_why == "2 without a start, an end or a duration");
  CHECK(trace.last_end_ns == 2);
}

TEST_CASE("copies, sets and graphs") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(make(
      folder,
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, copyKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 1), (2, 3, 11), (3, 4, 77);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (4, 5, 1);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, graphId INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (6, 8, 5), (8, 9, 5);"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);"
      "INSERT INTO TARGET_INFO_GPU VALUES (1, 'H100');"));
  CHECK(dump(trace) ==
        "1 1 memcpy GPU (0) 0 [CUDA memcpy Host-to-Device]\n"
        "2 1 memcpy GPU (0) 0 [CUDA memcpy Unified Host-to-Device]\n"
        "3 1 memcpy GPU (0) 0 [CUDA memcpy kind 77]\n4 1 memset H100 (1) 0 [CUDA memset]\n"
        "6 2 kernel GPU (0) 0 [CUDA graph 5]\n8 1 kernel GPU (0) 0 [CUDA graph 5]\n");
  REQUIRE(trace.dropped.size() == 1);
  CHECK(trace.dropped[0].what == "kind of copy without a label");
  CHECK(trace.dropped[0].first_offset == 3);
  const auto count = [&](std::string_view code) {
    return std::count_if(trace.warnings.begin(), trace.warnings.end(),
                         [&](const Warning& warning) { return warning.code == code; });
  };
  // Copies and graphs have no device, and nothing has a stream.
  CHECK(count("no-device-column") == 2);
  CHECK(count("missing-columns") == 3);
  REQUIRE(trace.warnings.size() == 6);
  CHECK(trace.warnings[5].text.starts_with("2 launches of CUDA graphs were traced as a whole"));
}

TEST_CASE("processes that number their GPUs by themselves have different GPUs") {
  const std::string operations =
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER, "
      "globalPid INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1, 2, 0, 11 << 24), (2, 3, 0, 12 << 24), "
      "(3, 4, 1, 12 << 24), (4, 5, 0, 13 << 24);"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, cuDevice INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'A', 0), (4, 'B', 0), (5, 'C', 1);"
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);";
  const auto read = [&](const std::string& devices) {
    const Folder folder;
    return dump(trace::open_trace(make(folder, operations + devices)));
  };
  CHECK(read("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 11), (4, 0, 12), (5, 1, 12);") ==
        "1 1 memset A (0) 0 [CUDA memset]\n2 1 memset B (4) 0 [CUDA memset]\n"
        "3 1 memset C (5) 0 [CUDA memset]\n4 1 memset A (0) 0 [CUDA memset]\n");
  // All processes mean the same: the numbers are CUDA's.
  CHECK(read("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (4, 0, 11), (4, 0, 12), (5, 1, 12);") ==
        "1 1 memset A (0) 0 [CUDA memset]\n2 1 memset A (0) 0 [CUDA memset]\n"
        "3 1 memset C (1) 0 [CUDA memset]\n4 1 memset A (0) 0 [CUDA memset]\n");
}

TEST_CASE("tables without numbered rows are read") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(make(
      folder, strings + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER PRIMARY KEY, end "
                        "INTEGER, shortName INTEGER) WITHOUT ROWID;"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5, 6, 3), (1, 2, 3);"));
  CHECK(dump(trace) == "1 1 kernel GPU (0) 0 three\n5 1 kernel GPU (0) 0 three\n");
}

TEST_CASE("columns may have the names of row numbers") {
  const std::string rows = "(1, 2, 0, 7, 3, 3, 'a'), (2, 3, 0, 7, 3, 3, 'b')";
  for (const char* const hidden : {"_rowid_", "rowid", "OID", "_RowId_"}) {
    const Folder folder;
    const trace::Trace trace = trace::open_trace(
        make(folder, strings +
                         fmt::format("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end "
                                     "INTEGER, deviceId INTEGER, streamId INTEGER, demangledName, "
                                     "shortName, {} TEXT);",
                                     hidden) +
                         kernel(rows)));
    CHECK(trace.operations.size() == 2);
    CHECK(trace.dropped.empty());
  }
  const Folder folder;
  const trace::Trace trace = trace::open_trace(make(
      folder, strings + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, "
                        "demangledName, _rowid_ TEXT, rowid TEXT, oid TEXT);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 3, 'a', 'b', 'c'), "
                        "(2, 3, NULL, 'a', 'b', 'c');"));
  CHECK(trace.operations.size() == 2);
  REQUIRE(trace.dropped.size() == 1);
  CHECK(trace.dropped[0].first_offset == 2);
}

TEST_CASE("what is not a device number or stream is counted") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(
      make(folder, strings + kernels +
                       kernel("(1, 2, 'x', 7, 3, 3), (2, 3, '1', ' 7', 3, 3), (3, 4, NULL, 7, 3, "
                              "3), (4, 5, 2.0, x'37', 3, 3), (5, 6, 1.5, '7', 3, 3)")));
  CHECK(dump(trace) ==
        "1 1 kernel GPU (0) 7 three\n2 1 kernel GPU (1) 7 three\n3 1 kernel GPU (0) 7 three\n"
        "4 1 kernel GPU (2) 0 three\n5 1 kernel GPU (0) 7 three\n");
  REQUIRE(trace.dropped.size() == 2);
  CHECK(trace.dropped[0].what == "operation without a device number: assigned to device 0");
  CHECK(trace.dropped[0].count == 3);
  CHECK(trace.dropped[0].first_offset == 1);
  CHECK(trace.dropped[1].what == "operation without a stream number: assigned to stream 0");
  CHECK(trace.dropped[1].count == 1);
  CHECK(trace.dropped[1].first_offset == 4);
}

TEST_CASE("generated columns, names in any case, UTF-16") {
  const Folder folder;
  for (const char* const stored : {"", " STORED", " VIRTUAL"}) {
    const trace::Trace trace = trace::open_trace(
        make(folder,
             strings + fmt::format("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end "
                                   "INTEGER AS (start + 5){}, shortName);"
                                   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 3);",
                                   stored),
             fmt::format("t{}", stored).c_str()));
    CHECK(dump(trace) == "1 5 kernel GPU (0) 0 three\n");
  }
  CHECK(
      dump(trace::open_trace(make(
          folder,
          "PRAGMA encoding = 'UTF-16le';"
          "CREATE TABLE stringids (ID integer primary key, Value TEXT);"
          "INSERT INTO stringids VALUES (3, 'k\xc3\xb6rnel');"
          "CREATE TABLE \"cupti_activity_kind_Kernel\" (START INTEGER, \"End\" INTEGER, "
          "DEVICEID INTEGER, shortname);"
          "INSERT INTO cupti_activity_kind_kernel VALUES (1, 3, 0, 3), (4, 5, 0, '\xe2\x82\xac');",
          "utf16"))) == "1 2 kernel GPU (0) 0 k\xc3\xb6rnel\n4 1 kernel GPU (0) 0 \xe2\x82\xac\n");
}

TEST_CASE("nothing of a schema is executed") {
  const std::string endless =
      " AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS id, x AS "
      "start, x + 1 AS end, 59 AS eventType, 1 AS globalTid, 'k' AS shortName, 'v' AS value, "
      "randomblob(1000) AS text FROM r;";
  const std::string refusal =
      ": its CUPTI_ACTIVITY_KIND_KERNEL is a view or a virtual table: only tables are read; export "
      "a report with `nsys export --type sqlite`";
  CHECK(refused(strings + "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL" + endless) == refusal);
  CHECK(refused("CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING fts5(start, end);") ==
        refusal);
  const Folder folder;
  trace::OpenOptions options;
  options.host = trace::HostDetail::all;
  const trace::Trace trace = trace::open_trace(
      make(folder, kernels + kernel("(1, 2, 0, 7, 3, 3)") + "CREATE VIEW NVTX_EVENTS" + endless +
                       "CREATE VIEW StringIds" + endless),
      options);
  CHECK(trace.operations.size() == 1);
  REQUIRE(trace.dropped.size() == 3);
  CHECK(trace.dropped[0].what == "view or virtual table NVTX_EVENTS");
  CHECK(trace.dropped[1].what == "view or virtual table StringIds");
  // Functions work for long in a single step of SQLite's machine.
  CHECK(refused(strings + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end AS (start + "
                          "length(hex(zeroblob(1000)))), shortName);"
                          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 3);") ==
        ": SQLite: functions of a database's schema are not executed");
  // Each column uses the one before it twice.
  std::string columns = "c0 INTEGER";
  for (int i = 1; i < 40; ++i) columns += fmt::format(", c{0} AS (c{1} + c{1})", i, i - 1);
  CHECK(refused(strings + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, " + columns +
                ", end AS (c39), shortName);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, c0) VALUES (1, 3);")
            .starts_with(": its table CUPTI_ACTIVITY_KIND_KERNEL has 40 generated columns"));
}

TEST_CASE("rows whose numbers do not rise are missed by no range") {
  const Folder folder;
  const std::string path = make(folder, strings + kernels + kernel("(1, 2, 0, 7, 3, 3)") +
                                            kernel("(2, 3, 0, 7, 3, 3), (3, 4, 0, 7, 3, 3)"));
  std::string bytes = read_file(path);
  // The number of the second row, behind its size and before the size of its header.
  const std::string cell("\x0c\x02\x07", 3);
  const size_t at = bytes.find(cell);
  REQUIRE(at != bytes.npos);
  bytes[at + 1] = '\x70';
  const std::string damaged = folder.write("damaged.sqlite", bytes);
  CHECK(error_of(damaged).find("of which 1 are found by their numbers") != std::string::npos);
}

TEST_CASE("row numbers far apart do no harm") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(
      make(folder,
           strings + kernels +
               "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (rowid, start, end, demangledName) VALUES "
               "(-9223372036854775808, 1, 2, 3), (0, 2, 3, 3), (9223372036854775807, 3, 4, 3);"));
  CHECK(trace.operations.size() == 3);
}

TEST_CASE("the same whatever the ranges and threads") {
  const Folder folder;
  std::string rows;
  for (int i = 0; i < 1000; ++i) {
    rows += fmt::format("{}({}, {}, {}, 7, {}, 3)", i == 0 ? "" : ",", (i * 7919) % 1000,
                        (i * 7919) % 1000 + i % 13, i % 3, i % 5 == 0 ? "3" : "9000000000");
  }
  const std::string path = make(folder, strings + kernels + kernel(rows));
  const std::string expected = dump(trace::open_trace(path));
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const size_t rows_a_range : {1, 7, 100, 5000}) {
      trace::OpenOptions options;
      options.block_size = rows_a_range * 16;
      options.threads = threads;
      const bool same = dump(trace::open_trace(path, options)) == expected;
      CHECK(same);
    }
  }
}

TEST_CASE("no GPU work is a result, no nsys export is none") {
  const Folder folder;
  for (const std::string& sql : {strings, strings + kernels}) {
    const trace::Trace trace =
        trace::open_trace(make(folder, sql, std::to_string(sql.size()).c_str()));
    CHECK(trace.operations.empty());
    REQUIRE(trace.warnings.size() == 1);
    CHECK(trace.warnings[0].text.starts_with("The export contains no GPU work"));
  }
  CHECK(refused("CREATE TABLE a (x); CREATE TABLE b (x);") ==
        ": is an SQLite database, but of no profiler that kr reads: its tables are a, b; export a "
        "report with `nsys export --type sqlite`");
  CHECK(refused("PRAGMA user_version = 1;").starts_with(": is an SQLite database without tables"));
}

TEST_CASE("times that cannot be are named with table and row") {
  const std::string table = ": table CUPTI_ACTIVITY_KIND_KERNEL, row 2: ";
  const std::string again = "; export the report again with `nsys export --type sqlite`";
  const std::string good = "(1, 2, 0, 7, 3, 3), ";
  const auto message = [&](const char* bad) {
    trace::OpenOptions strict;
    strict.strict = true;
    return refused(strings + kernels + kernel(good + bad), strict);
  };
  CHECK(message("(5, 4, 0, 7, 3, 3)") == table + "it ends before it starts" + again);
  CHECK(message("(-5, 4, 0, 7, 3, 3)") == table + "its start is negative" + again);
  CHECK(message("(NULL, 4, 0, 7, 3, 3)") ==
        table + "its start is missing or not a whole number" + again);
  CHECK(message("(1.5, 4, 0, 7, 3, 3)") ==
        table + "its start is missing or not a whole number" + again);
  CHECK(message("(1, 'x', 0, 7, 3, 3)") == table + "its end is not a whole number" + again);
  CHECK(message("(1, 2, -1, 7, 3, 3)") == table + "its device is not a device number" + again);
  CHECK(refused("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER);"
                "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1);") ==
        ": its table CUPTI_ACTIVITY_KIND_KERNEL has no column `end`; export the report again with "
        "`nsys export --type sqlite`");
}

TEST_CASE("times that cannot be right stop nothing, and move nothing") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(make(
      folder, strings + kernels +
                  kernel("(1000, 2000, 0, 7, 3, 3), (1500, 1400, 0, 7, 3, 3), (-5, 4, 0, 7, 3, "
                         "3), (NULL, 4, 0, 7, 3, 3), (0, 0, 0, 7, 3, 3), (0, 0, 0, 7, 3, 3), "
                         "(3000, 4000, 0, 7, 3, 3)")));
  CHECK(trace.operations.size() == 7);
  CHECK(trace.untimed.size() == 5);
  CHECK(trace.untimed_why ==
        "1 without a start, an end or a duration, 1 with a negative start or duration, 1 with an "
        "end before the start, 2 with a start of zero, which others do not have");
  CHECK(trace.first_start_ns == 1000);
  CHECK(trace.last_end_ns == 4000);
}

TEST_CASE("tables that look like GPU work are named") {
  const Folder folder;
  const trace::Trace trace = trace::open_trace(make(
      folder, strings + "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V3 (start INTEGER, end INTEGER);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V3 VALUES (1, 2);"));
  REQUIRE(trace.warnings.size() == 1);
  CHECK(trace.warnings[0].code == "unknown-layout");
  CHECK(trace.warnings[0].text.find("CUPTI_ACTIVITY_KIND_KERNEL_V3. kr reads") !=
        std::string::npos);
  CHECK(refused("CREATE TABLE rocpd_op (x);").find("nsys export --type") == std::string::npos);
}

TEST_CASE("a locked database says so") {
  const Folder folder;
  const std::string path = make(folder, strings + kernels + kernel("(1, 2, 0, 7, 3, 3)"));
  const auto other = sqlite::Database::write(path);
  other.execute("BEGIN EXCLUSIVE");
  CHECK(error_of(path) == path +
                              ": the database is locked by another program; wait until it is done, "
                              "or read a copy");
  other.execute("ROLLBACK");
  CHECK(error_of(path).empty());
}

TEST_CASE("odd names of files are no trouble") {
  const Folder folder;
  for (const char* name : {"a b.sqlite", "a?mode=rw#x%41.sqlite", "ä'\".sqlite", "-x.sqlite"}) {
    CAPTURE(name);
    CHECK(trace::open_trace(make(folder, strings + kernels, name)).operations.empty());
  }
}

TEST_CASE("a database that is cut off is refused, or read as far as it goes") {
  const Folder folder;
  std::string rows;
  for (int i = 0; i < 20000; ++i) {
    rows += fmt::format("{}({}, {}, 0, 7, 3, 3)", i == 0 ? "" : ",", i, i + 1);
  }
  const std::string whole = read_file(make(folder, strings + kernels + kernel(rows)));
  const std::string path = folder.write("cut.sqlite", whole.substr(0, whole.size() / 2));
  CHECK(error_of(path) ==
        fmt::format("{}: at byte {}: the database is cut off here: it should have "
                    "{} bytes; copy or export it again; --allow-truncated reads the complete part",
                    path, whole.size() / 2, whole.size()));
  trace::OpenOptions options;
  options.allow_truncated = true;
  const trace::Trace trace = trace::open_trace(path, options);
  CHECK(trace.operations.size() > 1000);
  CHECK(trace.operations.size() < 20000);
  REQUIRE(!trace.warnings.empty());
  CHECK(trace.warnings[0].text.find("is cut off at byte") != std::string::npos);
  const std::string packed = folder.write("cut.zst", zstd(whole.substr(0, whole.size() / 2)));
  CHECK(error_of(packed).find("the database is cut off here") != std::string::npos);
  CHECK(trace::open_trace(packed, options).operations.size() == trace.operations.size());
}

TEST_CASE("a damaged database is refused") {
  const Folder folder;
  std::string bytes = read_file(make(folder, strings + kernels + kernel("(1, 2, 0, 7, 3, 3)")));
  for (size_t i = 100; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  CHECK(error_of(folder.write("bad.sqlite", bytes)).find("damaged") != std::string::npos);
  const std::string short_file = folder.write("short.sqlite", "SQLite format 3");
  CHECK(!error_of(short_file).empty());
  const std::string magic(std::string_view("SQLite format 3\0", 16));
  CHECK(error_of(folder.write("magic.sqlite", magic)).find("is not an SQLite database") !=
        std::string::npos);
}

TEST_CASE("an export in WAL mode is read from a folder that cannot be written") {
  const Folder folder;
  const std::string path =
      make(folder, "PRAGMA journal_mode = WAL;" + strings + kernels + kernel("(1, 2, 0, 7, 3, 3)"));
  std::filesystem::permissions(
      folder.path(""), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  CHECK(trace::open_trace(path).operations.size() == 1);
  std::filesystem::permissions(folder.path(""), std::filesystem::perms::owner_all);
}

}  // namespace kr::test::nsys_sqlite_test
