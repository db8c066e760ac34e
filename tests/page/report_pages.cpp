// Pages, result.csv and result.json of reports that tests/support contains.
#include <fmt/format.h>

#include <filesystem>

#include "base/file.hpp"
#include "make_pages.hpp"
#include "overview/overview.hpp"
#include "page/pages.hpp"
#include "render/render.hpp"
#include "support/reports.hpp"
#include "tables/registry.hpp"
#include "tables/scoped.hpp"
#include "tables/source.hpp"

namespace kr::test::report_pages {
namespace {

void write(const std::filesystem::path& folder, const std::string& name, const std::string& title,
           std::vector<kr::analyze::RunSummary> runs) {
  kr::overview::Report report;
  report.runs = kept(std::move(runs));
  style(report);
  report.title = title;
  const kr::tables::Source source = source_of(report);
  std::vector<kr::table::Table> tables;
  for (const kr::tables::Definition* one : kr::tables::all_parts()) {
    const bool wanted =
        one->info.describes_results || one->needs == kr::tables::needs<kr::analyze::RunSummary>;
    if (wanted && kr::tables::absent(*one, source).empty()) {
      tables.push_back(kr::tables::make(*one, source));
    }
  }
  std::string json;
  kr::render::json(tables, [&](std::string_view piece) { json += piece; });
  kr::write_file(folder / (name + ".html"), kr::page::report_html(source, tables, report));
  kr::write_file(folder / (name + ".csv"), kr::overview::to_csv(report));
  kr::write_file(folder / (name + ".json"), json);
}

/// Ranks of one job, as their traces tell.
std::vector<kr::analyze::RunSummary> ranks(std::vector<kr::analyze::RunSummary> runs) {
  for (size_t rank = 0; rank < runs.size(); ++rank) {
    runs[rank].distributed.rank = static_cast<int64_t>(2 * rank);
    runs[rank].distributed.world_size = 8;
  }
  return runs;
}

constexpr int64_t shared_ns = 123'456'789'012;

/// What the program says of times, to compare with what the page's script says.
std::string times_as_json() {
  std::string text = "[";
  int64_t ns = 1;
  const char* comma = "";
  while (ns < INT64_MAX / 7) {
    for (const int64_t value : {ns, ns * 5 - 1, ns * 5}) {
      text += fmt::format(
          "{}[\"{}\",\"{}\",\"{}\",\"{}\",\"{}\"]", comma, value, kr::text::human_time(value),
          kr::text::in_unit(value, kr::text::milliseconds), kr::text::share(value, shared_ns),
          kr::text::short_number(static_cast<double>(value) / 1024));
      comma = ",";
    }
    ns = ns * 3 + 1;
  }
  return text + "]\n";
}

}  // namespace

void make(const std::filesystem::path& folder) {
  write(folder, "one", "", {decode_run("llama_vllm_decode_tp2_0", 1, 100'000)});
  write(folder, "several", "Llama 3 70B: FP8 against BF16, decode",
        {decode_run("llama_vllm_bf16_tp2_0", 1, 100'000),
         decode_run("llama_vllm_fp8_tp2_1", 2, 71'000),
         decode_run("llama_vllm_fp8_tp2_graphs_2", 3, 64'000)});
  write(
      folder, "two", "",
      {decode_run("llama_vllm_before_0", 4, 90'000), decode_run("llama_vllm_after_1", 5, 80'000)});
  write(folder, "ranks", "",
        ranks({decode_run("llama_vllm_rank0_0", 4, 90'000),
               decode_run("llama_vllm_rank2_1", 5, 80'000)}));
  write(folder, "hostile", "<script>window.hacked = 9</script>",
        {hostile_run(), decode_run("=cmd()_1", 6, 50'000)});
  write(folder, "huge", "", {huge_run()});
  write(folder, "wide", "", {wide_run(20'000)});
  write(folder, "empty", "", {empty_run()});
  write(folder, "names", "", {long_names_run()});
  kr::write_file(folder / "times.json", times_as_json());
}

}  // namespace kr::test::report_pages
