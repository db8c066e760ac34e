// Operations whose times cannot be right: which ones are found, and where they go.
#include "trace/time_faults.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace kr::test::time_faults_test {
namespace {

constexpr int64_t us = 1'000;
constexpr int64_t second = 1'000'000'000;
constexpr int64_t day = int64_t{86'400} * second;

/// A trace of kernels, launched one by one if they have a launch.
class Run {
 public:
  Run& add(int64_t start_ns, int64_t duration_ns, const char* name = "k", int64_t stream = 7) {
    builder_.add({start_ns, duration_ns, builder_.name(name, OperationKind::kernel),
                  builder_.track({.device = 0, .stream = stream, .device_name = ""})});
    return *this;
  }
  /// `count` of 10 us, every 20 us.
  Run& add_many(int64_t start_ns, int count, const char* name = "k") {
    for (int i = 0; i < count; ++i) add(start_ns + i * 20 * us, 10 * us, name);
    return *this;
  }
  /// With a call of 1 us at that time.
  Run& launched(int64_t call_ns, int64_t start_ns, int64_t duration_ns) {
    const int64_t correlation = ++calls_;
    builder_.host().launches.push_back({correlation, call_ns, us,
                                        builder_.call({"cudaLaunchKernel", false}),
                                        builder_.thread({"1", "2"})});
    add(start_ns, duration_ns);
    builder_.add_correlations(&correlation, 1);
    return *this;
  }
  trace::TraceBuilder& builder() { return builder_; }
  trace::Trace finish() { return std::move(builder_).finish(); }
  /// What was left out of time.
  std::string why() { return finish().untimed_why; }

 private:
  trace::TraceBuilder builder_{"t", "f"};
  int64_t calls_ = 0;
};

const std::string too_long = " longer than the stream allows";
const std::string zero = " with a start of zero, which others do not have";

}  // namespace

TEST_CASE("a sound trace has no faults") {
  CHECK(Run().why().empty());
  CHECK(Run().add(0, 0).why().empty());
  CHECK(Run().add(0, 5).add(5, 5).why().empty());
  CHECK(Run().add_many(second, 100).why().empty());
  // The first at 0, as after subtracting the first start.
  CHECK(Run().add(0, 10).add_many(5 * second, 3).why().empty());
}

TEST_CASE("a start of 0 where others start much later") {
  Run run;
  run.add_many(second, 20).add(0, 0).add(0, 0);
  const trace::Trace trace = run.finish();
  CHECK(trace.untimed_why == "2" + zero);
  CHECK(trace.operations.size() == 22);
  CHECK(trace.first_start_ns == second);
  // With a duration, if the others are far away.
  Run far;
  far.add_many(70 * day, 20).add(0, 10 * us).add(0, 10 * us);
  const trace::Trace left = far.finish();
  CHECK(left.untimed_why == "2" + zero);
  CHECK(left.first_start_ns == 70 * day);
  CHECK(left.last_end_ns == 70 * day + 19 * 20 * us + 10 * us);
  int64_t total_ns = 0;
  for (const trace::Operation& one : left.operations) total_ns += one.duration_ns;
  CHECK(total_ns == 20 * 10 * us);
}

TEST_CASE("a start that is far from all others, unless half of the run is there") {
  CHECK(Run().add_many(day, 20).add(90 * day, us).why() ==
        "1 far from all others (more than a day)");
  CHECK(Run().add(5, us).add_many(90 * day, 20).why() == "1 far from all others (more than a day)");
  CHECK(Run().add_many(day, 20).add_many(90 * day, 20).why().empty());
}

TEST_CASE("a duration of more than a day, wherever it is") {
  CHECK(Run().add(0, day).why().empty());
  CHECK(Run().add(0, day + 1).why() == "1" + too_long);
  Run last;
  last.add_many(second, 20).add(second + 500 * us, 80'000 * day);
  const trace::Trace trace = last.finish();
  CHECK(trace.untimed == std::vector<uint32_t>{20});
  CHECK(trace.last_end_ns == second + 19 * 20 * us + 10 * us);
}

TEST_CASE("a duration that contains later operations of its stream") {
  // The one at 90 us lasts beyond all others.
  Run run;
  run.add_many(second, 20).add(second + 90 * us, second);
  const trace::Trace trace = run.finish();
  CHECK(trace.untimed_why == "1" + too_long);
  CHECK(trace.last_end_ns == second + 19 * 20 * us + 10 * us);
  CHECK(trace.operations[trace.untimed[0]].start_ns == second + 90 * us);
  // Two of them, one inside the other.
  CHECK(Run()
            .add_many(second, 20)
            .add(second + 90 * us, 900 * second)
            .add(second + 130 * us, second)
            .why() == "2" + too_long);
  // At the end, ten times as long as others of its name.
  CHECK(Run().add_many(second, 200).add(second + 3900 * us, 1000 * us).why() == "1" + too_long);
  CHECK(Run().add_many(second, 200).add(second + 3900 * us, 1000 * us, "other").why().empty());
  // In the middle, ten times as long, while its stream works half of the time; or a hundred times
  // as long as others of its name, while its stream goes on.
  CHECK(Run().add_many(second, 1000).add(second + 90 * us, 2000 * us).why() == "1" + too_long);
  CHECK(Run()
            .add_many(second, 200, "other")
            .add(2 * second, 90 * us)
            .add(second + 90 * us, 2000 * us)
            .why() == "1" + too_long);
}

TEST_CASE("what streams allow") {
  // Another stream.
  CHECK(Run().add_many(second, 20).add(second + 90 * us, second, "k", 8).why().empty());
  // The next begins before the end, or ends inside: programmatic dependent launch.
  CHECK(Run().add(0, 100).add(90, 100).add(180, 100).why().empty());
  CHECK(Run().add(0, 10'000).add(90, 100).why().empty());
  // A branch of a graph: as long as what runs beside it.
  CHECK(Run().add_many(0, 20).add(90 * us, 200 * us, "all_reduce").why().empty());
  // One of several of its name that waited long, while the others were done.
  CHECK(Run()
            .add(0, 10 * us, "all_reduce")
            .add_many(20 * us, 9)
            .add(30 * us, 2 * second, "all_reduce")
            .add_many(3 * second, 9)
            .why()
            .empty());
  // Streams that were made up.
  Run made_up;
  made_up.builder().made_up_streams();
  CHECK(made_up.add_many(second, 20).add(second + 90 * us, second).why().empty());
}

TEST_CASE("without a start, an operation is placed behind what was launched before it") {
  constexpr int64_t bad = trace::no_start(trace::TimeFault::negative);
  Run run;
  run.launched(100, 200, 100).launched(150, bad, 0).launched(250, 400, 100);
  const trace::Trace trace = run.finish();
  CHECK(trace.untimed == std::vector<uint32_t>{1});
  CHECK(trace.operations[1].start_ns == 300);
  CHECK(trace.operations[1].duration_ns == 0);
  CHECK(trace.host->launch(1)->start_ns == 150);
  CHECK(trace.host->launch(2)->start_ns == 250);
  // Not before its own launch, not behind the next, and never beyond the run.
  Run late;
  late.launched(100, 200, 100).launched(350, bad, 0).launched(360, 400, 100);
  CHECK(late.finish().operations[1].start_ns == 350);
  Run last;
  last.launched(100, 200, 100).launched(350, bad, 0);
  CHECK(last.finish().operations[1].start_ns == 300);
  Run first;
  first.launched(10, bad, 0).launched(100, 200, 100);
  const trace::Trace begun = first.finish();
  CHECK(begun.first_start_ns == 200);
  CHECK(begun.untimed == std::vector<uint32_t>{1});
}

TEST_CASE("only operations without a time") {
  const trace::Trace trace = Run()
                                 .add(trace::no_start(trace::TimeFault::missing), 0)
                                 .add(5, trace::no_duration(trace::TimeFault::backwards))
                                 .finish();
  CHECK(trace.untimed == std::vector<uint32_t>{0, 1});
  CHECK(trace.first_start_ns == 5);
  CHECK(trace.last_end_ns == 5);
}

TEST_CASE("strict refuses, with the operation") {
  Run run;
  run.builder().strict();
  run.add_many(second, 20).add(0, 0);
  std::string error;
  try {
    run.finish();
  } catch (const Error& refused) {
    error = refused.what();
  }
  CHECK(error ==
        "t: the time of kernel `k` on device 0, stream 7, with the start 0 ns cannot be right: 1 "
        "with a start of zero, which others do not have; leave out --strict to read it without a "
        "time");
}

TEST_CASE("many faults cost no more than sorting") {
  Run run;
  for (int64_t i = 0; i < 50'000; ++i) {
    run.add(i * 2 * day, i % 3 == 0 ? 5 * day : us).add(i, second);
  }
  CHECK(run.finish().operations.size() == 100'000);
}

}  // namespace kr::test::time_faults_test
