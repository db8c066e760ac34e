#include "trace/readers/csv_sections.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

constexpr const char* export_remedy =
    "export it with `nsys stats --report cuda_gpu_trace --format csv`";
constexpr const char* ncu_remedy =
    "a page of ncu must begin in the first 4 KiB: remove the text before this line";
constexpr int ms = 6;
constexpr int seconds = 9;

std::string listed(const std::vector<std::string>& titles) {
  std::string out;
  for (const std::string& title : titles) {
    if (!out.empty()) out += ", ";
    out += shown_text(title);
  }
  return out;
}

}  // namespace

void CsvSections::line(std::string_view text, const TextPlace& place) {
  const Line line = classify_line(text);
  switch (line.kind) {
    case LineKind::blank:
    case LineKind::other:
      return;
    case LineKind::gpu_trace_header:
      gpu_trace(line, place);
      return;
    case LineKind::skipped:
      skipped_ = text.substr(0, text.find_last_not_of("\r\n") + 1);
      layout_.reset();
      return;
    case LineKind::preamble:
      layout_.reset();
      return;
    case LineKind::other_header:
      layout_.reset();
      if (!other_) other_ = Other{line.report, place.line, place.offset};
      out_->loss("report that is not a cuda_gpu_trace", place.offset);
      return;
  }
}

void CsvSections::gpu_trace(const Line& line, const TextPlace& place) {
  const Error::Place where{.line = place.line, .offset = place.offset};
  if (!line.missing.empty()) {
    throw Error(
        input_->shown(), where,
        fmt::format("the header has no column `{}`; it has {}", line.missing, listed(line.titles)),
        export_remedy);
  }
  const int coarsest = line.layout.coarsest();
  if (coarsest >= seconds && !input_->options().allow_inexact) {
    throw Error(input_->shown(), where,
                "times are printed in seconds, which nsys rounds to 100 us: most durations are 0",
                "export in nanoseconds (`--timeunit nsec`), or use --allow-inexact");
  }
  if (coarsest >= seconds) out_->inexact("times are printed in seconds, rounded to 100 us");
  if (coarsest == ms) out_->inexact("times are printed in milliseconds, rounded to 100 ns");
  if (!line.layout.device && sections_ == 0) {
    out_->warn("no-device-column",
               "There is no column `Device`: all operations are assigned to one device.");
  }
  layout_ = line.layout;
  ++sections_;
}

void CsvSections::finish() {
  if (sections_ > 1) {
    out_->warn("joined-reports",
               fmt::format(
                   "{} contains {} cuda_gpu_trace reports; their operations are read as one trace.",
                   input_->shown(), sections_));
  }
  if (sections_ != 0) {
    if (rows_ == 0)
      out_->warn("no-gpu-work", "The report has a header and no rows: there was no GPU work.");
    return;
  }
  if (!skipped_.empty() && !other_) {
    out_->warn("no-gpu-work", "nsys found no GPU work to report: " + shown_text(skipped_));
    return;
  }
  if (other_) {
    const bool sum = other_->report == "cuda_gpu_kern_sum";
    const bool ncu = other_->report == "an ncu page";
    throw Error(input_->shown(), Error::Place{.line = other_->line, .offset = other_->offset},
                fmt::format("contains {}, not cuda_gpu_trace{}", other_->report,
                            sum ? ": sums have no start times" : ""),
                ncu ? ncu_remedy : export_remedy);
  }
  throw Error(input_->shown(), "is text without the header of a cuda_gpu_trace report",
              export_remedy);
}

}  // namespace kr::trace
