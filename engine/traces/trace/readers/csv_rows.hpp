// Rows of a cuda_gpu_trace report to operations: what one thread does with one block of text.
//
// Rows as nsys writes them are read by looking only at the commas and the end of the name; all
// others (quotes before the name, doubled quotes, blanks, odd layouts) take a plain parser, which
// is also the one that finds fault.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/decimal.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/csv_cursor.hpp"
#include "trace/readers/csv_layout.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// A device without a number is -1, until all names of devices are known.
struct CsvRows : BlockRows, CsvProgress {};

class CsvRowParser {
 public:
  CsvRowParser(bool details, bool strict) : details_(details), strict_(strict) {}
  /// Reads rows from the begin of the text, which scan_padding readable bytes have to follow.
  /// Times that cannot be right are marked (trace/time_fault.hpp). Throws CsvFault where a row
  /// breaks the format, and if `strict`, at such times.
  void parse(const TextPlace& place, const CsvLayout& layout, CsvRows& out);

 private:
  const char* fast_row(const char* at, const char* end);
  /// Bytes of the row at `at`; 0 where parsing stops.
  size_t plain_row(size_t at);
  size_t refuse_or_stop(size_t at);
  TrackId fast_track(std::string_view device, std::string_view stream);
  TrackId track_id(std::string_view device, int64_t stream);
  int64_t time(size_t at, const TimeColumn& column) const;
  bool is_row(size_t at, DecimalFault of_start);
  template <class CellAt>
  void add_detail(const CellAt& cell);

  // Of the block being read.
  CsvCursor cursor_;
  const CsvLayout* layout_ = nullptr;
  CsvRows* out_ = nullptr;
  bool fast_ = false;
  bool details_;
  bool strict_;

  LocalIds ids_;
  struct SeenTrack {
    std::string key;
    TrackId id;
  };
  std::array<SeenTrack, 256> seen_tracks_;  // by the text of both cells
};

}  // namespace kr::trace
