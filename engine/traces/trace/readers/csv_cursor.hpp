// What all parsers of CSV share: rows are cut out of a block of text, one after the other.
// What breaks the format is an error with its place; a row that the block or the file does not
// contain whole is reported as such.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace kr::trace {

/// One row of CSV (RFC 4180): quotes around cells with commas, quotes or line breaks, inner quotes
/// doubled; line breaks LF or CRLF; cells are any bytes. Here the quotes are undone. To be used
/// again for row after row.
class CsvRow {
 public:
  enum class End : uint8_t {
    row,         // whole
    text_ended,  // no newline: the last row of a file, or one that goes on
    inside,      // the text ends between quotes
    malformed,   // a quote where none is allowed
  };

  /// The row that `text` begins with. The text has to live as long as the cells are looked at.
  void read(std::string_view text);

  End end = End::row;
  std::vector<std::string_view> cells;  // into the text, or of this row
  size_t size = 0;                      // bytes, with the line break

 private:
  size_t quoted_cell(std::string_view text, size_t at);
  size_t plain_cell(std::string_view text, size_t at);

  std::deque<std::string> unquoted_;  // cells with doubled quotes
};

struct TimeColumn {
  size_t column = 0;
  int exponent = 0;  // a printed unit is 10^exponent ns
  std::string title;
};

/// What is wrong with a row. Thrown by parsers, which do not know the line that their text begins
/// in: TextPlace::error has it in its turn.
struct CsvFault {
  size_t at;  // in the text
  std::string why, remedy;
};

/// A text, and its place in its file.
struct TextPlace {
  std::string_view text;
  const std::string* shown = nullptr;  // the path, for errors
  uint64_t offset = 0;
  uint64_t line = 1;     // known where rows are merged, not yet where they are parsed
  bool last = false;     // the file ends where the text does
  bool cut_off = false;  // and is known to be cut off there: what has no line break is not a row
  bool allow_truncated = false;

  Error::Place where(size_t at = 0) const noexcept;
  Error error(const CsvFault& fault) const;
};

/// Why a parser did not go on.
enum class CsvStop : uint8_t {
  end,        // all of the text is read
  line,       // here is something that is not a row of this table
  more,       // here begins a row that the text does not contain whole
  truncated,  // here begins a row that the file does not contain whole
};

/// How far it got.
struct CsvProgress {
  size_t consumed = 0;
  CsvStop stop = CsvStop::end;
};

/// How many cells a row may have.
struct CsvWidth {
  size_t least = 0;
  size_t most = 0;
  bool allows(size_t cells) const noexcept { return least <= cells && cells <= most; }
};

class CsvCursor {
 public:
  void begin(const TextPlace& place, CsvWidth width, CsvProgress& progress);

  /// Goes through the text: `row(at)` returns the bytes of what is at `at`, 0 where it stopped.
  template <class Row>
  void each(const Row& row) {
    for (size_t at = 0; at < text().size();) {
      const size_t empty = blank(at);
      const size_t size = empty != 0 ? empty : row(at);
      if (size == 0) return;
      at += size;
    }
  }

  /// Cuts the row at `at` out. True where it has its end in the text and the right number of cells.
  bool read(size_t at);
  const CsvRow& row() const noexcept { return row_; }
  /// The line at `at` with what follows it in the row left out; nothing, and stopped, where it goes
  /// on behind the text.
  std::optional<std::string_view> line(size_t at) noexcept;
  /// Bytes of that line, with its line break.
  size_t past(std::string_view line, size_t at) const noexcept;

  // These stop at `at`, and say whether they did.

  /// Where a row that was read has no line break and cannot be taken yet, or ever.
  bool unfinished(size_t at) noexcept;
  /// What is there, last read, is no row and no other line. Throws CsvFault where it breaks the
  /// format by its quotes or its number of cells. False where neither does.
  bool refuse(size_t at);
  /// Returns 0.
  size_t stop(CsvStop why, size_t at) noexcept;

  std::string_view text() const noexcept { return place_->text; }
  const TextPlace& place() const noexcept { return *place_; }
  [[noreturn]] static void fail(size_t at, std::string why, std::string remedy = {});

 private:
  size_t blank(size_t at) const noexcept;

  const TextPlace* place_ = nullptr;
  CsvProgress* progress_ = nullptr;
  CsvWidth width_;
  CsvRow row_;
};

}  // namespace kr::trace
