// Which operations of the ranks of a job wait for which.
#include "what_if/waits.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/labelled.hpp"
#include "support/rules.hpp"
#include "support/traces.hpp"

namespace kr_test_what_if_waits {

using kr::job::CollectiveInstance;
using kr::job::CollectiveKind;
using kr::job::Member;
using kr::replay::CollectivePart;

struct Operation {
  int64_t start;
  int64_t duration;
  CollectiveKind kind;
  int32_t peer = CollectiveInstance::unknown;
};

/// Ranks on one clock, each with one device and these collectives of one process group.
class Ranks {
 public:
  explicit Ranks(const std::vector<std::vector<Operation>>& ranks)
      : rules_(kr::test::compile("engine e { substage { a: otherwise } }")) {
    for (const std::vector<Operation>& operations : ranks) {
      std::vector<kr::test::Event> events;
      Member member;
      for (const Operation& one : operations) {
        const std::string name = kr::job::to_string(one.kind);
        events.push_back({one.start, one.duration, name});
        member.groups.push_back({"g", "", "", one.kind, "", static_cast<int64_t>(ranks.size())});
        member.collectives.push_back({one.start, one.start + one.duration, 0,
                                      CollectiveInstance::unknown, CollectiveInstance::unknown,
                                      static_cast<uint32_t>(member.groups.size() - 1), one.peer});
        member.operations.push_back(static_cast<uint32_t>(member.operations.size()));
      }
      traces_.push_back(kr::test::label(rules_, kr::test::make_trace(events)));
      members_.push_back({member});
    }
  }

  kr::what_if::JobWaits waits(std::optional<int64_t> world_size = {}) const {
    std::vector<kr::job::JobRun> of;
    std::vector<const kr::analyze::LabelledTrace*> traces;
    for (size_t rank = 0; rank < members_.size(); ++rank) {
      of.push_back({.members = members_[rank],
                    .clock = {.utc_ns = int64_t{1'700'000'000'000'000'000}},
                    .rank = static_cast<int64_t>(rank),
                    .world_size = world_size});
      traces.push_back(traces_[rank].get());
    }
    return kr::what_if::waits_of(traces, of, kr::job::analyze_job(of));
  }

 private:
  kr::match::CompiledRules rules_;
  std::vector<std::unique_ptr<kr::analyze::LabelledTrace>> traces_;
  std::vector<std::vector<Member>> members_;
};

/// By operation: what it is of others, `n` needed, `w` waits.
std::string text_of(const std::vector<CollectivePart>& parts) {
  std::string text;
  for (const CollectivePart& one : parts) {
    text += std::string(one.is_needed ? "n" : "") + (one.waits ? "w" : "") + ' ';
  }
  return text;
}

}  // namespace kr_test_what_if_waits

using namespace kr_test_what_if_waits;
using Kind = CollectiveKind;

TEST_CASE("collectives of all, from a root, to a root") {
  const Ranks ranks(
      {{{0, 50, Kind::all_reduce}, {100, 20, Kind::broadcast, 1}, {200, 40, Kind::reduce, 1}},
       {{30, 20, Kind::all_reduce}, {105, 10, Kind::broadcast, 1}, {210, 30, Kind::reduce, 1}}});
  const auto waits = ranks.waits();
  CHECK(waits.unknown_reason.empty());
  CHECK(text_of(waits.parts[0]) == "nw w n ");
  CHECK(text_of(waits.parts[1]) == "nw n nw ");
  for (size_t i = 0; i < 3; ++i) {
    CHECK(waits.parts[0][i].operation == i);
    CHECK(waits.parts[0][i].collective == waits.parts[1][i].collective);
  }
}

TEST_CASE("a send that was over before the receive began does not wait") {
  const Ranks ranks({{{0, 50, Kind::send, 1}, {100, 10, Kind::send, 1}},
                     {{30, 20, Kind::receive, 0}, {120, 5, Kind::receive, 0}}});
  const auto waits = ranks.waits();
  CHECK(waits.unknown_reason.empty());
  CHECK(text_of(waits.parts[0]) == "nw n ");
  CHECK(text_of(waits.parts[1]) == "nw w ");
}

TEST_CASE("why waits are not known") {
  const auto why = [](const std::vector<std::vector<Operation>>& ranks,
                      std::optional<int64_t> world_size = {}) {
    const auto waits = Ranks(ranks).waits(world_size);
    CHECK((waits.unknown_reason.empty() || waits.parts[0].empty()));
    return waits.unknown_reason;
  };
  CHECK(why({{{0, 50, Kind::all_reduce}}, {{30, 20, Kind::all_reduce}}}, 4) ==
        "2 of the 4 ranks of the job are here: how long they would wait for the others depends on "
        "their traces");
  CHECK(why({{{0, 50, Kind::send}}, {{30, 20, Kind::receive}}}) ==
        "the other rank of a `send` is not known, or not here: how long ranks would wait for "
        "each other is not known");
  CHECK(why({{{0, 50, Kind::broadcast}}, {{30, 20, Kind::broadcast}}}) ==
        "the root of a `broadcast` is not known: how long ranks would wait for each other is not "
        "known");
  CHECK(why({{{0, 50, Kind::dispatch}}, {{30, 20, Kind::dispatch}}}) ==
        "kr does not know for whom `dispatch` waits: how long ranks would wait for each other is "
        "not known");
  // What takes less than 1 % of a run may stay as it is.
  CHECK(
      why({{{0, 500, Kind::all_reduce}, {10'000, 2, Kind::dispatch}, {11'000, 500, Kind::barrier}},
           {{0, 500, Kind::all_reduce}, {10'000, 2, Kind::dispatch}, {11'000, 500, Kind::barrier}}})
          .empty());
}
