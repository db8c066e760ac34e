// Readers that take a text in blocks, on threads, tell the same whatever the blocks and the
// threads; of damaged texts, too.
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

namespace kr::test {

using Random = std::mt19937_64;

inline size_t below(Random& random, size_t bound) {
  return static_cast<size_t>(random() % bound);
}

/// A CSV with one to three places changed, left out, put in, or the end cut off.
inline void damage_csv(Random& random, std::string& text) {
  constexpr std::string_view changes = "\",\n\r-x0. ";
  for (size_t count = 1 + below(random, 3); count-- > 0;) {
    const size_t at = below(random, text.size());
    const char change = changes[below(random, changes.size())];
    switch (below(random, 4)) {
      case 0:
        text[at] = change;
        break;
      case 1:
        text.erase(at, 1 + below(random, 30));
        break;
      case 2:
        text.insert(at, 1, change);
        break;
      default:
        text.resize(text.size() - below(random, text.size() / 2 + 1));
    }
    if (text.empty()) text = "x";
  }
}

/// `check(block, threads)` for each block size, on one thread and on several.
template <class Check>
void in_pieces(std::initializer_list<size_t> blocks, Check check) {
  for (const size_t block : blocks) {
    for (const unsigned threads : {1U, 3U}) {
      CAPTURE(block);
      CAPTURE(threads);
      check(block, threads);
    }
  }
}

/// What `read(block, threads)` gives, which has an `error`, is what it gives for one large block.
/// Returns whether that is an error.
template <class Read>
bool same_in_pieces(std::initializer_list<size_t> blocks, Read read) {
  const auto whole = read(size_t{1} << 22, 1U);
  in_pieces(blocks, [&](size_t block, unsigned threads) {
    const auto outcome = read(block, threads);
    CHECK(outcome.error == whole.error);
    const bool same = outcome == whole;
    CHECK(same);
  });
  return !whole.error.empty();
}

}  // namespace kr::test
