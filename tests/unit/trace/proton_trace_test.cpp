// Chrome traces of Proton: both forms, what belongs to Proton itself, and what is wrong in them.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "support.hpp"
#include "trace/format.hpp"

namespace kr::test::proton_trace_test {
namespace {

trace::Trace read(std::string_view text, trace::OpenOptions options = {}) {
  options.host = trace::HostDetail::all;
  trace::Input input(text, "t.chrome_trace", options);
  trace::TraceBuilder builder("t.chrome_trace", "proton-trace");
  trace::proton_trace_format.read(input, builder);
  return std::move(builder).finish();
}

std::string error_of(std::string_view text, const trace::OpenOptions& options = {}) {
  try {
    read(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// A line an operation: `DEVICE STREAM START DURATION NAME: ANNOTATIONS | MODULES`.
std::string show(const trace::Trace& trace) {
  std::string out;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const trace::Operation& one = trace.operations[i];
    const trace::Track& track = trace.track(one.track);
    out += fmt::format("{} {} {} {} {}:", track.device, track.stream, one.start_ns, one.duration_ns,
                       trace.names.get(one.name).text);
    if (const trace::NodeCreation* const place = trace.host->creation(i)) {
      const auto [begin, end] = trace.host->ranges_of(place->thread);
      std::string modules;
      for (uint32_t at = begin; at < end; ++at) {
        const trace::HostRange& range = trace.host->ranges[at];
        if (!range.contains(place->time_ns)) continue;
        const bool module = range.kind == trace::HostRange::Kind::module;
        (module ? modules : out).append(" ").append(trace.host->range_names[range.name]);
      }
      out += " |" + modules;
    }
    out += '\n';
  }
  return out;
}

constexpr std::string_view head = R"({"displayTimeUnit":"us","traceEvents":[)";

std::string kernel(std::string_view stack, std::string_view more) {
  return fmt::format(R"({{"args":{{"call_stack":[{}]}},"cat":"kernel","ph":"X",{}}})", stack, more);
}

const std::string whole =
    std::string(head) +
    R"({"args":{"name":"GPU Stream 7"},"name":"thread_name","ph":"M","pid":0,"tid":200007},)" +
    R"({"args":{"call_stack":["ROOT","s"]},"cat":"scope","dur":3.5,"name":"s","ph":"X","pid":0,"tid":4,"ts":0.5},)" +
    R"({"args":{},"cat":"scope","dur":3,"name":"on a stream","ph":"X","pid":0,"tid":100007,"ts":0},)" +
    R"({"cat":"flow","id":1,"name":"launch->kernel","ph":"s","pid":0,"tid":4,"ts":1},)" +
    kernel(R"("ROOT","s","m","a")", R"("name":"a","pid":0,"tid":200007,"ts":1.5,"dur":2.001)") +
    ',' +
    kernel(R"("ROOT","s","<captured_at>","top","layer","b")",
           R"("name":"b","pid":0,"tid":3200009,"ts":4.0,"dur":1e1)") +
    ',' +
    kernel(R"("ROOT","s","__proton_launch_metadata","c")",
           R"("name":"c","pid":0,"tid":200007,"ts":5,"dur":0.25)") +
    ',' +
    kernel(R"("ROOT","s","<metric>")",
           R"("name":"<metric>","pid":0,"tid":200007,"ts":6,"dur":0.5)") +
    "]}\n";

}  // namespace

TEST_CASE("a Chrome trace of Proton") {
  for (const size_t block_size : {size_t{1}, size_t{7}, size_t{1} << 16}) {
    const trace::Trace trace = read(whole, {.block_size = block_size});
    CHECK(show(trace) ==
          "0 7 1500 2001 a: | s m\n"
          "3 9 4000 10000 b: s | top layer\n");
    REQUIRE(trace.warnings.size() == 1);
    CHECK(trace.warnings[0].text ==
          "2 kernels of Proton itself (`__proton_launch_metadata`, `<metric>`), 750 ns in all, are "
          "left out: they are no work of the program.");
    size_t scopes = 0;
    for (const trace::HostRange& range : trace.host->ranges) {
      if (trace.host->threads[range.thread].other_clock) continue;
      ++scopes;
      CHECK(trace.host->range_names[range.name] == "s");
      CHECK(range.start_ns == 500);
      CHECK(range.end_ns == 4000);
    }
    CHECK(scopes == 1);
    CHECK(!trace.clock.utc_ns);
  }
}

TEST_CASE("of early 2026: an object a line, one line a stream") {
  const std::string text =
      std::string(head) + kernel(R"("ROOT","m","a")", R"("name":"a","tid":7,"ts":0.0,"dur":1)") +
      "]}\n" + std::string(head) +
      kernel(R"("ROOT","m","b")", R"("name":"b","tid":200013,"ts":0.5,"dur":1)") + "]}\n \n";
  for (const size_t block_size : {size_t{1}, size_t{64}}) {
    CHECK(show(read(text, {.block_size = block_size})) ==
          "0 7 0 1000 a: | m\n"
          "0 200013 500 1000 b: | m\n");
  }
  CHECK(error_of(text + "5").find("is a number, not an object") != std::string::npos);
}

TEST_CASE("events of Proton that lack something") {
  const auto one = [](std::string_view event) {
    return show(read(fmt::format("{}{}]}}", head, event)));
  };
  CHECK(one(R"({"cat":"kernel","ph":"X","name":"k","tid":5,"ts":1,"dur":1})") ==
        "0 5 1000 1000 k:\n");
  CHECK(one(R"({"cat":"kernel","ph":"X","name":7,"ts":1,"dur":1})") ==
        "0 0 1000 1000 (unnamed operation):\n");
  CHECK(one(kernel(R"("ROOT","k")", R"("name":"k","pid":0,"tid":200001,"ts":1,"dur":1)")) ==
        "0 1 1000 1000 k:\n");
  CHECK(one(R"({"cat":"kernel","ph":"B","name":"k","tid":5,"ts":1})").empty());
  CHECK(one(R"({"cat":["kernel"],"ph":"X","args":[],"name":"k","tid":5,"ts":1,"dur":1})").empty());
  // Times that cannot be right are counted, and with `strict` an error.
  for (const char* times : {R"("ts":-1,"dur":1)", R"("ts":1,"dur":-1)", R"("ts":1)", R"("dur":1)",
                            R"("ts":1e300,"dur":1)", R"("ts":null,"dur":1)",
                            R"("ts":9223372036854775,"dur":9223372036854775)"}) {
    CAPTURE(times);
    const std::string text =
        fmt::format(R"({}{{"cat":"kernel","ph":"X","name":"k","tid":5,{}}}]}})", head, times);
    CHECK(!read(text).untimed_why.empty());
    CHECK(error_of(text, {.strict = true}).find("missing, negative or too large") !=
          std::string::npos);
  }
  CHECK(error_of(fmt::format(R"({}{{"ts":NaN}}]}})", head)).find("is NaN, which is not a time") !=
        std::string::npos);
  CHECK(error_of(fmt::format(R"({}{{"ts":"1"}}]}})", head)).find("is a string, not a number") !=
        std::string::npos);
  CHECK(error_of(R"({"traceEvents":[],"traceEvents":[]})").find("occurs twice") !=
        std::string::npos);
  REQUIRE(read(fmt::format("{}]}}", head)).warnings.size() == 1);
}

TEST_CASE("a Chrome trace of Proton that is cut off") {
  const std::string complete = show(read(whole));
  const size_t end = whole.rfind('}');
  for (size_t at = 0; at <= end; ++at) {
    CAPTURE(at);
    const std::string text = whole.substr(0, at);
    CHECK(error_of(text).find("the file is cut off here") != std::string::npos);
    const std::string part = show(read(text, {.allow_truncated = true, .block_size = 16}));
    CHECK(complete.starts_with(part));
  }
}

TEST_CASE("which files are Chrome traces of Proton") {
  const auto sniff = trace::proton_trace_format.sniff;
  CHECK(sniff(whole));
  CHECK(sniff(std::string_view(whole).substr(0, 120)));
  CHECK(sniff(fmt::format("{}]}}", head)));
  CHECK(sniff(R"({"traceEvents": [{"args": {"call_stack": ["ROOT", "a"]}}]})"));
  CHECK(!sniff(""));
  CHECK(!sniff("[]"));
  CHECK(!sniff(R"({"traceEvents":[]})"));
  CHECK(!sniff(R"({"displayTimeUnit":"ms","traceEvents":[{"args":{"name":"GPU Stream 7"}}]})"));
  CHECK(!sniff(R"({"schemaVersion":1,"traceEvents":[{"args":{"call_stack":["main"]}}]})"));
  CHECK(!sniff(R"({"displayTimeUnit":"us","traceEvents":[{"args":{"name":"python"}},)"));
}

}  // namespace kr::test::proton_trace_test
