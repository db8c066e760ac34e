// Whether this is compiled for AddressSanitizer, by GCC or clang: KR_ADDRESS_SANITIZER is 1 or 0.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define KR_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KR_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef KR_ADDRESS_SANITIZER
#define KR_ADDRESS_SANITIZER 0
#endif
