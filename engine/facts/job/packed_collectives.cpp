#include "job/packed_collectives.hpp"

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

#include "analyze/saved_sums.hpp"
#include "base/saturated.hpp"

namespace kr::job {
namespace {

/// Times and sums are within 73 years.
constexpr int64_t max_amount = int64_t{1} << 61;

bool is_amount(int64_t value) {
  return value >= 0 && value <= max_amount;
}

/// What the next word leaves out is as this has it.
class Expected {
 public:
  explicit Expected(const Member& member)
      : end_ns(member.first_start_ns), groups_(member.groups.size()) {}

  struct Group {
    int64_t bytes = CollectiveInstance::unknown;
    int64_t sequence = CollectiveInstance::unknown;  // of the last
    int32_t peer = CollectiveInstance::unknown;

    int64_t next() const noexcept {
      return sequence == CollectiveInstance::unknown ? sequence : sequence + 1;
    }
  };
  Group& of(uint32_t number) { return groups_[number]; }

  void saw(const CollectiveInstance& one) {
    end_ns = one.end_ns;
    busy_ns = one.busy_before_end_ns();
    group = one.group;
    groups_[one.group] = {one.bytes, one.sequence, one.peer};
  }

  int64_t end_ns;
  int64_t busy_ns = 0;
  std::optional<uint32_t> group;

