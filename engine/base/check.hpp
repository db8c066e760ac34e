// KR_CHECK: for what cannot happen. What a user wrote or the world did is never a check. Throws
// InternalError, so it has no place in destructors and functions that are noexcept.
#pragma once

namespace kr::detail {
[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line);
}

#define KR_CHECK(condition) \
  ((condition) ? void(0) : ::kr::detail::check_failed(#condition, __FILE_NAME__, __LINE__))
