// Which part of an nsys text is being read: before a header, in a cuda_gpu_trace report, or in
// another one, whose rows are passed over. Says at the end what was missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/input.hpp"
#include "trace/readers/csv_layout.hpp"
#include "trace/readers/csv_rows.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class CsvSections {
 public:
  CsvSections(Input& input, TraceBuilder& out) : input_(&input), out_(&out) {}

  /// The layout of the report being read; null outside of one.
  const CsvLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  /// A line that is no row of the report. Throws Error where it is a header that cannot be used.
  void line(std::string_view text, const TextPlace& place);
  void rows(size_t count) { rows_ += count; }
  /// After the last line. Throws Error where there was nothing to read.
  void finish();

 private:
  void gpu_trace(const Line& line, const TextPlace& place);

  Input* input_;
  TraceBuilder* out_;
  std::optional<CsvLayout> layout_;
  uint64_t sections_ = 0;
  uint64_t rows_ = 0;
  std::string skipped_;  // `SKIPPED: … does not contain …`
  struct Other {
    std::string report;
    uint64_t line = 0;
    uint64_t offset = 0;
  };
  std::optional<Other> other_;  // the first report that is not a cuda_gpu_trace
};

}  // namespace kr::trace
