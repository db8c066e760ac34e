// An SQLite export of any schema, with any values: it ends soon, and each row is an operation or a
// counted loss, or there is an Error that says why. KR_LONG=1: see support/rounds.hpp.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sqlite.hpp"
#include "support/rounds.hpp"
#include "trace/open.hpp"

namespace kr {
namespace {

class TestFolder {
 public:
  TestFolder() : path_((std::filesystem::temp_directory_path() / "kr-test-XXXXXX").string()) {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A random schema of an export with its rows, as SQL.
class Schema {
 public:
  explicit Schema(uint64_t seed) : random_(seed) {
    sql_ = fmt::format("PRAGMA encoding = '{}'; PRAGMA page_size = {}; PRAGMA synchronous = OFF;",
                       one({"UTF-8", "UTF-8", "UTF-16le", "UTF-16be"}), 512 << below(4));
    wal_ = below(8) == 0;
    if (wal_) sql_ += "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;";
    sql_ += "BEGIN;";
    if (below(8) != 0) strings();
    kernels = table("CUPTI_ACTIVITY_KIND_KERNEL", {"start", "end", "deviceId", "streamId",
                                                   "demangledName", "correlationId", "globalPid"});
    if (below(2) == 0) {
      copies =
          table("CUPTI_ACTIVITY_KIND_MEMCPY", {"start", "end", "deviceId", "streamId", "copyKind"});
    }
    if (below(2) == 0) {
      calls = table("CUPTI_ACTIVITY_KIND_RUNTIME",
                    {"start", "end", "globalTid", "correlationId", "nameId"});
    }
    if (below(2) == 0) {
      ranges = table("NVTX_EVENTS",
                     {"start", "end", "eventType", "globalTid", "text", "textId", "endGlobalTid"});
    }
    if (below(4) == 0) table("TARGET_INFO_GPU", {"id", "name", "cuDevice"});
    if (below(4) == 0) table("ENUM_CUDA_MEMCPY_OPER", {"id", "label"});
    if (below(6) == 0) {
      sql_ +=
          "CREATE VIEW v AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x FROM r) "
          "SELECT x FROM r;";
    }
    if (below(8) == 0) {
      sql_ += "CREATE TRIGGER t AFTER INSERT ON TRIGGERED BEGIN DELETE FROM TRIGGERED; END;";
      sql_.insert(sql_.rfind("CREATE TRIGGER"), "CREATE TABLE TRIGGERED (a);");
    }
    if (below(2) == 0) {
      samples = table("GPU_METRICS", {"timestamp", "typeId", "metricId", "value"});
      if (below(6) != 0) {
        table("TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"});
      }
      if (below(2) == 0) table("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"});
    }
    sql_ += "COMMIT;";
  }

  const std::string& sql() const { return sql_; }
  size_t kernels = 0, copies = 0, calls = 0, ranges = 0, samples = 0;

 private:
  size_t below(size_t limit) { return random_() % limit; }
  std::string one(std::vector<std::string> of) { return of[below(of.size())]; }

  std::string cased(std::string name) {
    if (below(6) != 0) return name;
    for (char& c : name) {
      if (below(2) == 0) c = static_cast<char>(c >= 'a' && c <= 'z' ? c & ~0x20 : c);
    }
    return name;
  }
  std::string quoted(const std::string& name) {
    switch (below(3)) {
      case 0:
        return "[" + name + "]";
      case 1:
        return "`" + name + "`";
      default:
        return "\"" + name + "\"";
    }
  }
  std::string type() {
    return below(4) != 0 ? "INTEGER"
                         : one({"TEXT", "REAL", "BLOB", "NUMERIC", "", "bigint", "int(8)",
                                "VARCHAR(20)", "DATE"});
  }
  /// Mostly what stands in such a column.
  std::string value(const std::string& column, int64_t row) {
    if (below(40) != 0) {
      if (column == "start") return fmt::format("{}", row * 10);
      if (column == "end") return fmt::format("{}", row * 10 + 5);
      if (column == "eventType") return one({"59", "60", "70", "71"});
      if (column == "text" && below(2) == 0) return "'range'";
      return fmt::format("{}", below(9));
    }
    return one({"NULL", "-1", "1.5", "3.0", "'x'", "'7'", "x'00ff'", "9223372036854775807",
                "-9223372036854775808", "1e300", "''", "4294967296", "'\xc3\xa4'", "zeroblob(0)"});
  }

