// Runs whose answers are known by hand, in us.
#include "replay/model.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace {

using kr::replay::Changed;
using kr::replay::Model;
using kr::replay::PathPart;

constexpr int64_t us = 1000;

/// A run on one thread; kernels are launched by the calls added.
class PlantedRun {
 public:
  void call(const char* name, int64_t start, int64_t duration) {
    builder_.host().launches.push_back({calls_++, start * us, duration * us,
                                        builder_.call({name, false}), builder_.thread({"1", "1"})});
  }
  /// Launched by the last call.
  void kernel(int64_t stream, int64_t start, int64_t duration) {
    kr::trace::Track track;
    track.stream = stream;
    builder_.add({start * us, duration * us, builder_.name("k", kr::OperationKind::kernel),
                  builder_.track(track)});
    const int64_t correlation = calls_ - 1;
    builder_.add_correlations(&correlation, 1);
  }
  kr::trace::Trace finish() { return std::move(builder_).finish(); }

 private:
  kr::trace::TraceBuilder builder_{"", ""};
  int64_t calls_ = 0;
};

int64_t span_us(const kr::trace::Trace& trace, const Changed& changed) {
  kr::replay::Extent extent;
  Model(trace).replay(changed,
                      [&](uint32_t, int64_t start, int64_t end) { extent.add(start, end); });
  return extent.span_ns() / us;
}

/// As measured, but for some operations.
Changed with(const kr::trace::Trace& trace, const std::map<size_t, int64_t>& durations_us) {
  Changed changed;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const auto found = durations_us.find(i);
    changed.duration_ns.push_back(found != durations_us.end() ? found->second * us
                                                              : trace.operations[i].duration_ns);
  }
  return changed;
}

Changed overlapping(const kr::trace::Trace& trace, size_t operation) {
  Changed changed;
  changed.overlapped.assign(trace.operations.size(), false);
  changed.overlapped[operation] = true;
  return changed;
}

}  // namespace

TEST_CASE("kernels of one stream move up, but not before their launch") {
  PlantedRun run;
  run.call("cudaLaunchKernel", 0, 1);
  run.kernel(7, 5, 100);  // launch latency 5
  run.call("cudaLaunchKernel", 10, 1);
  run.kernel(7, 106, 20);  // 1 us behind the first
  run.call("cudaLaunchKernel", 80, 1);
  run.kernel(7, 127, 10);
  const auto trace = run.finish();
  CHECK(span_us(trace, {}) == 132);
  // 5 + 50, 56 + 20, then the third, launched at 80, at 85.
  CHECK(span_us(trace, with(trace, {{0, 50}})) == 90);
  CHECK(span_us(trace, with(trace, {{0, 200}})) == 232);
  CHECK(span_us(trace, overlapping(trace, 2)) == 132);
}

TEST_CASE("a stream that waits for an event moves with the other") {
  for (const bool waits : {true, false}) {
    CAPTURE(waits);
    PlantedRun run;
    run.call("cudaLaunchKernel", 0, 1);
    run.kernel(1, 5, 50);
    run.call(waits ? "cudaStreamWaitEvent" : "cudaEventRecord", 2, 1);
    run.call("cudaLaunchKernel", 4, 1);
    run.kernel(2, 55, 10);  // a collective, for example
    run.call(waits ? "cudaStreamWaitEvent" : "cudaEventRecord", 6, 1);
    run.call("cudaLaunchKernel", 8, 1);
    run.kernel(1, 65, 30);
    const auto trace = run.finish();
    CHECK(span_us(trace, {}) == 90);
    CHECK(span_us(trace, with(trace, {{0, 20}})) == (waits ? 60 : 60));
    // Nothing waits for the collective: 50 + 30.
    CHECK(span_us(trace, overlapping(trace, 1)) == (waits ? 80 : 90));
  }
}

TEST_CASE("the host goes on when what it waits for is done") {
  PlantedRun run;
  run.call("cudaLaunchKernel", 0, 1);
  run.kernel(7, 5, 100);
  run.call("cudaStreamSynchronize", 2, 106);  // returns at 108, 3 behind the kernel
  run.call("cudaLaunchKernel", 120, 1);       // 12 of host
  run.kernel(7, 125, 10);
  const auto trace = run.finish();
  CHECK(span_us(trace, {}) == 130);
  CHECK(span_us(trace, with(trace, {{0, 40}})) == 70);
  Changed fast_host;
  fast_host.host = 0;
  CHECK(span_us(trace, fast_host) == 118);  // 5 to 105, return at 108, launch latency of 5, 10
  std::map<PathPart, int64_t> parts;
  const Model model(trace);
  kr::replay::Decisions(model).critical_path([&](const kr::replay::Piece& piece) {
    parts[piece.part] += (piece.to_ns - piece.from_ns) / us;
  });
  CHECK(parts == std::map<PathPart, int64_t>{{PathPart::operation, 110},
                                             {PathPart::launch, 5},
                                             {PathPart::host, 12},
                                             {PathPart::synchronization, 3}});
}

TEST_CASE("a delay that nothing explains is not part of an explained replay") {
  PlantedRun run;
  run.call("cudaLaunchKernel", 0, 1);
  run.kernel(7, 5, 100);
  run.call("cudaLaunchKernel", 10, 1);
  run.kernel(7, 1105, 10);
  const auto trace = run.finish();
  CHECK(span_us(trace, {}) == 1110);
  Changed explained;
  explained.explained_only = true;
  CHECK(span_us(trace, explained) == 161);  // with the usual gap of 1
}

TEST_CASE("the delay of the first operation is not a part of the run") {
  PlantedRun run;
  run.call("cudaMemset", 0, 4700);  // sets up the GPU
  run.kernel(7, 4680, 10);
  for (const int64_t at : {5000, 5100}) {
    run.call("cudaLaunchKernel", at, 2);
    run.kernel(7, at + 5, 10);
  }
  const auto trace = run.finish();
  Changed explained;
  explained.explained_only = true;
  CHECK(span_us(trace, explained) == 435);
  CHECK(span_us(trace, {}) == 435);
}
