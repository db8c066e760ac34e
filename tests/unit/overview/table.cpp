#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sstream>

#include "overview/overview.hpp"
#include "overview/pivot.hpp"
#include "support/reports.hpp"
#include "text/text_grid.hpp"

using kr::test::SummaryBuilder;

namespace {

bool table_holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

kr::overview::Report report_of(std::vector<kr::analyze::RunSummary> runs) {
  kr::overview::Report report;
  report.runs = kr::test::kept(std::move(runs));
  kr::test::style(report);
  return report;
}

std::string text_of(const kr::overview::Report& report, kr::overview::TableOptions options) {
  return kr::overview::answer_text(kr::test::source_of(report), report, options);
}

}  // namespace

TEST_CASE("the answer of one run") {
  SummaryBuilder builder("llama_vllm_a_0", {"substage", "kind"});
  builder.add({"k1", {"gemm", "compute"}, 30'000'000, 40'000'000, 1200});
  builder.add({"k2", {"attn", "compute"}, 10'000'000, 10'000'000, 2});
  builder.device(0, "H100", 39'000'000, 500'000, 500'000, 10'000'000);
  const auto report = report_of({std::move(builder).finish(10'000'000)});
  CHECK(text_of(report, {.color = false, .width = 100}) ==
        R"(llama_vllm_a_0
  trace.csv · nsys-gpu-trace-csv · 1,202 operations, 2 names
  vllm/llama · named by the user
  rules of substage explain 100.00 % of the total time

  idle: The GPU is idle for 20 % of the span; why is not known

  device                         span ms  compute    %  exp. comm.   %  exp. mem.   %  idle    %
  0  H100  ████████████████░░░░     50.0     39.0 78.0       0.500 1.0      0.500 1.0  10.0 20.0
  █ compute  ▓ exposed communication  ▒ exposed memory  ░ idle

  substage  busy ms     %                         operations
  gemm         30.0  75.0 ██████████████████████       1,200
  attn         10.0  25.0 ███████▎                         2

  kr report trace.csv --tables devices  the numbers of the verdict
  kr report trace.csv --all             all sections
)");
}

namespace {

/// Of two devices, on which two kernels mostly run at the same time.
kr::overview::Report two_devices() {
  SummaryBuilder builder("two_0", {"substage", "kind"});
  builder.add({"k1", {"gemm", "compute"}, 30'000'000, 70'000'000, 4});
  builder.add({"k2", {"attn", "compute"}, 20'000'000, 20'000'000, 2});
  builder.device(0, "", 40'000'000, 0, 0, 20'000'000);
  builder.device(1, "", 35'000'000, 0, 0, 25'000'000);
  kr::analyze::RunSummary run = std::move(builder).finish(50'000'000);
  run.names[0].busy_ns = 60'000'000;
  run.names[1].busy_ns = 15'000'000;
  run.dimensions[0].labels[0].busy_ns = 60'000'000;
  run.dimensions[0].labels[1].busy_ns = 15'000'000;
  run.gpu_busy_ns = 75'000'000;
  run.wall_from = kr::analyze::WallFrom::user;
  return report_of({run});
}

/// The labels.
std::string label_part(const std::string& text) {
  const size_t from = text.find("  substage");
  return text.substr(from, text.find("\n\n", from) - from + 1);
}

}  // namespace

TEST_CASE("labels have one measure, and shares of its sum") {
  kr::overview::Report report = two_devices();
  const auto part = [&] { return label_part(text_of(report, {.color = false, .width = 70})); };
  CHECK(part() == R"(  substage  busy ms     %  operations
  gemm         60.0  80.0           4
  attn         15.0  20.0           2
)");
  report.measure = kr::overview::Measure::elapsed;
  CHECK(part() == R"(  substage  elapsed ms     %  operations
  gemm            30.0  60.0           4
  attn            20.0  40.0           2
)");
  report.measure = kr::overview::Measure::total;
  CHECK(part() == R"(  substage  total ms     %  operations
  gemm          70.0  77.8           4
  attn          20.0  22.2           2
)");
  CHECK(table_holds(text_of(report, {.color = false, .width = 0}),
                    "wall time 100 ms; a GPU is busy in 50.0 ms of it, none in 50.0 ms"));
}

