#include "trace/launched.hpp"

#include <bit>

namespace kr::trace {
namespace {

/// Numbers some of many things, rising.
class Ranks {
 public:
  explicit Ranks(size_t things) : words_(things / 64 + 1), before_(things / 64 + 1) {}

  void add(uint32_t thing) { words_[thing / 64] |= uint64_t{1} << (thing % 64); }
  /// After the last `add`. How many there are.
  uint32_t number() {
    uint32_t count = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      before_[i] = count;
      count += static_cast<uint32_t>(std::popcount(words_[i]));
    }
    return count;
  }
  uint32_t of(uint32_t thing) const {
    const uint64_t lower = words_[thing / 64] & ((uint64_t{1} << (thing % 64)) - 1);
    return before_[thing / 64] + static_cast<uint32_t>(std::popcount(lower));
  }

 private:
  std::vector<uint64_t> words_;   // a bit a thing
  std::vector<uint32_t> before_;  // by word: so many in those before it
};

}  // namespace

LaunchedOperations::LaunchedOperations(const HostSide& host) : host_(&host) {
  Ranks ranks(host.launches.size());
  size_t linked = 0;
  for (const uint32_t launch : host.launch_of) {
    if (launch == HostRange::none) continue;
    ranks.add(launch);
    ++linked;
  }
  // Counted two places further on than they begin; filling moves each to where the next begins.
  const size_t calls = ranks.number();
  begins_.assign(calls + 2, 0);
  for (const uint32_t launch : host.launch_of) {
    if (launch != HostRange::none) ++begins_[ranks.of(launch) + 2];
  }
  for (size_t i = 2; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  order_.resize(linked);
  for (uint32_t i = 0; i < host.launch_of.size(); ++i) {
    const uint32_t launch = host.launch_of[i];
    if (launch != HostRange::none) order_[begins_[ranks.of(launch) + 1]++] = i;
  }
  begins_.pop_back();
}

}  // namespace kr::trace
