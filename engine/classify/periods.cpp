#include "classify/periods.hpp"

#include <algorithm>

namespace kr {
namespace {

struct Stretch {
  size_t first = 0;
  size_t length = 0;  // of places i with name[i] = name[i + p]
};

Stretch longest(std::span<const uint32_t> names, size_t period) {
  Stretch best;
  size_t length = 0;
  for (size_t i = 0; i + period < names.size(); ++i) {
    length = names[i] == names[i + period] ? length + 1 : 0;
    if (length > best.length) best = {i + 1 - length, length};
  }
  return best;
}

class Finder {
 public:
  Finder(std::span<const uint32_t> names, const PeriodOptions& options)
      : names_(names), options_(options) {}

  void find(size_t begin, size_t end, uint32_t level) {
    const auto part = names_.subspan(begin, end - begin);
    const size_t most = std::min(options_.most_period, part.size() / options_.least_repeats);
    std::vector<Stretch> stretches;
    size_t best_cover = 0;
    for (size_t p = options_.least_period; p <= most; ++p) {
      const Stretch stretch = longest(part, p);
      stretches.push_back(stretch);
      if (fits(stretch, p)) best_cover = std::max(best_cover, stretch.length + p);
    }
    for (size_t p = options_.least_period; p <= most; ++p) {
      const Stretch& stretch = stretches[p - options_.least_period];
      if (!fits(stretch, p) || (stretch.length + p) * 100 < best_cover * 98) continue;
      const Repetition found{begin + stretch.first, p, (stretch.length + p) / p, level};
      find(begin, found.first, level);
      found_.push_back(found);
      if (p >= options_.look_inside) find(found.first, found.first + p, level + 1);
      find(found.first + stretch.length + p, end, level);
      return;
    }
  }

  std::vector<Repetition> take() { return std::move(found_); }

 private:
  bool fits(const Stretch& stretch, size_t period) const {
    const size_t cover = stretch.length + period;
    return stretch.length > 0 && cover / period >= options_.least_repeats &&
           cover >= options_.least_covered;
  }
  std::span<const uint32_t> names_;
  const PeriodOptions& options_;
  std::vector<Repetition> found_;
};

}  // namespace

std::vector<Repetition> find_repetitions(std::span<const uint32_t> names,
                                         const PeriodOptions& options) {
  Finder finder(names, options);
  finder.find(0, names.size(), 0);
  return finder.take();
}

}  // namespace kr
