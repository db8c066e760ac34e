#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace kr::detail {

void check_failed(const char* condition, const char* file, int line) noexcept {
  // The one place of the library that prints: the process ends here, by a fault of kr itself.
  std::fprintf(stderr, "kr: internal error: %s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace kr::detail
