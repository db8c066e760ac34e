// A file of CUPTI activity, for a CsvStream: its first row is its header, all others are records.
#pragma once

#include <optional>
#include <string>

#include "trace/input.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/readers/cupti_layout.hpp"
#include "trace/readers/cupti_merge.hpp"
#include "trace/readers/cupti_rows.hpp"

namespace kr::trace {

class CuptiTable {
 public:
  using Layout = CuptiLayout;
  using Rows = CuptiRows;
  using Parser = CuptiRowParser;

  /// `kind`: where the file's name tells it. `loss_prefix`: see CuptiMerge::file.
  CuptiTable(Input& input, TraceBuilder& out, CuptiMerge& merge, std::optional<CuptiKind> kind,
             std::string loss_prefix);

  const CuptiLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  CuptiRowParser parser() const { return CuptiRowParser(input_->options().host); }
  /// The header, or what stands before it and is none: blank lines and comments (`#`). Throws Error
  /// where it cannot be used.
  bool line(std::string_view text, const TextPlace& place) {
    header(text, place);
    return true;
  }
  void merge(CuptiRows& rows) { merge_->add(rows); }
  void row_cut_off(uint64_t offset) { warn_of_row_cut_off(*input_, offset, *out_); }

 private:
  void header(std::string_view text, const TextPlace& place);

  Input* input_;
  TraceBuilder* out_;
  CuptiMerge* merge_;
  std::optional<CuptiKind> kind_;
  std::string loss_prefix_;
  std::optional<CuptiLayout> layout_;
};

/// Reads it to its end.
void stream_cupti(Input& input, TraceBuilder& out, CuptiTable& table, const CsvReading& reading);

}  // namespace kr::trace
