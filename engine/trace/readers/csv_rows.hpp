// Rows of a cuda_gpu_trace report to operations: what one thread does with one block of text.
//
// Rows as nsys writes them are read by looking only at the commas and the end of the name; all
// others (quotes before the name, doubled quotes, blanks, odd layouts) take a plain parser, which
// is also the one that finds fault.
//
// Names and tracks are numbered by the parser in the order it meets them. What is new in a block is
// listed with it, so that whoever merges blocks in the order of the file can number them anew and
// always the same, whichever thread read which block.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/growing_array.hpp"
#include "trace/readers/csv_cursor.hpp"
#include "trace/readers/csv_layout.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct CsvRows {
  struct NewTrack {
    std::string device;  // the cell
    int64_t stream = 0;
  };
  GrowingArray<Operation> operations;       // names and tracks in the parser's numbers
  std::vector<std::string_view> new_names;  // into the text, or into `unquoted`
  std::vector<NewTrack> new_tracks;
  std::deque<std::string> unquoted;
  size_t consumed = 0;
  CsvStop stop = CsvStop::end;

  void clear();
};

class CsvRowParser {
 public:
  /// Reads rows from the begin of `text`, which scan_padding readable bytes have to follow.
  /// Throws Error with line and byte offset of a row that breaks the format.
  void parse(std::string_view text, const TextPlace& place, const CsvLayout& layout, CsvRows& out);
  /// Forgets its numbers. Whoever merges has to forget them at the same block.
  void restart();
  /// The names held have grown so many that it is time to forget them.
  bool wants_restart() const { return name_bytes_ > name_bytes_limit; }

 private:
  static constexpr size_t name_bytes_limit = size_t{4} << 20;
  const char* fast_row(const char* at, const char* end);
  /// Bytes of the row at `at`; 0 where parsing stops.
  size_t plain_row(size_t at);
  size_t stop(CsvStop why, size_t at);
  size_t refuse_or_stop(size_t at);
  NameId name_id(std::string_view name, bool in_text);
  TrackId fast_track(std::string_view device, std::string_view stream);
  TrackId track_id(std::string_view device, int64_t stream);
  int64_t time(size_t at, const TimeColumn& column) const;

  // Of the block being read.
  CsvCursor cursor_;
  const CsvLayout* layout_ = nullptr;
  CsvRows* out_ = nullptr;
  bool fast_ = false;

  // Of all blocks since the last restart.
  NameTable names_;
  size_t name_bytes_ = 0;
  std::vector<CsvRows::NewTrack> tracks_;
  std::unordered_multimap<uint64_t, uint32_t> track_index_;
  struct SeenTrack {
    std::string key;
    TrackId id;
  };
  std::array<SeenTrack, 256> seen_tracks_;
};

}  // namespace kr::trace
