// Where the events of a text are by their times, for whoever reads a part of it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kr::trace {

/// Of a list of events, which the first reading cut into pieces of whole events. Offsets are bytes
/// of the decompressed text. Memory: 40 bytes per OpenOptions::block_size of it.
struct SourcePlaces {
  struct Piece {
    uint64_t offset = 0;
    uint64_t size = 0;
    // From the first start to the last end of its events; none has a time if they are reversed.
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    bool any_time = false;  // contains what belongs to every part: metadata
  };

  uint64_t begin = 0;  // behind the bracket of the list
  uint64_t end = 0;    // of its closing bracket, or of what is cut off
  size_t levels = 0;   // objects and lists that are open around the events
  std::vector<Piece> pieces;
};

}  // namespace kr::trace
