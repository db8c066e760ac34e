#include "trace/rank_place.hpp"

#include <doctest/doctest.h>

namespace {

using kr::trace::merged_process;
using kr::trace::place_in_path;
using kr::trace::rank_in_path;

}  // namespace

TEST_CASE("ranks in paths: the number after the last rank or worker") {
  CHECK(rank_in_path("rank3.json.gz") == 3);
  CHECK(rank_in_path("worker_0/rank-12.pt.trace.json") == 12);
  CHECK(rank_in_path("out/Worker_7/trace.json") == 7);
  CHECK(rank_in_path("trace.RANK=5.json") == 5);
  CHECK(rank_in_path("rank10_of_rank.json") == 10);
  CHECK(!rank_in_path("rank.json"));
  CHECK(!rank_in_path("rank--3.json"));
  CHECK(!rank_in_path("trace7.json"));
  CHECK(!rank_in_path("rank99999999999999999999.json"));
}

TEST_CASE("ranks in paths as engines and Slurm name them") {
  CHECK(rank_in_path("out/1711970000-TP-3.trace.json.gz") == 3);
  CHECK(!rank_in_path("1711-TP-3-DP-1.trace.json.gz"));
  CHECK(rank_in_path("dp0_pp0_tp1_dcp0_ep1_rank1.1711.pt.trace.json.gz") == 1);
  CHECK(rank_in_path("report_Nnode07_12.sqlite") == 12);
  CHECK(!rank_in_path("report_N0.sqlite"));
  CHECK(!rank_in_path("report_Nnode07_12_old.sqlite"));
  // How many there were, not which one it is.
  CHECK(!rank_in_path("llama_tp8.json"));
  CHECK(!rank_in_path("llama_tp4_pp2.json"));
}

TEST_CASE("places in paths") {
  const kr::trace::RankPlace one = place_in_path("1711-TP-3-DP-1.trace.json.gz");
  CHECK(one.tensor == 3);
  CHECK(one.data == 1);
  CHECK(!one.pipeline);
  const kr::trace::RankPlace other = place_in_path("dp2_pp0_tp1_dcp7_ep5_rank1.json");
  CHECK(other.data == 2);
  CHECK(other.tensor == 1);
  CHECK(other.expert == 5);
  CHECK(place_in_path("llama_tp4_pp2.json").empty());
}

TEST_CASE("processes of merged traces") {
  const auto one = merged_process("[TP00-DP01] 1234");
  REQUIRE(one);
  CHECK(one->member == "TP00-DP01");
  CHECK(one->process == "1234");
  CHECK(kr::trace::place_of_member(one->member).data == 1);
  CHECK(merged_process("[rank 3] python")->member == "rank 3");
  CHECK(merged_process("[TP1] ")->process.empty());
  for (const char* other : {"1234", "[TP] 1", "[TP00-] 1", "[python] 1", "[TP00]1", "[TP00", "[] 1",
                            "[rank] 1", "[TP00-XX1] 2", ""}) {
    CAPTURE(other);
    CHECK(!merged_process(other));
  }
}
