// Fast answers about languages without a search: bytes that every match needs, and languages that
// are only a text. All texts in a name are found at once.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "regex/regex.hpp"

namespace kr::prove {

/// The bytes that every match needs. Upper and lower case count as one, so this also works with
/// `i`. A name with a match has all of them in its `bytes_of`.
regex::ByteSet needed_bytes(const regex::Regex& regex);

/// The bytes of a name, with letters in lower case.
regex::ByteSet bytes_of(std::string_view name);

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
