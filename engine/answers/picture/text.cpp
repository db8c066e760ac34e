#include "picture/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace kr::picture {

double nice_step(double rough) {
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * power >= rough * (1 - 1e-9)) return step * power;
  }
  return 10 * power;
}

size_t nice_stride(size_t least) {
  size_t power = 1;
  while (true) {
    for (const size_t stride : {size_t{1}, size_t{2}, size_t{5}}) {
      if (stride * power >= least) return stride * power;
    }
    power *= 10;
  }
}

std::string fitted_text(const std::string& text, double room, double size, bool bold,
                        const TextWidth& width_of) {
  if (width_of(text, size, bold) <= room) return text;
  std::vector<size_t> ends{0};  // of characters
  for (size_t at = 0; at < text.size();) {
    at += std::max<size_t>(1, utf8_length(std::string_view(text).substr(at)));
    ends.push_back(at);
  }
  const auto cut = [&](size_t end) { return text.substr(0, end) + "…"; };
  const auto first_too_long = std::partition_point(ends.begin() + 1, ends.end(), [&](size_t end) {
    return width_of(cut(end), size, bold) <= room;
  });
  return cut(*(first_too_long - 1));
}

std::vector<std::string> wrapped_text(const std::vector<std::string>& words, const char* between,
                                      double room, double size, bool bold,
                                      const TextWidth& width_of) {
  std::vector<std::string> lines;
  std::string line;
  for (std::string word : words) {
    std::string longer = line;
    if (!line.empty()) longer += between;
    longer += word;
    if (width_of(longer, size, bold) <= room) {
      line = std::move(longer);
      continue;
    }
    if (!line.empty()) lines.push_back(std::move(line));
    while (width_of(word, size, bold) > room) {
      std::string head = fitted_text(word, room, size, bold, width_of);
      head.resize(head.size() - std::string_view("…").size());
      if (head.empty()) break;
      word.erase(0, head.size());
      lines.push_back(std::move(head));
    }
    line = std::move(word);
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace kr::picture
