// Languages that are no more than a text: much can be said of them without a search, and those that
// hold in a name are found all at once.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "regex/text.hpp"

namespace kr::prove {

/// Whether every name with the one has the other too. False says nothing.
bool always_holds_in(const regex::Text& part, const regex::Text& whole);

/// Texts without anchors, by a number of the caller's.
class Texts {
 public:
  void add(uint32_t number, regex::Text text);
  /// The numbers of those in a name, some more than once.
  void find(std::string_view name, std::vector<uint32_t>& numbers) const;

 private:
  struct Ended {
    uint32_t number;
    regex::Text text;
  };
  static uint64_t key(uint32_t node, char byte);

  // A trie of the texts with small letters for all.
  std::unordered_map<uint64_t, uint32_t> next_;  // by node and byte
  std::vector<std::vector<Ended>> ended_{1};     // by node
};

}  // namespace kr::prove
