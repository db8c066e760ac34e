#include "trace/readers/nsys_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/ascii.hpp"
#include "base/error.hpp"

namespace kr::trace {
namespace {

using Type = sqlite::Statement::Type;

constexpr const char* calls_table = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr const char* ranges_table = "NVTX_EVENTS";
constexpr int process_shift = 24;

/// `cudaLaunchKernel_v7000` is `cudaLaunchKernel`.
std::string_view without_version(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  const bool version = digits < name.size() && digits > 2 && name.substr(digits - 2, 2) == "_v";
  return version ? name.substr(0, digits - 2) : name;
}

/// Ranges pushed and popped are 59 and 70, those started and ended 60 and 71.
constexpr bool is_range(int64_t type) {
  return type == 59 || type == 60 || type == 70 || type == 71;
}

/// The runtime's functions begin with `cuda`, the driver's with `cu` and a capital.
bool is_driver(std::string_view name) {
  return name.size() > 2 && name.starts_with("cu") && is_upper(name[2]);
}

}  // namespace

NsysHost::NsysHost(const sqlite::Database& database, const NsysSchema& schema,
                   const NsysLabels& labels, TraceBuilder& out, HostDetail detail)
    : database_(&database),
      schema_(&schema),
      strings_(database, labels),
      out_(&out),
      host_(detail == HostDetail::all ? &out.host() : nullptr),
      by_process_(told_by_process()) {}

/// Whether calls and operations both name their process; else ids are taken to be of one.
bool NsysHost::told_by_process() const {
  const auto has = [this](std::string_view table, std::string_view column) {
    return !schema_->has(table) || NsysColumns(*database_, table).has(column);
  };
  return has(calls_table, "globalTid") && has(name_of(NsysTable::kernel), "globalPid") &&
         has(name_of(NsysTable::memcpy), "globalPid") &&
         has(name_of(NsysTable::memset), "globalPid") &&
         has(name_of(NsysTable::graph), "globalPid");
}

// CUPTI counts correlation ids in 32 bits; one that needs more is none of its.
int64_t NsysHost::correlation(int64_t global_pid, int64_t id) {
  if (id < 0 || id > std::numeric_limits<uint32_t>::max()) return Launch::no_correlation;
  if (!by_process_) return id;
  const auto next = static_cast<int64_t>(processes_.size());
  const int64_t process = processes_.try_emplace(global_pid >> process_shift, next).first->second;
  return process << 32 | id;
}

bool NsysHost::read() {
  if (host_ != nullptr) read_calls();
  read_ranges();
  return whole_ || host_ == nullptr;
}

void NsysHost::read_calls() {
  if (!schema_->has(calls_table)) return;
  const NsysColumns columns(*database_, calls_table);
  if (!columns.has("start") || !columns.has("end") || !columns.has("correlationId")) {
    add_dropped("table of CUDA calls without times or correlations", 0);
    return;
  }
  enum Column { start, end, thread_id, id, name, row };
  auto rows = database_->prepare(
      fmt::format("SELECT \"start\", \"end\", {}, \"correlationId\", {}, {} FROM {}",
                  columns.or_else("globalTid", "0"), columns.or_else("nameId", "NULL"),
                  row_id(calls_table), nsys_table(calls_table)));
  int64_t number = 0;
  while (rows.step(&whole_)) {
    number = rows.type(row) == Type::null ? number + 1 : rows.integer(row);
    const bool open = rows.is_null(end);
    const int64_t start_ns = rows.integer(start);
    const int64_t end_ns = open ? start_ns : rows.integer(end);
    if (rows.type(start) != Type::integer || (!open && rows.type(end) != Type::integer) ||
        start_ns < 0 || end_ns < start_ns) {
      add_dropped("CUDA call without a valid time", number);
      continue;
    }
    if (open) add_dropped("CUDA call with an open end", number);
    const int64_t global_tid = thread_number(rows, thread_id, number);
    int64_t linked = Launch::no_correlation;
    if (const auto value = rows.whole_number(id)) {
      linked = correlation(global_tid, *value);
    } else if (!rows.is_null(id)) {
      add_dropped("CUDA call whose correlation is not a number", number);
    }
    host_->launches.push_back(
        {linked, start_ns, end_ns - start_ns, call(rows, name), thread(global_tid, false)});
  }
}

void NsysHost::add_dropped(std::string_view what, int64_t number) {
  if (host_ != nullptr) out_->add_dropped(what, static_cast<uint64_t>(number));
}

const char* NsysHost::row_id(const char* table) const {
  const char* const name = schema_->row_id(table);
  return name != nullptr ? name : "NULL";
}

int64_t NsysHost::thread_number(const sqlite::Statement& row, int column, int64_t number) {
  if (const auto value = row.whole_number(column)) return *value;
  add_dropped("call or range without a thread number: assigned to thread 0", number);
  return 0;
}

void NsysHost::read_ranges() {
  if (!schema_->has(ranges_table)) return;
  const NsysColumns columns(*database_, ranges_table);
  if (!columns.has("start") || !columns.has("eventType") || !columns.has("globalTid")) {
    add_dropped("table of NVTX events without the columns of ranges", 0);
    return;
  }
  enum Column { start, end, type, thread_id, end_thread, text, text_id, row };
  auto rows = database_->prepare(
      fmt::format("SELECT \"start\", {}, \"eventType\", \"globalTid\", {}, {}, {}, {} FROM {}",
                  columns.or_else("end", "NULL"), columns.or_else("endGlobalTid", "NULL"),
                  columns.or_else("text", "NULL"), columns.or_else("textId", "NULL"),
                  row_id(ranges_table), nsys_table(ranges_table)));
  int64_t number = 0;
  while (rows.step(&whole_)) {
    number = rows.type(row) == Type::null ? number + 1 : rows.integer(row);
    const auto kind = rows.whole_number(type);
    if (!kind) add_dropped("NVTX event whose type is not a number", number);
    if (!kind || !is_range(*kind)) continue;
    if (host_ == nullptr) {
      range_name(rows, text, text_id);
      continue;
    }
    const bool open = rows.is_null(end);
    const int64_t start_ns = rows.integer(start);
    // One that was open when profiling ended holds all that came after its start.
    const int64_t end_ns = open ? std::numeric_limits<int64_t>::max() : rows.integer(end);
    if (rows.type(start) != Type::integer || (!open && rows.type(end) != Type::integer) ||
        end_ns < start_ns) {
      add_dropped("NVTX range without a valid time", number);
      continue;
    }
    const int64_t global_tid = thread_number(rows, thread_id, number);
    const bool pushed = *kind == 59 || *kind == 70;
    const auto ended_on = rows.whole_number(end_thread);
    const bool moved = !pushed && !open && ended_on && *ended_on != global_tid;
    host_->ranges.push_back({start_ns, end_ns, range_name(rows, text, text_id),
                             thread(global_tid, moved), HostRange::none,
                             HostRange::Kind::annotation,
                             pushed ? HostRange::Form::push_pop : HostRange::Form::start_end});
  }
}

uint32_t NsysHost::thread(int64_t global_tid, bool whole_process) {
  const int64_t process = global_tid >> process_shift;
  auto& known = whole_process ? whole_processes_ : threads_;
  const auto next = static_cast<uint32_t>(host_->threads.size());
  const auto [at, added] = known.try_emplace(whole_process ? process : global_tid, next);
  if (added) {
    const int64_t thread = global_tid & ((int64_t{1} << process_shift) - 1);
    host_->threads.push_back({fmt::format("{}", process),
                              whole_process ? std::string() : fmt::format("{}", thread),
                              whole_process});
  }
  return at->second;
}

uint32_t NsysHost::call(const sqlite::Statement& row, int column) {
  const auto add = [this](std::string_view name) {
    const std::string plain(without_version(name));
    const size_t version = std::min(plain.size() + 1, name.size());
    return out_->call({plain, is_driver(plain), std::string(name.substr(version))});
  };
  if (row.type(column) == Type::text) return add(row.text(column));
  const auto given = row.whole_number(column);
  if (!given && !row.is_null(column)) return add(row.text(column));
  const int64_t id = given.value_or(0);
  const auto known = calls_.find(id);
  if (known != calls_.end()) return known->second;
  std::string name;
  if (!strings_.find(id, name)) name = fmt::format("(unnamed call {})", id);
  return calls_.emplace(id, add(name)).first->second;
}

uint32_t NsysHost::range_name(const sqlite::Statement& row, int text, int id) {
  if (!row.is_null(text)) return out_->range_name(row.text(text));
  if (row.is_null(id)) return out_->range_name({});
  const auto given = row.whole_number(id);
  if (!given) {
    add_dropped("NVTX text id that is not a number", 0);
    return out_->range_name({});
  }
  const int64_t number = *given;
  const auto known = range_names_.find(number);
  if (known != range_names_.end()) return known->second;
  std::string name;
  if (!strings_.find(number, name)) {
    add_dropped("NVTX text id without a string", number);
  }
  return range_names_.emplace(number, out_->range_name(name)).first->second;
}

}  // namespace kr::trace
