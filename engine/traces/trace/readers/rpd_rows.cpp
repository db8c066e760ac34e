#include "trace/readers/rpd_rows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "base/error.hpp"
#include "trace/readers/module_text.hpp"
#include "trace/readers/rocm_names.hpp"
#include "trace/readers/row_times.hpp"

namespace kr::trace {
namespace {

using Type = sqlite::Statement::Type;

// In the order of the scans below.
enum RpdOperation { op_start, op_end, op_name, op_type, op_device, op_queue, op_id };
enum RpdCall { api_start, api_end, api_name, api_arguments, api_process, api_thread, api_id };

TableScan rpd_scan(RpdTable table) {
  if (table == RpdTable::operations) {
    return {name_of(table),
            {"start",
             "end",
             {"description_id", "NULL"},
             {"opType_id", "NULL"},
             {"gpuId", "0"},
             {"queueId", "0"},
             "id"}};
  }
  return {name_of(table),
          {"start", "end", "apiName_id", {"args_id", "NULL"}, {"pid", "0"}, {"tid", "0"}, "id"}};
}

}  // namespace

std::string_view name_of(RpdTable table) noexcept {
  return table == RpdTable::operations ? "rocpd_op" : "rocpd_api";
}

bool has_columns(const SqliteTables& tables, RpdTable table) {
  return tables.has(name_of(table)) && !rpd_scan(table).missing(tables.columns(name_of(table)));
}

RpdRowReader::RpdRowReader(sqlite::Database database, const SqliteTables& tables, RpdParts parts)
    : rows_(std::move(database)),
      strings_(rows_.database(), tables, "rocpd_string", "id", "string"),
      // Of schema 3 the texts of arguments have a table of their own.
      arguments_(rows_.database(), tables,
                 tables.has("rocpd_ustring") ? "rocpd_ustring" : "rocpd_string", "id", "string"),
      kernels_(rows_.database(), tables, "rocpd_kernelop", "op_ptr_id", "kernelName_id"),
      parts_(parts) {}

void RpdRowReader::read(RpdRows& out) {
  if (ids_.begin(out)) {
    names_.clear();
    last_name_ = {};
    calls_ = {};
    ranges_ = {};
    threads_.clear();
  }
  out_ = &out;
  out.of_tracer = 0;
  Cells cells{};
  rows_.read(
      out, [&](const SqliteColumns& there) { return rpd_scan(out.kind()).sql(there, out.row_id); },
      [&](const sqlite::Statement& row) {
        row_ = &row;
        row.cells(cells);
        if (out.kind() == RpdTable::operations) {
          add_operation(cells);
        } else {
          add_call(cells);
        }
      });
}

void RpdRowReader::fail(std::string_view what) const {
  throw Error(rows_.database().path(),
              fmt::format("table {}, row {}: {}", out_->table_name, rows_.row_number(*out_), what),
              "record it again with `runTracer.sh -o FILE.rpd`");
}

// Columns may contain values of other types, as the tracer itself writes empty texts.
int64_t RpdRowReader::number_in(const Cells& cells, int column, std::string_view otherwise) {
  if (const auto value = row_->whole_number(column, cells[static_cast<size_t>(column)])) {
    return *value;
  }
  add_dropped(otherwise);
  return 0;
}

void RpdRowReader::add_operation(const Cells& cells) {
  const RowTimes when = row_times(cells[op_start], cells[op_end], parts_.strict,
                                  [&](std::string_view why) { fail(why); });
  const NameId name = operation_name(cells);
  if (!name.valid()) return;
  const int64_t device =
      number_in(cells, op_device, "operation without a device number: assigned to device 0");
  if (device < 0 || device > std::numeric_limits<int32_t>::max()) {
    fail("its device is not a device number");
  }
  const int64_t queue =
      number_in(cells, op_queue, "operation without a stream number: assigned to stream 0");
  if (parts_.link) out_->correlations.push_back(cells[op_id].integer);
  out_->operations.push_back(
      {when.start_ns, when.duration_ns, name, ids_.track(static_cast<int32_t>(device), queue)});
}

NameId RpdRowReader::operation_name(const Cells& cells) {
  const NameKey key{row_->whole_number(op_name, cells[op_name]).value_or(-1),
                    row_->whole_number(op_type, cells[op_type]).value_or(-1)};
  if (last_name_.second.valid() && last_name_.first == key) return last_name_.second;
  const auto known = names_.find(key);
  if (known != names_.end()) {
    last_name_ = {key, known->second};
    return known->second;
  }
  return name_of_ids(key, cells[op_id].integer);
}

NameId RpdRowReader::name_of_ids(const NameKey& key, int64_t operation) {
  std::string type;
  std::string text;
  const bool typed = strings_.find(key.second, type);
  const bool described = strings_.find(key.first, text);
  const bool own = text.empty() && kernels_.any();  // it is the name of this operation alone
  if (text.empty() && kernels_.find(operation, text)) {
    int64_t id = 0;
    const std::string number = std::move(text);
    text.clear();
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), id);
    if (error == std::errc{} && stop != nullptr) strings_.find(id, text);
  }
  if (text.empty()) text = type;
  const std::string_view name = kernel_name_of_symbol(text);
  if (name.empty()) {
    add_dropped(typed || described ? "operation without a name"
                                   : "operation whose name is an id without a string");
    return ids_.name("(unnamed kernel)", OperationKind::kernel);
  }
  const auto kind = kind_of_rocm_type(type, name);
  const NameId id = kind ? ids_.name(name, *kind) : NameId{};
  if (!own && kind) names_.emplace(key, id);
  if (!kind) add_dropped("operation that is no work of a GPU: a barrier");
  return id;
}

