// How long tests with random input run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "base/sanitizer.hpp"

namespace kr::test {

/// Rounds of a test, seeded and so always the same. `finds`: the rounds in which a mistake in the
/// code, planted for a try and named beside the call, was found. A test runs ten times as many or
/// more: `usual` in CI, an eighth under AddressSanitizer, which checks memory and not results, and
/// a hundred times as many with KR_LONG in the environment.
inline uint64_t rounds(uint64_t usual, uint64_t finds) {
  if (usual < 10 * finds) {
    throw std::logic_error("a test needs ten times the rounds that find its planted mistake");
  }
  if (std::getenv("KR_LONG") != nullptr) return usual * 100;
  return KR_ADDRESS_SANITIZER != 0 ? std::max<uint64_t>(usual / 8, 1) : usual;
}

}  // namespace kr::test
