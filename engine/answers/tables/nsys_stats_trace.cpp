// Every operation with its launch shape and size, as `nsys stats` prints it.
#include "analyze/run.hpp"
#include "tables/nsys_stats.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using trace::DetailField;

constexpr double ns_per_second = 1e9;

Cell memory_kind(const trace::OperationDetails& details, const std::optional<int64_t>& kind) {
  if (!kind) return {};
  const auto known = details.memory_kinds.find(*kind);
  return known != details.memory_kinds.end() ? Cell(known->second) : Cell();
}

/// Those of 0 are the default one.
Cell unless_zero(const std::optional<int64_t>& number) {
  return number && *number != 0 ? Cell(*number) : Cell();
}

void add_gpu_trace(const Source& source, RowSink& sink) {
  Cells row;
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    if (!trace.details) continue;
    const NameLabels labels(source, run);
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const trace::Operation& operation = trace.operations[i];
      const trace::OperationName& name = trace.names.get(operation.name);
      const trace::Track& track = trace.track(operation.track);
      const trace::OperationDetail& detail = trace.details->of(i);
      const uint32_t correlation = trace.details->correlation_of[i];
      const auto bytes = detail.get(DetailField::bytes);
      const bool timed = bytes && operation.duration_ns > 0;
      row.assign({run.summary.id, operation.start_ns, operation.duration_ns,
                  correlation != trace::OperationDetails::no_correlation
                      ? Cell(int64_t{correlation})
                      : Cell()});
      append_shape(detail, row);
      row.insert(
          row.end(),
          {table::cell(detail.get(DetailField::registers)),
           table::cell(detail.get(DetailField::static_shared)),
           table::cell(detail.get(DetailField::dynamic_shared)), table::cell(bytes),
           timed ? Cell(static_cast<double>(*bytes) * ns_per_second /
                        static_cast<double>(operation.duration_ns))
                 : Cell(),
           memory_kind(*trace.details, detail.get(DetailField::source_kind)),
           memory_kind(*trace.details, detail.get(DetailField::destination_kind)),
           int64_t{track.device}, table::cell_or_nothing(track.device_name),
           table::cell(detail.get(DetailField::context)),
           unless_zero(detail.get(DetailField::green_context)), track.stream,
           unless_zero(detail.get(DetailField::graph_node)), name.text, to_string(name.kind)});
      labels.append(operation.name, row);
      sink.row(row);
    }
  }
}

std::vector<Column> gpu_trace_columns() {
  std::vector<Column> columns{
      {"run", Unit::text, Role::key, "The run."},
      {"start_ns", Unit::ns, Role::key, "Its start, on the clock of the trace."},
      {"duration_ns", Unit::ns, Role::measure, "Its duration."},
      {"correlation", Unit::id, Role::detail,
       "The number that links it to its launch, in its process.", true}};
  for (Column& column : shape_columns()) {
    column.role = Role::detail;
    columns.push_back(std::move(column));
  }
  columns.insert(
      columns.end(),
      {{"registers", Unit::count, Role::detail, "Registers per thread.", true},
       {"static_shared_bytes", Unit::bytes, Role::detail, "Static shared memory of a thread block.",
        true},
       {"dynamic_shared_bytes", Unit::bytes, Role::detail,
        "Dynamic shared memory of a thread block.", true},
       {"bytes", Unit::bytes, Role::measure, "The size of the copy or set.", true},
       {"bytes_per_s", Unit::per_second, Role::measure, "`bytes` divided by the duration.", true},
       {"source_memory", Unit::text, Role::detail,
        "The kind of memory that is copied from, or that is set.", true},
       {"destination_memory", Unit::text, Role::detail, "The kind of memory that is copied to.",
        true},
       {"device", Unit::id, Role::key, "The number of the device."},
       {"device_name", Unit::text, Role::detail, "The name of the device.", true},
       {"context", Unit::id, Role::detail, "The number of the CUDA context.", true},
       {"green_context", Unit::id, Role::detail,
        "The number of the green context, if it is in one.", true},
       {"stream", Unit::id, Role::key, "The number of the stream."},
       {"graph_node", Unit::id, Role::detail,
        "The node of the CUDA graph that it is, if nodes were traced.", true},
       {"name", Unit::name, Role::key, "The name of the kernel, copy or set."},
       {"type", Unit::text, Role::key, "`kernel`, `memcpy` or `memset`."},
       {std::string(table::dimension_columns), Unit::text, Role::measure,
        "One column per dimension of the models, named after it: the label; empty if operations "
        "of this name have different ones.",
        true}});
  return columns;
}

table::Info gpu_trace_info() {
  constexpr AliasForm mb = AliasForm::megabytes;
  table::Info info = stats_info(
      "cuda_gpu_trace", "operations with launch shapes and sizes",
      "One row per operation, in order of start, with its launch shape or its size.",
      gpu_trace_columns(),
      {{"Start (ns)", {"start_ns"}},
       {"Duration (ns)", {"duration_ns"}},
       {"CorrId", {"correlation"}},
       {"GrdX", {"grid_x"}},
       {"GrdY", {"grid_y"}},
       {"GrdZ", {"grid_z"}},
       {"BlkX", {"block_x"}},
       {"BlkY", {"block_y"}},
       {"BlkZ", {"block_z"}},
       {"Reg/Trd", {"registers"}},
       {"StcSMem (MB)", {"static_shared_bytes"}, mb},
       {"DymSMem (MB)", {"dynamic_shared_bytes"}, mb},
       {"Bytes (MB)", {"bytes"}, mb},
       {"Throughput (MB/s)", {"bytes", "duration_ns"}, AliasForm::throughput, "Throughput (MBps)"},
       {"SrcMemKd", {"source_memory"}},
       {"DstMemKd", {"destination_memory"}},
       {"Device", {"device_name", "device"}, AliasForm::numbered},
       {"Ctx", {"context"}},
       {"GreenCtx", {"green_context"}, AliasForm::plain, {}, false},
       {"Strm", {"stream"}},
       {"Name", {"name"}}});
  info.many_rows = true;
  return info;
}

}  // namespace

const Definition cuda_gpu_trace_table{gpu_trace_info(), needs<analyze::LabelledTrace>,
                                      add_gpu_trace, without_details, facts::Reads::details};

}  // namespace kr::tables
