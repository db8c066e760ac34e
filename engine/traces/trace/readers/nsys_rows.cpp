#include "trace/readers/nsys_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "trace/readers/row_times.hpp"

namespace kr::trace {
namespace {

using Type = sqlite::Statement::Type;

// Those whose type matters first.
enum Column {
  start_column,
  end_column,
  name_column,
  device_column,
  stream_column,
  correlation_column,
  process_column,
  node_column,
  first_detail_column
};
constexpr const char* export_again = "export the report again with `nsys export --type sqlite`";
constexpr size_t typed_columns = 5;  // without the link
constexpr size_t linked_columns = 8;

OperationKind kind_of(NsysTable table) {
  if (table == NsysTable::memcpy) return OperationKind::memcpy;
  if (table == NsysTable::memset) return OperationKind::memset;
  return OperationKind::kernel;
}

ScanColumn name_of_row(NsysTable table) {
  switch (table) {
    case NsysTable::kernel:
      return ScanColumn::first_of({"demangledName", "mangledName", "shortName"}, "NULL");
    case NsysTable::memcpy:
      return {"copyKind", "0"};
    case NsysTable::memset:
      return ScanColumn::value("0");
    case NsysTable::graph:
      return {"graphId", "NULL"};
  }
  return ScanColumn::value("NULL");
}

/// The number of the GPU, whatever its process calls it. A global id of a process has its pid in
/// bits 24 to 47.
std::string device_expression(const SqliteColumns& columns, const NsysLabels& labels) {
  std::string device = ScanColumn("deviceId", "0").sql(columns);
  if (labels.numbered_by_process.empty()) return device;
  std::string choice = "CASE";
  for (const NsysDevice& one : labels.numbered_by_process) {
    choice += fmt::format(" WHEN {} = {} AND (\"globalPid\" >> 24 & 16777215) = {} THEN {}", device,
                          one.number, one.process, one.gpu);
  }
  return fmt::format("{} ELSE {} END", choice, device);
}

struct DetailColumn {
  DetailField field;
  std::string_view name;
};
using Field = DetailField;
constexpr std::array kernel_columns{
    DetailColumn{Field::grid_x, "gridX"},
    DetailColumn{Field::grid_y, "gridY"},
    DetailColumn{Field::grid_z, "gridZ"},
    DetailColumn{Field::block_x, "blockX"},
    DetailColumn{Field::block_y, "blockY"},
    DetailColumn{Field::block_z, "blockZ"},
    DetailColumn{Field::registers, "registersPerThread"},
    DetailColumn{Field::static_shared, "staticSharedMemory"},
    DetailColumn{Field::dynamic_shared, "dynamicSharedMemory"},
    DetailColumn{Field::context, "contextId"},
    DetailColumn{Field::green_context, "greenContextId"},
    DetailColumn{Field::graph_node, "graphNodeId"},
};
constexpr std::array memcpy_columns{
    DetailColumn{Field::bytes, "bytes"},
    DetailColumn{Field::copy_kind, "copyKind"},
    DetailColumn{Field::source_kind, "srcKind"},
    DetailColumn{Field::destination_kind, "dstKind"},
    DetailColumn{Field::context, "contextId"},
    DetailColumn{Field::green_context, "greenContextId"},
    DetailColumn{Field::graph_node, "graphNodeId"},
};
constexpr std::array memset_columns{
    DetailColumn{Field::bytes, "bytes"},
    DetailColumn{Field::source_kind, "memKind"},
    DetailColumn{Field::context, "contextId"},
    DetailColumn{Field::green_context, "greenContextId"},
    DetailColumn{Field::graph_node, "graphNodeId"},
};
constexpr std::array graph_columns{
    DetailColumn{Field::context, "contextId"},
    DetailColumn{Field::green_context, "greenContextId"},
};

std::span<const DetailColumn> detail_columns(NsysTable table) {
  switch (table) {
    case NsysTable::kernel:
      return kernel_columns;
    case NsysTable::memcpy:
      return memcpy_columns;
    case NsysTable::memset:
      return memset_columns;
    case NsysTable::graph:
      return graph_columns;
  }
  return {};
}

}  // namespace

std::string_view name_of(NsysTable table) noexcept {
  constexpr std::array<std::string_view, nsys_table_count> names{
      "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
      "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};
  return names[static_cast<size_t>(table)];
}

NsysRowReader::NsysRowReader(sqlite::Database database, const NsysLabels& labels, NsysParts parts)
    : rows_(std::move(database)),
      labels_(&labels),
      strings_(rows_.database(), labels),
      parts_(parts) {}

// In the order of the columns above.
std::string NsysRowReader::sql(const SqliteColumns& columns, const NsysRows& out) const {
  TableScan scan{out.table_name,
                 {"start",
                  "end",
                  name_of_row(out.kind()),
                  ScanColumn::value(device_expression(columns, *labels_)),
                  {"streamId", "0"}}};
  if (parts_.link != NsysLink::none || parts_.details) {
    const bool node = parts_.link == NsysLink::launch_and_node;
    scan.columns.emplace_back("correlationId", "NULL");
    scan.columns.emplace_back("globalPid", "0");
    scan.columns.push_back(node ? ScanColumn("graphNodeId", "NULL") : ScanColumn::value("NULL"));
  }
  if (parts_.details) {
    for (const DetailColumn& detail : detail_columns(out.kind())) {
      scan.columns.emplace_back(detail.name, "NULL");
    }
  }
  if (const auto missing = scan.missing(columns)) {
    throw Error(rows_.database().path(),
                fmt::format("its table {} has no column `{}`", out.table_name, *missing),
                export_again);
  }
  return scan.sql(columns, out.row_id);
}

void NsysRowReader::read(NsysRows& out) {
  if (ids_.begin(out)) {
    met_ = {};
    made_up_.clear();
  }
  out.processes.clear();
  out.nodes.clear();
  rows_.read(
      out, [&](const SqliteColumns& columns) { return sql(columns, out); },
      [&](const sqlite::Statement& row) { add(row, out); });
}

void NsysRowReader::add(const sqlite::Statement& statement, NsysRows& out) {
  std::array<sqlite::Statement::Cell, linked_columns> cells;  // NOLINT: those wanted are set
  statement.cells(
      std::span(cells).first(parts_.link != NsysLink::none ? linked_columns : typed_columns));
  const RowTimes when = row_times(cells[start_column], cells[end_column], parts_.strict,
                                  [&](std::string_view why) { fail(out, why); });
  // Columns may contain values of other types. A number that is written as text is one.
  const auto number_in = [&](Column column, std::string_view otherwise) -> int64_t {
    if (const auto value = statement.whole_number(column, cells[column])) return *value;
    add_dropped(out, otherwise);
    return 0;
  };
  const int64_t device =
      number_in(device_column, "operation without a device number: assigned to device 0");
  if (device < 0 || device > std::numeric_limits<int32_t>::max()) {
    fail(out, "its device is not a device number");
  }
  const int64_t stream =
      number_in(stream_column, "operation without a stream number: assigned to stream 0");
  if (cells[stream_column].type == Type::null) out.made_up_streams = true;
  if (parts_.link != NsysLink::none) add_link(statement, cells, out);
  if (parts_.details) add_detail(statement, out);
  out.operations.push_back({when.start_ns, when.duration_ns,
                            name(statement, cells[name_column], out),
                            ids_.track(static_cast<int32_t>(device), stream)});
}

NameId NsysRowReader::name(const sqlite::Statement& statement, const sqlite::Statement::Cell& cell,
                           NsysRows& out) {
  const NsysTable table = out.kind();
  if (cell.type == Type::null) {
    add_dropped(out, "operation without a name");
    return ids_.name(table == NsysTable::graph ? "[CUDA graph]" : "(unnamed kernel)",
                     kind_of(table));
  }
  // The earliest exports have the text itself.
  if (cell.type != Type::integer) return ids_.name(statement.text(name_column), kind_of(table));
  NameMemory& met = met_[static_cast<size_t>(table)];
  NameId id = met.find(cell.integer);
  if (!id.valid()) {
    id = name_of_id(cell.integer, table);
    met.add(cell.integer, id);
  }
  if (!made_up_.empty() && made_up_.contains(id.index)) {
    add_dropped(out, table == NsysTable::kernel ? "kernel name id without a string"
                                                : "kind of copy without a label");
  }
  return id;
}

NameId NsysRowReader::name_of_id(int64_t id, NsysTable table) {
  bool known = true;
  std::string text;
  switch (table) {
    case NsysTable::kernel:
      known = strings_.find(id, text);
      if (!known) text = fmt::format("(unnamed kernel {})", id);
      break;
    case NsysTable::memcpy:
      text = labels_->copy(id, known);
      break;
    case NsysTable::memset:
      text = "[CUDA memset]";
      break;
    case NsysTable::graph:
      text = fmt::format("[CUDA graph {}]", id);
      break;
  }
  const NameId name = ids_.name(text, kind_of(table));
  if (!known) made_up_.insert(name.index);
  return name;
}

void NsysRowReader::add_link(const sqlite::Statement& statement,
                             std::span<const sqlite::Statement::Cell> cells, NsysRows& out) const {
  int64_t correlation = Launch::no_correlation;
  int64_t process = 0;
  const auto number_in = [&](Column column) {
    return statement.whole_number(column, cells[column]);
  };
  if (cells[correlation_column].type != Type::null) {
    const auto one = number_in(correlation_column);
    const auto other = number_in(process_column);
    if (one && other) {
      correlation = *one;
      process = *other;
    } else {
      add_dropped(out, "operation whose correlation or process is not a number");
    }
  }
  out.correlations.push_back(correlation);
  out.processes.push_back(process);
  if (parts_.link == NsysLink::launch_and_node) {
    out.nodes.push_back(number_in(node_column).value_or(0));
  }
}

void NsysRowReader::add_detail(const sqlite::Statement& statement, NsysRows& out) {
  OperationDetail detail;
  int at = first_detail_column;
  for (const DetailColumn& column : detail_columns(out.kind())) {
    if (const auto value = statement.whole_number(at)) {
      detail[column.field] = *value;
    } else if (!statement.is_null(at)) {
      add_dropped(out, "launch shape or size of an operation that is not a number");
    }
    ++at;
  }
  out.details.push_back(ids_.detail(detail));
  out.detail_correlations.push_back(
      OperationDetails::correlation(statement.whole_number(correlation_column)));
}

void NsysRowReader::fail(const NsysRows& out, std::string_view what) const {
  throw Error(rows_.database().path(),
              fmt::format("table {}, row {}: {}", out.table_name, rows_.row_number(out), what),
              export_again);
}

}  // namespace kr::trace
