// KR_CHECK: for what cannot happen. What a user wrote or the world did is never a check.
#pragma once

namespace kr::detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;
}

#define KR_CHECK(condition) \
  ((condition) ? void(0) : ::kr::detail::check_failed(#condition, __FILE__, __LINE__))
