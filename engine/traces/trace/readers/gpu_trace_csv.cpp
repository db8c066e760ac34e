// `nsys stats --report cuda_gpu_trace --format csv`, in every dialect (`gputrace` before 2023).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "trace/format.hpp"
#include "trace/readers/csv_rows.hpp"
#include "trace/readers/csv_stream.hpp"
#include "trace/readers/messages.hpp"

namespace kr::trace {
namespace {

constexpr const char* export_remedy =
    "export it with `nsys stats --report cuda_gpu_trace --format csv`";
constexpr const char* rocm_csv_remedy =
    "it is of ROCm's profilers: name the folder, or the file with `kernel_trace` in its name";
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

// A device is written `name (id)`. A name without a number gets one at the end: after the largest
// that is written, in the order of names, so that the order of rows does not matter.
void number_devices(std::vector<Track>& tracks) {
  std::map<std::string, int32_t> numbers;
  int32_t next = 0;
  for (const Track& track : tracks) {
    if (track.device < 0) numbers.emplace(track.device_name, 0);
    if (track.device >= next && track.device < std::numeric_limits<int32_t>::max()) {
      next = track.device + 1;
    }
  }
  for (auto& [name, number] : numbers) number = next++;
  for (Track& track : tracks) {
    if (track.device < 0) track.device = numbers[track.device_name];
  }
}

/// Reports of nsys, for a CsvStream: knows which part of the text is being read, before a header,
/// in a cuda_gpu_trace report, or in another one, whose rows are passed over.
class GpuTraceTable {
 public:
  using Layout = CsvLayout;
  using Rows = CsvRows;
  using Parser = CsvRowParser;

  GpuTraceTable(Input& input, TraceBuilder& out) : input_(&input), out_(&out) {
    if (input.options().operation_details) out.details();
  }

  const CsvLayout* layout() const { return layout_ ? &*layout_ : nullptr; }
  CsvRowParser parser() const {
    return {input_->options().operation_details, input_->options().strict};
  }
  bool line(std::string_view text, const TextPlace& place) {
    const Line found = classify_line(text);
    switch (found.kind) {
      case LineKind::blank:
      case LineKind::other:
        break;
      case LineKind::gpu_trace_header:
        gpu_trace(found, place.where());
        break;
      case LineKind::skipped:
        skipped_ = text.substr(0, text.find_last_not_of("\r\n") + 1);
        layout_.reset();
        break;
      case LineKind::preamble:
        layout_.reset();
        break;
      case LineKind::other_header:
        layout_.reset();
        if (other_.empty()) {
          other_ = found.report;
          other_at_ = place.where();
        }
        out_->add_dropped("report that is not a cuda_gpu_trace", place.offset);
        break;
    }
    return true;
  }
  void merge(const CsvRows& rows, const TextPlace&) { add_block(rows, *out_); }
  void finish() {
    number_devices(out_->tracks());
    if (sections_ > 1) {
      out_->warn(
          "joined-reports",
          fmt::format(
              "{} contains {} cuda_gpu_trace reports; their operations are read as one trace.",
              input_->shown(), sections_));
    }
    if (sections_ != 0) {
      if (out_->operations() == 0)
        out_->warn("no-gpu-work", "The report has a header and no rows: there was no GPU work.");
      return;
    }
    if (!skipped_.empty() && other_.empty()) {
      out_->warn("no-gpu-work", "nsys found no GPU work to report: " + shown_text(skipped_));
      return;
    }
    if (!other_.empty()) {
      const bool sum = other_ == "cuda_gpu_kern_sum";
      const bool ncu = other_ == "an ncu page";
      throw Error(input_->shown(), other_at_,
                  fmt::format("contains {}, not cuda_gpu_trace{}", other_,
                              sum ? ": sums have no start times" : ""),
                  ncu ? ncu_remedy : export_remedy);
    }
    throw Error(input_->shown(), "is text without the header of a cuda_gpu_trace report",
                is_of_rocm() ? rocm_csv_remedy : export_remedy);
  }

 private:
  /// Its head has columns that only rocprof and rocprofv3 write.
  bool is_of_rocm() const {
    constexpr std::array columns{"Agent_Id",    "Queue_Id", "Start_Timestamp", "BeginNs",
                                 "HIP_RUNTIME", "HSA_",     "queue-id"};
    return std::any_of(columns.begin(), columns.end(), [&](const char* column) {
      return input_->head().find(column) != std::string_view::npos;
    });
  }

  void gpu_trace(const Line& line, const Error::Place& where) {
    if (!line.missing.empty()) {
      throw Error(input_->shown(), where,
                  fmt::format("the header has no column `{}`; it has {}", line.missing,
                              listed(line.titles)),
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

  Input* input_;
  TraceBuilder* out_;
  std::optional<CsvLayout> layout_;
  uint64_t sections_ = 0;
  std::string skipped_;  // `SKIPPED: … does not contain …`
  std::string other_;    // the first report that is not a cuda_gpu_trace
  Error::Place other_at_;
};

// Text: nothing that only binary files contain. Names may be any bytes, but a header comes first.
bool is_gpu_trace_csv(std::string_view head) noexcept {
  size_t line = 0;
  while (line < head.size()) {
    const size_t end = std::min(head.find('\n', line), head.size());
    const std::string_view text = head.substr(line, end - line);
    if (text.find("Start") != text.npos && text.find("Duration") != text.npos) return true;
    line = end + 1;
  }
  return std::none_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' &&
           byte != 0x1b && byte != '\b';
  });
}

constexpr std::array<std::string_view, 1> gpu_trace_csv_extensions{".csv"};

void read_gpu_trace_csv(Input& input, TraceBuilder& out) {
  GpuTraceTable table(input, out);
  CsvStream(input, out, table).run();
  table.finish();
  warn_where_cut_off(input, out);
}

}  // namespace

const TraceFormat gpu_trace_csv_format{
    .name = "nsys-gpu-trace-csv",
    .kind = "cuda_gpu_trace CSV of nsys stats",
    .summary = "CSV of `nsys stats --report cuda_gpu_trace` (`gputrace` before 2023)",
    .extensions = gpu_trace_csv_extensions,
    .carries = "streams, shapes",
    .sniff = is_gpu_trace_csv,
    .any_text = true,
    .read = read_gpu_trace_csv};

}  // namespace kr::trace
