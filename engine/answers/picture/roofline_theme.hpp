// The colours of rooflines, on light and on dark pages.
#pragma once

#include <array>

#include "picture/roofline_scene.hpp"

namespace kr::picture {

inline constexpr size_t inks = 7;
/// By Ink.
using Theme = std::array<const char*, inks>;

inline constexpr Theme light_theme{"#ffffff", "#1a1f26", "#5c6672", "#eef0f3",
                                   "#dde1e6", "#8a939e", "#3a4654"};
inline constexpr Theme dark_theme{"#161a20", "#e4e8ee", "#97a1ae", "#20262e",
                                  "#2e3640", "#6b7683", "#b9c3cf"};

/// Of points, so that those behind others are seen.
inline constexpr double point_opacity = 0.8;
inline constexpr double point_edge = 0.9;

}  // namespace kr::picture
