// Two million rows of rocmProfileData (`.rpd`), half of them operations and half calls, to a sorted
// Trace.
//
// Contenders: a bare loop of sqlite3_step over the same columns, which keeps nothing but a sum, and
// the reader, with operations only and with the host trace (which reads a third table of links).
#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "trace/open.hpp"

namespace {

constexpr int64_t rows_of_each = 1'000'000;

sqlite3* open(const std::string& path) {
  sqlite3* base = nullptr;
  if (sqlite3_open(path.c_str(), &base) != SQLITE_OK) throw std::runtime_error("no " + path);
  return base;
}

void make(const std::string& path) {
  sqlite3* const base = open(path);
  const std::string numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
      std::to_string(rows_of_each) + ") ";
  const std::string sql =
      "CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT);"
      "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, sequenceId "
      "INTEGER, completionSignal TEXT, start INTEGER, end INTEGER, description_id INTEGER, "
      "opType_id INTEGER);"
      "CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start INTEGER, "
      "end INTEGER, apiName_id INTEGER, args_id INTEGER);"
      "CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER);"
      "INSERT INTO rocpd_string VALUES (1, ''), (2, 'KernelExecution'), (3, 'hipLaunchKernel');" +
      numbers + "INSERT INTO rocpd_string SELECT 3 + i, 'kernel_' || i FROM n WHERE i <= 500;" +
      numbers +
      "INSERT INTO rocpd_op SELECT i, i % 8, i % 3, 0, '', 1000000000 + i * 5000, 1000004000 + i * "
      "5000, 4 + i % 500, 2 FROM n;" +
      numbers +
      "INSERT INTO rocpd_api SELECT i, 7, 7 + i % 2, 999990000 + i * 5000, 999992000 + i * 5000, "
      "3, "
      "1 FROM n;" +
      numbers + "INSERT INTO rocpd_api_ops SELECT i, i, i FROM n;";
  if (sqlite3_exec(base, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(sqlite3_errmsg(base));
  }
  sqlite3_close(base);
}

/// KR_BENCH_RPD: another file.
std::string file() {
  if (const char* const other = std::getenv("KR_BENCH_RPD")) return other;
  const auto path = std::filesystem::temp_directory_path() / "kr-bench" / "large.rpd";
  std::filesystem::create_directories(path.parent_path());
  if (!std::filesystem::exists(path)) make(path.string());
  return path.string();
}

void bare_scan(benchmark::State& state) {
  const std::string path = file();
  int64_t rows = 0;
  for (auto _ : state) {
    sqlite3* const base = open(path);
    int64_t sum = 0;
    rows = 0;
    for (const char* const query :
         {"SELECT start, end, description_id, opType_id, gpuId, queueId, id FROM rocpd_op",
          "SELECT start, end, apiName_id, args_id, pid, tid, id FROM rocpd_api"}) {
      sqlite3_stmt* statement = nullptr;
      sqlite3_prepare_v2(base, query, -1, &statement, nullptr);
      while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int column = 0; column < 7; ++column) sum += sqlite3_column_int64(statement, column);
        ++rows;
      }
      sqlite3_finalize(statement);
    }
    sqlite3_close(base);
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(rows * state.iterations());
}

void reader(benchmark::State& state) {
  const std::string path = file();
  kr::trace::OpenOptions options;
  if (state.range(0) > 0) options.host = kr::trace::HostDetail::all;
  int64_t rows = 0;
  for (auto _ : state) {
    const kr::trace::Trace trace = kr::trace::open_trace(path, options);
    rows = static_cast<int64_t>(trace.operations.size());
    if (trace.host) rows += static_cast<int64_t>(trace.host->launches.size());
    if (rows == 0) state.SkipWithError("operations are missing");
  }
  state.SetItemsProcessed(rows * state.iterations());
}

void measured(benchmark::internal::Benchmark* task) {
  task->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(bare_scan)->Apply(measured);
BENCHMARK(reader)->ArgName("host")->Arg(0)->Arg(1)->Apply(measured);

}  // namespace
