#include "timeline/timeline.hpp"

#include <doctest/doctest.h>

#include "support/timelines.hpp"

namespace {

using kr::test::TimelineOfTrace;
using kr::timeline::Timeline;

const kr::match::CompiledRules& rules() {
  static const kr::match::CompiledRules compiled = kr::test::compile(R"(
engine e {
  substage { gemm: "gemm"  rest: otherwise }
  phases { decode: /decode_(?<step>\d+)/ }
})");
  return compiled;
}

struct Work {
  int64_t start;
  int64_t duration;
  std::string name;
  int32_t device = 0;
  int64_t stream = 0;
};

kr::trace::Trace trace_of(const std::vector<Work>& work) {
  kr::trace::TraceBuilder builder("t.csv", "test");
  for (const Work& one : work) {
    kr::trace::Track track;
    track.device = one.device;
    track.stream = one.stream;
    builder.add({one.start, one.duration, builder.name(one.name, kr::OperationKind::kernel),
                 builder.track(track)});
  }
  return std::move(builder).finish();
}

std::vector<uint64_t> numbers(std::string_view packed) {
  std::vector<uint64_t> all;
  uint64_t value = 0;
  int shift = 0;
  for (const char c : packed) {
    value |= uint64_t{static_cast<unsigned char>(c) & 0x7fU} << shift;
    shift += 7;
    if ((static_cast<unsigned char>(c) & 0x80U) != 0) continue;
    all.push_back(value);
    value = 0;
    shift = 0;
  }
  return all;
}

}  // namespace

TEST_CASE("a timeline of few operations has all of them") {
  const TimelineOfTrace made(
      rules(), trace_of({{1000, 50, "gemm"}, {1000, 0, "nothing"}, {1300, 20, "norm", 1, 5}}), {});
  const Timeline& timeline = made.timeline;
  CHECK(timeline.is_exact);
  CHECK(timeline.span_ns == 320);
  REQUIRE(timeline.lanes.size() == 2);
  CHECK(timeline.lanes[1].device == 1);
  CHECK(timeline.lanes[1].stream == 5);
  REQUIRE(timeline.operations.size() == 2);
  CHECK(timeline.operations[1].start_ns == 300);
  CHECK(made.summary.names[timeline.operations[1].name].name == "norm");
  const auto place = [&](size_t i) {
    return (timeline.operations[i].name + 1) * 2 + timeline.operations[i].lane;
  };
  CHECK(numbers(kr::timeline::packed(timeline)) ==
        std::vector<uint64_t>{0, 50, place(0), 300, 20, place(1)});
}

TEST_CASE("a trace without operations has an empty timeline") {
  const TimelineOfTrace made(rules(), trace_of({}), {});
  CHECK(made.timeline.is_exact);
  CHECK(made.timeline.lanes.empty());
  CHECK(kr::timeline::packed(made.timeline).empty());
}

