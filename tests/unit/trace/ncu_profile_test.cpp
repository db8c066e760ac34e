// What is kept of pages of ncu: metrics in base units, rules, and which kernels of several pages
// are one.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "support.hpp"
#include "trace/readers/ncu_units.hpp"

namespace kr::test::ncu_profile_test {
namespace {

const std::string header =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Body Item Label\","
    "\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\",\"Rule Type\","
    "\"Rule Description\",\"Estimated Speedup Type\",\"Estimated Speedup\"\n";

struct Who {
  int id = 0;
  int process = 9;
  const char* name = "k(int)";
  const char* grid = "(8, 1, 1)";
};

std::string head(const Who& who) {
  return fmt::format(
      "\"{}\",\"{}\",\"secret\",\"myhost\",\"{}\",\"1\",\"7\",\"(128, 1, "
      "1)\",\"{}\",\"0\",\"9.0\",",
      who.id, who.process, who.name, who.grid);
}

std::string metric(const Who& who, const char* section, const char* item, const char* name,
                   const char* unit, const char* value) {
  return head(who) +
         fmt::format("\"{}\",\"{}\",\"{}\",\"{}\",\"{}\",\n", section, item, name, unit, value);
}

std::string duration(const Who& who, const char* value, const char* unit = "us") {
  return metric(who, "Light", "", "Duration", unit, value);
}

std::string rule(const Who& who, const char* text, const char* speedup) {
  return head(who) + fmt::format(
                         "\"Light\",\"\",\"\",\"\",\"\",\"SOL\",\"OPT\",\"{}\",\"{}\","
                         "\"{}\"\n",
                         text, *speedup == '\0' ? "" : "local", speedup);
}

trace::Trace open(const std::vector<std::string>& pages) {
  const Folder folder;
  std::vector<std::string> paths;
  for (const std::string& page : pages) {
    paths.push_back(folder.write(fmt::format("{}.csv", paths.size()), page));
  }
  return trace::open_ncu_pages(paths, {});
}

std::string said(const trace::Trace& trace, std::string_view code) {
  for (const Warning& warning : trace.warnings) {
    if (warning.code == code) return warning.text;
  }
  return {};
}

std::string dump(const trace::NcuProfile& profile) {
  std::string out;
  for (const trace::NcuProfile::Kernel& kernel : profile.kernels) {
    out += fmt::format("{} {} {} {}\n", kernel.id, kernel.name, kernel.grid[0],
                       kernel.duration_ns.value_or(-1));
    for (const trace::NcuProfile::Value& value : kernel.values) {
      const trace::NcuProfile::Metric& metric = profile.metrics[value.metric];
      out += fmt::format("  {}/{}/{} {} {}\n", metric.section, metric.item, metric.name,
                         value.number, metric.unit);
    }
    for (const trace::NcuProfile::Text& text : kernel.texts) {
      out += fmt::format("  {} = {}\n", profile.metrics[text.metric].name, text.text);
    }
    for (const uint32_t number : kernel.rules) {
      const trace::NcuProfile::Rule& one = profile.rules[number];
      out += fmt::format("  {} {}: {} {} {}\n", one.name, one.type, one.text, one.speedup_type,
                         one.speedup);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("units of ncu") {
  struct Case {
    const char* unit;
    const char* base;
    int exponent;
  };
  const Case cases[] = {
      {"ns", "ns", 0},
      {"nsecond", "ns", 0},
      {"us", "ns", 3},
      {"usecond", "ns", 3},
      {"msecond", "ns", 6},
      {"second", "ns", 9},
      {"byte", "byte", 0},
      {"Kbyte", "byte", 3},
      {"Mbyte", "byte", 6},
      {"Gbyte", "byte", 9},
      {"byte/s", "byte/s", 0},
      {"Gbyte/s", "byte/s", 9},
      {"Tbyte/second", "byte/s", 12},
      {"byte/ns", "byte/s", 9},
      {"hz", "hz", 0},
      {"Ghz", "hz", 9},
      {"Mhz", "hz", 6},
      {"cycle/nsecond", "hz", 9},
      {"cycle/usecond", "hz", 6},
      {"cycle/s", "hz", 0},
      {"byte/cycle", "byte/cycle", 0},
      {"Kbyte/block", "byte/block", 3},
      {"inst/cycle", "inst/cycle", 0},
      {"%", "%", 0},
      {"register/thread", "register/thread", 0},
      {"", "", 0},
      {"furlong", "furlong", 0},
      {"Kfurlong", "Kfurlong", 0},
      {"K", "K", 0},
      {"/s", "/s", 0},
  };
  for (const Case& one : cases) {
    CAPTURE(one.unit);
    const trace::NcuUnit unit = trace::ncu_unit(one.unit);
    CHECK(unit.base == one.base);
    CHECK(unit.exponent == one.exponent);
  }
}

TEST_CASE("numbers of ncu") {
  using Is = trace::NcuNumberIs;
  struct Case {
    const char* text;
    int exponent;
    Is is;
    double value;
  };
  const Case cases[] = {
      {"4,963,609,951.19", 0, Is::number, 4963609951.19},
      {"13.78", 9, Is::number, 13.78e9},
      {"0", 6, Is::number, 0},
      {"-1,000", 0, Is::number, -1000},
      {"100", 0, Is::number, 100},
      {"9 (3; 6)", 0, Is::number, 9},
      {"n/a", 0, Is::missing, 0},
      {"", 0, Is::missing, 0},
      {"nan", 0, Is::missing, 0},
      {"CachePreferNone", 0, Is::text, 0},
      {"(1, 2)", 0, Is::text, 0},
      {"5,5x", 0, Is::text, 0},
      {"1-2", 0, Is::text, 0},
      {"-", 0, Is::text, 0},
      {"4,70", 0, Is::decimal_comma, 0},
      {"0,125", 0, Is::decimal_comma, 0},
      {"1,2345", 0, Is::decimal_comma, 0},
      {"1.234,5", 0, Is::decimal_comma, 0},
      {"1.234.567", 0, Is::decimal_comma, 0},
      {"1234,567", 0, Is::decimal_comma, 0},
      {",5", 0, Is::text, 0},
  };
  for (const Case& one : cases) {
    CAPTURE(one.text);
    const trace::NcuNumber number = trace::read_ncu_number(one.text, one.exponent);
    CHECK((number.is == one.is));
    CHECK(number.value == one.value);
  }
  CHECK(trace::read_ncu_number("4.70", 3).rounding == doctest::Approx(5));
  CHECK(trace::read_launch_shape("(224, 4, 1)") == trace::LaunchShape{224, 4, 1});
  CHECK(trace::read_launch_shape("(224, 4)") == trace::LaunchShape{});
  CHECK(trace::read_launch_shape("224") == trace::LaunchShape{});
}

TEST_CASE("metrics and rules of a kernel") {
  const Who who;
  const trace::Trace trace =
      open({header + duration(who, "4.70") +
            metric(who, "Roof", "Single", "SM Frequency", "Ghz", "1.99") +
            metric(who, "Roof", "Double", "SM Frequency", "Ghz", "2.01") +
            metric(who, "Launch", "", "Function Cache Configuration", "", "CachePreferNone") +
            metric(who, "Other", "", "flop_count_sp.sum", "", "n/a") +
            rule(who, "Do \"\"it\"\".", "12.5") + rule(who, "Known.", "")});
  REQUIRE(trace.ncu != nullptr);
  CHECK(dump(*trace.ncu) ==
        "0 k(int) 8 4700\n  Light//Duration 4700 ns\n  Roof/Single/SM Frequency 1990000000 hz\n"
        "  Roof/Double/SM Frequency 2010000000 hz\n"
        "  Function Cache Configuration = CachePreferNone\n"
        "  SOL OPT: Do \"it\". local 12.5\n  SOL OPT: Known.  0\n");
  CHECK(trace.ncu->metrics[1].line == 3);
  CHECK(trace.operations.size() == 1);
  // Nothing of the user's machine is kept.
  for (uint32_t i = 0; i < trace.ncu->texts.size(); ++i) {
    CHECK(trace.ncu->texts.text(i) != "secret");
    CHECK(trace.ncu->texts.text(i) != "myhost");
  }
}

TEST_CASE("sections of one kernel in several pages are one kernel") {
  const Who who;
  const std::string light = header + duration(who, "4.70");
  const std::string roof = header + metric({0, 10}, "Roof", "", "a", "byte", "5");
  const auto kernels = [](const std::vector<std::string>& pages) {
    return open(pages).ncu->kernels.size();
  };
  CHECK(kernels({light, roof}) == 1);
  CHECK(kernels({light + roof}) == 1);
  CHECK(dump(*open({roof, light}).ncu) ==
        "0 k(int) 8 4700\n  Roof//a 5 byte\n  Light//Duration 4700 ns\n");
  CHECK(open({roof, light}).operations.size() == 1);
  // The same page again, and with more digits.
  CHECK(kernels({light, light}) == 1);
  CHECK(dump(*open({light, header + duration(who, "4,704", "ns")}).ncu) ==
        "0 k(int) 8 4704\n  Light//Duration 4700 ns\n");
  // Another time, process with a time, ID, name, grid or value of a metric: another kernel.
  CHECK(kernels({light, header + duration(who, "4.72")}) == 2);
  CHECK(kernels({light, header + duration({0, 10}, "4.70")}) == 2);
  CHECK(kernels({light, header + metric({1, 9}, "Roof", "", "a", "byte", "5")}) == 2);
  CHECK(kernels({light, header + metric({0, 9, "l"}, "Roof", "", "a", "byte", "5")}) == 2);
  CHECK(kernels({light, header + metric({0, 9, "k(int)", "(9, 1, 1)"}, "R", "", "a", "", "5")}) ==
        2);
  CHECK(kernels({roof, header + metric(who, "Roof", "", "a", "byte", "6")}) == 2);
  CHECK(kernels({roof, header + metric(who, "Roof", "", "a", "byte", "5")}) == 1);
  CHECK(kernels({roof, header + metric(who, "Roof", "", "a", "Kbyte", "0.005")}) == 1);
  // What is not known to be the same stays two.
  CHECK(kernels({header + metric({0, 9, "k", "?"}, "L", "", "a", "", "5"),
                 header + metric({0, 9, "k", "?"}, "R", "", "b", "", "5")}) == 2);
  const trace::Trace two = open({light, header + duration(who, "5.00")});
  CHECK(said(two, "repeated-kernels") ==
        "Kernels of several pages have the same ID, name, grid and block, but another `duration`, "
        "or another process: they are separate kernels (1 pair).");
}

TEST_CASE("a page without its header behind another") {
  const Who who;
  const trace::Trace trace =
      open({header + duration(who, "4.70") + duration({1, 9}, "5.00") + duration(who, "4.90")});
  CHECK(trace.operations.size() == 2);
  CHECK(said(trace, "repeated-kernels") ==
        "1 row in one page repeat an ID with another duration, and are not counted: a page without "
        "its header may follow another.");
}

TEST_CASE("a page of `raw`") {
  const trace::Trace trace = open(
      {"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Id:Domain:Text\","
       "\"Grid Size\",\"Block Size\",\"Device\",\"CC\",\"dram__bytes.sum\","
       "\"gpu__time_duration.sum\",\"launch__func_cache_config\"\n"
       "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Kbyte\",\"us\",\"\"\n"
       "\"0\",\"1\",\"p\",\"h\",\"k\",\"mine\",\"(1, 2, 3)\",\"(4, 5, 6)\",\"0\",\"8.0\","
       "\"1,234.500000\",\"4.704000\",\"None\"\n"});
  CHECK(dump(*trace.ncu) ==
        "0 k 1 4704\n  //dram__bytes.sum 1234500 byte\n  //gpu__time_duration.sum 4704 ns\n"
        "  launch__func_cache_config = None\n");
}

TEST_CASE("folders of pages, and what is none") {
  const Who who;
  const Folder folder;
  std::filesystem::create_directory(folder.path("pages"));
  folder.write("pages/a.csv", header + duration(who, "4.70"));
  folder.write("pages/b.csv", header + metric(who, "Roof", "", "a", "byte", "5"));
  folder.write("pages/other.csv", "x,y\n1,2\n");
  const trace::Trace trace = trace::open_trace(folder.path("pages"));
  CHECK(trace.format == "ncu-csv");
  CHECK(trace.ncu->kernels.size() == 1);
  CHECK(trace.operations.size() == 1);
  CHECK(said(trace, "skipped-files") == "1 CSV in the folder is not a page of ncu: other.csv.");
  const auto fault = [&](const std::string& path) {
    try {
      trace::open_ncu_pages({path}, {});
    } catch (const Error& error) {
      return std::string(error.why());
    }
    return std::string();
  };
  CHECK(fault(folder.path("pages/other.csv")) == "is not a page of ncu");
  CHECK(fault(folder.write("r.ncu-rep", std::string_view("NVR\0abc", 7))) ==
        "is an ncu report (.ncu-rep)");
  std::string semicolons = header;
  for (char& c : semicolons) c = c == ',' ? ';' : c;
  CHECK(fault(folder.write("s.csv", semicolons)) ==
        "the page has `;` between its cells, and so a comma as decimal sign");
  std::filesystem::create_directory(folder.path("none"));
  CHECK(fault(folder.path("none")) == "is a folder without CSV pages of ncu");
}

}  // namespace kr::test::ncu_profile_test
