// Numbers and texts of pictures: how an axis counts, and what fits where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::picture {

/// How wide a text is in the typeface that it will be drawn in.
using TextWidth = std::function<double(std::string_view text, double size, bool bold)>;

/// 1, 2 or 5 times a power of ten, at least `rough`.
double nice_step(double rough);
size_t nice_stride(size_t least);

/// The text, or as much of its beginning as fits `room` with `…` behind it.
std::string fitted_text(const std::string& text, double room, double size, bool bold,
                        const TextWidth& width_of);

/// Lines no wider than `room`; a word that is, is broken.
std::vector<std::string> wrapped_text(const std::vector<std::string>& words, const char* between,
                                      double room, double size, bool bold,
                                      const TextWidth& width_of);

}  // namespace kr::picture
