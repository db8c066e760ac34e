// Collectives as a text: what is read is what was written, as far as it fits, and damaged text is
// refused or means something that adds up.
#include "job/packed_collectives.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "support/rounds.hpp"

using kr::job::CollectiveInstance;
using kr::job::CollectiveRest;
using kr::job::Member;
using kr::job::pack_collectives;
using kr::job::PackedCollectives;
using kr::job::unpack_collectives;

namespace {

class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }

 private:
  std::mt19937_64 random_;
};

Member some_member(Numbers& random) {
  Member member;
  member.device = 3;
  member.first_start_ns = random.below(2'000'000) - 1'000'000;
  member.groups.resize(static_cast<size_t>(1 + random.below(4)));
  int64_t busy_ns = random.below(1000);
  int64_t now = member.first_start_ns;
  int64_t sequence = 0;
  const bool bytes = random.below(2) == 0;
  const bool numbered = random.below(2) == 0;
  for (int64_t count = random.below(60); count > 0; --count) {
    CollectiveInstance one{};
    // Operations may overlap, and not be in the order of their launches.
    one.start_ns = now + random.below(3000) - 500;
    one.end_ns = one.start_ns + random.below(random.below(4) == 0 ? 1 : 2000);
    one.busy_before_ns = busy_ns += random.below(3000);
    one.group = static_cast<uint32_t>(random.below(static_cast<int64_t>(member.groups.size())));
    one.bytes =
        bytes && random.below(9) != 0 ? 4096 << random.below(3) : CollectiveInstance::unknown;
    sequence += random.below(3);
    one.sequence = numbered ? sequence : CollectiveInstance::unknown;
    one.peer = random.below(3) == 0 ? CollectiveInstance::unknown
                                    : static_cast<int32_t>(random.below(2) * 1'000'000);
    now = one.end_ns;
    member.collectives.push_back(one);
  }
  return member;
}

bool same_instance(const CollectiveInstance& a, const CollectiveInstance& b) {
  return a.start_ns == b.start_ns && a.end_ns == b.end_ns && a.busy_before_ns == b.busy_before_ns &&
         a.bytes == b.bytes && a.sequence == b.sequence && a.group == b.group && a.peer == b.peer;
}

Member empty_like(const Member& member) {
  Member out;
  out.device = member.device;
  out.first_start_ns = member.first_start_ns;
  out.groups = member.groups;
  return out;
}

/// The sums of a group from place `from` on.
CollectiveRest sums_of(const Member& member, uint32_t group, size_t from) {
  CollectiveRest sums;
  for (size_t i = from; i < member.collectives.size(); ++i) {
    const CollectiveInstance& one = member.collectives[i];
    if (one.group != group) continue;
    ++sums.instances;
    sums.total_ns += one.duration_ns();
    if (one.bytes < 0) sums.bytes.reset();
    if (sums.bytes) *sums.bytes += one.bytes;
  }
  return sums;
}

}  // namespace

TEST_CASE("collectives are read as they were written, and the rest adds up") {
  Numbers random(20261125);
  // A peer that becomes unknown is not written: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(4000, 1); ++round) {
    CAPTURE(round);
    const Member member = some_member(random);
    const size_t most = round % 2 == 0 ? kr::job::max_saved_collective_bytes
                                       : static_cast<size_t>(random.below(400));
    const PackedCollectives packed = pack_collectives(member, most);
    CHECK(packed.text.size() <= most);
    Member read = empty_like(member);
    REQUIRE(unpack_collectives(packed.text, packed.all, read));
    const size_t kept = read.collectives.size();
    REQUIRE(kept <= member.collectives.size());
    if (round % 2 == 0) CHECK(kept == member.collectives.size());
    CHECK(std::equal(read.collectives.begin(), read.collectives.end(), member.collectives.begin(),
                     same_instance));
    CHECK(read.rest.empty() == (kept == member.collectives.size()));
    for (uint32_t group = 0; group < member.groups.size(); ++group) {
      const CollectiveRest rest = read.rest.empty() ? CollectiveRest() : read.rest[group];
      const CollectiveRest slow = sums_of(member, group, kept);
      CHECK(rest.instances == slow.instances);
      CHECK(rest.total_ns == slow.total_ns);
      // Bytes of all are told only where those of each are.
      if (sums_of(member, group, 0).bytes) CHECK(rest.bytes == slow.bytes);
    }
  }
}

TEST_CASE("damaged text is refused, or adds up") {
  Numbers random(7);
  uint64_t refused = 0;
  // What is left of no instances may have a time: found in round 56.
  const uint64_t rounds = kr::test::rounds(6000, 56);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Member member = some_member(random);
    PackedCollectives packed = pack_collectives(member);
    if (packed.text.empty()) continue;
    for (int64_t changes = 1 + random.below(3); changes > 0; --changes) {
      const auto at = static_cast<size_t>(random.below(static_cast<int64_t>(packed.text.size())));
      packed.text[at] = "0123456789,- gbs\xff"[random.below(17)];
    }
    Member read = empty_like(member);
    if (!unpack_collectives(packed.text, packed.all, read)) {
      ++refused;
      continue;
    }
    for (uint32_t group = 0; group < read.groups.size(); ++group) {
      const int64_t rest = read.rest.empty() ? 0 : read.rest[group].total_ns;
      CHECK(sums_of(read, group, 0).total_ns + rest == packed.all[group].total_ns);
    }
    for (const CollectiveInstance& one : read.collectives) {
      CHECK(one.group < read.groups.size());
      CHECK(one.start_ns <= one.end_ns);
    }
  }
  CHECK(refused > rounds / 20);
}
