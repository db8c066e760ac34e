// How long property tests run.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace kr::test {

/// Rounds of a test that takes `usual` in CI, seeded and so always the same: a quarter under
/// sanitizers, which check memory and not results; a hundred times as many with KR_LONG in the
/// environment.
inline uint64_t rounds(uint64_t usual) {
  if (std::getenv("KR_LONG") != nullptr) return usual * 100;
#if defined(__SANITIZE_ADDRESS__)
  return usual / 4 + 1;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return usual / 4 + 1;
#else
  return usual;
#endif
#else
  return usual;
#endif
}

}  // namespace kr::test
