#include "changes/parts.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace kr::changes {
namespace {

int64_t whole(long double ns) {
  constexpr long double most = int64_t{1} << 61;
  return std::llround(std::clamp(ns, -most, most));
}

}  // namespace

Amount& Amount::operator+=(const Amount& other) {
  if (__builtin_add_overflow(instances, other.instances, &instances) ||
      __builtin_add_overflow(total_ns, other.total_ns, &total_ns)) {
    throw Error("", "the sum of the times of all runs exceeds 64 bits of nanoseconds");
  }
  return *this;
}

Parts parts_of(std::span<const Pair> names) {
  Pair sum;
  for (const Pair& name : names) {
    sum.a += name.a;
    sum.b += name.b;
  }
  const int64_t change = sum.change_ns();
  if (sum.a.instances == 0 || sum.b.instances == 0) return {.calls_ns = change};
  const auto per_call = [](const Amount& amount) {
    return static_cast<long double>(amount.total_ns) / static_cast<long double>(amount.instances);
  };
  const long double mean = per_call(sum.a);
  // The calls of the second run, each as long as those of its name in the first.
  long double at_old_times = 0;
  for (const Pair& name : names) {
    const long double each = per_call(name.a.instances != 0 ? name.a : name.b);
    if (name.b.instances != 0) at_old_times += each * static_cast<long double>(name.b.instances);
  }
  Parts parts;
  parts.calls_ns = whole(mean * static_cast<long double>(sum.b.instances - sum.a.instances));
  parts.mix_ns = whole(at_old_times - mean * static_cast<long double>(sum.b.instances));
  parts.time_per_call_ns = change - parts.calls_ns - parts.mix_ns;
  return parts;
}

}  // namespace kr::changes
