// Myers, “An O(ND) difference algorithm and its variations” (1986): the greedy search forwards,
// with the furthest points of each round kept to find the way back.
#include "base/unified_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kr {
namespace {

constexpr int max_edits = 2000;  // the points kept grow with its square
constexpr size_t context = 3;

using Lines = std::vector<std::string_view>;

/// With their line breaks.
Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Lines [a, a + removed) of the one text give way to lines [b, b + added) of the other.
struct Change {
  size_t a = 0;
  size_t removed = 0;
  size_t b = 0;
  size_t added = 0;
};

/// The lines of the shortest way from one text to the other, backwards: (x, y) before each edit.
class Search {
 public:
  Search(const Lines& a, const Lines& b) : a_(a), b_(b) {}

  std::vector<Change> changes() {
    const auto n = static_cast<int>(a_.size());
    const auto m = static_cast<int>(b_.size());
    // furthest[k + d]: how far in `a` the diagonal x - y = k is reached with d edits.
    std::vector<int> furthest{0};
    for (int d = 0; d <= std::min(n + m, max_edits); ++d) {
      std::vector<int> now(2 * static_cast<size_t>(d) + 1, -1);
      for (int k = -d; k <= d; k += 2) {
        int x = d == 0 ? 0 : step(furthest, k, d);
        int y = x - k;
        while (x < n && y < m && a_[index(x)] == b_[index(y)]) ++x, ++y;
        now[index(k + d)] = x;
        if (x >= n && y >= m) {
          rounds_.push_back(std::move(now));
          return way_back(n, m);
        }
      }
      rounds_.push_back(now);
      furthest = std::move(now);
    }
    return {{0, a_.size(), 0, b_.size()}};
  }

 private:
  static size_t index(int i) { return static_cast<size_t>(i); }
  /// Down (a line of `b` added) or right (a line of `a` removed) to diagonal k, in round d.
  static bool goes_down(const std::vector<int>& before, int k, int d) {
    const auto at = [&](int diagonal) { return before[index(diagonal + d - 1)]; };
    return k == -d || (k != d && at(k - 1) < at(k + 1));
  }
  static int step(const std::vector<int>& before, int k, int d) {
    return goes_down(before, k, d) ? before[index(k + 1 + d - 1)]
                                   : before[index(k - 1 + d - 1)] + 1;
  }
  std::vector<Change> way_back(int x, int y) const {
    std::vector<Change> changes;
    for (int d = static_cast<int>(rounds_.size()) - 1; d > 0; --d) {
      const std::vector<int>& before = rounds_[index(d - 1)];
      const int k = x - y;
      const bool down = goes_down(before, k, d);
      const int from = down ? k + 1 : k - 1;
      x = before[index(from + d - 1)];
      y = x - from;
      Change change{index(x), down ? 0U : 1U, index(y), down ? 1U : 0U};
      if (!changes.empty()) {
        const Change& next = changes.back();
        if (change.a + change.removed == next.a && change.b + change.added == next.b) {
          change.removed += next.removed;
          change.added += next.added;
          changes.pop_back();
        }
      }
      changes.push_back(change);
    }
    std::reverse(changes.begin(), changes.end());
    return changes;
  }

  const Lines& a_;
  const Lines& b_;
  std::vector<std::vector<int>> rounds_;
};

void put(std::string& out, char mark, const Lines& lines, size_t from, size_t count) {
  for (size_t i = from; i < from + count; ++i) {
    out += mark;
    out += lines[i];
    if (!lines[i].ends_with('\n')) out += "\n\\ No newline at end of file\n";
  }
}

std::string range(size_t from, size_t count) {
  const size_t first = count == 0 ? from : from + 1;
  return count == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, count);
}

}  // namespace

std::string unified_diff(std::string_view before_name, std::string_view before,
                         std::string_view after_name, std::string_view after) {
  if (before == after) return {};
  const Lines a = lines_of(before);
  const Lines b = lines_of(after);
  const std::vector<Change> changes = Search(a, b).changes();
  std::string out = fmt::format("--- {}\n+++ {}\n", before_name, after_name);
  for (size_t first = 0; first < changes.size();) {
    size_t last = first + 1;
    while (last < changes.size() &&
           changes[last].a - (changes[last - 1].a + changes[last - 1].removed) <= 2 * context) {
      ++last;
    }
    const Change& head = changes[first];
    const Change& tail = changes[last - 1];
    const size_t lead = std::min(context, head.a);
    const size_t a_begin = head.a - lead;
    const size_t b_begin = head.b - lead;
    const size_t a_end = std::min(tail.a + tail.removed + context, a.size());
    const size_t b_end = tail.b + tail.added + (a_end - tail.a - tail.removed);
    out += fmt::format("@@ -{} +{} @@\n", range(a_begin, a_end - a_begin),
                       range(b_begin, b_end - b_begin));
    size_t at = a_begin;
    for (; first < last; ++first) {
      const Change& change = changes[first];
      put(out, ' ', a, at, change.a - at);
      put(out, '-', a, change.a, change.removed);
      put(out, '+', b, change.b, change.added);
      at = change.a + change.removed;
    }
    put(out, ' ', a, at, a_end - at);
  }
  return out;
}

}  // namespace kr
