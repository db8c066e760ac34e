// Every cuda_gpu_trace CSV and SQLite export of the shared data against its exact numbers.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "support/source_folder.hpp"
#include "unit/trace/support.hpp"

namespace kr::test {
namespace {

using Metrics = std::map<std::string, std::string>;

const std::string folder = test::source_folder() + "/../shared/data/nsys/";

std::map<std::string, Metrics> read_oracle() {
  std::map<std::string, Metrics> out;
  std::ifstream file(folder + "ORACLE.tsv");
  std::string line;
  while (std::getline(file, line)) {
    const size_t first = line.find('\t');
    const size_t second = line.find('\t', first + 1);
    if (second == line.npos) continue;
    out[line.substr(0, first)][line.substr(first + 1, second - first - 1)] =
        line.substr(second + 1);
  }
  return out;
}

// The same metrics, counted from a trace.
Metrics measure(const trace::Trace& trace) {
  int64_t counts[3] = {};
  int64_t sums[3] = {};
  std::set<std::string_view> kernels;
  std::set<std::string_view> names;
  std::set<std::pair<int32_t, int64_t>> streams;
  std::map<std::string, int64_t> devices;
  for (const trace::Operation& operation : trace.operations) {
    const trace::OperationName& name = trace.names.get(operation.name);
    const auto kind = static_cast<size_t>(name.kind);
    ++counts[kind];
    sums[kind] += operation.duration_ns;
    names.insert(name.text);
    if (name.kind == OperationKind::kernel) kernels.insert(name.text);
    const trace::Track& track = trace.track(operation.track);
    streams.emplace(track.device, track.stream);
    ++devices[trace.format == "nsys-sqlite"
                  ? fmt::format("{}", track.device)
                  : fmt::format("{} ({})", track.device_name, track.device)];
  }
  std::string per_device;
  for (const auto& [device, events] : devices) {
    per_device +=
        fmt::format("{}\"{}\": {{\"events\": {}", per_device.empty() ? "" : "|", device, events);
  }
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{"events", text(trace.operations.size())},
          {"kernels", text(counts[0])},
          {"memcpys", text(counts[1])},
          {"memsets", text(counts[2])},
          {"kernel_ns", text(sums[0])},
          {"memcpy_ns", text(sums[1])},
          {"memset_ns", text(sums[2])},
          {"kernel_names", text(kernels.size())},
          {"names", text(names.size())},
          {"devices", text(devices.size())},
          {"streams", text(streams.size())},
          {"first_start_ns", text(trace.first_start_ns)},
          {"last_end_ns", text(trace.last_end_ns)},
          {"per_device", per_device}};
}

void check_per_device(const std::string& counted, const std::string& told) {
  size_t at = 0;
  while (at <= counted.size()) {
    const size_t end = std::min(counted.find('|', at), counted.size());
    CHECK_MESSAGE(told.find(counted.substr(at, end - at) + ",") != told.npos, told);
    at = end + 1;
  }
}

}  // namespace

TEST_CASE("traces of the shared data give the numbers of their oracle") {
  size_t checked = 0;
  for (const auto& [file, metrics] : read_oracle()) {
    const auto kind = metrics.find("kind");
    if (kind == metrics.end() || !metrics.contains("events")) continue;
    if (kind->second != "cuda_gpu_trace.csv" && kind->second != "nsys-sqlite") continue;
    const std::string& name = file;  // clang 14 captures no structured binding
    CAPTURE(name);
    const trace::Trace trace = trace::open_trace(folder + file);
    CHECK(trace.dropped.empty());
    for (const auto& [metric, value] : measure(trace)) {
      const std::string& measured = metric;
      CAPTURE(measured);
      if (metric == "per_device") {
        check_per_device(value, metrics.at(metric));
      } else {
        CHECK(value == metrics.at(metric));
      }
    }
    ++checked;
  }
  CHECK(checked == 14);
}

TEST_CASE("CSV and SQLite of one session are one trace") {
  const std::pair<const char*, const char*> sessions[] = {
      {"balinski_report16.cuda_gpu_trace.stdout.2023.4.csv", "balinski_report16.sqlite"},
      {"mfu_2gpu_after.cuda_gpu_trace.2023.4.csv", "mfu_2gpu_after.sqlite"},
      {"power_iteration.cuda_gpu_trace.us.2023.4.csv", "power_iteration__baseline.sqlite"}};
  for (const auto& [csv, sqlite] : sessions) {
    const std::string name = csv;
    CAPTURE(name);
    const bool same =
        dump(trace::open_trace(folder + csv)) == dump(trace::open_trace(folder + sqlite));
    CHECK(same);
  }
}

}  // namespace kr::test
