// An SQLite export with bytes changed at random gives a trace or an Error, and nothing else.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/sqlite.hpp"
#include "support/rounds.hpp"
#include "trace/launched.hpp"
#include "trace/open.hpp"

namespace kr {
namespace {

std::string small_export(const std::string& path) {
  {
    const auto base = sqlite::Database::write(path);
    base.execute(
        "PRAGMA page_size = 512; PRAGMA synchronous = OFF; BEGIN;"
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
        "streamId INTEGER, demangledName INTEGER, correlationId INTEGER, globalPid INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
        "correlationId INTEGER, nameId INTEGER);"
        "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid "
        "INTEGER, text TEXT, textId INTEGER, endGlobalTid INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, copyKind INTEGER);"
        "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, cuDevice INTEGER);"
        "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, metricName TEXT);"
        "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (1, 1, 'SMs Active [Throughput %]');"
        "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value "
        "INTEGER);"
        "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER, deviceId "
        "INTEGER, address INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER, "
        "localMemoryPoolAddress INTEGER, localMemoryPoolSize INTEGER, "
        "localMemoryPoolUtilizedSize INTEGER);"
        "INSERT INTO TARGET_INFO_GPU VALUES (1, 'H100', 0);");
    for (int i = 0; i < 60; ++i) {
      base.execute(fmt::format(
          "INSERT INTO StringIds VALUES ({0}, 'kernel {0}');"
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({0}, {0} + 5, 0, 7, {0}, {0}, "
          "16777216);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({0}, {0} + 1, 16777217 + "
          "{0} % 2, {0}, {0});"
          "INSERT INTO NVTX_EVENTS VALUES ({0}, {0} + 9, 59 + {0} % 2, 16777217, "
          "'range {0}', NULL, 16777217 + {0} % 4 / 2);"
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({0}, {0} + 3, 1);"
          "INSERT INTO GPU_METRICS VALUES ({0}, 1, 1, {0});"
          "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES ({0}, 16777216, 0, {0} % 7, {0}, 2, "
          "{0} % 2, 1, 64, {0});",
          i));
    }
    base.execute("COMMIT");
  }
  return read_file(path);
}

}  // namespace

TEST_CASE("a damaged export is a trace or an error") {
  std::string folder = (std::filesystem::temp_directory_path() / "kr-test-XXXXXX").string();
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string path = folder + "/t.sqlite";
  const std::string whole = small_export(path);
  CHECK(trace::open_trace(path).operations.size() == 120);
  size_t errors = 0;
  // A row without a correlation gets none: found in round 6.
  const uint64_t rounds = test::rounds(200, 6);
  for (uint64_t seed = 1; seed <= rounds; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::string bytes = whole;
    for (size_t count = 1 + random() % 12; count-- > 0;) {
      bytes[16 + random() % (bytes.size() - 16)] = static_cast<char>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    write_file(path, bytes);
    trace::OpenOptions options;
    options.allow_truncated = random() % 2 == 0;
    options.host = random() % 2 == 0 ? trace::HostDetail::all : trace::HostDetail::none;
    options.gpu_metrics = options.memory = random() % 2 == 0;
    try {
      const trace::Trace trace = trace::open_trace(path, options);
      CHECK(trace.operations.size() <= 100000);
      if (!trace.host) continue;
      CHECK(trace.host->launch_of.size() == trace.operations.size());
      size_t opened = 0;
      trace::sweep_launches(
          *trace.host, [&](uint32_t, uint32_t) { ++opened; }, [](const trace::SweptLaunch&) {});
      CHECK(opened <= trace.host->ranges.size());
    } catch (const Error& error) {
      ++errors;
      CHECK(!error.why().empty());
    }
  }
  CHECK(errors > rounds / 15);
  std::filesystem::remove_all(folder);
}

}  // namespace kr
