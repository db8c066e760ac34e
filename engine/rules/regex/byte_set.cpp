#include "regex/byte_set.hpp"

namespace kr::regex {

ByteSet single(unsigned char byte) {
  return ByteSet().set(byte);
}

ByteSet range(unsigned char first, unsigned char last) {
  ByteSet set;
  for (size_t byte = first; byte <= last; ++byte) set.set(byte);
  return set;
}

ByteSet escaped_set(char letter) {
  const ByteSet digits = range('0', '9');
  switch (letter) {
    case 'd':
      return digits;
    case 'D':
      return ~digits;
    case 'w':
    case 'W': {
      const ByteSet word = digits | range('a', 'z') | range('A', 'Z') | single('_');
      return letter == 'w' ? word : ~word;
    }
    default: {
      const ByteSet space = range('\t', '\r') | single(' ');
      return letter == 's' ? space : ~space;
    }
  }
}

ByteSet folded(ByteSet set) {
  for (size_t lower = 'a'; lower <= 'z'; ++lower) {
    const size_t upper = lower - 'a' + 'A';
    if (set.test(lower) || set.test(upper)) set.set(lower).set(upper);
  }
  return set;
}

BytePartition partition_bytes(const std::unordered_set<ByteSet>& sets) {
  BytePartition partition;
  for (const ByteSet& set : sets) {
    constexpr uint32_t none = ~uint32_t{0};
    std::array<std::array<uint32_t, 2>, 256> refined;
    refined.fill({none, none});
    uint32_t count = 0;
    for (size_t byte = 0; byte < 256; ++byte) {
      uint32_t& one = refined[partition.part[byte]][set.test(byte) ? 1 : 0];
      if (one == none) one = count++;
      partition.part[byte] = one;
    }
    partition.parts = count;
  }
  return partition;
}

}  // namespace kr::regex
