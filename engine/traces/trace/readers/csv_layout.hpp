// What the lines of `nsys stats --format csv` are: the header of a cuda_gpu_trace report with the
// places of its columns, the header of another report, what nsys prints between reports, or rows.
//
// Columns are found by name without the unit: nsys 2022 has 20, later ones 21 (`GreenCtx`), and
// what people cut out has fewer. A unit is in parentheses, with or without a blank before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/operation_details.hpp"
#include "trace/readers/csv_cursor.hpp"

namespace kr::trace {

struct CsvLayout {
  size_t columns = 0;
  TimeColumn start;
  TimeColumn duration;
  size_t name = 0;
  std::optional<size_t> device;
  std::optional<size_t> stream;
  std::optional<size_t> correlation;
  /// The columns of details. Those of bytes are rounded by nsys, and not read.
  std::vector<std::pair<DetailField, size_t>> details;
  /// The largest exponent of its times: 6 and more are rounded by nsys.
  int coarsest() const {
    return start.exponent > duration.exponent ? start.exponent : duration.exponent;
  }
};

enum class LineKind : uint8_t { other, blank, preamble, skipped, gpu_trace_header, other_header };

struct Line {
  LineKind kind = LineKind::other;
  CsvLayout layout;                 // gpu_trace_header, all columns found
  std::string missing;              // gpu_trace_header: the column it lacks
  std::vector<std::string> titles;  // of either header
  std::string report;               // other_header: what it is, if that is known
};

/// `text` is one line; its line break may be part of it.
Line classify_line(std::string_view text);

}  // namespace kr::trace
