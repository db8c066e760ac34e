#include "changes/alignment.hpp"

#include <algorithm>
#include <vector>

#include "base/check.hpp"

namespace kr::changes {
namespace {

/// Numbers of a sequence, without gaps between them.
struct DenseSequence {
  explicit DenseSequence(std::span<const uint32_t> sequence)
      : names(sequence.begin(), sequence.end()) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    places.reserve(sequence.size());
    for (const uint32_t name : sequence) {
      places.push_back(
          static_cast<size_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin()));
    }
  }
  std::vector<uint32_t> names;  // ascending
  std::vector<size_t> places;   // in `names`, by place in the sequence
};

class AlignmentTable {
 public:
  AlignmentTable(const DenseSequence& a, const DenseSequence& b, const MeetingScore& score)
      : a_(a), b_(b), columns_(b.places.size() + 1) {
    scores_.reserve(a.names.size() * b.names.size());
    for (const uint32_t x : a.names) {
      for (const uint32_t y : b.names) scores_.push_back(static_cast<uint16_t>(score(x, y)));
    }
    best_.resize((a.places.size() + 1) * columns_);
    for (size_t i = 1; i <= a.places.size(); ++i) {
      for (size_t j = 1; j < columns_; ++j) {
        uint16_t& best = best_[i * columns_ + j];
        best = std::max(at(i - 1, j), at(i, j - 1));
        if (const uint16_t met = score_of(i, j); met > 0) {
          best = std::max<uint16_t>(best, static_cast<uint16_t>(at(i - 1, j - 1) + met));
        }
      }
    }
  }

  /// Of the best alignments, the one that leaves the last names of `a` alone where it can, or
  /// those of `b`.
  Meetings trace_back(bool leave_a) const {
    Meetings met;
    size_t i = a_.places.size(), j = b_.places.size();
    while (i > 0 && j > 0) {
      const uint16_t here = at(i, j);
      const bool without_a = here == at(i - 1, j), without_b = here == at(i, j - 1);
      const bool meet = meets(i, j);
      if (leave_a ? without_a : !without_b && !meet) {
        --i;
      } else if (leave_a ? !meet : without_b) {
        --j;
      } else {
        ++met[{a_.names[a_.places[--i]], b_.names[b_.places[--j]]}];
      }
    }
    return met;
  }

 private:
  uint16_t at(size_t i, size_t j) const { return best_[i * columns_ + j]; }
  uint16_t score_of(size_t i, size_t j) const {
    return scores_[a_.places[i - 1] * b_.names.size() + b_.places[j - 1]];
  }
  bool meets(size_t i, size_t j) const {
    const uint16_t score = score_of(i, j);
    return score > 0 && at(i, j) == at(i - 1, j - 1) + score;
  }

  const DenseSequence& a_;
  const DenseSequence& b_;
  size_t columns_;
  std::vector<uint16_t> scores_;  // of pairs of names
  std::vector<uint16_t> best_;    // of the first i names and the first j, by i and j
};

}  // namespace

Meetings meetings(std::span<const uint32_t> a, std::span<const uint32_t> b,
                  const MeetingScore& score) {
  constexpr size_t longest = 2048;  // 30 each: 61440, which fits in 16 bits
  KR_CHECK(a.size() <= longest && b.size() <= longest);
  const DenseSequence left(a), right(b);
  const AlignmentTable table(left, right, score);
  Meetings met = table.trace_back(true);
  const Meetings other = table.trace_back(false);
  for (auto one = met.begin(); one != met.end();) {
    const auto found = other.find(one->first);
    one->second = std::min(one->second, found == other.end() ? 0 : found->second);
    one = one->second == 0 ? met.erase(one) : std::next(one);
  }
  return met;
}

}  // namespace kr::changes
