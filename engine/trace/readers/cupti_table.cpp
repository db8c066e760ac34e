#include "trace/readers/cupti_table.hpp"

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "trace/readers/csv_row.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {

CuptiTable::CuptiTable(Input& input, TraceBuilder& out, CuptiMerge& merge,
                       std::optional<CuptiKind> kind, std::string loss_prefix)
    : input_(&input),
      out_(&out),
      merge_(&merge),
      kind_(kind),
      loss_prefix_(std::move(loss_prefix)) {}

void CuptiTable::header(std::string_view text, const TextPlace& place) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(3);
  const std::string_view bare = trimmed(text);
  if (bare.empty() || bare.starts_with('#')) return;
  const Error::Place where{.line = place.line, .offset = place.offset};
  CsvRow row;
  row.read(bare);
  if (row.end != CsvRow::End::text_ended) {
    throw Error(input_->shown(), where,
                fmt::format("is not the header of a CSV: {}", shown_text(bare)),
                "the first row has to name the columns");
  }
  CuptiHeader titles = read_cupti_header(row.cells, kind_);
  if (!titles.fault.empty()) {
    throw Error(input_->shown(), where, std::move(titles.fault), std::move(titles.remedy));
  }
  layout_ = std::move(titles.layout);
  const bool placeless = !layout_->device && !layout_->args;
  if (placeless && !is_call(layout_->kind)) {
    out_->warn(
        "no-device-column",
        fmt::format("{} has no column for the device: all of it is read as the work of one device.",
                    input_->shown()));
  }
  constexpr int milliseconds = 6;
  if (layout_->coarsest() >= milliseconds) {
    out_->inexact(fmt::format("times of {} are printed in {}", input_->shown(),
                              layout_->coarsest() == milliseconds ? "milliseconds" : "seconds"));
  }
  merge_->file(input_->shown(), loss_prefix_, *layout_);
}

void stream_cupti(Input& input, TraceBuilder& out, CuptiTable& table, const CsvReading& reading) {
  CsvStream(input, table, reading).run();
  warn_where_cut_off(input, out);
}

}  // namespace kr::trace