void RpdRowReader::add_call(const Cells& cells) {
  const Call of = call(cells);
  if (of.kind == Call::Kind::of_tracer) {
    ++out_->of_tracer;
    return;
  }
  if (parts_.names_only) {
    if (of.kind == Call::Kind::range) range_name(cells);
    return;
  }
  const int64_t start_ns = cells[api_start].integer;
  const int64_t end_ns = cells[api_end].integer;
  if (cells[api_start].type != Type::integer || cells[api_end].type != Type::integer ||
      start_ns < 0 || end_ns < start_ns) {
    return add_dropped("call or range without a valid time");
  }
  constexpr std::string_view no_thread = "call or range without a thread: assigned to thread 0";
  const uint32_t on =
      thread(number_in(cells, api_process, no_thread), number_in(cells, api_thread, no_thread));
  if (of.kind == Call::Kind::call) {
    out_->launches.push_back({cells[api_id].integer, start_ns, end_ns - start_ns, of.number, on});
    return;
  }
  const RangeName name = range_name(cells);
  out_->ranges.push_back({start_ns, end_ns, name.number, on, HostRange::none,
                          name.module ? HostRange::Kind::module : HostRange::Kind::annotation,
                          HostRange::Form::push_pop});
}

RpdRowReader::Call RpdRowReader::call(const Cells& cells) {
  const int64_t id = number_in(cells, api_name, "call whose name is not the id of a string");
  Call known = calls_.find(id);
  if (known.valid()) return known;
  if (!strings_.find(id, text_)) {
    add_dropped("call whose name is an id without a string");
    text_ = fmt::format("(unnamed call {})", id);
  }
  if (text_ == "UserMarker") {
    known.kind = Call::Kind::range;
  } else if (is_call_of_tracer(text_)) {
    known.kind = Call::Kind::of_tracer;
  } else {
    // Without a host trace nothing asks for its number.
    known = {parts_.names_only ? 0 : ids_.call(text_, is_hsa_call(text_)), Call::Kind::call};
  }
  calls_.add(id, known);
  return known;
}

RpdRowReader::RangeName RpdRowReader::range_name(const Cells& cells) {
  const int64_t id = number_in(cells, api_arguments, "range whose text is not the id of a string");
  RangeName known = ranges_.find(id);
  if (known.valid()) return known;
  if (!arguments_.find(id, text_)) {
    add_dropped("range whose text is an id without a string");
    text_.clear();
  }
  const std::string module = may_name_module(text_) ? module_of_text(text_) : std::string();
  if (module.empty()) {
    known = {ids_.range_name(text_), false};
  } else if (parts_.names_only) {
    known = {ids_.range_name(module), true};
  } else {
    known = {ids_.range_name(module, {text_, {}}), true};
  }
  ranges_.add(id, known);
  return known;
}

uint32_t RpdRowReader::thread(int64_t process, int64_t thread) {
  const auto [at, added] = threads_.try_emplace({process, thread}, 0);
  if (added) at->second = ids_.thread(std::to_string(process), std::to_string(thread));
  return at->second;
}

}  // namespace kr::trace
