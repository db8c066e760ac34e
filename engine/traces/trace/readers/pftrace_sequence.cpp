#include "trace/readers/pftrace_sequence.hpp"

#include <limits>

#include "trace/readers/wire.hpp"

namespace kr::trace {
namespace {

/// Nullopt: it does not fit.
std::optional<int64_t> checked_sum(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<int64_t> in_units(uint64_t timestamp, int64_t unit_ns) {
  if (unit_ns == 1 && timestamp <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return static_cast<int64_t>(timestamp);
  }
  int64_t result = 0;
  if (timestamp > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) ||
      __builtin_mul_overflow(static_cast<int64_t>(timestamp), unit_ns, &result)) {
    return std::nullopt;
  }
  return result;
}

}  // namespace

void PftraceCounters::take(std::string_view descriptor, DistinctTexts& texts) {
  WireReader message(descriptor);
  for (WireField field; message.next(field);) {
    if (field.number != 1 || field.type != WireType::bytes) continue;
    PftraceCounter counter;
    WireReader spec(field.bytes);
    for (WireField part; spec.next(part);) {
      if (part.number == 1 && part.type == WireType::varint) counter.id = part.value;
      if (part.number == 2 && part.type == WireType::bytes) counter.name = texts.add(part.bytes);
      if (part.number == 11 && part.type == WireType::varint) counter.looks_ahead = part.value == 2;
    }
    if (counter.name != InternedIds::none) counters.push_back(counter);
  }
}

void PftraceClocks::take(std::string_view snapshot, std::map<uint64_t, SequenceClock>& own) {
  struct Reading {
    uint64_t clock = 0;
    uint64_t timestamp = 0;
    bool incremental = false;
    int64_t unit_ns = 1;
  };
  std::vector<Reading> readings;
  WireReader message(snapshot);
  for (WireField field; message.next(field);) {
    if (field.number != 1 || field.type != WireType::bytes) continue;
    Reading& one = readings.emplace_back();
    WireReader clock(field.bytes);
    for (WireField part; clock.next(part);) {
      if (part.type != WireType::varint) continue;
      if (part.number == 1) one.clock = part.value;
      if (part.number == 2) one.timestamp = part.value;
      if (part.number == 3) one.incremental = part.value != 0;
      if (part.number == 4 && part.value != 0 && part.value <= 1'000'000'000) {
        one.unit_ns = part.integer();
      }
    }
  }
  // What time it was by BOOTTIME: of that clock itself, else by one that is known already.
  std::optional<int64_t> boot_ns;
  for (const Reading& one : readings) {
    if (one.clock == boottime) boot_ns = in_units(one.timestamp, 1);
  }
  for (const Reading& one : readings) {
    if (!boot_ns && !of_sequence(one.clock)) boot_ns = time(one.clock, one.timestamp);
  }
  if (!boot_ns) return;
  for (const Reading& one : readings) {
    if (one.clock == boottime) continue;
    const auto at_ns = in_units(one.timestamp, one.unit_ns);
    const auto difference = at_ns ? checked_sum(*boot_ns, -*at_ns) : std::nullopt;
    if (!difference) continue;
    if (of_sequence(one.clock)) {
      own[one.clock] = {*difference, *at_ns, one.unit_ns, one.incremental};
    } else {
      to_boot_ns_[one.clock] = *difference;
      if (one.clock == realtime && !utc_ns_) utc_ns_ = -*difference;
    }
  }
}

std::optional<int64_t> PftraceClocks::time(uint64_t clock, uint64_t timestamp) const {
  const auto ns = in_units(timestamp, 1);
  if (clock == boottime || !ns) return ns;
  const auto known = to_boot_ns_.find(clock);
  return known != to_boot_ns_.end() ? checked_sum(*ns, known->second) : std::nullopt;
}

void PftraceSequence::clear() {
  for (InternedIds* const ids : {&categories, &names, &keys, &strings, &stages, &kernels,
                                 &arguments, &contexts, &counters}) {
    ids->clear();
  }
  default_clock.reset();
  default_track = 0;
  clocks.clear();
  last_clock = nullptr;
  valid = true;
}

void PftraceSequence::take_defaults(std::string_view defaults) {
  WireReader message(defaults);
  default_clock.reset();
  default_track = 0;
  for (WireField field; message.next(field);) {
    if (field.number == 58 && field.type == WireType::varint) default_clock = field.value;
    if (field.number != 11 || field.type != WireType::bytes) continue;
    WireReader event(field.bytes);
    for (WireField part; event.next(part);) {
      if (part.number == 11 && part.type == WireType::varint) default_track = part.value;
    }
  }
}

std::optional<int64_t> PftraceSequence::time(const PftraceClocks& shared,
                                             std::optional<uint64_t> clock, uint64_t timestamp) {
  if (!clock) clock = default_clock;
  const uint64_t id = clock.value_or(PftraceClocks::boottime);
  if (!PftraceClocks::of_sequence(id)) return shared.time(id, timestamp);
  if (last_clock == nullptr || last_id != id) {
    const auto known = clocks.find(id);
    if (known == clocks.end()) return std::nullopt;
    last_clock = &known->second;
    last_id = id;
  }
  SequenceClock& own = *last_clock;
  auto ns = in_units(timestamp, own.unit_ns);
  if (ns && own.incremental) {
    ns = checked_sum(own.last_ns, *ns);
    if (ns) own.last_ns = *ns;
  }
  return ns ? checked_sum(*ns, own.to_boot_ns) : std::nullopt;
}

}  // namespace kr::trace
