// What all parsers of CSV share: rows are cut out of a block of text, one after the other; what
// breaks the format is told with its place, and what the block or the file does not hold whole is
// told apart from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "trace/readers/csv_row.hpp"
#include "trace/readers/line_counts.hpp"

namespace kr::trace {

/// Where a text stands in its file.
struct TextPlace {
  const std::string* shown = nullptr;  // the path, for errors
  uint64_t offset = 0;
  uint64_t line = 1;
  const LineCounts* lines = nullptr;  // not null: `line` is not known yet
  size_t block = 0;
  bool last = false;     // the file ends where the text does
  bool cut_off = false;  // and is known to be cut off there: what has no line break is no row
  bool allow_truncated = false;

  /// Of its first byte.
  uint64_t first_line() const { return lines != nullptr ? lines->begin_of(block) : line; }
};

/// Why a parser did not go on.
enum class CsvStop : uint8_t {
  end,        // all of the text is read
  line,       // here stands something that is no row of this table
  more,       // here begins a row that the text does not hold whole
  truncated,  // here begins a row that the file does not hold whole
};

/// How many cells a row may have.
struct CsvWidth {
  size_t least = 0;
  size_t most = 0;
  bool holds(size_t cells) const noexcept { return least <= cells && cells <= most; }
};

class CsvCursor {
 public:
  void begin(std::string_view text, const TextPlace& place, CsvWidth width);

  /// Bytes of the line break that stands at `at`; 0 where something else does.
  size_t blank(size_t at) const noexcept;
  /// Cuts the row at `at` out. True where it has its end in the text and the right number of cells.
  bool read(size_t at);
  const CsvRow& row() const noexcept { return row_; }
  /// Of a row that was read and has no line break: why it cannot be taken yet, or ever.
  std::optional<CsvStop> unfinished() const noexcept;
  /// The line at `at` with what follows it in the row left out; nothing where it goes on behind
  /// the text.
  std::optional<std::string_view> line(size_t at) const noexcept;
  /// What stands at `at`, read last, is no row and no other line: `more`, `truncated`, or, where it
  /// breaks the format by its quotes or its number of cells, an Error. Nothing where neither does.
  std::optional<CsvStop> refuse(size_t at) const;

  std::string_view text() const noexcept { return text_; }
  const TextPlace& place() const noexcept { return *place_; }
  /// With the line and the offset of what stands at `at`.
  Error error(size_t at, std::string why, std::string remedy = {}) const;
  [[noreturn]] void fail(size_t at, std::string why, std::string remedy = {}) const;

 private:
  std::string_view text_;
  const TextPlace* place_ = nullptr;
  CsvWidth width_;
  CsvRow row_;
};

}  // namespace kr::trace
