#include "render/alias.hpp"

#include <doctest/doctest.h>

#include "support.hpp"

namespace kr::test::alias_test {
namespace {

const TableInfo info = [] {
  TableInfo one{"sums",
                "sums",
                "One row per name.",
                {{"run", Unit::text, Role::key, "The run."},
                 {"name", Unit::name, Role::key, "The name."},
                 {"scope", Unit::text, Role::key, "The scope.", true},
                 {"share", Unit::ratio, Role::measure, "The share."},
                 {"total_ns", Unit::ns, Role::measure, "The total."},
                 {"mean_ns", Unit::ns, Role::measure, "The mean."},
                 {"bytes", Unit::bytes, Role::measure, "The size.", true},
                 {"x", Unit::count, Role::measure, "The first.", true},
                 {"y", Unit::count, Role::measure, "The second.", true},
                 {"z", Unit::count, Role::measure, "The third.", true}}};
  one.alias = {{"Time (%)", {"share"}, AliasForm::percent},
               {"Total (ns)", {"total_ns"}},
               {"Avg (ns)", {"mean_ns"}},
               {"Size (MB)", {"bytes"}, AliasForm::megabytes},
               {"Rate (MB/s)", {"bytes", "total_ns"}, AliasForm::throughput, "Rate (MBps)"},
               {"XYZ", {"x", "y", "z"}, AliasForm::extent},
               {"Device", {"name", "x"}, AliasForm::numbered, {}, false},
               {"Range", {"scope", "name"}, AliasForm::scoped},
               {"Function", {"name", "scope"}, AliasForm::versioned},
               {"Name", {"name"}}};
  return one;
}();

std::string csv_of(const std::vector<std::vector<Cell>>& rows,
                   render::Alias style = render::Alias::current) {
  Collected collected;
  const Table table(info, info.columns, [&](RowSink& sink) {
    for (const auto& row : rows) sink.row(row);
  });
  render::csv(table, collected.sink(), {.alias = style});
  return collected.bytes;
}

constexpr const char* header =
    "Time (%),Total (ns),Avg (ns),Size (MB),Rate (MB/s),XYZ,Device,Range,Function,Name\n";

}  // namespace

TEST_CASE("csv: the columns of another program, in its order and forms") {
  CHECK(csv_of({}) == header);
  // Bytes times 75, the whole number of such times in a second.
  CHECK(csv_of({{"r", "k, 1", "d", 0.4925, int64_t{13'204'083}, 4.25, int64_t{67'108'864},
                 int64_t{244}, int64_t{1}, int64_t{12345}}}) ==
        std::string(header) +
            "49.3,13204083,4.3,67.109,5033.165, 244    1 12345,"
            "\"k, 1 (244)\",\"d:k, 1\",\"k, 1_d\",\"k, 1\"\n");
}

TEST_CASE("csv: what is empty stays empty") {
  CHECK(csv_of({{"r", "k", Cell(), 0.0, int64_t{0}, Cell(), Cell(), Cell(), int64_t{1}, Cell()}}) ==
        std::string(header) + "0.0,0,,,,,,:k,k,k\n");
}

TEST_CASE("csv: a former name has former columns; the former dialect has its own cells, too") {
  const std::vector<std::vector<Cell>> rows{{"r", "[CUDA memcpy Unified Host-to-Device]", Cell(),
                                             0.0, int64_t{0}, Cell(), Cell(), Cell(), int64_t{1},
                                             Cell()}};
  CHECK(csv_of(rows, render::Alias::former_columns) ==
        "Time (%),Total (ns),Avg (ns),Size (MB),Rate (MB/s),XYZ,Range,Function,Name\n"
        "0.0,0,,,,,:[CUDA memcpy Unified Host-to-Device],[CUDA memcpy Unified Host-to-Device],"
        "[CUDA memcpy Unified Host-to-Device]\n");
  CHECK(csv_of(rows, render::Alias::former) ==
        "Time (%),Total (ns),Avg (ns),Size (MB),Rate (MBps),XYZ,Range,Function,Name\n"
        "0.0,0,None,None,,None,:[CUDA memcpy Unified Host-to-Device],"
        "[CUDA Unified Memory memcpy HtoD],[CUDA Unified Memory memcpy HtoD]\n");
}

TEST_CASE("short names of copies") {
  CHECK(render::short_copy("[CUDA memcpy Peer-to-Peer]") == "[CUDA memcpy PtoP]");
  CHECK(render::short_copy("[CUDA memcpy Array-to-Host]") == "[CUDA memcpy AtoH]");
  CHECK(render::short_copy("[CUDA memcpy Unified Device-to-Host]") ==
        "[CUDA Unified Memory memcpy DtoH]");
  for (const char* name :
       {"", "[CUDA memcpy Unknown]", "[CUDA memcpy kind 99]", "[CUDA memset]", "[CUDA memcpy -to-]",
        "[CUDA memcpy HtoD]", "a-to-b", "[CUDA memcpy Host-to-Device"}) {
    CHECK(render::short_copy(name) == name);
  }
}

TEST_CASE("csv: a throughput of no time is empty, one of more than a second is 0") {
  const auto row = [](int64_t ns) {
    return std::vector<Cell>{"r", "k", Cell(), 0.0, ns, 0.0, int64_t{1000}, Cell(), Cell(), Cell()};
  };
  CHECK(csv_of({row(0)}) == std::string(header) + "0.0,0,0.0,0.001,,,,:k,k,k\n");
  CHECK(csv_of({row(1'000'000'001)}) ==
        std::string(header) + "0.0,1000000001,0.0,0.001,0.000,,,:k,k,k\n");
}

TEST_CASE("csv: versions of four digits are left out") {
  const auto function = [](const char* name, Cell version) {
    const std::string text =
        csv_of({{"r", name, version, 0.0, int64_t{1}, 0.0, Cell(), Cell(), Cell(), Cell()}});
    const std::string end = std::string(",") + name + "\n";
    const size_t before = text.size() - end.size();
    return text.substr(text.rfind(',', before - 1) + 1, before - text.rfind(',', before - 1) - 1);
  };
  CHECK(function("cudaLaunchKernel", "v7000") == "cudaLaunchKernel");
  CHECK(function("cudaLaunchKernelExC", "v11060") == "cudaLaunchKernelExC_v11060");
  CHECK(function("cuLaunchKernel", Cell()) == "cuLaunchKernel");
}

TEST_CASE("tenths are rounded half away from zero") {
  CHECK(render::with_tenths(0) == "0.0");
  CHECK(render::with_tenths(0.05) == "0.1");
  CHECK(render::with_tenths(0.25) == "0.3");
  CHECK(render::with_tenths(4012594.45) == "4012594.5");
  CHECK(render::with_tenths(5.55) == "5.5");  // below 5.55
  CHECK(render::with_tenths(-0.25) == "-0.3");
  CHECK(render::with_tenths(-0.04) == "0.0");
  CHECK(render::with_tenths(99.95) == "100.0");
  CHECK(render::with_tenths(1e16 + 2) == "10000000000000002.0");
  CHECK(render::with_tenths(1e18) == "1000000000000000000.0");
}

TEST_CASE("csv: an alias that is asked for has to be there") {
  Collected collected;
  CHECK_THROWS(render::csv(empty_table(), collected.sink(), {.alias = render::Alias::current}));
}

}  // namespace kr::test::alias_test