 private:
  std::vector<Group> groups_;
};

void append_number(std::string& out, int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_word(std::string& out, const CollectiveInstance& one, Expected& expected) {
  const auto named = [&out](char name, int64_t number) {
    out += name;
    append_number(out, number);
    out += ',';
  };
  if (!out.empty()) out += ' ';
  const Expected::Group& group = expected.of(one.group);
  if (expected.group != one.group) named('g', one.group);
  if (group.bytes != one.bytes) named('b', one.bytes);
  if (group.next() != one.sequence) named('s', one.sequence);
  if (group.peer != one.peer) named('p', one.peer);
  const int64_t gap_ns = one.start_ns - expected.end_ns;
  append_number(out, gap_ns);
  out += ',';
  append_number(out, one.duration_ns());
  out += ',';
  append_number(out, gap_ns - (one.busy_before_ns - expected.busy_ns));
  expected.saw(one);
}

void count(CollectiveRest& sums, const CollectiveInstance& one) {
  ++sums.instances;
  sums.total_ns = add_saturated(sums.total_ns, one.duration_ns());
  if (one.bytes == CollectiveInstance::unknown) sums.bytes.reset();
  if (sums.bytes) sums.bytes = add_saturated(*sums.bytes, one.bytes);
}

/// Reads words. `failed` once something is not as it should be.
class Words {
 public:
  explicit Words(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool more() const noexcept { return at_ != end_; }
  bool take(char one) {
    if (at_ == end_ || *at_ != one) return false;
    ++at_;
    return true;
  }
  std::optional<int64_t> number() {
    int64_t value = 0;
    const auto [next, error] = std::from_chars(at_, end_, value);
    if (error != std::errc() || value > max_amount || value < -max_amount) return std::nullopt;
    at_ = next;
    return value;
  }
  /// The number behind `name`, if that is next; else `usual`.
  std::optional<int64_t> named(char name, int64_t usual) {
    if (!take(name)) return usual;
    const std::optional<int64_t> value = number();
    return value && take(',') ? value : std::nullopt;
  }

 private:
  const char* at_;
  const char* end_;
};

std::optional<CollectiveInstance> read_word(Words& words, const Member& member,
                                            Expected& expected) {
  const auto group = words.named('g', expected.group ? int64_t{*expected.group} : -1);
  if (!group || *group < 0 || *group >= static_cast<int64_t>(member.groups.size())) return {};
  const auto number = static_cast<uint32_t>(*group);
  const auto bytes = words.named('b', expected.of(number).bytes);
  const auto sequence = words.named('s', expected.of(number).next());
  const auto peer = words.named('p', expected.of(number).peer);
  const auto gap_ns = words.number();
  if (!bytes || !sequence || !peer || *bytes < -1 || *sequence < -1 || *peer < -1 ||
      *peer > std::numeric_limits<int32_t>::max() || !gap_ns || !words.take(',')) {
    return {};
  }
  const auto duration_ns = words.number();
  if (!duration_ns || *duration_ns < 0 || !words.take(',')) return {};
  const auto idle_ns = words.number();
  if (!idle_ns || (words.more() && !words.take(' '))) return {};
  CollectiveInstance one{};
  one.group = number;
  one.bytes = *bytes;
  one.sequence = *sequence;
  one.peer = static_cast<int32_t>(*peer);
  // None of these is more than 2^62, so the sums of two do not overflow.
  one.start_ns = expected.end_ns + *gap_ns;
  if (one.start_ns < -max_amount || one.start_ns > max_amount) return {};
  one.end_ns = one.start_ns + *duration_ns;
  one.busy_before_ns = expected.busy_ns + (*gap_ns - *idle_ns);
  if (one.end_ns > max_amount || !is_amount(one.busy_before_ns) ||
      !is_amount(one.busy_before_end_ns())) {
    return {};
  }
  expected.saw(one);
  return one;
}

/// Takes what is kept one by one from all. False if it is more.
bool take(const CollectiveRest& kept, CollectiveRest& all) {
  if (kept.instances > all.instances || kept.total_ns > all.total_ns) return false;
  all.instances -= kept.instances;
  all.total_ns -= kept.total_ns;
  if (all.bytes && (!kept.bytes || *kept.bytes > *all.bytes)) return false;
  if (all.bytes) *all.bytes -= *kept.bytes;
  return all.instances > 0 || (all.total_ns == 0 && all.bytes.value_or(0) == 0);
}

}  // namespace

PackedCollectives pack_collectives(const Member& member, size_t max_bytes) {
  PackedCollectives packed;
  packed.all.resize(member.groups.size());
  if (!member.rest.empty()) packed.all = member.rest;
  Expected expected(member);
  bool fits = true;
  for (const CollectiveInstance& one : member.collectives) {
    count(packed.all[one.group], one);
    if (!fits) continue;
    const size_t before = packed.text.size();
    append_word(packed.text, one, expected);
    fits = packed.text.size() <= max_bytes;
    if (!fits) packed.text.resize(before);
  }
  return packed;
}

bool unpack_collectives(std::string_view text, const std::vector<CollectiveRest>& all,
                        Member& member) {
  if (all.size() != member.groups.size()) return false;
  std::vector<CollectiveRest> kept(all.size());
  Words words(text);
  Expected expected(member);
  while (words.more()) {
    const std::optional<CollectiveInstance> one = read_word(words, member, expected);
    if (!one) return false;
    count(kept[one->group], *one);
    member.collectives.push_back(*one);
  }
  member.rest = all;
  bool any = false;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!take(kept[i], member.rest[i])) return false;
    any |= member.rest[i].instances > 0;
    // What is known of all is known of the rest.
    if (member.rest[i].instances == 0) member.rest[i].bytes = 0;
  }
  if (!any) member.rest.clear();
  return true;
}

void Members::saved(facts::Fields& io, const analyze::RunSummary& run) {
  io.list("devices", all, [&](facts::Fields& row, Member& member) {
    PackedCollectives packed;
    if (row.writes()) packed = pack_collectives(member);
    row.number("device", member.device);
    row.rows("groups", member.groups.size(), [&](facts::Fields& of, size_t i) {
      if (!of.writes()) {
        member.groups.emplace_back();
        packed.all.emplace_back();
      }
      CollectiveGroup& group = member.groups[i];
      of.text("name", group.name);
      of.text("ranks", group.ranks);
      of.text("description", group.description);
      of.choice("kind", group.kind, collective_kind_from);
      of.text("kernel", group.kernel);
      of.number("size", group.size);
      of.amount("instances", packed.all[i].instances);
      of.amount("total_ns", packed.all[i].total_ns);
      of.amount("bytes", packed.all[i].bytes);
      of.check(group.size >= CollectiveGroup::unknown);
    });
    row.bytes("collectives", packed.text);
    if (!row.reads()) return;
    row.check(all.empty() || all.back().device < member.device);
    member.first_start_ns = analyze::saved_device(row, run, member.device).first_start_ns;
    row.check(unpack_collectives(packed.text, packed.all, member));
  });
}

}  // namespace kr::job
