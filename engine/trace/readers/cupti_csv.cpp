#include "trace/readers/cupti_csv.hpp"

#include <fmt/format.h>

#include <array>

#include "trace/format.hpp"
#include "trace/readers/cupti_folder.hpp"
#include "trace/readers/cupti_table.hpp"

namespace kr::trace {
namespace {

constexpr std::array<std::string_view, 1> cupti_csv_extensions{".csv"};

}  // namespace

void read_cupti_csv(Input& input, TraceBuilder& out, const CsvReading& reading) {
  if (input.folder()) return read_cupti_folder(input, out, reading);
  std::optional<CuptiKind> kind;
  if (const auto name = cupti_file_name(input.path())) kind = name->kind;
  CuptiMerge merge(out, input.options().host);
  CuptiTable table(input, out, merge, kind, "");
  stream_cupti(input, out, table, reading);
  merge.finish();
  if (table.layout() && is_call(table.layout()->kind)) {
    out.warn(
        "no-gpu-work",
        fmt::format("{} contains {} but no GPU work: name the folder that contains the kernels.",
                    input.shown(), plural_of(table.layout()->kind)));
  } else if (out.operations() == 0) {
    out.warn("no-gpu-work",
             "The file contains no GPU work: it has no rows of kernels, copies or sets.");
  }
}

const TraceFormat cupti_csv_format{
    .name = "cupti-csv",
    .kind = "CUPTI activity CSV",
    .summary =
        "CSVs of CUPTI activity: a folder of them (conc_kernel or kernel, cuda_runtime, "
        "cuda_driver, gpu_memcpy, gpu_memset), or one",
    .extensions = cupti_csv_extensions,
    .sniff = may_be_cupti_csv,
    .read = [](Input& input, TraceBuilder& out) { read_cupti_csv(input, out); },
    .folders = true};

}  // namespace kr::trace
