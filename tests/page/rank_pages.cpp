// The pages of jobs with few and with many ranks.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "make_pages.hpp"
#include "page/pages.hpp"
#include "picture/label_styles.hpp"
#include "render/render.hpp"
#include "sema/load.hpp"
#include "session/session.hpp"
#include "tables/registry.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::test::rank_pages {
namespace {

constexpr int steps = 3;
constexpr int collectives = 2;  // of a step

kr::match::CompiledRules rules() {
  constexpr const char* text = R"(
labels substage { gemm color "#4e79a7"  comm color "#c0392b"  misc }
engine e "E" {
  phases { train: /ProfilerStep#(?<step>\d+)/ }
  substage { gemm: "gemm"  comm: "nccl"  misc: otherwise }
  kind { communication: "nccl"  compute: otherwise }
}
)";
  return compile_rules(text);
}

/// The gemm of the slow rank takes 200 us, that of others 100; then all wait for it. Times in us.
std::string trace_of(int rank, int ranks, int slow) {
  std::string events;
  int launch = 0;
  const auto add = [&](std::string_view category, std::string_view name, int start, int duration,
                       std::string_view args) {
    events += fmt::format(
        R"({}{{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":1,"ts":{},"dur":{},"args":{{{}}}}})",
        events.empty() ? "" : ",\n", category, name, start, duration, args);
  };
  const auto operation = [&](std::string_view name, int at, int start, int end) {
    const std::string args = fmt::format(R"("device":0,"stream":7,"correlation":{})", ++launch);
    add("cuda_runtime", "cudaLaunchKernel", at, 1, fmt::format(R"("correlation":{})", launch));
    add("kernel", name, start, end - start, args);
  };
  int now = 0;
  for (int step = 0; step < steps; ++step) {
    const int begin = now;
    for (int k = 0; k < collectives; ++k) {
      operation("gemm", now + 1, now + 10, now + 10 + (rank == slow ? 200 : 100) - rank % 4);
      operation("ncclDevKernel_AllReduce", now + 3, now + (rank == slow ? 210 : 110), now + 250);
      now += 260;
    }
    add("user_annotation", fmt::format("ProfilerStep#{}", step), begin, now - begin - 1, "");
  }
  return fmt::format(
      R"({{"baseTimeNanoseconds":1700000000000000000,"distributedInfo":{{"rank":{},"world_size":{}}},"traceEvents":[{}]}})",
      rank, ranks, events);
}

void write_pages(const kr::match::CompiledRules& rules, const std::filesystem::path& folder,
                 const std::string& name, int ranks, int slow) {
  const std::filesystem::path inputs = folder / "traces" / name;
  std::filesystem::create_directories(inputs);
  std::vector<kr::classify::RunSpec> specs;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::filesystem::path path = inputs / fmt::format("{}.json", rank);
    kr::write_file(path, trace_of(rank, ranks, slow));
    specs.push_back({path.string(), "e", {}, {}});
  }
  kr::session::Session session(rules);
  session.read(specs, {.facts = kr::facts::Set::of<kr::analyze::RunSummary, kr::analyze::StepSums,
                                                   kr::analyze::Idle, kr::analyze::LaunchStatistics,
                                                   kr::analyze::Kernels, kr::job::Members>()});
  const kr::tables::Source& source = session.source();
  std::vector<kr::Table> tables;
  for (const kr::tables::Definition* one : kr::tables::all_parts()) {
    if (!kr::tables::is_about_runs(*one) || !kr::tables::absent(*one, source).empty()) continue;
    if (!one->info.alias.empty() || one->info.many_rows) continue;
    if (kr::tables::are_many_ranks(source) && kr::tables::has_rows_within_ranks(*one)) continue;
    tables.push_back(kr::tables::make(*one, source));
  }
  kr::overview::Report report;
  report.runs = source.summaries();
  report.styles = kr::picture::label_styles(rules.program(), report.runs);
  kr::write_file(folder / ("report-" + name + ".html"),
                 kr::page::report_html(source, tables, report));
}

}  // namespace

void make(const std::filesystem::path& folder) {
  const kr::match::CompiledRules compiled = rules();
  write_pages(compiled, folder, "ranks", 8, 5);
  write_pages(compiled, folder, "many-ranks", 80, 33);
}

}  // namespace kr::test::rank_pages
