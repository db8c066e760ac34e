// Which collectives are the same.
#include "job/match.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "job/communications.hpp"

namespace {

using kr::job::CollectiveGroup;
using kr::job::CollectiveInstance;
using kr::job::CollectiveKind;
using kr::job::MatchedGroup;
using kr::job::Member;

/// One member per run.
class Runs {
 public:
  /// A further run; the following collectives are its.
  Runs& run() {
    members_.emplace_back(1);
    return *this;
  }
  Runs& add(const CollectiveGroup& group, int64_t sequence = CollectiveInstance::unknown) {
    Member& member = members_.back().front();
    size_t at = 0;
    while (at < member.groups.size() && member.groups[at] != group) ++at;
    if (at == member.groups.size()) member.groups.push_back(group);
    const auto time = static_cast<int64_t>(10 * member.collectives.size());
    member.collectives.push_back(
        {time, time + 5, 0, CollectiveInstance::unknown, sequence, static_cast<uint32_t>(at)});
    return *this;
  }
  std::vector<MatchedGroup> matched() const {
    std::vector<kr::job::JobRun> runs;
    for (const std::vector<Member>& one : members_) runs.push_back({one, {}});
    return kr::job::match_collectives(runs);
  }

 private:
  std::vector<std::vector<Member>> members_;
};

CollectiveGroup group(std::string name, std::string ranks = {}) {
  CollectiveGroup out;
  out.name = std::move(name);
  out.ranks = std::move(ranks);
  out.kind = CollectiveKind::all_reduce;
  return out;
}

}  // namespace

TEST_CASE("the k-th of a group is the k-th, whatever is between") {
  const auto got = Runs()
                       .run()
                       .add(group("a"))
                       .add(group("b"))
                       .add(group("a"))
                       .run()
                       .add(group("a"))
                       .add(group("a"))
                       .add(group("b"))
                       .matched();
  REQUIRE(got.size() == 2);
  CHECK(got[0].matched);
  CHECK(got[0].parts[0].instances == std::vector<uint32_t>{0, 2});
  CHECK(got[0].parts[1].instances == std::vector<uint32_t>{0, 1});
  CHECK(got[1].parts[1].instances == std::vector<uint32_t>{2});
}

TEST_CASE("groups of one name on different ranks are different groups") {
  const auto got = Runs()
                       .run()
                       .add(group("tp", "[0, 1]"))
                       .run()
                       .add(group("tp", "[0, 1]"))
                       .run()
                       .add(group("tp", "[2, 3]"))
                       .run()
                       .add(group("tp", "[2, 3]"))
                       .matched();
  REQUIRE(got.size() == 2);
  CHECK(got[0].matched);
  CHECK(got[0].parts.size() == 2);
  CHECK(got[1].parts[0].run == 2);
}

TEST_CASE("what is not there equally often is not matched, unless it is numbered") {
  const auto uneven = Runs().run().add(group("a")).add(group("a")).run().add(group("a")).matched();
  CHECK(!uneven[0].matched);
  CHECK(uneven[0].why_not == "they have 1 to 2 of it");
  const auto numbered = Runs()
                            .run()
                            .add(group("a"), 4)
                            .add(group("a"), 7)
                            .add(group("a"), 8)
                            .run()
                            .add(group("a"), 3)
                            .add(group("a"), 4)
                            .add(group("a"), 8)
                            .matched();
  CHECK(numbered[0].matched);
  CHECK(numbered[0].parts[0].instances == std::vector<uint32_t>{0, 2});
  CHECK(numbered[0].parts[0].others == std::vector<uint32_t>{1});
  CHECK(numbered[0].parts[1].instances == std::vector<uint32_t>{1, 2});
  // A number twice is none.
  const auto twice =
      Runs().run().add(group("a"), 4).add(group("a"), 4).run().add(group("a"), 4).matched();
  CHECK(!twice[0].matched);
}

TEST_CASE("a group has no more members than it says, and a named one may have one here") {
  CollectiveGroup pair = group("tp");
  pair.size = 2;
  const auto three = Runs().run().add(pair).run().add(pair).run().add(pair).matched();
  CHECK(!three[0].matched);
  CHECK(three[0].why_not == "3 devices have it, but the group has 2 members");
  const auto one = Runs().run().add(pair).run().add(group("dp")).matched();
  CHECK(!one[0].matched);
  CHECK(one[0].why_not.empty());
  // Without a name it should be on all.
  const auto lonely = Runs().run().add(group("")).run().add(group("dp")).matched();
  CHECK(lonely[0].why_not == "one of 2 devices has it");
}

TEST_CASE("sends are not compared with sends") {
  CollectiveGroup send = group("pp");
  send.kind = CollectiveKind::send;
  CHECK(!Runs().run().add(send).run().add(send).matched()[0].matched);
}

TEST_CASE("a place in the list of ranks of a process group") {
  using kr::job::rank_in_list;
  CHECK(rank_in_list("[0, 4, 8]", 0) == 0);
  CHECK(rank_in_list("[0, 4, 8]", 2) == 8);
  CHECK(rank_in_list("[3]", 0) == 3);
  CHECK(rank_in_list("[0, 4, ...]", 1) == 4);
  for (const char* text : {"", "[]", "[0, 4, ...]", "0, 1, 2", "[0, 1", "[a, b, c]", "[0, 1]"}) {
    CAPTURE(text);
    CHECK(!rank_in_list(text, 2));
  }
  CHECK(!rank_in_list("[0, 1]", -1));
}

TEST_CASE("a group without a size has that of another trace") {
  CollectiveGroup with = group("0xc0ffee"), other = group("0xbeef");
  with.size = 2;
  const auto got =
      Runs().run().add(with).add(other).run().add(group("0xc0ffee")).add(group("0xc0de")).matched();
  REQUIRE(got.size() == 3);
  CHECK(got[2].group == with);
  CHECK(got[2].matched);
  CHECK(got[2].complete);
  // Groups of other names are never the same.
  CHECK_FALSE(got[0].matched);
  CHECK_FALSE(got[1].matched);

  CollectiveGroup three = with;
  three.size = 3;
  const auto unclear =
      Runs().run().add(with).run().add(three).run().add(group("0xc0ffee")).matched();
  CHECK(unclear.size() == 3);
}

TEST_CASE("what has no name is compared if its members have the same groups of the kind") {
  const auto matched = [](const std::string& on_second) {
    const auto got = Runs()
                         .run()
                         .add(group("a"))
                         .add(group(""))
                         .run()
                         .add(group(on_second))
                         .add(group(""))
                         .matched();
    return got[0].matched ? std::string("yes") : got[0].why_not;
  };
  CHECK(matched("a") == "yes");
  CHECK(matched("b") ==
        "its process group is not known, and devices have different ones of the kind");
}
