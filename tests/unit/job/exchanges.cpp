#include "job/exchanges.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "job/extract.hpp"
#include "support/labelled.hpp"
#include "support/rules.hpp"

namespace {

const kr::match::CompiledRules& exchange_rules() {
  static const kr::match::CompiledRules rules = kr::test::compile(R"(
engine e {
  phases { decode: /^decode_(?<step>\d+)/ }
  kind { communication: "dispatch" | "combine" | "ncclDevKernel" compute: otherwise }
  exchange {
    dispatch: "dispatch" | "AlltoAll"
    combine: "combine"
    none: otherwise
  }
}
)");
  return rules;
}

/// One thread; each operation runs 1,000 ns after its launch, for 10 ns.
class ExchangeTrace {
 public:
  ExchangeTrace() { builder_.host().threads.push_back({"1", "1"}); }

  ExchangeTrace& step(int64_t start, int64_t end, std::string name) {
    kr::trace::HostTrace& host = builder_.host();
    host.range_names.push_back(std::move(name));
    host.ranges.push_back({start, end, static_cast<uint32_t>(host.range_names.size() - 1), 0,
                           kr::trace::HostRange::none, kr::trace::HostRange::Kind::annotation});
    return *this;
  }
  ExchangeTrace& run(int64_t launched, std::string_view name) {
    kr::trace::HostTrace& host = builder_.host();
    if (host.calls.empty()) host.calls.push_back({"cudaLaunchKernel", false});
    host.launches.push_back({++correlation_, launched, 1, 0, 0});
    builder_.add({1000 + launched, 10, builder_.name(name, kr::OperationKind::kernel),
                  builder_.track({0, 7, "GPU"})});
    builder_.add_correlations(&correlation_, 1);
    return *this;
  }
  /// `START-START`, of dispatch and combine; `decode 3:` before those of the step.
  std::string pairs() {
    const auto labelled = kr::test::label(exchange_rules(), std::move(builder_).finish());
    const auto summary =
        kr::analyze::summarize(exchange_rules(), labelled->trace, labelled->labelled, std::nullopt);
    const auto members = kr::job::members_of(exchange_rules(), *labelled, &summary.devices);
    warning = kr::job::lone_exchanges(members);
    std::string text;
    for (const kr::job::Member& member : members) {
      if (!member.exchanges) continue;
      for (const auto& one : member.exchanges->exchanges) {
        const auto at = [&](const std::optional<uint32_t>& place) {
          return place ? std::to_string(member.collectives[*place].start_ns - 1000)
                       : std::string("none");
        };
        const std::string& phase = member.exchanges->phases[one.phase].name;
        if (!text.empty()) text += ", ";
        if (one.step) text += fmt::format("{} {}: ", phase, *one.step);
        text += at(one.dispatch) + "-" + at(one.combine);
      }
    }
    return text;
  }

  std::optional<kr::Warning> warning;

 private:
  kr::trace::TraceBuilder builder_{"t.json", "kineto-json"};
  int64_t correlation_ = 0;
};

}  // namespace

TEST_CASE("the k-th dispatch has the k-th combine, with two micro-batches in flight, too") {
  ExchangeTrace trace;
  trace.run(0, "dispatch").run(20, "combine");
  trace.run(40, "dispatch").run(60, "dispatch").run(80, "combine").run(100, "combine");
  CHECK(trace.pairs() == "0-20, 40-80, 60-100");
  CHECK(!trace.warning);
}

TEST_CASE("a combine whose dispatch is before the trace shifts no other") {
  ExchangeTrace trace;
  trace.run(0, "combine").run(20, "dispatch").run(40, "combine").run(60, "dispatch");
  CHECK(trace.pairs() == "none-0, 20-40, 60-none");
  REQUIRE(trace.warning);
  CHECK(trace.warning->code == "lone-exchanges");
  CHECK(trace.warning->severity == "info");
  CHECK(trace.warning->text.starts_with(
      "3 exchanges of experts: no combine in 1, no dispatch in 1."));
}

TEST_CASE("what one step lost shifts no other step") {
  ExchangeTrace trace;
  trace.step(0, 50, "decode_1").run(0, "dispatch").run(20, "dispatch").run(40, "combine");
  trace.step(60, 120, "decode_2").run(60, "dispatch").run(80, "combine");
  CHECK(trace.pairs() == "decode 1: 0-40, decode 1: 20-none, decode 2: 60-80");
}

TEST_CASE("an all-to-all of a library stays one, of whatever direction") {
  ExchangeTrace trace;
  trace.run(0, "ncclDevKernel_AlltoAll").run(20, "combine");
  CHECK(trace.pairs() == "0-20");
}

TEST_CASE("a run without exchanges does not have their dimension") {
  kr::trace::TraceBuilder builder("t", "t");
  builder.add(
      {0, 5, builder.name("gemm", kr::OperationKind::kernel), builder.track({0, 7, "GPU"})});
  const auto labelled = kr::test::label(exchange_rules(), std::move(builder).finish());
  for (const auto& one : labelled->labelled.dimensions) {
    CHECK(exchange_rules().program().dimensions.get(one.dimension).name != "exchange");
  }
  CHECK(labelled->labelled.dimensions.size() == 1);
  const auto directions =
      kr::job::directions_by_row(exchange_rules().program(), labelled->labelled);
  CHECK(directions == std::vector{kr::job::Direction::none});
}
