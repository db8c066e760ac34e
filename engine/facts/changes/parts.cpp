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
  Parts parts;
  Pair sum;
  for (const Pair& name : names) {
    sum.a += name.a;
    sum.b += name.b;
    if (name.a.instances == 0 || name.b.instances == 0) {
      parts.names_ns += name.change_ns();
      continue;
    }
    const long double mean =
        static_cast<long double>(name.a.total_ns) / static_cast<long double>(name.a.instances);
    parts.calls_ns += whole(mean * static_cast<long double>(name.b.instances - name.a.instances));
  }
  parts.time_per_call_ns = sum.change_ns() - parts.calls_ns - parts.names_ns;
  return parts;
}

}  // namespace kr::changes
