// How long property tests run.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/sanitizer.hpp"

namespace kr::test {

/// Rounds of a test that takes `usual` in CI, seeded and so always the same: an eighth under
/// sanitizers, which check memory and not results; a hundred times as many with KR_LONG in the
/// environment.
inline uint64_t rounds(uint64_t usual) {
  if (std::getenv("KR_LONG") != nullptr) return usual * 100;
  return KR_ADDRESS_SANITIZER != 0 ? usual / 8 + 1 : usual;
}

}  // namespace kr::test