  void strings() {
    sql_ += one({"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);",
                 "CREATE TABLE StringIds (id INTEGER, value TEXT);",
                 "CREATE TABLE stringids (ID INT PRIMARY KEY DESC, VALUE TEXT) WITHOUT ROWID;",
                 "CREATE TABLE StringIds (id INTEGER PRIMARY KEY DESC, value BLOB);",
                 "CREATE TABLE StringIds (id TEXT, value);"});
    for (size_t i = 0; i < below(12); ++i) {
      sql_ += fmt::format("INSERT OR IGNORE INTO StringIds VALUES ({}, {});", below(9),
                          one({"'k\xc3\xb6rnel'", "'gemm'", "NULL", "5", "x'00'"}));
    }
  }

  /// How many rows it has.
  size_t table(const std::string& name, std::vector<std::string> columns) {
    const bool computed = below(10) == 0;
    const bool rowless = below(8) == 0;
    if (rowless || below(8) == 0) columns.emplace_back("k");
    for (const char* const shadow : {"_rowid_", "rowid", "oid"}) {
      if (below(10) == 0) columns.emplace_back(shadow);
    }
    std::shuffle(columns.begin(), columns.end(), random_);
    std::string list;
    std::vector<std::string> stored;
    for (const std::string& column : columns) {
      if (!list.empty()) list += ", ";
      if (computed && column == "end") {
        list += "end AS (start + 5)" + one({"", " STORED", " VIRTUAL"});
        continue;
      }
      list += quoted(cased(column)) + " " + (column == "k" ? "INTEGER NOT NULL" : type());
      stored.push_back(column);
    }
    if (rowless) list += ", PRIMARY KEY (k)";
    const std::string shown = quoted(cased(name));
    sql_ += fmt::format("CREATE TABLE {} ({}){};", shown, list, rowless ? " WITHOUT ROWID" : "");
    if (below(5) == 0) {
      sql_ += fmt::format("CREATE INDEX \"i {}\" ON {} ({}) WHERE {} > 5;", name, shown,
                          quoted(stored[0]), quoted(stored[0]));
    }
    const size_t rows = below(30);
    for (size_t i = 0; i < rows; ++i) {
      std::string values;
      for (const std::string& column : stored) {
        if (!values.empty()) values += ", ";
        values += column == "k" ? fmt::format("{}", i) : value(column, static_cast<int64_t>(i) + 1);
      }
      sql_ += fmt::format("INSERT INTO {} ({}) VALUES ({});", shown, joined(stored), values);
    }
    return rows;
  }
  static std::string joined(const std::vector<std::string>& columns) {
    std::string out;
    for (const std::string& column : columns) {
      if (!out.empty()) out += ", ";
      out += "\"" + column + "\"";
    }
    return out;
  }

