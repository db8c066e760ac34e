#include <doctest/doctest.h>

#include "report/report.hpp"
#include "support/reports.hpp"

using kr::test::SummaryBuilder;

namespace {

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string without_version(const std::string& text) {
  CHECK(text.starts_with("{\"kr\":\""));
  return text.substr(text.find(',') + 1);
}

}  // namespace

TEST_CASE("report JSON has the shape of the contract") {
  SummaryBuilder builder("r0", {"substage", "kind"});
  builder.add({"k\xff", {"gemm", "compute"}, 10, 20, 2});
  builder.run().losses = {{"open end", 3, 77}};
  builder.run().inexact = "ms";
  kr::Report report;
  report.runs.push_back(std::move(builder).finish(5));
  CHECK(without_version(kr::to_json(report)) ==
        "\"runs\":[\n"
        "{\"id\":\"r0\",\"source\":\"trace.csv\",\"format\":\"nsys-gpu-trace-csv\",\"engine\":"
        "\"vllm\",\"model\":\"llama\",\"why\":\"named by the user\",\"rank\":0,\"rank_from\":"
        "\"order\",\"gpu_elapsed_ns\":10,\"gpu_total_ns\":20,\"elapsed_ns\":15,\"elapsed_from\":"
        "\"span\",\"non_gpu_ns\":5,"
        "\"operations\":2,\"names\":1,\"losses\":[{\"what\":\"open end\",\"count\":3,"
        "\"first_offset\":77}],\"inexact\":\"ms\",\"warnings\":[],\"labels\":{\"substage\":[\n"
        "{\"label\":\"gemm\",\"elapsed_ns\":10,\"total_ns\":20,\"instances\":2}],\"stage\":[],"
        "\"kind\":[\n"
        "{\"label\":\"compute\",\"elapsed_ns\":10,\"total_ns\":20,\"instances\":2}]},\"devices\":"
        "[],\"kernels\":[\n"
        "{\"name\":\"k\\udcff\",\"operation\":\"kernel\",\"labels\":{\"substage\":\"gemm\","
        "\"kind\":\"compute\"},\"instances\":2,\"elapsed_ns\":10,\"total_ns\":20,\"min_ns\":5,"
        "\"max_ns\":15}]}]}\n");
}

TEST_CASE("an empty report and an empty run are whole JSON") {
  kr::Report report;
  CHECK(without_version(kr::to_json(report)) == "\"runs\":[]}\n");
  report.runs.push_back(kr::test::empty_run());
  CHECK(
      holds(kr::to_json(report),
            "\"labels\":{\"substage\":[],\"stage\":[],\"kind\":[]},\"devices\":[],\"kernels\":[]"));
}

TEST_CASE("hostile names leave JSON valid: no raw control byte, no broken UTF-8") {
  kr::Report report;
  report.runs.push_back(kr::test::hostile_run());
  const std::string text = kr::to_json(report);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    CHECK((byte >= 0x20 || byte == '\n'));
  }
  CHECK(holds(text, "broken \\udcff\\udcc3 utf-8 \\udc80"));
  CHECK(holds(text, "ünï→日本 \xf0\x9f\x94\xa5"));
  CHECK(holds(text, "nul \\u0000 inside"));
}

TEST_CASE("the page holds no text of a trace that could be markup") {
  kr::Report report;
  report.title = "</title><script>alert(1)</script>";
  report.runs.push_back(kr::test::hostile_run());
  kr::test::style(report);
  const std::string page = kr::to_html(report);
  CHECK(holds(page, "<title>&lt;/title&gt;&lt;script&gt;"));
  CHECK(!holds(page, "<script>alert"));
  CHECK(!holds(page, "<script>window"));
  CHECK(!holds(page, "<img src=x"));
  CHECK(!holds(page, "<!--<script>"));
  CHECK(!holds(page,
               "{{"
               "data}}"));
  CHECK(holds(page, "default-src 'none'; script-src 'sha256-"));
  // Elements of script: data, ECharts, the page's own.
  size_t scripts = 0;
  for (size_t at = page.find("<script"); at != std::string::npos;
       at = page.find("<script", at + 1)) {
    ++scripts;
  }
  CHECK(scripts == 3);
}

TEST_CASE("the page is little more than ECharts and its data") {
  kr::Report report;
  report.runs.push_back(kr::test::decode_run("r", 3, 1000));
  CHECK(kr::to_html(report).size() < 1'300'000);
}
