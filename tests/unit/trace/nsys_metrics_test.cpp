#include <doctest/doctest.h>
#include <fmt/format.h>

#include <optional>

#include "base/sqlite.hpp"
#include "support.hpp"

namespace kr::test::nsys_metrics_test {
namespace {

/// A typeId as nsys makes it: what the source is, and the number of the GPU in the lowest 8 bits.
constexpr int64_t type(int64_t gpu) {
  return int64_t{0x41} << 48 | int64_t{3} << 24 | gpu;
}

const std::string names =
    "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, "
    "metricId INTEGER, metricName TEXT);";
const std::string samples =
    "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value "
    "INTEGER);";
const std::string kernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
    "streamId INTEGER, demangledName INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 100, 0, 7, 1);";

std::string name(int64_t gpu, int64_t metric, std::string_view text) {
  return fmt::format("INSERT INTO TARGET_INFO_GPU_METRICS VALUES ({}, 1, 'GPU', {}, '{}');",
                     type(gpu), metric, text);
}
std::string sample(std::string_view time, int64_t gpu, int64_t metric, std::string_view value) {
  return fmt::format("INSERT INTO GPU_METRICS VALUES ({}, {}, {}, {});", time, type(gpu), metric,
                     value);
}

trace::Trace read(const Folder& folder, const std::string& sql, bool wanted = true,
                  size_t block_size = size_t{256} << 10) {
  const std::string path = folder.path("t.sqlite");
  sqlite::Database::write(path).execute(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
      "INSERT INTO StringIds VALUES (1, 'k');" +
      kernels + sql);
  trace::OpenOptions options;
  options.gpu_metrics = wanted;
  options.block_size = block_size;
  return trace::open_trace(path, options);
}

/// All metrics, then what is to be known of them.
std::string shown(const trace::Trace& trace) {
  std::string out;
  for (const trace::GpuMetric& metric : trace.gpu_metrics->metrics) {
    out += fmt::format("{}/{} {} {} every {}:", metric.gpu,
                       metric.device ? fmt::format("{}", *metric.device) : "?", metric.name,
                       to_string(metric.unit), metric.period_ns);
    for (const trace::MetricSample& one : metric.samples) {
      out += fmt::format(" {}={}", one.time_ns, metric.in_unit(one.value));
    }
    out += '\n';
  }
  for (const trace::DroppedRecords& one : trace.dropped) {
    out += fmt::format("dropped {} {} at {}\n", one.count, one.what, one.first_offset);
  }
  for (const Warning& warning : trace.warnings) {
    out += fmt::format("{} {}\n", warning.severity, warning.code);
  }
  return out;
}

}  // namespace

TEST_CASE("GPU metrics: joined on both ids, by GPU and name, in the order of time") {
  const Folder folder;
  const trace::Trace trace = read(
      folder, names + samples + name(0, 1, "SMs Active [Throughput %]") +
                  name(0, 2, "GPC Clock Frequency [MHz]") + name(1, 1, "Warps [Avg]") +
                  name(1, 2, "PCIe [MB/s]") + name(1, 3, "Power [mW]") + sample("-5", 0, 1, "3") +
                  sample("100", 0, 1, "50") + sample("100", 0, 2, "1980") +
                  sample("300", 0, 1, "25") + sample("200", 0, 1, "100") +
                  sample("200", 0, 2, "1410") + sample("100", 1, 1, "7.5") +
                  sample("100", 1, 2, "12") + sample("100", 1, 3, "250000"));
  CHECK(shown(trace) ==
        "0/0 GPC Clock Frequency [MHz] hz every 100: 100=1980000000 200=1410000000\n"
        "0/0 SMs Active [Throughput %] ratio every 100: 100=0.5 200=1 300=0.25\n"
        "1/1 PCIe [MB/s] bytes_per_s every 0: 100=12000000\n"
        "1/1 Power [mW] watts every 0: 100=250\n"
        "1/1 Warps [Avg] number every 0: 100=7.5\n"
        "info gpu-metrics-before-start\n");
}

TEST_CASE("GPU metrics: clocks are Hz where the values say so") {
  const Folder folder;
  const trace::Trace trace =
      read(folder, names + samples + name(0, 2, "GPC Clock Frequency [MHz]") +
                       sample("100", 0, 2, "1979999812") + sample("200", 0, 2, "0"));
  CHECK(shown(trace) == "0/0 GPC Clock Frequency [MHz] hz every 100: 100=1979999812 200=0\n");
}

TEST_CASE("GPU metrics: they are read only if they are wanted") {
  const Folder folder;
  CHECK(read(folder, names + samples, false).gpu_metrics == nullptr);
  const Folder other;
  CHECK(read(other, "").gpu_metrics->metrics.empty());
}

TEST_CASE("GPU metrics: rows that cannot be") {
  const Folder folder;
  const trace::Trace trace =
      read(folder, names + samples + name(0, 1, "A [Throughput %]") +
                       name(0, 1, "B [Throughput %]") + name(0, 9, "") + sample("NULL", 0, 1, "1") +
                       sample("'soon'", 0, 1, "1") + sample("1.5", 0, 1, "1") +
                       sample("1", 0, 1, "NULL") + sample("2", 0, 1, "'much'") +
                       sample("3", 0, 1, "x'00'") + sample("4", 0, 1, "1e999") +
                       sample("5", 0, 1, "-1") + sample("6", 0, 7, "1") + sample("7", 1, 1, "1") +
                       "INSERT INTO GPU_METRICS VALUES (8, NULL, 1, 1);"
                       "INSERT INTO GPU_METRICS VALUES (8, 'gpu', 1, 1);" +
                       sample("20", 0, 1, "101") + sample("10", 0, 1, "40") +
                       sample("20", 0, 1, "60") + sample("9223372036854775807", 0, 1, "0"));
  CHECK(shown(trace) ==
        "0/0 A [Throughput %] ratio every 9223372036854775787: 10=0.4 20=1 9223372036854775807=0\n"
        "dropped 1 GPU metric id with two names: the first is used at 1\n"
        "dropped 1 GPU metric without ids or a name at 0\n"
        "dropped 3 GPU metric sample without a valid time at 1\n"
        "dropped 1 GPU metric sample without a value at 4\n"
        "dropped 3 GPU metric sample whose value is not a number at 5\n"
        "dropped 1 GPU metric sample with a negative value at 8\n"
        "dropped 4 GPU metric sample of an unknown metric at 9\n"
        "dropped 1 GPU metric sample with the time of another: the first is used at 2\n"
        "dropped 1 GPU metric value over 100 %: read as 100 % at 0\n");
}

TEST_CASE("GPU metrics: tables and columns that are missing") {
  const auto lines = [](const std::string& sql) {
    const Folder folder;
    return shown(read(folder, sql));
  };
  CHECK(lines(samples + sample("1", 0, 1, "1")) ==
        "dropped 1 GPU metric sample of an unknown metric at 1\n");
  CHECK(lines(names + name(0, 1, "A")).empty());
  CHECK(lines("CREATE TABLE GPU_METRICS (timestamp INTEGER, value INTEGER);") ==
        "dropped 1 table of GPU metrics without times, ids or values at 0\n");
  CHECK(lines("CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, typeId INTEGER, metricId INTEGER, "
              "value INTEGER, PRIMARY KEY (rawTimestamp, metricId)) WITHOUT ROWID;"
              "INSERT INTO GPU_METRICS VALUES (7, 3, 2, 1);"
              "CREATE TABLE TARGET_INFO_GPU_METRICS (metricId INTEGER, metricName TEXT);"
              "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (2, 'Warps');") ==
        "3/3 Warps number every 0: 7=1\n");
  CHECK(lines(names + "CREATE VIEW GPU_METRICS AS SELECT 1 AS timestamp;") ==
        "dropped 1 view or virtual table GPU_METRICS at 0\n");
}

TEST_CASE("GPU metrics: nsys's number of a GPU and CUDA's number of the device") {
  const auto devices = [](const std::string& sql) {
    const Folder folder;
    return shown(read(folder, names + samples + name(0, 1, "A") + name(1, 1, "A") +
                                  name(2, 1, "A") + sample("1", 0, 1, "1") +
                                  sample("1", 1, 1, "1") + sample("1", 2, 1, "1") + sql));
  };
  const auto metrics = [](std::string_view a, std::string_view b, std::string_view c) {
    return fmt::format(
        "0/{} A number every 0: 1=1\n1/{} A number every 0: 1=1\n2/{} A number every 0: 1=1\n", a,
        b, c);
  };
  CHECK(devices("") == metrics("0", "1", "2"));
  const std::string gpus =
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, cuDevice INTEGER);";
  CHECK(devices(gpus + "INSERT INTO TARGET_INFO_GPU VALUES (0, 'a', 1), (1, 'a', 0), "
                       "(2, 'b', NULL);") == metrics("1", "0", "?"));
  const std::string cuda =
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);";
  CHECK(devices(gpus + cuda +
                "INSERT INTO TARGET_INFO_GPU VALUES (0, 'a', 0);"
                "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (2, 0, 11), (2, 0, 12);") ==
        metrics("?", "?", "0"));
  // One process per GPU, each with a device 0; operations do not tell their process.
  CHECK(devices(cuda + "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 11), (1, 0, 12), "
                       "(2, 1, 12);") == metrics("?", "?", "1") + "warning gpu-metric-devices\n");
}

