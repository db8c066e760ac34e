// The union of intervals as a list, which shows how much of any other interval it covers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kr::analyze {

/// Memory: 24 bytes per interval that touches no other.
class CoveredTime {
 public:
  /// In order of start.
  void add(int64_t start, int64_t end) {
    if (end <= start) return;
    if (parts_.empty() || start > parts_.back().end) {
      const int64_t before = parts_.empty() ? 0 : parts_.back().before + parts_.back().length();
      parts_.push_back({start, end, before});
    } else {
      parts_.back().end = std::max(parts_.back().end, end);
    }
  }
  /// The length of the part of [begin, end) that is covered; 0 if that is empty. In O(log n).
  int64_t within(int64_t begin, int64_t end) const noexcept {
    return end > begin ? covered_before(end) - covered_before(begin) : 0;
  }

 private:
  struct Part {
    int64_t start;
    int64_t end;
    int64_t before;  // covered by earlier parts

    int64_t length() const noexcept { return end - start; }
  };

  int64_t covered_before(int64_t time) const noexcept {
    const auto after = std::partition_point(parts_.begin(), parts_.end(),
                                            [time](const Part& part) { return part.start < time; });
    if (after == parts_.begin()) return 0;
    const Part& part = *(after - 1);
    return part.before + std::min(time, part.end) - part.start;
  }

  std::vector<Part> parts_;
};

}  // namespace kr::analyze