TEST_CASE("no line is wider than the terminal, whatever the names") {
  for (const int width : {60, 80, 100, 120}) {
    for (const auto& report :
         {report_of({kr::test::hostile_run()}), report_of({kr::test::decode_run("r", 1, 1000)}),
          report_of({kr::test::decode_run("llama_vllm_a_long_name_of_a_trace_file_0", 1, 1000),
                     kr::test::decode_run("b_1", 2, 2000), kr::test::hostile_run(),
                     kr::test::decode_run("c_3", 3, 3000)})}) {
      for (const std::string& line : lines(text_of(report, {.color = false, .width = width}))) {
        CAPTURE(line);
        if (line.starts_with("  kr report ")) continue;  // a command is one line
        CHECK(kr::text::columns_of(line) <= static_cast<size_t>(std::max(width, 76)));
      }
    }
  }
}

TEST_CASE("ranks of one job are shown together, on narrow terminals too") {
  const auto ranks = [](int64_t second) {
    std::vector<kr::analyze::RunSummary> runs{kr::test::decode_run("rank0", 1, 1000),
                                              kr::test::hostile_run()};
    runs[0].distributed = {0, 2, "nccl"};
    runs[1].distributed = {second, 2, "nccl"};
    return report_of(std::move(runs));
  };
  const kr::overview::Report report = ranks(1);
  const kr::overview::Report twice = ranks(0);
  for (const int width : {0, 60, 80, 120}) {
    const std::string text = text_of(report, {.color = false, .width = width});
    CHECK(text.find("max over mean") != text.npos);
    for (const std::string& line : lines(text)) {
      CAPTURE(line);
      if (line.starts_with("  kr report ")) continue;
      CHECK((width == 0 || kr::text::columns_of(line) <= static_cast<size_t>(std::max(width, 76))));
    }
    CHECK(text_of(twice, {.color = false, .width = width}).find("max over mean") == text.npos);
  }
}

TEST_CASE("ranks have one list of labels, one of devices, and short names") {
  std::vector<kr::analyze::RunSummary> runs;
  runs.reserve(3);
  for (const int rank : {10, 2, 0}) {
    runs.push_back(kr::test::decode_run("r", 1, 1000 + rank));
    runs.back().id = fmt::format("llama_vllm_rank{}_{}", rank, runs.size());
    runs.back().source = fmt::format("job/rank{}.json", rank);
  }
  const kr::overview::Report report = report_of(std::move(runs));
  const std::string text = text_of(report, {.color = false, .width = 120});
  const auto count = [&](std::string_view part) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++found;
    return found;
  };
  CHECK(count("rank 10") >= 3);  // the run, its two devices
  CHECK(count("llama_vllm_rank10_1") == 0);
  CHECK(count("  substage  ") == 1);
  CHECK(count("span ms") == 1);
  CHECK(table_holds(text, "kr report job/rank*.json --all"));
}