TEST_CASE("GPU metrics: read in pieces, all are there in the order of the file") {
  const Folder folder;
  std::string sql = names + samples + name(0, 1, "A") + name(0, 2, "B") + "BEGIN;";
  for (int i = 0; i < 3000; ++i) {
    sql += sample(std::to_string(i / 2 * 10), 0, 1 + i % 2, std::to_string(i));
  }
  const trace::Trace trace = read(folder, sql + "COMMIT;", true, 64);
  REQUIRE(trace.gpu_metrics->metrics.size() == 2);
  for (size_t metric = 0; metric < 2; ++metric) {
    const auto& all = trace.gpu_metrics->metrics[metric].samples;
    REQUIRE(all.size() == 1500);
    for (size_t i = 0; i < all.size(); ++i) {
      REQUIRE(all[i].time_ns == static_cast<int64_t>(10 * i));
      REQUIRE(all[i].value == static_cast<double>(2 * i + metric));
    }
  }
}

TEST_CASE("GPU metrics of 2021: JSON in GENERIC_EVENTS, among other events") {
  const Folder folder;
  const trace::Trace trace =
      read(folder,
           "CREATE TABLE GENERIC_EVENTS (rawTimestamp INTEGER, typeId INTEGER, data TEXT);"
           "INSERT INTO GENERIC_EVENTS VALUES "
           "(-1, 257, '{\"GR Active\": 1, \"GPC Clock Frequency\": 1380}'),"
           "(100, 257, '{\"GR Active\": 90, \"GPC Clock Frequency\": 1380, \"Draw Started\": 3}'),"
           "(200, 257, '{\"GR Active\": 50, \"GPC Clock Frequency\": -1}'),"
           "(300, 257, '[1]'), (400, 257, NULL), (500, 257, '{'),"
           "(600, 9, '{\"cpu\": 1}'), (700, 9, 'text');");
  CHECK(shown(trace) ==
        "1/1 Draw Started number every 0: 100=3\n"
        "1/1 GPC Clock Frequency hz every 0: 100=1380000000\n"
        "1/1 GR Active ratio every 100: 100=0.9 200=0.5\n"
        "dropped 1 GPU metric of 2021 whose value is not a positive number at 3\n"
        "dropped 3 GPU metrics of 2021 without a time or a JSON object at 4\n"
        "info gpu-metrics-before-start\n");
}

}  // namespace kr::test::nsys_metrics_test