TEST_CASE("a bin has the time of each name and stream, and the time in which anything ran") {
  std::vector<Work> work;
  for (int64_t i = 0; i < 1000; ++i) work.push_back({i * 1000, 500, "gemm", 0, 1});
  work.push_back({0, 1'000'000, "copy", 0, 2});
  const TimelineOfTrace made(rules(), trace_of(work), {.bytes = 3000});
  const Timeline& timeline = made.timeline;
  REQUIRE(!timeline.is_exact);
  int64_t gemm_ns = 0;
  int64_t copy_ns = 0;
  int64_t busy_ns = 0;
  for (const kr::timeline::Part& part : timeline.parts) {
    if (part.name == kr::timeline::busy) {
      CHECK(part.lane == 0);
      CHECK(part.ns <= timeline.bin_ns);
      busy_ns += part.ns;
    } else {
      (made.summary.names[part.name].name == "gemm" ? gemm_ns : copy_ns) += part.ns;
    }
  }
  CHECK(gemm_ns == 500'000);
  CHECK(copy_ns == 1'000'000);
  CHECK(busy_ns == 1'000'000);
}

TEST_CASE("a million operations take no more room than the limit") {
  kr::trace::TraceBuilder builder("t.csv", "test");
  for (int64_t i = 0; i < 1'000'000; ++i) {
    kr::trace::Track track;
    track.device = static_cast<int32_t>(i % 2);
    track.stream = i % 3;
    builder.add({i * 700, 600 + i % 900,
                 builder.name("k" + std::to_string(i * i % 97), kr::OperationKind::kernel),
                 builder.track(track)});
  }
  const kr::timeline::Limits limits{.bytes = 400'000};
  const TimelineOfTrace made(rules(), std::move(builder).finish(), limits);
  CHECK(made.timeline.bins.size() > 64);
  CHECK(kr::timeline::packed(made.timeline).size() > limits.bytes / 3);
  CHECK(kr::timeline::packed(made.timeline).size() +
            kr::timeline::packed_bands(made.timeline).size() <=
        limits.bytes);
  int64_t total_ns = 0;
  for (const kr::timeline::Part& part : made.timeline.parts) {
    if (part.name != kr::timeline::busy) total_ns += part.ns;
  }
  CHECK(total_ns == made.summary.gpu_total_ns);
}

TEST_CASE("with more names than 64 bins have room for there are no bins") {
  std::vector<Work> work;
  for (int64_t i = 0; i < 5000; ++i) work.push_back({i, 1, "k" + std::to_string(i)});
  const TimelineOfTrace made(rules(), trace_of(work), {.bytes = 1000});
  CHECK(made.timeline.has_too_many_names);
  CHECK(made.timeline.bins.empty());
  CHECK(made.timeline.parts.empty());
}

TEST_CASE("the lanes are the streams with most time; the others are counted") {
  const TimelineOfTrace made(
      rules(), trace_of({{0, 5, "gemm", 0, 1}, {0, 9, "gemm", 1, 2}, {0, 7, "gemm", 0, 3}}),
      {.lanes = 2});
  REQUIRE(made.timeline.lanes.size() == 2);
  CHECK(made.timeline.lanes[0].stream == 3);
  CHECK(made.timeline.lanes[1].stream == 2);
  CHECK(made.timeline.omitted_lanes == 1);
  CHECK(made.timeline.operations.size() == 2);
}

TEST_CASE("names that differ in their labels only are different names") {
  // The same text as a kernel and as a copy.
  kr::trace::TraceBuilder builder("t.csv", "test");
  builder.add({0, 10, builder.name("gemm", kr::OperationKind::kernel), builder.track({})});
  builder.add({20, 3, builder.name("gemm", kr::OperationKind::memcpy), builder.track({})});
  const TimelineOfTrace made(rules(), std::move(builder).finish(), {});
  REQUIRE(made.timeline.operations.size() == 2);
  CHECK(made.summary.names[made.timeline.operations[0].name].kind == kr::OperationKind::kernel);
  CHECK(made.summary.names[made.timeline.operations[1].name].kind == kr::OperationKind::memcpy);
}

TEST_CASE("too many steps are joined with their neighbours") {
  kr::trace::TraceBuilder builder("t.json", "test");
  kr::trace::HostTrace& host = builder.host();
  const uint32_t thread = builder.thread({"1", "1"});
  const uint32_t call = builder.call({"cudaLaunchKernel", false});
  constexpr int64_t count = 2000;
  for (int64_t i = 0; i < count; ++i) {
    host.ranges.push_back({i * 100, i * 100 + 90, builder.range_name("decode_" + std::to_string(i)),
                           thread, kr::trace::HostRange::none,
                           kr::trace::HostRange::Kind::annotation});
    host.launches.push_back({i, i * 100 + 10, 5, call, thread});
    builder.add(
        {i * 100 + 20, 30, builder.name("gemm", kr::OperationKind::kernel), builder.track({})});
    builder.add_correlations(&i, 1);
  }
  const TimelineOfTrace all(rules(), std::move(builder).finish(), {});
  REQUIRE(all.timeline.bands.size() == count);
  CHECK(all.timeline.bands[7].number == 7);
  CHECK(all.timeline.phases == std::vector<std::string>{"decode"});

  const kr::timeline::Limits limits{.bytes = 8000};
  const Timeline few = kr::timeline::make(rules(), *all.run, all.summary, limits);
  CHECK(few.bands.size() < count / 3);
  CHECK(few.bands.size() > 20);
  CHECK(kr::timeline::packed_bands(few).size() <= limits.bytes / 4);
  uint32_t steps = 0;
  for (const kr::timeline::Band& band : few.bands) {
    CHECK(band.number == steps);
    steps += band.count;
  }
  CHECK(steps == count);
  CHECK(numbers(kr::timeline::packed_bands(few))[2] == few.bands.size());
}