  std::mt19937_64 random_;
  bool wal_ = false;
  std::string sql_;
};

uint64_t lost(const trace::Trace& trace, std::initializer_list<std::string_view> whats) {
  uint64_t count = 0;
  for (const trace::DroppedRecords& records : trace.dropped) {
    if (std::find(whats.begin(), whats.end(), records.what) != whats.end()) count += records.count;
  }
  return count;
}

void put_number(std::string& bytes, size_t at, uint64_t value, size_t size) {
  for (size_t i = size; i-- > 0; value >>= 8) bytes[at + i] = static_cast<char>(value);
}

/// Samples of GPU metrics that are there, or of which it is said why they are not.
uint64_t samples_met(const trace::Trace& trace) {
  uint64_t count = lost(
      trace, {"GPU metric sample without a valid time", "GPU metric sample without a value",
              "GPU metric sample whose value is not a number",
              "GPU metric sample with a negative value", "GPU metric sample of an unknown metric",
              "GPU metric sample with the time of another: the first is used"});
  for (const trace::GpuMetric& metric : trace.gpu_metrics->metrics) count += metric.samples.size();
  for (const Warning& warning : trace.warnings) {
    if (warning.code == "gpu-metrics-before-start") count += std::stoull(warning.text);
  }
  return count;
}

}  // namespace

TEST_CASE("each row of an export is an operation or a loss, whatever its schema") {
  const TestFolder folder;
  size_t whole = 0;
  size_t errors = 0;
  // A correlation that is not a number is dropped: found in round 3.
  const uint64_t rounds = test::rounds(150, 3);
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    const Schema schema(seed);
    CAPTURE(schema.sql());
    const std::string path = folder.path(fmt::format("{}.sqlite", seed));
    sqlite::Database::write(path).execute(schema.sql());
    for (const bool host : {false, true}) {
      trace::OpenOptions options;
      options.host = host ? trace::HostDetail::all : trace::HostDetail::range_names;
      options.gpu_metrics = options.memory = host;
      options.threads = 1 + static_cast<unsigned>(seed % 2);
      try {
        const trace::Trace trace = trace::open_trace(path, options);
        CHECK(trace.operations.size() == schema.kernels + schema.copies);
        ++whole;
        if (!host) continue;
        CHECK(samples_met(trace) == schema.samples);
        CHECK(trace.host->launches.size() + lost(trace, {"CUDA call without a valid time"}) ==
              schema.calls);
        CHECK(trace.host->ranges.size() + lost(trace, {"NVTX range without a valid time",
                                                       "NVTX event whose type is not a number"}) <=
              schema.ranges);
        for (const std::string& name : trace.host->range_names) {
          CHECK((name == "range" || name.size() < 60));
        }
      } catch (const Error& error) {
        ++errors;
        CHECK(!error.why().empty());
        CHECK(error.path() == path);
      }
    }
    // What is damaged is a trace or an Error.
    std::mt19937_64 random(seed);
    std::string bytes = read_file(path);
    for (size_t count = 1 + random() % 12; count-- > 0;) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    write_file(path, bytes);
    trace::OpenOptions options;
    options.host = seed % 2 == 0 ? trace::HostDetail::all : trace::HostDetail::none;
    options.gpu_metrics = options.memory = true;
    options.allow_truncated = seed % 3 == 0;
    try {
      trace::open_trace(path, options);
    } catch (const Error& error) {
      CHECK(!error.why().empty());
    }
    std::filesystem::remove(path);
  }
  CHECK(whole > rounds / 3);
  CHECK(errors > rounds / 15);
}

TEST_CASE("pages that lead to one page again and again end") {
  const TestFolder folder;
  const std::string path = folder.path("t.sqlite");
  std::string rows;
  for (int i = 1; i <= 2000; ++i) {
    rows += fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, 'k');", i, i + 1);
  }
  sqlite::Database::write(path).execute(
      "PRAGMA page_size = 512; PRAGMA synchronous = OFF; BEGIN;"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName TEXT);" +
      rows + "COMMIT;");
  std::string bytes = read_file(path);
  constexpr size_t page = 512;
  constexpr size_t levels = 14;
  constexpr char leaf = 0x0d;
  constexpr char inner = 0x05;
  // The table's root is page 2. Leaves become inner pages, each of which leads forty times to the
  // next, and the last to a leaf.
  std::vector<size_t> leaves;
  for (size_t i = 2; i < bytes.size() / page; ++i) {
    if (bytes[i * page] == leaf) leaves.push_back(i + 1);
  }
  REQUIRE(leaves.size() > levels);
  for (size_t level = 0; level < levels; ++level) {
    const size_t begin = (level == 0 ? 1 : leaves[level - 1] - 1) * page;
    constexpr size_t cells = 40;
    constexpr size_t cell = 6;
    bytes[begin] = inner;
    put_number(bytes, begin + 1, 0, 2);
    put_number(bytes, begin + 3, cells, 2);
    put_number(bytes, begin + 5, page - cells * cell, 2);
    put_number(bytes, begin + 8, leaves[level], 4);
    for (size_t i = 0; i < cells; ++i) {
      const size_t at = page - (cells - i) * cell;
      put_number(bytes, begin + 12 + 2 * i, at, 2);
      put_number(bytes, begin + at, leaves[level], 4);
      put_number(bytes, begin + at + 4, 0x8700 + i, 2);  // the number of a row, in two bytes
    }
  }
  write_file(path, bytes);
  for (const bool allow : {false, true}) {
    trace::OpenOptions options;
    options.allow_truncated = allow;
    std::string why;
    try {
      trace::open_trace(path, options);
    } catch (const Error& error) {
      why = error.why();
    }
    CHECK(why.find("takes more than a file of") != why.npos);
  }
}

}  // namespace kr
