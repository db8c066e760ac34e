#include "trace/cut_plan.hpp"

#include <algorithm>
#include <bit>

#include "base/hash.hpp"

namespace kr::trace {
namespace {

/// A hash of several numbers and texts.
class ContentKey {
 public:
  ContentKey& number(int64_t value) noexcept {
    hash_ = hash_numbers(hash_, static_cast<uint64_t>(value));
    return *this;
  }
  ContentKey& text(std::string_view value) noexcept {
    hash_ = hash_numbers(hash_, hash_bytes(value));
    return *this;
  }
  operator uint64_t() const noexcept { return hash_; }  // NOLINT: it is one

 private:
  uint64_t hash_ = 1;
};

/// Profilers count them in 32 bits.
int64_t low_bits(std::optional<int64_t> correlation) noexcept {
  constexpr int64_t none = int64_t{1} << 40;
  if (!correlation || *correlation == Launch::no_correlation) return none;
  return static_cast<int64_t>(static_cast<uint32_t>(*correlation));
}

}  // namespace

void CutPlan::Keys::finish() {
  slots_.assign(std::bit_ceil(sorted_.size() * 2 + 1), 0);
  for (const uint64_t key : sorted_) {
    if (key == 0) {
      zero_ = true;
      continue;
    }
    size_t at = key & (slots_.size() - 1);
    while (slots_[at] != 0 && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = key;
  }
  sorted_ = {};
}

bool CutPlan::Keys::has(uint64_t key) const noexcept {
  if (key == 0) return zero_;
  size_t at = key & (slots_.size() - 1);
  while (slots_[at] != 0 && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
  return slots_[at] == key;
}

CutPlan::CutPlan(std::span<const Trace* const> reduced, Names names)
    : names_(names == Names::compared) {
  for (const Trace* trace : reduced) add(*trace);
  join_times();
  for (Keys* keys : {&operations_, &untimed_, &calls_, &ranges_, &correlations_}) keys->finish();
}

void CutPlan::add(const Trace& trace) {
  const std::string& member = trace.distributed.member;
  const WorkTime time = work_time(trace);
  members_[member] = time;
  times_.push_back(time);
  const auto add_time = [&](int64_t start_ns, int64_t end_ns) {
    if (!time.overlaps(start_ns, end_ns)) times_.push_back({start_ns, end_ns});
  };
  size_t untimed = 0;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const Operation& operation = trace.operations[i];
    const OperationName& name = trace.names.get(operation.name);
    const Track& track = trace.track(operation.track);
    const Launch* const launch = trace.host ? trace.host->launch(i) : nullptr;
    std::optional<int64_t> correlation;
    if (launch != nullptr) {
      correlation = launch->correlation;
      correlations_.add(ContentKey().text(member).number(low_bits(correlation)));
    }
    const Work work{member,
                    name.text,
                    name.kind,
                    track.device,
                    track.stream,
                    operation.start_ns,
                    operation.duration_ns,
                    correlation};
    const bool timed = untimed == trace.untimed.size() || trace.untimed[untimed] != i;
    if (!timed) {
      ++untimed;
      any_untimed_ = true;
    }
    (timed ? operations_ : untimed_).add(key_of(work, correlation, timed));
  }
  if (!trace.host) return;
  const HostTrace& host = *trace.host;
  for (const Launch& launch : host.launches) {
    add_time(launch.start_ns, launch.end_ns());
    const HostThread& thread = host.threads[launch.thread];
    calls_.add(key_of(Call{member, thread.process, thread.thread, launch.start_ns,
                           launch.duration_ns, launch.correlation}));
  }
  for (const HostRange& range : host.ranges) {
    add_time(range.start_ns, range.end_ns);
    const HostThread& thread = host.threads[range.thread];
    const bool module = range.kind == HostRange::Kind::module;
    ranges_.add(key_of(Range{member, thread.process, thread.thread, range.start_ns, range.end_ns,
                             module ? "" : std::string_view(host.range_names[range.name])}));
  }
}

uint64_t CutPlan::key_of(const Work& one, std::optional<int64_t> correlation, bool timed) const {
  ContentKey key;
  key.text(one.member).number(static_cast<int64_t>(one.kind)).number(one.stream);
  key.number(low_bits(correlation));
  if (names_) key.text(one.name).number(one.device);
  if (timed) key.number(one.start_ns).number(one.duration_ns);
  return key;
}

uint64_t CutPlan::key_of(const Call& one) {
  return ContentKey()
      .text(one.member)
      .text(one.process)
      .text(one.thread)
      .number(one.start_ns)
      .number(one.duration_ns)
      .number(low_bits(one.correlation));
}

uint64_t CutPlan::key_of(const Range& one) const {
  return ContentKey()
      .text(one.member)
      .text(one.process)
      .text(one.thread)
      .number(one.start_ns)
      .number(one.end_ns)
      .text(names_ ? one.name : std::string_view());
}

bool CutPlan::has(const Work& one) const {
  // One whose call is not in the trace belongs without a correlation.
  const auto any = [&](const Keys& keys, bool timed) {
    return keys.has(key_of(one, one.correlation, timed)) ||
           (one.correlation && keys.has(key_of(one, std::nullopt, timed)));
  };
  return any(operations_, true) || (any_untimed_ && any(untimed_, false));
}

bool CutPlan::has(const Call& one) const {
  return calls_.has(key_of(one));
}

bool CutPlan::has(const Range& one) const {
  return ranges_.has(key_of(one));
}

bool CutPlan::launches(std::string_view member, int64_t correlation) const {
  return correlations_.has(ContentKey().text(member).number(low_bits(correlation)));
}

void CutPlan::join_times() {
  std::ranges::sort(times_, {}, &WorkTime::begin_ns);
  std::vector<WorkTime> joined;
  for (const WorkTime& one : times_) {
    if (joined.empty() || one.begin_ns > joined.back().end_ns) {
      joined.push_back(one);
    } else {
      joined.back().end_ns = std::max(joined.back().end_ns, one.end_ns);
    }
  }
  times_ = std::move(joined);
}

bool CutPlan::any_between(int64_t start_ns, int64_t end_ns) const {
  if (any_untimed_) return true;
  const auto at = std::ranges::lower_bound(times_, start_ns, {}, &WorkTime::end_ns);
  return at != times_.end() && at->overlaps(start_ns, end_ns);
}

std::optional<WorkTime> CutPlan::whole_time() const {
  if (any_untimed_ || times_.empty()) return std::nullopt;
  return WorkTime{times_.front().begin_ns, times_.back().end_ns};
}

bool CutPlan::overlaps(std::string_view member, int64_t start_ns, int64_t end_ns) const {
  const auto known = members_.find(member);
  return known != members_.end() && known->second.overlaps(start_ns, end_ns);
}

}  // namespace kr::trace
