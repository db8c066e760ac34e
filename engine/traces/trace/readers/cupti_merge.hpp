// Blocks of CUPTI activity, in the order of the files and of each of them, into a trace:
// decides the unit if no header contains it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/readers/cupti_rows.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class CuptiMerge {
 public:
  CuptiMerge(TraceBuilder& out, HostDetail host);

  /// Rows of another file follow. `shown` is its name in messages; `dropped_prefix` before
  /// its dropped records.
  void file(std::string shown, std::string dropped_prefix, const CuptiLayout& layout);
  /// The next block. Throws Error where its times are too large for the unit.
  void add(CuptiRows& rows, const TextPlace& place);
  /// After the last file: says what unit was taken.
  void finish();

 private:
  /// Records [begin, end) of the trace that were read as whole numbers.
  using Stretches = std::vector<std::pair<size_t, size_t>>;

  void settle(const CuptiRows& rows, const TextPlace& place);
  void microseconds_from_now_on();
  void scale(GrowingArray<Launch>& launches, const Stretches& stretches);

  TraceBuilder* out_;
  HostTrace* host_ = nullptr;

  // Of the file being read.
  std::string shown_, dropped_prefix_;
  bool unit_known_ = true;

  uint64_t rows_without_unit_ = 0;  // of files without a unit
  std::string fraction_;            // the place of the first of them; empty: there is none
  std::optional<Error> too_large_;
  Stretches whole_operations_, whole_launches_;
};

}  // namespace kr::trace
