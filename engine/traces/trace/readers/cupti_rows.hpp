// Rows of CUPTI activity to operations and calls: what one thread does with one block of text.
//
// If no header contains a unit, a fraction anywhere in the times of the folder means that all such
// times are microseconds; without one they are nanoseconds. So whole numbers are read as they are
// until a parser meets a fraction, and from then on as microseconds: the first `whole` records of
// a block are what is multiplied by 1,000 later, once a fraction is met in whichever block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "trace/readers/block_rows.hpp"
#include "trace/readers/csv_cursor.hpp"
#include "trace/readers/cupti_layout.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Times of records in a unit that no header contains, beyond 64 bits of nanoseconds if
/// they are microseconds.
constexpr int64_t longest_microseconds = INT64_MAX / 1000;

/// What a call is counted as whose times cannot be.
constexpr const char* unsound_call = "call without a valid time";

struct CuptiRows : BlockRows, CsvProgress {
  struct Fraction {
    size_t at;  // its row
    std::string title;
  };

  uint64_t rows = 0;
  size_t whole = 0;  // of operations or launches: so many, or all, are read as whole numbers
  std::optional<Fraction> fraction;   // the first, met behind them
  std::optional<CsvFault> too_large;  // to be thrown if `whole` are microseconds
};

class CuptiRowParser {
 public:
  CuptiRowParser(HostDetail host, bool strict)
      : whole_host_(host == HostDetail::all), strict_(strict) {}

  /// Times of operations that cannot be right are marked (trace/time_fault.hpp). Throws CsvFault at
  /// the first row that breaks the format, and if `strict`, at such times.
  void parse(const TextPlace& place, const CuptiLayout& layout, CuptiRows& out);

 private:
  struct Times {
    int64_t start_ns = 0;
    int64_t duration_ns = 0;
    bool open = false;                    // without an end
    bool disagree = false;                // end and duration
    std::optional<TimeFault> fault = {};  // why they cannot be right
    bool has_start = false;               // the start is right all the same
  };

  /// Bytes of the row at `at`; 0 where parsing stops.
  size_t row(size_t at);
  bool is_header() const;
  void take();
  void lose_call();
  void meet_fraction();
  std::string read_times(Times& times, bool micro) const;
  std::string read_time(const CuptiTime& column, bool micro, int64_t& ns, Times& times) const;
  void mark(Times& times, std::string why);
  NameId operation_name();
  TrackId track();
  uint32_t call();
  std::string_view cell(const std::optional<size_t>& column) const;
  /// The cell of a column, or what `args` has under that key.
  std::string_view cell(const std::optional<size_t>& column, std::string_view key) const;
  int64_t number(std::string_view text, std::string_view what) const;
  int64_t correlation() const;
  void add_dropped(std::string_view what);

  bool whole_host_;
  bool strict_;
  CsvCursor cursor_;
  const CuptiLayout* layout_ = nullptr;
  CuptiRows* out_ = nullptr;
  size_t at_ = 0;       // of the row
  bool micro_ = false;  // a fraction was met

  LocalIds ids_;
};

/// `[CUDA memcpy HtoD]` from a column of kinds of copies, a number as CUPTI has it or a
/// word. `known`: whether the number is one.
std::string copy_name(std::string_view kind, bool& known);

}  // namespace kr::trace
