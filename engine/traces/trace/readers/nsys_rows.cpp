#include "trace/readers/nsys_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "base/error.hpp"

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

std::string name_expression(const NsysColumns& columns, NsysTable table) {
  switch (table) {
    case NsysTable::kernel:
      return columns.first_of({"demangledName", "mangledName", "shortName"});
    case NsysTable::memcpy:
      return columns.or_else("copyKind", "0");
    case NsysTable::memset:
      return "0";
    case NsysTable::graph:
      return columns.or_else("graphId", "NULL");
  }
  return "NULL";
}

/// The number of the GPU, whatever its process calls it. A global id of a process has its pid in
/// bits 24 to 47.
std::string device_expression(const NsysColumns& columns, const NsysLabels& labels) {
  std::string device = columns.or_else("deviceId", "0");
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

std::string nsys_query(const sqlite::Database& database, const NsysLabels& labels,
                       const NsysRange& range, NsysParts parts) {
  const NsysTable table = range.table;
  const NsysColumns columns(database, name_of(table));
  for (const std::string_view needed : {"start", "end"}) {
    if (columns.has(needed)) continue;
    throw Error(database.path(),
                fmt::format("its table {} has no column `{}`", name_of(table), needed),
                export_again);
  }
  std::string more;
  if (parts.link != NsysLink::none || parts.details) {
    const bool node = parts.link == NsysLink::launch_and_node;
    more = fmt::format(", {}, {}, {}", columns.or_else("correlationId", "NULL"),
                       columns.or_else("globalPid", "0"),
                       node ? columns.or_else("graphNodeId", "NULL") : "NULL");
  }
  if (parts.details) {
    for (const DetailColumn& detail : detail_columns(table)) {
      more += ", " + columns.or_else(detail.name, "NULL");
    }
  }
  return fmt::format("SELECT \"start\", \"end\", {}, {}, {}{} FROM {}{}",
                     name_expression(columns, table), device_expression(columns, labels),
                     columns.or_else("streamId", "0"), more, nsys_table(name_of(table)),
                     range.row_id != nullptr
                         ? fmt::format(" WHERE {} BETWEEN ?1 AND ?2", range.row_id)
                         : std::string());
}

NsysRowReader::NsysRowReader(sqlite::Database database, const NsysLabels& labels, NsysParts parts)
    : database_(std::move(database)),
      labels_(&labels),
      strings_(database_, labels),
      parts_(parts) {}

void NsysRowReader::read(NsysRows& out) {
  if (ids_.begin(out)) {
    met_ = {};
    made_up_.clear();
  }
  out.processes.clear();
  out.nodes.clear();
  out.met = 0;
  out.whole = true;
  auto& prepared = statements_[static_cast<size_t>(out.range.table)];
  if (prepared == nullptr) {
    prepared = std::make_unique<sqlite::Statement>(
        database_.prepare(nsys_query(database_, *labels_, out.range, parts_)));
  }
  sqlite::Statement& statement = *prepared;
  statement.reset();
  if (out.range.row_id != nullptr) {
    statement.bind(1, out.range.first);
    statement.bind(2, out.range.last);
  }
  while (statement.step(&out.whole)) {
    add(statement, out, out.met);
    ++out.met;
  }
}

void NsysRowReader::add(const sqlite::Statement& statement, NsysRows& out, uint64_t number) {
  std::array<sqlite::Statement::Cell, linked_columns> cells;  // NOLINT: those wanted are set
  statement.cells(
      std::span(cells).first(parts_.link != NsysLink::none ? linked_columns : typed_columns));
  const Times when = times(cells, out, number);
  // Columns may contain values of other types. A number that is written as text is one.
  const auto number_in = [&](Column column, std::string_view otherwise) -> int64_t {
    const sqlite::Statement::Cell& cell = cells[static_cast<size_t>(column)];
    if (cell.type == Type::integer) return cell.integer;
    if (const auto value = statement.whole_number(column)) return *value;
    add_dropped(out, otherwise, number);
    return 0;
  };
  const int64_t device =
      number_in(device_column, "operation without a device number: assigned to device 0");
  if (device < 0 || device > std::numeric_limits<int32_t>::max()) {
    fail(out.range, number, "its device is not a device number");
  }
  const int64_t stream =
      number_in(stream_column, "operation without a stream number: assigned to stream 0");
  if (cells[stream_column].type == Type::null) out.made_up_streams = true;
  if (parts_.link != NsysLink::none) add_link(statement, cells, out, number);
  if (parts_.details) add_detail(statement, out, number);
  out.operations.push_back({when.start_ns, when.duration_ns,
                            name(statement, cells[name_column], out, number),
                            ids_.track(static_cast<int32_t>(device), stream)});
}

NameId NsysRowReader::name(const sqlite::Statement& statement, const sqlite::Statement::Cell& cell,
                           NsysRows& out, uint64_t number) {
  const NsysTable table = out.range.table;
  if (cell.type == Type::null) {
    add_dropped(out, "operation without a name", number);
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
    add_dropped(out,
                table == NsysTable::kernel ? "kernel name id without a string"
                                           : "kind of copy without a label",
                number);
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

NsysRowReader::Times NsysRowReader::times(std::span<const sqlite::Statement::Cell> cells,
                                          const NsysRows& out, uint64_t number) const {
  const sqlite::Statement::Cell& start = cells[start_column];
  const sqlite::Statement::Cell& end = cells[end_column];
  const auto refuse = [&](bool wrong, std::string_view why) {
    if (wrong) fail(out.range, number, why);
  };
  const bool has_start = start.type == Type::integer;
  const bool has_end = end.type == Type::integer;
  refuse(!has_start && (parts_.strict || start.type != Type::null),
         "its start is missing or not a whole number");
  refuse(!has_end && end.type != Type::null, "its end is not a whole number");
  refuse(!has_end && parts_.strict, "its end is missing");
  if (!has_start) return {no_start(TimeFault::missing), 0};
  refuse(start.integer < 0 && parts_.strict, "its start is negative");
  if (start.integer < 0) return {no_start(TimeFault::negative), 0};
  if (!has_end) return {start.integer, no_duration(TimeFault::missing)};
  refuse(end.integer < start.integer && parts_.strict, "it ends before it starts");
  if (end.integer < start.integer) return {start.integer, no_duration(TimeFault::backwards)};
  return {start.integer, end.integer - start.integer};
}

void NsysRowReader::add_link(const sqlite::Statement& statement,
                             std::span<const sqlite::Statement::Cell> cells, NsysRows& out,
                             uint64_t number) const {
  int64_t correlation = Launch::no_correlation;
  int64_t process = 0;
  const auto number_in = [&](Column column) {
    const sqlite::Statement::Cell& cell = cells[column];
    return cell.type == Type::integer ? std::optional(cell.integer)
                                      : statement.whole_number(column);
  };
  if (cells[correlation_column].type != Type::null) {
    const auto one = number_in(correlation_column);
    const auto other = number_in(process_column);
    if (one && other) {
      correlation = *one;
      process = *other;
    } else {
      add_dropped(out, "operation whose correlation or process is not a number", number);
    }
  }
  out.correlations.push_back(correlation);
  out.processes.push_back(process);
  if (parts_.link == NsysLink::launch_and_node) {
    out.nodes.push_back(number_in(node_column).value_or(0));
  }
}

void NsysRowReader::add_detail(const sqlite::Statement& statement, NsysRows& out, uint64_t number) {
  OperationDetail detail;
  int at = first_detail_column;
  for (const DetailColumn& column : detail_columns(out.range.table)) {
    if (const auto value = statement.whole_number(at)) {
      detail[column.field] = *value;
    } else if (!statement.is_null(at)) {
      add_dropped(out, "launch shape or size of an operation that is not a number", number);
    }
    ++at;
  }
  out.details.push_back(ids_.detail(detail));
  out.detail_correlations.push_back(
      OperationDetails::correlation(statement.whole_number(correlation_column)));
}

void NsysRowReader::add_dropped(NsysRows& out, std::string_view what, uint64_t number) const {
  const bool known =
      std::any_of(out.dropped.begin(), out.dropped.end(),
                  [&](const DroppedRecords& records) { return records.what == what; });
  const uint64_t first = known ? UINT64_MAX : static_cast<uint64_t>(row_id(out.range, number));
  trace::add_dropped(out.dropped, what, first, 1);
}

// Numbers are read only of rows that are reported: reading all would cost a tenth.
int64_t NsysRowReader::row_id(const NsysRange& range, uint64_t number) const {
  if (range.row_id == nullptr) return static_cast<int64_t>(number) + 1;
  auto query = database_.prepare(
      fmt::format("SELECT {0} FROM {1} WHERE {0} BETWEEN ?1 AND ?2 LIMIT 1 OFFSET ?3", range.row_id,
                  nsys_table(name_of(range.table))));
  query.bind(1, range.first);
  query.bind(2, range.last);
  query.bind(3, static_cast<int64_t>(number));
  return query.step() ? query.integer(0) : 0;
}

void NsysRowReader::fail(const NsysRange& range, uint64_t number, std::string_view what) const {
  throw Error(
      database_.path(),
      fmt::format("table {}, row {}: {}", name_of(range.table), row_id(range, number), what),
      export_again);
}

}  // namespace kr::trace
