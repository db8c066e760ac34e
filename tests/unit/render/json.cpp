#include <doctest/doctest.h>

#include "support.hpp"

using namespace kr::test;

namespace {

const std::string_view json_rows[] = {
    R"("run":"a","name":"=1+1","device":1000,"calls":1234567,"total_ns":12345678,"mean_ns":10.5,)"
    R"("size":4096,"share":0.12345,"speedup":1.25,"rate":1000000,"work":1500000000000,)"
    R"("load":99.95,"clock":1980000000,"seen":true,"reason":null})",
    R"("run":"a","name":"say \"hi\", a|b","device":0,"calls":0,"total_ns":-500,"mean_ns":null,)"
    R"("size":0,"share":0,"speedup":0.5,"rate":0,"work":7,"load":0,"clock":1,"seen":false,)"
    R"("reason":"back\\slash `code` <b> _a_b"})",
    R"("run":"a","name":"\udcff\u0000x\u000a","device":2,"calls":2.5,"total_ns":999999,)"
    R"("mean_ns":0.1,"size":1,"share":1,"speedup":1e+22,"rate":1e-07,"work":null,"load":100,)"
    R"("clock":0,"seen":false,"reason":"µ\u0009tab"})"};

}  // namespace

TEST_CASE("json: tables that describe the results come first; rows are lines") {
  const std::vector<Table> tables{units_table(), runs_table(), empty_table()};
  Collected collected;
  kr::render::json(tables, collected.sink());
  CHECK(json_head().starts_with("{\"kr\":\""));
  CHECK(json_head().ends_with("\",\"schema\":3"));
  std::string expected =
      json_head() + ",\n\"runs\":[\n{\"run\":\"a\"}],\n\"tables\":{\n\"units\":[";
  for (const std::string_view row : json_rows) {
    expected += row == json_rows[0] ? "\n{" : ",\n{";
    expected += row;
  }
  CHECK(collected.bytes == expected + "],\n\"empty\":[]}}\n");
}

TEST_CASE("json: no tables are an empty object") {
  Collected collected;
  kr::render::json({}, collected.sink());
  CHECK(collected.bytes == json_head() + ",\n\"tables\":{}}\n");
}

TEST_CASE("json lines: each row names its table") {
  const std::vector<Table> tables{units_table(), empty_table(), runs_table()};
  Collected collected;
  kr::render::json_lines(tables, collected.sink());
  std::string expected;
  for (const std::string_view row : json_rows) {
    expected += "{\"table\":\"units\",";
    expected += row;
    expected += '\n';
  }
  CHECK(collected.bytes == expected + "{\"table\":\"runs\",\"run\":\"a\"}\n");
}

TEST_CASE("json comes in pieces") {
  const std::vector<Table> tables{long_table()};
  Collected json, lines;
  kr::render::json(tables, json.sink());
  kr::render::json_lines(tables, lines.sink());
  std::string rows, expected_lines;
  for (int64_t i = 0; i < long_rows; ++i) {
    const std::string members =
        "\"number\":" + std::to_string(i) + ",\"text\":\"" + long_text(i) + "\"}";
    rows += (i == 0 ? "\n{" : ",\n{") + members;
    expected_lines += "{\"table\":\"long\"," + members + '\n';
  }
  CHECK((json.bytes == json_head() + ",\n\"tables\":{\n\"long\":[" + rows + "]}}\n"));
  CHECK((lines.bytes == expected_lines));
  for (const Collected* one : {&json, &lines}) {
    CHECK(one->pieces > 10);
    CHECK(one->largest <= 65'536);
  }
}
