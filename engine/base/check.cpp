#include "base/check.hpp"

#include "base/error.hpp"

namespace kr::detail {

void check_failed(const char* condition, const char* file, int line) {
  throw InternalError(condition, file, line);
}

}  // namespace kr::detail
