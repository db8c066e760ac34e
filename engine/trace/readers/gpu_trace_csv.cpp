#include "trace/readers/gpu_trace_csv.hpp"

#include <algorithm>
#include <array>

#include "trace/format.hpp"
#include "trace/readers/csv_merge.hpp"
#include "trace/readers/csv_rows.hpp"
#include "trace/readers/csv_sections.hpp"

namespace kr::trace {
namespace {

/// Reports of nsys, for a CsvStream.
class GpuTraceTable {
 public:
  using Layout = CsvLayout;
  using Rows = CsvRows;
  using Parser = CsvRowParser;

  GpuTraceTable(Input& input, TraceBuilder& out)
      : input_(&input), out_(&out), sections_(input, out), merge_(out) {}

  const CsvLayout* layout() const { return sections_.layout(); }
  CsvRowParser parser() const { return {}; }
  bool line(std::string_view text, const TextPlace& place) {
    sections_.line(text, place);
    return true;
  }
  void restart(size_t parser) { merge_.restart(parser); }
  void merge(const CsvRows& rows, size_t parser) {
    merge_.add(rows, parser);
    sections_.rows(rows.operations.size());
  }
  void row_cut_off(uint64_t offset) { warn_of_row_cut_off(*input_, offset, *out_); }
  void finish() {
    sections_.finish();
    merge_.finish();
  }

 private:
  Input* input_;
  TraceBuilder* out_;
  CsvSections sections_;
  CsvMerge merge_;
};

// Text: nothing that only binary files hold. Names may be any bytes, but a header stands first.
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

}  // namespace

void read_gpu_trace_csv(Input& input, TraceBuilder& out, const CsvReading& reading) {
  GpuTraceTable table(input, out);
  CsvStream(input, table, reading).run();
  table.finish();
  warn_where_cut_off(input, out);
}

const TraceFormat gpu_trace_csv_format{
    .name = "nsys-gpu-trace-csv",
    .kind = "cuda_gpu_trace CSV of nsys stats",
    .summary = "CSV of `nsys stats --report cuda_gpu_trace` (`gputrace` before 2023)",
    .extensions = gpu_trace_csv_extensions,
    .sniff = is_gpu_trace_csv,
    .any_text = true,
    .read = [](Input& input, TraceBuilder& out) { read_gpu_trace_csv(input, out); }};

}  // namespace kr::trace
