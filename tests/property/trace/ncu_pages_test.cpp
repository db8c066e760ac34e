// Metrics of random kernels, spread over several pages in any way, are the same profile as one page
// with all of them; kernels that were profiled again, with other durations, are counted again.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/pieces.hpp"
#include "support/rounds.hpp"
#include "trace/format.hpp"

namespace kr::test::ncu_pages_test {
namespace {

struct Row {
  int id;
  std::string kernel;  // all cells that identify it
  std::string section, metric;
  int64_t value;
};

const std::string header =
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Process ID\","
    "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

std::string line(const Row& row, int process) {
  const char* const unit = row.metric == "Duration" ? "ns" : "byte";
  return fmt::format("\"{}\",{},\"{}\",\"{}\",\"{}\",\"{}\",\"{}\"\n", row.id, row.kernel, process,
                     row.section, row.metric, unit, row.value);
}

std::vector<Row> random_rows(Random& random) {
  std::vector<Row> rows;
  const auto kernels = static_cast<int>(1 + below(random, 20));
  for (int id = 0; id < kernels; ++id) {
    const std::string kernel =
        fmt::format("\"k{}\",\"({}, 1, 1)\",\"(8, {}, 1)\",\"{}\",\"9.0\"", below(random, 2),
                    32 << below(random, 2), 1 + below(random, 2), below(random, 2));
    rows.push_back(
        {id, kernel, "Light", "Duration", 100 + static_cast<int64_t>(below(random, 50))});
    for (size_t metric = 0; metric < below(random, 6); ++metric) {
      rows.push_back({id, kernel, fmt::format("S{}", metric % 2), fmt::format("m{}", metric),
                      static_cast<int64_t>(below(random, 100))});
    }
  }
  return rows;
}

/// Kernels with their metrics, in an order of its own, and the time of all.
std::string read(const std::string& text) {
  trace::OpenOptions options;
  trace::Input input(text, "t", options);
  trace::TraceBuilder builder("t", "ncu-csv");
  trace::ncu_csv_format.read(input, builder);
  const trace::Trace trace = std::move(builder).finish();
  std::vector<std::string> kernels;
  for (const trace::NcuProfile::Kernel& kernel : trace.ncu->kernels) {
    std::vector<std::string> values;
    for (const trace::NcuProfile::Value& value : kernel.values) {
      const trace::NcuProfile::Metric& metric = trace.ncu->metrics[value.metric];
      values.push_back(fmt::format("{}/{}={}", metric.section, metric.name, value.number));
    }
    std::sort(values.begin(), values.end());
    kernels.push_back(fmt::format("{} {} {} {} {} {}: {}\n", kernel.id, kernel.name, kernel.grid[1],
                                  kernel.block[0], kernel.device, kernel.duration_ns.value_or(-1),
                                  fmt::join(values, " ")));
  }
  std::sort(kernels.begin(), kernels.end());
  return fmt::format("{}{} in {}", fmt::join(kernels, ""), trace.operations.size(),
                     trace.last_end_ns);
}

}  // namespace

TEST_CASE("metrics of kernels may be in any number of pages") {
  // A duration of a later page is lost: found in round 1.
  for (uint64_t seed = 1; seed <= rounds(200, 1); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    std::vector<Row> rows = random_rows(random);
    std::string whole = header;
    std::vector<std::string> pages(1 + below(random, 4), header);
    for (const Row& row : rows) whole += line(row, 1);
    std::shuffle(rows.begin(), rows.end(), random);
    for (const Row& row : rows) {
      // Each page may be of a run of its own.
      const size_t page = below(random, pages.size());
      pages[page] += line(row, static_cast<int>(page));
      // What several pages have agrees, but for durations only within a process.
      const size_t other = below(random, pages.size());
      if (row.metric != "Duration" && other != page) {
        pages[other] += line(row, static_cast<int>(other));
      }
    }
    std::string spread;
    for (const std::string& page : pages) spread += page;
    const auto sum = [&](int64_t longer) {
      int64_t all = 0;
      for (const Row& row : rows) all += row.metric == "Duration" ? row.value + longer : 0;
      return all;
    };
    const std::string told = read(whole);
    CHECK(told.ends_with(fmt::format(" in {}", sum(0))));
    CHECK(read(spread) == told);
    std::string again = header;
    for (Row row : rows) {
      if (row.metric == "Duration") row.value += 1000;
      again += line(row, 1);
    }
    CHECK(read(whole + again).ends_with(fmt::format(" in {}", 2 * sum(500))));
  }
}

}  // namespace kr::test::ncu_pages_test
