// `nsys stats --report cuda_gpu_trace --format csv`, in every dialect (`gputrace` before 2023).
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "trace/format.hpp"
#include "trace/readers/csv_rows.hpp"
#include "trace/readers/csv_sections.hpp"
#include "trace/readers/csv_stream.hpp"

namespace kr::trace {
namespace {

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

/// Reports of nsys, for a CsvStream.
class GpuTraceTable {
 public:
  using Layout = CsvLayout;
  using Rows = CsvRows;
  using Parser = CsvRowParser;

  GpuTraceTable(Input& input, TraceBuilder& out)
      : input_(&input), out_(&out), sections_(input, out), merge_(out, HostDetail::none) {}

  const CsvLayout* layout() const { return sections_.layout(); }
  CsvRowParser parser() const { return {}; }
  bool line(std::string_view text, const TextPlace& place) {
    sections_.line(text, place);
    return true;
  }
  void merge(const CsvRows& rows, const TextPlace&) {
    merge_.add(rows);
    sections_.rows(rows.operations.size());
  }
  void row_cut_off(uint64_t offset) { warn_of_row_cut_off(*input_, offset, *out_); }
  void finish() {
    sections_.finish();
    number_devices(out_->tracks());
  }

 private:
  Input* input_;
  TraceBuilder* out_;
  CsvSections sections_;
  BlockMerge merge_;
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

void read_gpu_trace_csv(Input& input, TraceBuilder& out) {
  GpuTraceTable table(input, out);
  CsvStream(input, table).run();
  table.finish();
  warn_where_cut_off(input, out);
}

}  // namespace

const TraceFormat gpu_trace_csv_format{
    .name = "nsys-gpu-trace-csv",
    .kind = "cuda_gpu_trace CSV of nsys stats",
    .summary = "CSV of `nsys stats --report cuda_gpu_trace` (`gputrace` before 2023)",
    .extensions = gpu_trace_csv_extensions,
    .sniff = is_gpu_trace_csv,
    .any_text = true,
    .read = read_gpu_trace_csv};

}  // namespace kr::trace
