#include "job/efficiency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace kr::job {
namespace {

std::optional<Ratio> ratio(Wide part, Wide whole) noexcept {
  if (whole <= 0) return std::nullopt;
  return Ratio{part, whole};
}

Wide wide(int64_t number) noexcept {
  return number;
}

void add(int64_t& sum, int64_t part) {
  if (__builtin_add_overflow(sum, part, &sum)) {
    throw Error("", "the sum of the times of devices exceeds 292 years",
                "check the unit of their times");
  }
}

/// First start and last end on a common clock.
struct Extent {
  Wide first = std::numeric_limits<int64_t>::max();
  Wide last = std::numeric_limits<int64_t>::min();
  bool empty = true;

  void add(const DevicePart& part, int64_t shift_ns) noexcept {
    const Wide from = wide(part.first_ns) + shift_ns;
    const Wide to = wide(part.last_ns) + shift_ns;
    first = empty ? from : std::min(first, from);
    last = empty ? to : std::max(last, to);
    empty = false;
  }
  /// A span that 64 bits do not hold is not one of a clock.
  std::optional<int64_t> length() const noexcept {
    if (empty) return 0;
    const Wide length = last - first;
    if (length > std::numeric_limits<int64_t>::max()) return std::nullopt;
    return static_cast<int64_t>(length);
  }
};

bool several_runs(std::span<const DevicePart> parts) noexcept {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const DevicePart& part) { return part.run != parts[0].run; });
}

bool comparable(std::span<const DevicePart> parts, const Shifts& shifts) noexcept {
  return parts.empty() || !several_runs(parts) ||
         std::all_of(parts.begin(), parts.end(),
                     [&](const DevicePart& part) { return shifts[part.run].has_value(); });
}

int64_t longest_span(std::span<const DevicePart> parts) {
  std::map<size_t, Extent> runs;
  for (const DevicePart& part : parts) runs[part.run].add(part, 0);
  int64_t longest = 0;
  for (const auto& [run, extent] : runs) longest = std::max(longest, extent.length().value_or(0));
  return longest;
}

struct DeviceTimes {
  ByReading useful_ns;
  int64_t active_ns = 0;
};

}  // namespace

const char* to_string(Nccl reading) noexcept {
  return reading == Nccl::useful ? "useful" : "communication";
}

std::vector<Nccl> named_readings(const std::string& name, const std::string& option) {
  if (name == "both") return {nccl_readings.begin(), nccl_readings.end()};
  for (const Nccl reading : nccl_readings) {
    if (name == to_string(reading)) return {reading};
  }
  throw Error("", fmt::format("`{}` is not a valid value for {}", name, option),
              near_or_all(name, std::vector<std::string>{"useful", "communication", "both"}));
}

const char* to_string(Scaling scaling) noexcept {
  return scaling == Scaling::strong ? "strong" : "weak";
}

Scaling named_scaling(const std::string& name, const std::string& option) {
  for (const Scaling scaling : {Scaling::strong, Scaling::weak}) {
    if (name == to_string(scaling)) return scaling;
  }
  throw Error("", fmt::format("`{}` is not a valid value for {}", name, option),
              near_or_all(name, std::vector<std::string>{"strong", "weak"}));
}

Shifts agreeing_shifts(Shifts shifts, std::span<const DevicePart> whole) {
  if (whole.empty() || !several_runs(whole) || !comparable(whole, shifts)) return shifts;
  std::map<size_t, Extent> runs;
  for (const DevicePart& part : whole) runs[part.run].add(part, *shifts[part.run]);
  Wide last_start = runs.begin()->second.first;
  Wide first_end = runs.begin()->second.last;
  for (const auto& [run, extent] : runs) {
    last_start = std::max(last_start, extent.first);
    first_end = std::min(first_end, extent.last);
  }
  if (last_start > first_end) std::fill(shifts.begin(), shifts.end(), std::nullopt);
  return shifts;
}

Elapsed elapsed_of(std::span<const DevicePart> parts, const Shifts& shifts) {
  if (comparable(parts, shifts)) {
    // Of one run, the shift changes nothing.
    const bool several = !parts.empty() && several_runs(parts);
    Extent all;
    for (const DevicePart& part : parts) all.add(part, several ? *shifts[part.run] : 0);
    if (const auto length = all.length()) return {*length, true};
  }
  return {longest_span(parts), false};
}

std::optional<Ratio> Efficiency::parallel(Nccl reading) const noexcept {
  return ratio(useful_ns[reading], wide(devices) * elapsed_ns);
}

std::optional<Ratio> Efficiency::load_balance(Nccl reading) const noexcept {
  return ratio(useful_ns[reading], wide(devices) * max_useful_ns[reading]);
}

std::optional<Ratio> Efficiency::communication(Nccl reading) const noexcept {
  return ratio(max_useful_ns[reading], max_active_ns);
}

std::optional<Ratio> Efficiency::orchestration() const noexcept {
  return ratio(max_active_ns, elapsed_ns);
}

Efficiency efficiency_of(std::span<const std::vector<DevicePart>> occurrences,
                         const Shifts& shifts) {
  Efficiency out;
  std::map<std::pair<size_t, int32_t>, DeviceTimes> devices;
  for (const std::vector<DevicePart>& parts : occurrences) {
    const Elapsed elapsed = elapsed_of(parts, shifts);
    add(out.elapsed_ns, elapsed.ns);
    out.one_clock &= elapsed.one_clock;
    for (const DevicePart& part : parts) {
      DeviceTimes& times = devices[{part.run, part.device}];
      add(times.useful_ns.useful, part.useful_ns.useful);
      add(times.useful_ns.communication, part.useful_ns.communication);
      add(times.active_ns, part.active_ns);
    }
  }
  for (const auto& [device, times] : devices) {
    add(out.useful_ns.useful, times.useful_ns.useful);
    add(out.useful_ns.communication, times.useful_ns.communication);
    out.max_useful_ns.useful = std::max(out.max_useful_ns.useful, times.useful_ns.useful);
    out.max_useful_ns.communication =
        std::max(out.max_useful_ns.communication, times.useful_ns.communication);
    out.max_active_ns = std::max(out.max_active_ns, times.active_ns);
  }
  out.devices = static_cast<int64_t>(devices.size());
  return out;
}

Scalability scalability_of(const Efficiency& reference, const Efficiency& job, Nccl reading,
                           Scaling scaling) noexcept {
  const Wide before = reference.useful_ns[reading];
  const Wide after = job.useful_ns[reading];
  Scalability out;
  if (scaling == Scaling::strong) {
    out.computation = ratio(before, after);
    out.speedup = ratio(reference.elapsed_ns, job.elapsed_ns);
    // The useful time of the job is in the product twice, and falls out.
    if (after > 0) out.global = ratio(before, wide(job.devices) * job.elapsed_ns);
  } else {
    out.computation = ratio(before * job.devices, after * reference.devices);
    out.speedup =
        ratio(wide(reference.elapsed_ns) * job.devices, wide(job.elapsed_ns) * reference.devices);
    if (after > 0) out.global = ratio(before, wide(reference.devices) * job.elapsed_ns);
  }
  return out;
}

std::optional<Ratio> LabelUse::part(const Efficiency& scope) const noexcept {
  return ratio(useful_ns, wide(scope.devices) * scope.elapsed_ns);
}

std::optional<Ratio> LabelUse::load_balance(const Efficiency& scope) const noexcept {
  return ratio(useful_ns, wide(scope.devices) * max_useful_ns);
}

}  // namespace kr::job
