#include <doctest/doctest.h>

#include <algorithm>

#include "support/collected_rows.hpp"
#include "support/labelled.hpp"
#include "support/rules.hpp"
#include "tables/registry.hpp"
#include "tables/source.hpp"

namespace kr::test::nsys_stats_test {
namespace {

using trace::HostRange;

/// Three kernels `k` and a copy; the second kernel was launched inside a range `Attention`.
tables::Source source_of(const match::CompiledRules& rules) {
  trace::TraceBuilder builder("t.sqlite", "nsys-sqlite");
  const trace::NameId kernel = builder.name("k", OperationKind::kernel);
  const trace::NameId copy = builder.name("[CUDA memcpy Host-to-Device]", OperationKind::memcpy);
  const trace::TrackId track = builder.track({0, 7, "GPU"});
  const uint32_t call = builder.call({"cudaLaunchKernel", false, "v7000"});
  const uint32_t thread = builder.thread({"77", "1"});
  const uint32_t name = builder.range_name("Attention");
  trace::HostTrace& host = builder.host();
  const auto operation = [&](int64_t correlation, int64_t start, int64_t duration,
                             trace::NameId what, int64_t grid, int64_t bytes) {
    trace::OperationDetail detail;
    if (grid != 0) detail[trace::DetailField::grid_x] = grid;
    if (bytes != 0) detail[trace::DetailField::bytes] = bytes;
    const uint32_t number = builder.details().distinct.add(detail);
    const auto written = static_cast<uint32_t>(correlation);
    builder.add({start, duration, what, track});
    builder.add_correlations(&correlation, 1);
    builder.add_details(&number, &written, 1);
    host.launches.push_back({correlation, correlation * 10, 5, call, thread});
  };
  operation(1, 100, 10, kernel, 4, 0);
  operation(2, 200, 30, kernel, 8, 0);
  operation(3, 300, 20, kernel, 4, 0);
  operation(4, 400, 1, copy, 0, 64);
  host.ranges.push_back({15, 26, name, thread, HostRange::none, HostRange::Kind::annotation,
                         HostRange::Form::push_pop});
  tables::Source source;
  source.rules = &rules;
  tables::Run run;
  const std::shared_ptr<const analyze::LabelledTrace> trace =
      test::label(rules, std::move(builder).finish());
  run.summary = analyze::summarize(rules, trace->trace, trace->labelled, std::nullopt);
  run.facts.set(trace);
  run.summary.id = "r";
  source.runs.push_back(std::move(run));
  return source;
}

std::string lines_of(const char* table, std::initializer_list<std::string_view> columns,
                     const char* rules_text = "engine e { substage { a: \"k\" b: otherwise } }") {
  const match::CompiledRules rules = compile(rules_text);
  const tables::Source source = source_of(rules);
  REQUIRE(tables::absent(*tables::find(table), source).empty());
  return CollectedRows(tables::make(*tables::find(table), source)).lines(columns);
}

}  // namespace

TEST_CASE("kernels by name, and by grid") {
  CHECK(lines_of("cuda_gpu_kern_sum", {"name", "substage", "total_ns", "instances", "mean_ns",
                                       "median_ns", "min_ns", "max_ns", "stddev_ns"}) ==
        "k|a|60|3|20|20|10|30|10\n");
  CHECK(lines_of("cuda_gpu_kern_gb_sum",
                 {"name", "grid_x", "grid_y", "total_ns", "instances", "median_ns", "share"}) ==
        "k|4|-|30|2|15|0.5\nk|8|-|30|1|30|0.5\n");
}

TEST_CASE("a name that rules label in several ways has one row without a label") {
  const char* const rules =
      "engine e { substage { attn: \"k\" & within \"Attention\"  b: otherwise } }";
  CHECK(lines_of("cuda_gpu_kern_sum", {"name", "substage", "instances"}, rules) == "k|-|3\n");
  CHECK(lines_of("cuda_gpu_mem_time_sum", {"name", "substage", "instances"}, rules) ==
        "[CUDA memcpy Host-to-Device]|b|1\n");
}

TEST_CASE("sizes of copies") {
  CHECK(lines_of("cuda_gpu_mem_size_sum", {"name", "total_bytes", "instances", "unsized"}) ==
        "[CUDA memcpy Host-to-Device]|64|1|0\n");
}

TEST_CASE("calls, and kernels with theirs") {
  CHECK(lines_of("cuda_api_sum", {"api", "version", "calls", "total_ns"}) ==
        "cudaLaunchKernel|v7000|4|20\n");
  CHECK(lines_of("cuda_kern_exec_trace",
                 {"api_start_ns", "queue_ns", "start_ns", "total_ns", "pid", "tid", "grid_x"}) ==
        "10|85|100|100|77|1|4\n20|175|200|210|77|1|8\n30|265|300|290|77|1|4\n");
  CHECK(lines_of("cuda_kern_exec_sum", {"name", "instances", "queued", "total_mean_ns",
                                        "queue_median_ns", "kernel_max_ns"}) ==
        "k|3|3|200|175|30\n");
}

TEST_CASE("NVTX ranges, and what was launched inside") {
  CHECK(lines_of("nvtx_sum", {"name", "style", "total_ns", "instances"}) ==
        "Attention|PushPop|11|1\n");
  CHECK(lines_of("nvtx_kern_sum", {"name", "tid", "kernel", "ranges", "instances", "total_ns"}) ==
        "-|1|k|0|2|30\nAttention|1|k|1|1|30\n");
  CHECK(lines_of("nvtx_gpu_proj_sum", {"name", "total_ns", "range_ns", "operations", "level_mean",
                                       "children_mean"}) == "Attention|30|11|1|0|0\n");
}

TEST_CASE("every alias is about columns that its table has") {
  for (const tables::Definition* one : tables::all()) {
    for (const table::AliasColumn& column : one->info.alias) {
      for (const std::string& id : column.from) {
        const bool known =
            std::any_of(one->info.columns.begin(), one->info.columns.end(),
                        [&](const table::Column& known_column) { return known_column.id == id; });
        CHECK_MESSAGE(known, one->info.id << " " << column.title << " " << id);
      }
    }
  }
}

}  // namespace kr::test::nsys_stats_test
