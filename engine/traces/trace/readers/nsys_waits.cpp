#include "trace/readers/nsys_waits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view sync_type_head = "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_";
// CUpti_ActivitySynchronizationType, for exports without its names.
constexpr std::string_view sync_type_names[] = {"unknown", "event_synchronize", "stream_wait_event",
                                                "stream_synchronize", "context_synchronize"};
constexpr int global_process_shift = 24;

}  // namespace

NsysWaits::NsysWaits(const SqliteTables& schema, const NsysLabels& labels, TraceBuilder& out)
    : schema_(&schema), strings_(schema.database(), labels), out_(&out) {
  HostTrace& host = out.host();
  if (!host.waits) host.waits = std::make_unique<HostWaits>();
  waits_ = host.waits.get();
}

bool NsysWaits::read(const Correlation& correlation) {
  read_type_names();
  read_synchronizations(correlation);
  read_system_calls();
  return whole_;
}

void NsysWaits::read_type_names() {
  for (size_t i = 0; i < std::size(sync_type_names); ++i) {
    type_names_[static_cast<int64_t>(i)] = sync_type_names[i];
  }
  auto rows = schema_->rows({"ENUM_CUPTI_SYNC_TYPE", {"id", "name"}});
  while (rows && rows->step(&whole_)) {
    const auto id = rows->whole_number(0);
    std::string_view name = rows->text(1);
    if (!id || !name.starts_with(sync_type_head)) continue;
    name.remove_prefix(sync_type_head.size());
    std::string& known = type_names_[*id];
    known.resize(name.size());
    std::transform(name.begin(), name.end(), known.begin(), lower);
  }
}

bool NsysWaits::has_times(const sqlite::Statement& row, std::string_view what, int64_t number) {
  using Type = sqlite::Statement::Type;
  const bool valid = row.type(0) == Type::integer && row.type(1) == Type::integer &&
                     row.integer(0) >= 0 && row.integer(1) >= row.integer(0);
  if (!valid) {
    out_->add_dropped(fmt::format("{} without a valid time", what), static_cast<uint64_t>(number));
  }
  return valid;
}

void NsysWaits::read_synchronizations(const Correlation& correlation) {
  const TableScan scan{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                       {"start", "end", "correlationId", "globalPid", "syncType"}};
  if (!schema_->has(scan.table)) return;
  const SqliteColumns columns = schema_->columns(scan.table);
  if (const auto missing = scan.missing(columns)) {
    out_->add_dropped(fmt::format("table of synchronizations without the column {}", *missing), 0);
    return;
  }
  auto rows = schema_->database().prepare(scan.sql(columns));
  for (int64_t number = 1; rows.step(&whole_); ++number) {
    if (!has_times(rows, "synchronization", number)) continue;
    const int64_t global_pid = rows.whole_number(3).value_or(0);
    const auto id = rows.whole_number(2);
    for (const int column : {2, 3, 4}) {
      if (rows.is_null(column) || rows.whole_number(column)) continue;
      out_->add_dropped("synchronization whose correlation, process or type is not a number",
                        static_cast<uint64_t>(number));
      break;
    }
    waits_->synchronizations.push_back(
        {id ? correlation(global_pid, *id) : Launch::no_correlation, rows.integer(0),
         rows.integer(1), type(rows.whole_number(4).value_or(0)), process(global_pid)});
  }
}

void NsysWaits::read_system_calls() {
  const TableScan scan{"OSRT_API", {"start", "end", "nameId", {"globalTid", "0"}}};
  auto found = schema_->rows(scan);
  if (!found) {
    if (schema_->has(scan.table)) {
      out_->add_dropped("table of OS runtime calls without times or names", 0);
    }
    return;
  }
  sqlite::Statement& rows = *found;
  for (int64_t number = 1; rows.step(&whole_); ++number) {
    if (!has_times(rows, "OS runtime call", number)) continue;
    waits_->system_calls.push_back({rows.integer(0), rows.integer(1),
                                    name(rows.whole_number(2).value_or(-1)),
                                    process(rows.whole_number(3).value_or(0))});
  }
}

uint32_t NsysWaits::type(int64_t id) {
  const uint32_t type = types_.add(id);
  if (type == waits_->types.size()) {
    const auto known = type_names_.find(id);
    waits_->types.push_back(known != type_names_.end() ? known->second
                                                       : fmt::format("type {}", id));
  }
  return type;
}

uint32_t NsysWaits::name(int64_t id) {
  const uint32_t name = names_.add(id);
  if (name == waits_->names.size()) {
    std::string text;
    if (!strings_.find(id, text)) text = fmt::format("(unnamed call {})", id);
    waits_->names.push_back(std::move(text));
  }
  return name;
}

uint32_t NsysWaits::process(int64_t global_pid) {
  const int64_t number = global_pid >> global_process_shift;
  const uint32_t process = processes_.add(number);
  if (process == waits_->processes.size()) waits_->processes.push_back(fmt::format("{}", number));
  return process;
}

}  // namespace kr::trace
