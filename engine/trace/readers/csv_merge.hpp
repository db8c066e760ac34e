// Blocks of rows, in the order of the file, into a trace: the numbers that parsers gave to names
// and tracks become the trace's.
//
// A device is written `name (id)`. A name without a number gets one at the end: after the largest
// that is written, in the order of names, so that the order of rows does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/readers/csv_rows.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class CsvMerge {
 public:
  explicit CsvMerge(TraceBuilder& out) : out_(&out) {}

  /// What parser number `parser` found in the next block.
  void add(const CsvRows& rows, size_t parser);
  /// That parser has forgotten its numbers.
  void restart(size_t parser);
  void finish();

 private:
  struct Numbers {
    std::vector<NameId> names;
    std::vector<TrackId> tracks;
  };
  TrackId track(const CsvRows::NewTrack& found);

  TraceBuilder* out_;
  std::vector<Numbers> parsers_;
  std::unordered_map<std::string, int32_t>
      unnumbered_;  // by device name: -1 - device until all names are known
};

}  // namespace kr::trace
