#include "trace/memory.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace kr::trace {

std::string_view to_string(MemorySource source) noexcept {
  constexpr std::array<std::string_view, 3> names{"allocator", "driver", "pool"};
  return names[static_cast<size_t>(source)];
}

void Memory::order() {
  const auto key = [](const MemorySeries& one) {
    return std::tuple(one.source, !one.device, one.device.value_or(0), std::string_view(one.kind));
  };
  std::stable_sort(series.begin(), series.end(),
                   [&](const MemorySeries& a, const MemorySeries& b) { return key(a) < key(b); });
  const auto before = [](const MemoryEvent& a, const MemoryEvent& b) {
    return a.time_ns < b.time_ns;
  };
  for (MemorySeries& one : series) {
    if (!std::is_sorted(one.events.begin(), one.events.end(), before)) {
      std::stable_sort(one.events.begin(), one.events.end(), before);
    }
    std::sort(one.out_of_memory.begin(), one.out_of_memory.end());
    one.before.reset();
    if (one.source == MemorySource::driver || one.events.size() == 0) continue;
    const MemoryEvent& first = one.events[0];
    if (first.bytes < 0) one.before = {first.after.used - first.bytes, MemoryLevel::unknown};
  }
}

}  // namespace kr::trace