TEST_CASE("a report of little explained time ends with the command to run next") {
  const auto report_with = [](int64_t unclassified_ns, std::string source) {
    SummaryBuilder builder("a_0", {"substage", "kind"});
    builder.add({"k1", {"gemm", "compute"}, 95'000, 95'000, 1});
    builder.add({"k2", {"unclassified", "compute"}, unclassified_ns, unclassified_ns, 1});
    builder.run().source = std::move(source);
    return report_of({std::move(builder).finish(0)});
  };
  CHECK(!kr::overview::next_step(report_with(5'000, "a.csv")));
  const auto next = kr::overview::next_step(report_with(5'001, "it's a.csv"));
  REQUIRE(next);
  CHECK(next->command == R"(kr coverage 'it'\''s a.csv,vllm,llama')");
  CHECK(table_holds(next->text, "explain 94.99 % of"));
  auto report = report_with(5'001, "a.csv");
  report.options = {"--rules", "my rules.kr"};
  report.by = "kind";
  CHECK(!kr::overview::next_step(report));
  report.by = "stage";  // which the run does not have
  CHECK(kr::overview::next_step(report)->command ==
        "kr coverage a.csv,vllm,llama --rules 'my rules.kr' --by stage");
  report.by = "substage";
  CHECK(table_holds(text_of(report, {}), "  kr coverage a.csv,vllm,llama --rules 'my rules.kr'"));
}

TEST_CASE("no control byte and no broken UTF-8 reaches the terminal") {
  const auto report = report_of({kr::test::hostile_run(), kr::test::hostile_run()});
  for (const int width : {0, 90}) {
    const std::string text = text_of(report, {.color = false, .width = width});
    for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
    CHECK(!table_holds(text, "\xff"));
    CHECK(!table_holds(text, "\xe2\x80\xae"));
  }
}

TEST_CASE("colour is there on demand only") {
  const auto report = report_of({kr::test::decode_run("r", 1, 1000)});
  CHECK(!table_holds(text_of(report, {.color = false, .width = 100}), "\x1b"));
  CHECK(table_holds(text_of(report, {.color = true, .width = 100}), "\x1b[38;2;78;121;167m█"));
}

TEST_CASE("dropped, inexact times and empty runs are said") {
  const std::string text = text_of(report_of({kr::test::hostile_run()}), {});
  CHECK(table_holds(text,
                    "dropped records: 3 × kernel name id without a string <u> (first at 1234)"));
  CHECK(table_holds(text, "times are not exact: the source rounds to 100 ns"));
  const std::string empty = text_of(report_of({kr::test::empty_run()}), {});
  CHECK(table_holds(empty, "no GPU work in this trace"));
  CHECK(!table_holds(empty, "GPU time"));
}

TEST_CASE("many labels: the smallest are one row, and the sums hold") {
  const auto runs = kr::test::kept({kr::test::wide_run(500), kr::test::decode_run("d", 2, 1000)});
  for (const size_t limit : {5U, 30U, 1000U}) {
    int64_t first = 0, second = 0;
    const auto rows = kr::overview::folded(kr::overview::make_pivot(runs, "operation"), limit);
    CHECK(rows.size() <= limit + 2);
    CHECK(rows.back().label == "unclassified");  // the second run has no such dimension
    for (const auto& row : rows) {
      first += row.runs[0].elapsed_ns;
      second += row.runs[1].elapsed_ns;
    }
    CHECK(first == runs[0]->gpu_elapsed_ns);
    CHECK(second == runs[1]->gpu_elapsed_ns);
  }
  const auto all = kr::overview::make_pivot(runs, "operation");
  const size_t labels = all.size() - 1;  // and `unclassified`
  CHECK(kr::overview::folded(all, labels - 1).size() == all.size());
  const auto two = kr::overview::folded(all, labels - 2);
  CHECK(two.size() == all.size() - 1);
  CHECK(two[labels - 2].label == "others (2 labels)");
}

TEST_CASE("texts are cut by columns, not by bytes") {
  CHECK(kr::text::cut("abcdef", 4) == "abc…");
  CHECK(kr::text::cut("abcd", 4) == "abcd");
  CHECK(kr::text::cut("日本語", 4) == "日…");
  CHECK(kr::text::cut("\x1b[1m", 8) == "\\x1b[1m");
  CHECK(kr::text::cut_middle("abcdefghij", 5) == "ab…ij");
  CHECK(kr::text::columns_of(kr::text::cut_middle("日本語日本語日本語", 9)) <= 9);
  CHECK(kr::text::wrapped("one two three", 9, 2) == "  one two\n  three\n");
}
