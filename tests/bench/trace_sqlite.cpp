// Three million operations of an nsys SQLite export to a sorted Trace.
//
// Contender: a bare loop of sqlite3_step over the same columns of the same tables, which keeps
// nothing but a sum; on one thread, and on two connections that share the tables by row number.
#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "trace/open.hpp"
#include "trace_data.hpp"

namespace {

constexpr int rows = 3000000;

std::string file() {
  return kr::bench::large_trace("sqlite", rows);
}

struct Scanned {
  int64_t count = 0;
  int64_t sum = 0;
};

// Part `part` of `parts`, of all three tables.
Scanned scan(const std::string& path, int part, int parts) {
  sqlite3* base = nullptr;
  if (sqlite3_open_v2(path.c_str(), &base, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr) !=
      SQLITE_OK) {
    throw std::runtime_error("cannot open " + path);
  }
  Scanned out;
  const std::string place = "SELECT start, end, deviceId, streamId, ";
  const std::string queries[] = {place + "demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL",
                                 place + "copyKind FROM CUPTI_ACTIVITY_KIND_MEMCPY",
                                 place + "0 FROM CUPTI_ACTIVITY_KIND_MEMSET"};
  for (const std::string& query : queries) {
    const std::string table = query.substr(query.rfind(' ') + 1);
    const std::string size = "(SELECT max(rowid) FROM " + table + ")";
    const std::string range = " WHERE rowid > " + size + " * " + std::to_string(part) + " / " +
                              std::to_string(parts) + " AND rowid <= " + size + " * " +
                              std::to_string(part + 1) + " / " + std::to_string(parts);
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(base, (query + (parts == 1 ? "" : range)).c_str(), -1, &statement, nullptr);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int column = 0; column < 5; ++column) out.sum += sqlite3_column_int64(statement, column);
      ++out.count;
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(base);
  return out;
}

void bare_scan(benchmark::State& state) {
  const std::string path = file();
  for (auto _ : state) {
    Scanned first;
    if (state.range(0) == 1) {
      first = scan(path, 0, 1);
    } else {
      Scanned second;
      std::thread other([&] { second = scan(path, 1, 2); });
      first = scan(path, 0, 2);
      other.join();
      first.count += second.count;
      first.sum += second.sum;
    }
    benchmark::DoNotOptimize(first.sum);
    if (first.count != rows) state.SkipWithError("rows are missing");
  }
  state.SetItemsProcessed(rows * state.iterations());
}

void reader(benchmark::State& state) {
  const std::string path = file();
  kr::trace::OpenOptions options;
  options.threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    const kr::trace::Trace trace = kr::trace::open_trace(path, options);
    if (trace.operations.size() != rows) state.SkipWithError("operations are missing");
  }
  state.SetItemsProcessed(rows * state.iterations());
}

// Time of the processor beside that of the clock: all threads, whoever else is at work.
void on_threads(benchmark::internal::Benchmark* task) {
  task->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);
  task->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(bare_scan)->Apply(on_threads);
BENCHMARK(reader)->Apply(on_threads);

}  // namespace
