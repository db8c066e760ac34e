#include <doctest/doctest.h>

#include "analyze/activity.hpp"
#include "analyze/evidence.hpp"
#include "analyze/kernels.hpp"
#include "analyze/launches.hpp"
#include "analyze/layers.hpp"
#include "analyze/names_only_in.hpp"
#include "support/labelled.hpp"
#include "support/rules.hpp"
#include "support/traces.hpp"

namespace {

kr::facts::Facts analyzed(const std::vector<kr::test::Event>& events) {
  const kr::match::CompiledRules rules =
      kr::test::compile("engine e { substage { misc: otherwise } }");
  return kr::test::facts_of<kr::analyze::Kernels, kr::analyze::Activity,
                            kr::analyze::LaunchStatistics, kr::analyze::Evidence,
                            kr::analyze::Layers>(rules, kr::test::make_trace(events));
}

}  // namespace

TEST_CASE("statistics of kernels: a row a name and device, the deviation that of a sample") {
  const kr::facts::Facts got = analyzed({{0, 2, "a"},
                                         {10, 4, "a"},
                                         {20, 9, "a"},
                                         {30, 7, "a", 1},
                                         {40, 78, "[CUDA memset]", 0, kr::OperationKind::memset}});
  REQUIRE(got.get<kr::analyze::Kernels>().all.size() == 3);
  CHECK(got.get<kr::analyze::Kernels>().all[0].kind == "memory");
  const kr::analyze::KernelStatistics& a = got.get<kr::analyze::Kernels>().all[1];
  CHECK(a.name == "a");
  CHECK(a.kind == "compute");
  CHECK(a.device == 0);
  CHECK(a.instances == 3);
  CHECK(a.total_ns == 15);
  CHECK(a.min_ns == 2);
  CHECK(a.max_ns == 9);
  CHECK(a.mean_ns == 5);
  CHECK(a.stddev_ns == doctest::Approx(3.605551275));  // of 9 + 1 + 16 over 2
  CHECK(a.share == 0.15);
  CHECK(got.get<kr::analyze::Kernels>().all[2].stddev_ns == 0);
  CHECK(got.find<kr::analyze::LaunchStatistics>() == nullptr);
  CHECK(got.get<kr::analyze::Evidence>().sums[kr::classify::PlaceEvidence::none].total_ns == 100);
}

TEST_CASE("deviations are exact if times are long and nearly equal") {
  const int64_t long_ns = 4'000'000'000'000;  // more than an hour
  const kr::facts::Facts got =
      analyzed({{0, long_ns, "a"}, {long_ns, long_ns + 1, "a"}, {3 * long_ns, long_ns + 2, "a"}});
  CHECK(got.get<kr::analyze::Kernels>().all[0].stddev_ns == 1);
}

TEST_CASE("the longest are the first so many by duration, none of few") {
  std::vector<kr::test::Event> events;
  for (int64_t i = 1; i <= 239; ++i) events.push_back({1000 * i, i, "k" + std::to_string(i % 7)});
  const kr::facts::Facts got = analyzed(events);
  REQUIRE(got.get<kr::analyze::Activity>().types.size() == 1);
  const kr::analyze::ActivityStatistics& kernels = got.get<kr::analyze::Activity>().types[0];
  CHECK(kernels.type == "kernel");
  CHECK(kernels.total_ns == 239 * 240 / 2);
  CHECK(kernels.min_ns == 1);
  CHECK(kernels.max_ns == 239);
  CHECK(kernels.longest[0].instances == 2);
  CHECK(kernels.longest[0].mean_ns == 238.5);
  CHECK(kernels.longest[1].instances == 11);
  CHECK(kernels.longest[1].mean_ns == 234);
  CHECK(kernels.longest[2].instances == 23);
  CHECK(kernels.longest[2].share == doctest::Approx(228.0 * 23 / (239 * 120)));
  CHECK(analyzed({{0, 5, "k"}}).get<kr::analyze::Activity>().types[0].longest[2].instances == 0);
}

TEST_CASE("names that only some of the runs have") {
  kr::analyze::RunSummary a, b;
  kr::analyze::NameSum both, own, copy;
  both.name = "both";
  own.name = "own";
  own.instances = 2;
  own.total_ns = 10;
  // One name of two kinds is one name.
  copy = own;
  copy.kind = kr::OperationKind::memcpy;
  a.names = {both, own, copy};
  b.names = {both};
  const auto found = kr::analyze::names_only_in({&a, &b});
  REQUIRE(found.size() == 1);
  CHECK(found[0].run == 0);
  CHECK(found[0].name == "own");
  CHECK(found[0].instances == 4);
  CHECK(found[0].total_ns == 20);
  CHECK(kr::analyze::names_only_in({&a}).empty());
}
