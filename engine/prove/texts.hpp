// Languages that are only a text: many questions about them need no search, and all texts in a name
// are found at once.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "regex/text.hpp"

namespace kr::prove {

/// Whether every name that contains `whole` also contains `part`. False proves nothing.
bool always_holds_in(const regex::Text& part, const regex::Text& whole);

/// Texts without anchors, with numbers that the caller chooses.
class Texts {
 public:
  void add(uint32_t number, regex::Text text);
  /// The numbers of the texts in a name, possibly with duplicates.
  void find(std::string_view name, std::vector<uint32_t>& numbers) const;

 private:
  struct Ended {
    uint32_t number;
    regex::Text text;
  };
  static uint64_t key(uint32_t node, char byte);

  // A trie of the texts in lower case.
  std::unordered_map<uint64_t, uint32_t> next_;  // by node and byte
  std::vector<std::vector<Ended>> ended_{1};     // by node
};

}  // namespace kr::prove
