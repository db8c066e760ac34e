// Kinds of copies by CUPTI's number (`CUpti_ActivityMemcpyKind`, and behind it what nsys adds for
// unified memory), as nsys 2023 and later spells them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kr::trace {

inline constexpr std::array<std::string_view, 14> copy_kinds{"Unknown",
                                                             "Host-to-Device",
                                                             "Device-to-Host",
                                                             "Host-to-Array",
                                                             "Array-to-Host",
                                                             "Array-to-Array",
                                                             "Array-to-Device",
                                                             "Device-to-Array",
                                                             "Device-to-Device",
                                                             "Host-to-Host",
                                                             "Peer-to-Peer",
                                                             "Unified Host-to-Device",
                                                             "Unified Device-to-Host",
                                                             "Unified Device-to-Device"};

/// Kinds of memory by the number that nsys gives them, as it spells them.
inline constexpr std::array<std::string_view, 8> memory_kinds{
    "Pageable", "Pinned",        "Device",         "Array",
    "Managed",  "Device Static", "Managed Static", "Unknown"};

}  // namespace kr::trace
