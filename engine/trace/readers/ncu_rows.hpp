// Rows of a page of ncu to kernels: what one thread does with one block of text.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "trace/readers/csv_cursor.hpp"
#include "trace/readers/ncu_layout.hpp"

namespace kr::trace {

/// What rows that follow each other say of one kernel, which is its ID, not its name.
struct NcuKernel {
  int64_t id = 0;
  int64_t process = 0;
  int32_t device = 0;
  int64_t stream = 0;
  std::string_view name{};  // of NcuRows::texts
  int rank = 0;             // of the metric that tells the duration; 0: none does
  int64_t duration_ns = 0;
  int rounded_to = 0;  // 10^rounded_to ns
  uint64_t offset = 0;
};

struct NcuRows : CsvProgress {
  std::vector<NcuKernel> kernels;
  std::deque<std::string> texts;
  std::vector<std::string_view> metrics;  // some that are no durations; of `texts`
};

class NcuRowParser {
 public:
  /// Throws CsvFault where a row breaks the format.
  void parse(const TextPlace& place, const NcuLayout& layout, NcuRows& out);

 private:
  size_t row(size_t at);
  size_t odd_line(size_t at);
  void take(size_t at);
  void kernel(size_t at);
  void metric(size_t at);
  void duration(size_t at, std::string_view text, int rank, int exponent, std::string_view title);
  int64_t number(size_t at, size_t column, std::string_view title) const;
  void remember_metric(std::string_view name);

  CsvCursor cursor_;
  const NcuLayout* layout_ = nullptr;
  NcuRows* out_ = nullptr;
  std::string number_;
};

}  // namespace kr::trace
