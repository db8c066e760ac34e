#include <doctest/doctest.h>

#include <map>
#include <set>

#include "overview/overview.hpp"
#include "support/csv_reader.hpp"
#include "support/reports.hpp"

using kr::test::CsvRows;
using kr::test::read_csv;
using kr::test::SummaryBuilder;

namespace {

int64_t nanoseconds(const std::string& seconds) {
  std::string digits = seconds;
  std::erase(digits, '.');
  return std::stoll(digits);
}

}  // namespace

TEST_CASE("result.csv has the fixed columns, rows by label and elapsed, and time off the GPU") {
  SummaryBuilder builder("llama_vllm_a_0", {"stage", "substage", "zeta", "kind"});
  builder.add({"k1", {"layer", "gemm", "z", "compute"}, 10, 20, 1});
  builder.add({"k2", {"layer", "gemm", "z", "compute"}, 30, 40, 2});
  builder.add({"a, \"b\"", {"layer", "attn", "z", "compute"}, 5, 6, 3});
  kr::overview::Report report;
  report.runs.push_back(kr::test::kept(std::move(builder).finish(1'000'000'001)));
  CHECK(kr::overview::to_csv(report) ==
        "Model_Engine,Substage,Instances,Name,Elapsed Time (sec),Stage,Total Time (sec),Elapsed "
        "(ns),Total (ns),Kind of operation,Engine,Model,Rule,kind,zeta\n"
        "llama_vllm_a_0,attn,3,\"a, \"\"b\"\"\",0.000000005,layer,0.000000006,5,6,kernel,vllm,"
        "llama,rules.kr:11,compute,z\n"
        "llama_vllm_a_0,gemm,2,k2,0.000000030,layer,0.000000040,30,40,kernel,vllm,llama,"
        "rules.kr:11,compute,z\n"
        "llama_vllm_a_0,gemm,1,k1,0.000000010,layer,0.000000020,10,20,kernel,vllm,llama,"
        "rules.kr:11,compute,z\n"
        "llama_vllm_a_0,CPU(non-GPU),1,CPU(non-GPU),1.000000001,CPU(non-GPU),1.000000001,"
        "1000000001,1000000001,,vllm,llama,,,\n");
}

TEST_CASE("cells that a spreadsheet would run are disarmed; all else is unchanged") {
  kr::overview::Report report;
  report.runs.push_back(kr::test::kept(kr::test::hostile_run()));
  const CsvRows rows = read_csv(kr::overview::to_csv(report));
  std::map<std::string, const kr::analyze::NameSum*> names;
  for (const kr::analyze::NameSum& name : report.runs[0]->names) {
    const bool formula = std::string_view("=+-@\t\r").find(name.name[0]) != std::string_view::npos;
    names[(formula ? "'" : "") + name.name] = &name;
  }
  REQUIRE(rows.size() == names.size() + 2);
  int disarmed = 0;
  for (size_t i = 1; i + 1 < rows.size(); ++i) {
    CAPTURE(rows[i][3]);
    REQUIRE(names.contains(rows[i][3]));
    disarmed += rows[i][3][0] == '\'' ? 1 : 0;
    CHECK(nanoseconds(rows[i][4]) == names[rows[i][3]]->elapsed_ns);
    CHECK(rows[i].size() == rows[0].size());
    // The dimension `operation` keeps names as labels: they are cells, too.
    CHECK(rows[i][14] == rows[i][3]);
  }
  CHECK(disarmed == 6);
}

TEST_CASE("what has no substage is unclassified, and its sums are the run's") {
  kr::overview::Report report;
  report.runs.push_back(
      kr::test::kept(SummaryBuilder("r0", {"kind"}).add({"a", {"compute"}, 7, 8, 1}).finish(3)));
  report.runs.push_back(kr::test::kept(kr::test::decode_run("r1", 1, 1000)));
  const CsvRows rows = read_csv(kr::overview::to_csv(report));
  CHECK(rows[1][0] == "r0");
  CHECK(rows[1][1] == "unclassified");
  CHECK(rows[1][5].empty());
  CHECK(rows[2][1] == "CPU(non-GPU)");
  int64_t elapsed = 0, total = 0;
  for (size_t i = 3; i + 1 < rows.size(); ++i) {
    CHECK(rows[i][0] == "r1");
    elapsed += nanoseconds(rows[i][4]);
    total += std::stoll(rows[i][8]);
  }
  CHECK(elapsed == report.runs[1]->gpu_elapsed_ns);
  CHECK(total == report.runs[1]->gpu_total_ns);
}

TEST_CASE("a run without GPU work has no rows, unless the user gave it a time") {
  kr::overview::Report report;
  report.runs.push_back(kr::test::kept(kr::test::empty_run()));
  CHECK(read_csv(kr::overview::to_csv(report)).size() == 1);
  report.runs.push_back(kr::test::kept(SummaryBuilder("timed", {"kind"}).finish(5)));
  const CsvRows rows = read_csv(kr::overview::to_csv(report));
  REQUIRE(rows.size() == 2);
  CHECK(rows[1][4] == "0.000000005");
}

TEST_CASE("classify: columns, rules of further dimensions, names unchanged") {
  SummaryBuilder builder("r", {"stage", "substage", "kind", "alpha"});
  builder.add({"=1,2", {"layer", "gemm", "compute", "x"}, 10, 20, 3});
  builder.add({"other", {"layer", "unclassified", "compute", "x"}, 1, 2, 1});
  const kr::analyze::RunSummary run = std::move(builder).finish(0);
  CHECK(kr::overview::classify_csv(run) ==
        "name,instances,total_ns,elapsed_ns,stage,substage,rule,alpha,rule_alpha,kind,rule_kind\n"
        "\"=1,2\",3,20,10,layer,gemm,rules.kr:11,x,rules.kr:13,compute,rules.kr:12\n"
        "other,1,2,1,layer,unclassified,,x,rules.kr:13,compute,rules.kr:12\n");
}

TEST_CASE("classify: an absent dimension is an empty cell") {
  const kr::analyze::RunSummary run =
      SummaryBuilder("r", {"kind"}).add({"a", {"compute"}, 1, 1, 1}).finish(0);
  CHECK(kr::overview::classify_csv(run) ==
        "name,instances,total_ns,elapsed_ns,stage,substage,rule,kind,rule_kind\n"
        "a,1,1,1,,,,compute,rules.kr:10\n");
}
