#include "classify/periods.hpp"

#include <algorithm>

namespace kr::classify {
namespace {

constexpr size_t min_repeats = 3;
constexpr size_t longest_period = 4096;  // longer ones are steps, not layers
constexpr size_t search_inside = 60;     // periods of this length or more are searched inside

struct Stretch {
  size_t first = 0;
  size_t length = 0;  // of places i with name[i] = name[i + p]
};

/// All stretches that are long enough are found first, in one pass per period. The search of a part
/// of the names then uses the parts of these stretches.
class Finder {
 public:
  explicit Finder(std::span<const uint32_t> names) {
    begins_.push_back(0);
    for (size_t p = min_period; p <= max_period(names.size()); ++p) {
      collect(names, p);
      begins_.push_back(stretches_.size());
    }
  }

  void find(size_t begin, size_t end, uint32_t level) {
    const size_t most = max_period(end - begin);
    std::vector<Stretch> stretches;
    size_t best_cover = 0;
    for (size_t p = min_period; p <= most; ++p) {
      const Stretch stretch = longest(begin, end, p);
      stretches.push_back(stretch);
      if (fits(stretch, p)) best_cover = std::max(best_cover, stretch.length + p);
    }
    for (size_t p = min_period; p <= most; ++p) {
      const Stretch& stretch = stretches[p - min_period];
      if (!fits(stretch, p) || (stretch.length + p) * 100 < best_cover * 98) continue;
      const Repetition found{stretch.first, p, (stretch.length + p) / p, level};
      find(begin, found.first, level);
      found_.push_back(found);
      if (p >= search_inside) find(found.first, found.first + p, level + 1);
      find(found.first + stretch.length + p, end, level);
      return;
    }
  }

  std::vector<Repetition> take() { return std::move(found_); }

 private:
  size_t max_period(size_t size) const { return std::min(longest_period, size / min_repeats); }

  /// A stretch that is long enough fills a window of the least length. A difference near the end of
  /// a window moves the window by nearly its length, so most names are never read.
  void collect(std::span<const uint32_t> names, size_t period) {
    const size_t places = names.size() - period;
    const auto same = [&](size_t i) { return names[i] == names[i + period]; };
    const size_t least = min_length(period);
    size_t first = 0;  // of the window
    size_t known = 0;  // the places in [first, known) are the same
    while (first + least <= places) {
      size_t end = first + least;
      while (end > known && same(end - 1)) --end;
      if (end > known) {
        known = first + least;
        first = end;
        continue;
      }
      end = first + least;
      while (end < places && same(end)) ++end;
      stretches_.push_back({first, end - first});
      known = first = end + 1;
    }
  }

  /// The first of the longest collected stretches in [begin, end).
  Stretch longest(size_t begin, size_t end, size_t period) const {
    const Stretch* const all = stretches_.data();
    const Stretch* const last = all + begins_[period - min_period + 1];
    const Stretch* at =
        std::partition_point(all + begins_[period - min_period], last,
                             [&](const Stretch& one) { return one.first + one.length <= begin; });
    Stretch best;
    for (; at != last && at->first + period < end; ++at) {
      const size_t from = std::max(at->first, begin);
      const size_t to = std::min(at->first + at->length, end - period);
      if (to > from && to - from > best.length) best = {from, to - from};
    }
    return best;
  }

  /// With the period after it, a stretch of this length has enough repeats and names.
  size_t min_length(size_t period) const {
    const size_t cover = std::max(min_repeats * period, min_covered);
    return cover > period ? cover - period : 1;
  }

  bool fits(const Stretch& stretch, size_t period) const {
    return stretch.length >= min_length(period);
  }

  std::vector<Stretch> stretches_;  // by period, then place
  std::vector<size_t> begins_;      // by period from the least on, and the end
  std::vector<Repetition> found_;
};

}  // namespace

std::vector<Repetition> find_repetitions(std::span<const uint32_t> names) {
  Finder finder(names);
  finder.find(0, names.size(), 0);
  return finder.take();
}

}  // namespace kr::classify
