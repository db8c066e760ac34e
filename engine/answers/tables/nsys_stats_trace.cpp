// Every operation with its launch shape and size, as `nsys stats` prints it.
#include "analyze/run.hpp"
#include "tables/nsys_stats.hpp"
#include "tables/source.hpp"

namespace kr::tables {
namespace {

using trace::DetailField;

constexpr double ns_per_second = 1e9;

struct GpuTraceRow : Parts<Run, trace::Operation, trace::OperationName, trace::Track>, NamedRow {
  const trace::OperationDetails& details;
  const trace::OperationDetail* detail;
  uint32_t correlation;
};

// Functors, not functions: their calls are inlined, and there is a row per operation.
template <DetailField field>
struct DetailOf {
  std::optional<int64_t> operator()(const GpuTraceRow& row) const { return row.detail->get(field); }
};
/// Contexts and nodes of 0 are the default one.
template <DetailField field>
struct UnlessZero {
  Cell operator()(const GpuTraceRow& row) const {
    const auto number = row.detail->get(field);
    return number && *number != 0 ? Cell(*number) : Cell();
  }
};
template <DetailField field>
Cell memory_kind(const GpuTraceRow& row) {
  const auto kind = row.detail->get(field);
  if (!kind) return {};
  const auto known = row.details.memory_kinds.find(*kind);
  return known != row.details.memory_kinds.end() ? Cell(known->second) : Cell();
}

Cell bytes_per_s(const GpuTraceRow& row) {
  const auto bytes = row.detail->get(DetailField::bytes);
  const int64_t duration_ns = row.of<trace::Operation>().duration_ns;
  if (!bytes || duration_ns <= 0) return {};
  return static_cast<double>(*bytes) * ns_per_second / static_cast<double>(duration_ns);
}

void add_gpu_trace(const Source& source, Rows<GpuTraceRow>& rows) {
  for (const Run& run : source.runs) {
    const trace::Trace& trace = run.get<analyze::LabelledTrace>().trace;
    if (!trace.details) continue;
    const NameLabels labels(source, run);
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const trace::Operation& operation = trace.operations[i];
      const trace::OperationName& name = trace.names.get(operation.name);
      rows.add({{run, operation, name, trace.track(operation.track)},
                {labels, operation.name, name.text},
                *trace.details,
                &trace.details->of(i),
                trace.details->correlation_of[i]});
    }
  }
}

Columns<GpuTraceRow> gpu_trace_columns() {
  using Row = GpuTraceRow;
  return {
      run_column,
      {"start_ns", Unit::ns, Role::key, "Its start, on the clock of the trace.",
       &trace::Operation::start_ns},
      {"duration_ns", Unit::ns, Role::measure, "Its duration.", &trace::Operation::duration_ns},
      {"correlation", Unit::id, Role::detail,
       "The number that links it to its launch, in its process.",
       [](const Row& row) {
         return cell_if(row.correlation != trace::OperationDetails::no_correlation,
                        row.correlation);
       },
       optional},
      shape_columns<Row>(Role::detail),
      {"registers", Unit::count, Role::detail, "Registers per thread.",
       DetailOf<DetailField::registers>(), optional},
      {"static_shared_bytes", Unit::bytes, Role::detail, "Static shared memory of a thread block.",
       DetailOf<DetailField::static_shared>(), optional},
      {"dynamic_shared_bytes", Unit::bytes, Role::detail,
       "Dynamic shared memory of a thread block.", DetailOf<DetailField::dynamic_shared>(),
       optional},
      {"bytes", Unit::bytes, Role::measure, "The size of the copy or set.",
       DetailOf<DetailField::bytes>(), optional},
      {"bytes_per_s", Unit::per_second, Role::measure, "`bytes` divided by the duration.",
       bytes_per_s, optional},
      {"source_memory", Unit::text, Role::detail,
       "The kind of memory that is copied from, or that is set.",
       memory_kind<DetailField::source_kind>, optional},
      {"destination_memory", Unit::text, Role::detail, "The kind of memory that is copied to.",
       memory_kind<DetailField::destination_kind>, optional},
      {head::device, &trace::Track::device},
      {"device_name", Unit::text, Role::detail, "The name of the device.",
       &trace::Track::device_name, optional},
      {"context", Unit::id, Role::detail, "The number of the CUDA context.",
       DetailOf<DetailField::context>(), optional},
      {"green_context", Unit::id, Role::detail, "The number of the green context, if it is in one.",
       UnlessZero<DetailField::green_context>(), optional},
      {head::stream, &trace::Track::stream},
      {"graph_node", Unit::id, Role::detail,
       "The node of the CUDA graph that it is, if nodes were traced.",
       UnlessZero<DetailField::graph_node>(), optional},
      {head::name, &NamedRow::name},
      {head::type, &trace::OperationName::kind},
      labels_of_names<Row>()};
}

InfoOf<GpuTraceRow> gpu_trace_info() {
  constexpr AliasForm mb = AliasForm::megabytes;
  InfoOf<GpuTraceRow> info = stats_info<GpuTraceRow>(
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

const Definition cuda_gpu_trace_table =
    TableOf<GpuTraceRow>{gpu_trace_info(), needs<analyze::LabelledTrace>, add_gpu_trace,
                         without_details, facts::Reads::details};

}  // namespace kr::tables
