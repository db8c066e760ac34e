// Counts the characters before a byte of a file, for formats whose columns are characters.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "source/source_map.hpp"

namespace kr::diag {

/// Counts Unicode code points. A byte that is not UTF-8 counts as one (readers show U+FFFD for it).
/// An offset inside a character does not count that character.
class Characters {
 public:
  explicit Characters(const source::SourceMap& sources) : sources_(sources) {}

  /// Characters in the file before this byte.
  uint32_t before(source::FileId file, uint32_t offset);
  /// Line and column in characters, both from 1.
  source::Position position(source::FileId file, uint32_t offset);

 private:
  /// The start of a character, recorded every few thousand bytes.
  struct Mark {
    uint32_t offset;
    uint32_t characters;
  };
  const std::vector<Mark>& marks(source::FileId file);

  const source::SourceMap& sources_;
  std::map<uint32_t, std::vector<Mark>> marks_;  // by FileId
};

}  // namespace kr::diag
