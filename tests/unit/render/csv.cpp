#include <doctest/doctest.h>

#include "support.hpp"
#include "support/csv_reader.hpp"

using namespace kr::test;

namespace {

std::string csv_of(const Table& table, kr::render::CsvOptions options = {}) {
  Collected collected;
  kr::render::csv(table, collected.sink(), options);
  return collected.bytes;
}

}  // namespace

TEST_CASE("csv: ids of columns, then rows; no text of the short form") {
  using namespace std::string_literals;
  CHECK(csv_of(units_table()) ==
        "run,name,device,calls,total_ns,mean_ns,size,share,speedup,rate,work,load,clock,seen,"
        "reason\n"
        "a,'=1+1,1000,1234567,12345678,10.500000,4096,0.123450,1.250000,1000000.000000,"
        "1500000000000,99.950000,1980000000,true,\n"
        "a,\"say \"\"hi\"\", a|b\",0,0,-500,,0,0.000000,0.500000,0.000000,7,0.000000,1.000000,"
        "false,back\\slash `code` <b> _a_b\n"
        "a,\"\xff\0x\n\",2,2.500000,999999,0.100000,1,1.000000,10000000000000000000000,"
        "0.000000,,100.000000,0.000000,false,µ\ttab\n"s);
}

TEST_CASE("csv: formulas as they are, where asked for") {
  CHECK(read_csv(csv_of(units_table(), {.escape_formulas = false}))[1][1] == "=1+1");
}

TEST_CASE("csv: a table without rows is its header; a row with one empty cell is seen") {
  CHECK(csv_of(empty_table()) == "run\n");
  const Table table(runs_info, runs_info.columns, [](RowSink& sink) {
    sink.row({""});
    sink.row({Cell()});
    sink.row({"b"});
  });
  CHECK(csv_of(table) == "run\n\"\"\n\"\"\nb\n");
}

TEST_CASE("csv comes in pieces") {
  Collected collected;
  kr::render::csv(long_table(), collected.sink());
  std::string expected = "number,text\n";
  for (int64_t i = 0; i < long_rows; ++i) expected += std::to_string(i) + ',' + long_text(i) + '\n';
  CHECK((collected.bytes == expected));
  CHECK(collected.pieces > 5);
  CHECK(collected.largest <= 65'536);
}
