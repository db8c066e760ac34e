// Pages of reports with timelines.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "make_pages.hpp"
#include "overview/overview.hpp"
#include "page/pages.hpp"
#include "sema/load.hpp"
#include "support/labelled.hpp"
#include "tables/registry.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::test::timeline_pages {
namespace {

kr::match::CompiledRules rules() {
  constexpr const char* text = R"(
labels substage { gemm "Matrix products" color "#4e79a7"  attn color "#59a14f"
  comm color "#c0392b"  norm color "#b6992d"  misc }
engine e "E" {
  phases { prefill: "EXTEND"  decode: /DECODE (?<step>\d+)/ }
  substage { gemm: "gemm"  attn: "attn"  comm: "nccl"  norm: "norm"  misc: otherwise }
  stage { layer: "gemm" | "attn"  other: otherwise }
  operation { otherwise keep }
}
)";
  return compile_rules(text);
}

class Operations {
 public:
  Operations() : builder_("trace.sqlite", "nsys-sqlite") { builder_.host(); }

  void add(const std::string& name, int64_t start, int64_t duration, int32_t device, int64_t stream,
           int64_t correlation = kr::trace::Launch::no_correlation) {
    kr::trace::Track track;
    track.device = device;
    track.stream = stream;
    builder_.add(
        {start, duration, builder_.name(name, kr::OperationKind::kernel), builder_.track(track)});
    builder_.add_correlations(&correlation, 1);
  }
  /// An annotation around one launch.
  void step(const std::string& name, int64_t start, int64_t end, int64_t correlation) {
    const uint32_t thread = builder_.thread({"1", "1"});
    builder_.host().ranges.push_back({start, end, builder_.range_name(name), thread,
                                      kr::trace::HostRange::none,
                                      kr::trace::HostRange::Kind::annotation});
    builder_.host().launches.push_back(
        {correlation, start + 10, 5, builder_.call({"cudaGraphLaunch", false}), thread});
  }
  kr::trace::Trace finish() { return std::move(builder_).finish(); }

 private:
  kr::trace::TraceBuilder builder_;
};

/// A prefill and `steps` decodes of eight layers on two devices; a collective on a stream of its
/// own overlaps the end of each step.
kr::trace::Trace decode(int steps) {
  Operations made;
  int64_t now = 1'000'000;
  for (int step = 0; step <= steps; ++step) {
    made.step(step == 0 ? "step[EXTEND bs=1]" : fmt::format("step[DECODE {}]", step), now,
              now + 900, step);
    int64_t at = now + 2000;
    for (int layer = 0; layer < 8; ++layer) {
      for (const auto& [name, duration] : {std::pair{"gemm_qkv", 800 + step % 7},
                                           {"attn_decode", 300},
                                           {"gemm_mlp", 1200},
                                           {"rms_norm", 90}}) {
        made.add(name, at, duration, 0, 7, step);
        made.add(name, at + 50, duration, 1, 7, step);
        at += duration + 20;
      }
    }
    made.add("ncclDevKernel_AllReduce", at - 1500, 2000, 0, 20, step);
    now = at + 3000;
  }
  made.add("<img src=x onerror=\"window.hacked = 1\"> norm", now, 700, 0, 7);
  return made.finish();
}

/// More operations than a page has room for.
kr::trace::Trace many_operations() {
  Operations made;
  for (int64_t i = 0; i < 1'200'000; ++i) {
    const char* family = i % 7 == 0 ? "nccl" : i % 3 == 0 ? "attn" : "gemm";
    made.add(fmt::format("{}_{}", family, i * i % 59), i * 3000, 2000 + i * 37 % 5000,
             static_cast<int32_t>(i % 2), i % 4 / 2);
  }
  return made.finish();
}

void write(const kr::match::CompiledRules& rules, const std::filesystem::path& folder,
           const std::string& name, std::vector<kr::trace::Trace> traces) {
  kr::tables::Source source;
  source.rules = &rules;
  std::vector<kr::timeline::Timeline> timelines;
  timelines.reserve(traces.size());
  const size_t count = traces.size();
  for (kr::trace::Trace& trace : traces) {
    const auto run = kr::test::label(rules, std::move(trace));
    kr::tables::Run& one = source.runs.emplace_back();
    one.summary = kr::analyze::summarize(rules, run->trace, run->labelled, {});
    one.summary.id = fmt::format("{}_{}", name, source.runs.size() - 1);
    timelines.push_back(
        kr::timeline::make(rules, *run, one.summary, kr::page::timeline_limits(count)));
  }
  kr::overview::Report report;
  report.runs = source.summaries();
  report.styles = kr::picture::label_styles(rules.program(), report.runs);
  std::vector<kr::table::Table> tables;
  for (const kr::tables::Definition* one : kr::tables::all_parts()) {
    const bool wanted =
        one->info.describes_results || one->needs == kr::tables::needs<kr::analyze::RunSummary>;
    if (wanted && kr::tables::absent(*one, source).empty()) {
      tables.push_back(kr::tables::make(*one, source));
    }
  }
  kr::write_file(folder / (name + ".html"),
                 kr::page::report_html(source, tables, report, timelines));
}

std::vector<kr::trace::Trace> list(kr::trace::Trace first) {
  std::vector<kr::trace::Trace> traces;
  traces.push_back(std::move(first));
  return traces;
}

}  // namespace

void make(const std::filesystem::path& folder) {
  const kr::match::CompiledRules compiled = rules();
  write(compiled, folder, "timeline", list(decode(30)));
  write(compiled, folder, "timeline-many", list(many_operations()));
  std::vector<kr::trace::Trace> two = list(decode(12));
  two.push_back(decode(9));
  write(compiled, folder, "timeline-two", std::move(two));
  write(compiled, folder, "timeline-empty", list(Operations().finish()));
}

}  // namespace kr::test::timeline_pages
