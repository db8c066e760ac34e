#include "trace/readers/rocpd_rows.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/error.hpp"
#include "base/json_read.hpp"
#include "trace/readers/module_text.hpp"
#include "trace/readers/row_times.hpp"

namespace kr::trace {
namespace {

using Type = sqlite::Statement::Type;

// In the order of the scan. What a table does not have is NULL.
enum RocpdColumn : size_t {
  region_start,
  region_end,
  region_name,
  region_event,
  region_track,
  agent_or_to,
  queue_or_from_or_process,
  region_thread
};

bool has_timestamps(const SqliteColumns& columns) {
  return columns.has("start_id");
}

TableScan rocpd_scan(std::string_view table, RocpdTable kind, bool timestamps) {
  TableScan scan{table, {}};
  scan.columns.emplace_back(timestamps ? "start_id" : "start");
  scan.columns.emplace_back(timestamps ? "end_id" : "end");
  scan.columns.emplace_back(kind == RocpdTable::kernels ? "kernel_id" : "name_id");
  scan.columns.emplace_back("event_id", "NULL");
  scan.columns.emplace_back("track_id", "NULL");
  switch (kind) {
    case RocpdTable::kernels:
      scan.columns.emplace_back("agent_id", "NULL");
      scan.columns.emplace_back("queue_id", "NULL");
      scan.columns.push_back(ScanColumn::value("NULL"));
      break;
    case RocpdTable::copies:
      scan.columns.emplace_back("dst_agent_id", "NULL");
      scan.columns.emplace_back("src_agent_id", "NULL");
      scan.columns.push_back(ScanColumn::value("NULL"));
      break;
    case RocpdTable::regions:
      scan.columns.push_back(ScanColumn::value("NULL"));
      scan.columns.emplace_back("pid", "NULL");
      scan.columns.emplace_back("tid", "NULL");
      break;
  }
  return scan;
}

/// `{"message": "aten::view"}`; empty: there is none.
std::string message_in(const std::string& data) {
  try {
    const JsonValue value = parse_json(data, "");
    const JsonValue* const message = value.find("message");
    if (message != nullptr && message->kind == JsonValue::Kind::string) return message->string;
  } catch (const Error&) {  // it is not JSON
  }
  return {};
}

}  // namespace

std::string_view name_of(RocpdTable table) noexcept {
  switch (table) {
    case RocpdTable::kernels:
      return "rocpd_kernel_dispatch";
    case RocpdTable::copies:
      return "rocpd_memory_copy";
    case RocpdTable::regions:
      break;
  }
  return "rocpd_region";
}

bool has_columns(const SqliteTables& tables, const RocpdProcess& process, RocpdTable table) {
  const std::string& name = process.table(name_of(table));
  if (!tables.has(name)) return false;
  const SqliteColumns columns = tables.columns(name);
  return !rocpd_scan(name, table, has_timestamps(columns)).missing(columns);
}

RocpdRowReader::OfProcess::OfProcess(const sqlite::Database& database, const SqliteTables& tables,
                                     const RocpdProcess& of)
    : process(&of),
      strings(database, tables, of.table("rocpd_string"), "id", "string"),
      // Files without that table have ids of strings.
      categories(database, tables,
                 of.table(tables.has(of.table("rocpd_info_category")) ? "rocpd_info_category"
                                                                      : "rocpd_string"),
                 "id", tables.has(of.table("rocpd_info_category")) ? "name" : "string"),
      messages(database, tables, of.table("rocpd_event"), "id", "extdata"),
      kernels(database, tables, of.table("rocpd_info_kernel_symbol"), "id", "display_name"),
      symbols(database, tables, of.table("rocpd_info_kernel_symbol"), "id", "kernel_name") {}

RocpdRowReader::RocpdRowReader(sqlite::Database database, const SqliteTables& tables,
                               const std::deque<RocpdProcess>& processes, RocpdParts parts)
    : rows_(std::move(database)), parts_(parts) {
  for (const RocpdProcess& process : processes) of_.emplace_back(rows_.database(), tables, process);
}

void RocpdRowReader::forget() {
  for (OfProcess& one : of_) {
    one.kernel_names = one.copy_names = {};
    one.calls = {};
    one.regions = {};
    one.texts.clear();
    one.threads.clear();
  }
}

void RocpdRowReader::read(RocpdRows& out) {
  if (ids_.begin(out)) forget();
  out_ = &out;
  out.of_tracer = 0;
  own_ = &of_[out.process()];
  timestamps_ = has_timestamps(SqliteColumns(rows_.database(), out.table_name));
  Cells cells{};
  rows_.read(
      out,
      [&](const SqliteColumns& there) {
        return rocpd_scan(out.table_name, out.kind(), timestamps_).sql(there, out.row_id);
      },
      [&](const sqlite::Statement& row) {
        row_ = &row;
        row.cells(cells);
        if (out.kind() == RocpdTable::regions) {
          add_region(cells);
        } else {
          add_operation(cells);
        }
      });
}

void RocpdRowReader::fail(std::string_view what) const {
  throw Error(rows_.database().path(),
              fmt::format("table {}, row {}: {}", out_->table_name, rows_.row_number(*out_), what),
              "record it again with `rocprofv3 --output-format rocpd`");
}

sqlite::Statement::Cell RocpdRowReader::time(const Cells& cells, size_t column) {
  if (!timestamps_) return cells[column];
  const auto id = number_in(cells, column);
  const auto* const found = id ? own_->process->times.find(*id, near_time_) : nullptr;
  if (found == nullptr || (*found)[1] == no_number) return {0, Type::null};
  return {(*found)[1], Type::integer};
}

void RocpdRowReader::add_operation(const Cells& cells) {
  const RowTimes when = row_times(time(cells, region_start), time(cells, region_end), parts_.strict,
                                  [&](std::string_view why) { fail(why); });
  const auto id = number_in(cells, region_name);
  if (!id) add_dropped("operation without a name");
  const NameId name =
      out_->kind() == RocpdTable::kernels ? kernel_name(id.value_or(0)) : copy_name(id.value_or(0));
  if (parts_.link) {
    out_->correlations.push_back(
        correlation(own_->process->event(number_in(cells, region_event), near_event_)));
  }
  out_->operations.push_back({when.start_ns, when.duration_ns, name, track(cells)});
}

const RocpdProcess::Lane* RocpdRowReader::lane(const Cells& cells) const {
  const auto id = number_in(cells, region_track);
  if (!id) return nullptr;
  const auto known = own_->process->lanes.find(*id);
  return known == own_->process->lanes.end() ? nullptr : &known->second;
}

// Copies have no queue: they get a stream of their own, on which they may overlap.
TrackId RocpdRowReader::track(const Cells& cells) {
  const bool kernel = out_->kind() == RocpdTable::kernels;
  const RocpdProcess::Lane* const on = lane(cells);
  const auto gpu_of = [&](const std::optional<int64_t>& id) -> const RocpdProcess::Agent* {
    const auto known = id ? own_->process->agents.find(*id) : own_->process->agents.end();
    return known == own_->process->agents.end() || !known->second.gpu ? nullptr : &known->second;
  };
  auto first = number_in(cells, agent_or_to);
  if (!first && kernel && on != nullptr) first = on->agent;
  const RocpdProcess::Agent* agent = gpu_of(first);
  if (agent == nullptr && !kernel) agent = gpu_of(number_in(cells, queue_or_from_or_process));
  if (agent == nullptr && on != nullptr) agent = gpu_of(on->agent);
  if (agent == nullptr) {
    add_dropped("operation without a device number: assigned to device 0");
    return ids_.track(0, 0, "GPU", own_->process->member);
  }
  int64_t queue = 0;
  if (kernel) {
    const auto given = number_in(cells, queue_or_from_or_process);
    queue = given ? *given : on != nullptr ? on->queue.value_or(0) : 0;
  } else {
    out_->made_up_streams = true;
  }
  return ids_.track(*agent->gpu, queue, agent->name, own_->process->member);
}

NameId RocpdRowReader::kernel_name(int64_t id) {
  NameId known = own_->kernel_names.find(id);
  if (known.valid()) return known;
  const bool found = (own_->kernels.find(id, text_) && !text_.empty()) ||
                     (own_->symbols.find(id, text_) && !text_.empty());
  if (!found) {
    add_dropped("kernel name id without a string");
    known = ids_.name(fmt::format("(unnamed kernel {})", id), OperationKind::kernel);
  } else {
    const std::string_view name = kernel_name_of_symbol(text_);
    known = ids_.name(name, operation_kind_of(name));
  }
  own_->kernel_names.add(id, known);
  return known;
}

NameId RocpdRowReader::copy_name(int64_t id) {
  NameId known = own_->copy_names.find(id);
  if (known.valid()) return known;
  if (!own_->strings.find(id, text_) || text_.empty()) {
    add_dropped("operation without a name");
    text_ = "MEMORY_COPY";
  }
  known = ids_.name(
      text_, kind_of_rocm_type(text_, {}).value_or(OperationKind::memcpy) == OperationKind::memset
                 ? OperationKind::memset
                 : OperationKind::memcpy);
  own_->copy_names.add(id, known);
  return known;
}

int64_t RocpdRowReader::correlation(const std::array<int64_t, 3>* event) const {
  if (event == nullptr) return Launch::no_correlation;
  const int64_t id = (*event)[1];
  if (id <= 0 || id > std::numeric_limits<uint32_t>::max()) return Launch::no_correlation;
  return static_cast<int64_t>(own_->process->number) << 32 | id;
}

RocmDomain RocpdRowReader::domain(const std::array<int64_t, 3>* event, std::string_view name) {
  if (event != nullptr) {
    const int64_t id = (*event)[2];
    Category known = own_->domains.find(id);
    if (known.valid()) return known.domain;
    std::string text;
    if (own_->categories.find(id, text)) {
      known = {domain_of(text), Category::Kind::known};
      own_->domains.add(id, known);
      return known.domain;
    }
  }
  return name.starts_with("roctx") ? RocmDomain::marker : RocmDomain::runtime;
}

void RocpdRowReader::add_region(const Cells& cells) {
  const auto name = number_in(cells, region_name);
  if (!name) return add_dropped("call or range without a name");
  const auto* const event = own_->process->event(number_in(cells, region_event), near_event_);
  // Without an event only the name shows what it is.
  if (event == nullptr && !own_->strings.find(*name, text_)) text_.clear();
  const RocmDomain of = domain(event, text_);
  if (of == RocmDomain::runtime && parts_.names_only) return;
  const CallName called = of == RocmDomain::runtime ? call(*name) : CallName{};
  if (called.of_tracer) {
    ++out_->of_tracer;
    return;
  }
  if (parts_.names_only) {
    marker(*name, of == RocmDomain::marker ? event : nullptr);
    return;
  }
  const sqlite::Statement::Cell start = time(cells, region_start);
  const sqlite::Statement::Cell end = time(cells, region_end);
  if (start.type != Type::integer || end.type != Type::integer || start.integer < 0 ||
      end.integer < start.integer) {
    return add_dropped("call or range without a valid time");
  }
  const uint32_t on = thread(cells);
  if (of == RocmDomain::runtime) {
    out_->launches.push_back(
        {correlation(event), start.integer, end.integer - start.integer, called.number, on});
    return;
  }
  const bool marked = of == RocmDomain::marker;
  const RangeName range = marker(*name, marked ? event : nullptr);
  out_->ranges.push_back({start.integer, end.integer, range.number, on, HostRange::none,
                          range.module ? HostRange::Kind::module : HostRange::Kind::annotation,
                          marked ? HostRange::Form::push_pop : HostRange::Form::call});
}

RocpdRowReader::CallName RocpdRowReader::call(int64_t id) {
  CallName known = own_->calls.find(id);
  if (known.valid()) return known;
  if (!own_->strings.find(id, text_)) {
    add_dropped("call whose name is an id without a string");
    text_ = fmt::format("(unnamed call {})", id);
  }
  known = {ids_.call(text_, is_hsa_call(text_)), is_call_of_tracer(text_)};
  own_->calls.add(id, known);
  return known;
}

RocpdRowReader::RangeName RocpdRowReader::named(std::string_view text) {
  const std::string module = may_name_module(text) ? module_of_text(text) : std::string();
  if (module.empty()) return {ids_.range_name(text), false};
  if (parts_.names_only) return {ids_.range_name(module), true};
  return {ids_.range_name(module, {std::string(text), {}}), true};
}

/// `event`: null, unless it may have a text.
RocpdRowReader::RangeName RocpdRowReader::marker(int64_t name,
                                                 const std::array<int64_t, 3>* event) {
  if (event != nullptr && own_->messages.find((*event)[0], text_) && text_.size() > 2) {
    const auto [at, added] = own_->texts.try_emplace(text_);
    if (added) {
      const std::string message = message_in(text_);
      if (!message.empty()) at->second = named(message);
    }
    if (at->second.valid()) return at->second;
  }
  RangeName known = own_->regions.find(name);
  if (known.valid()) return known;
  if (!own_->strings.find(name, text_)) {
    add_dropped("range whose text is an id without a string");
    text_.clear();
  }
  known = named(text_);
  own_->regions.add(name, known);
  return known;
}

uint32_t RocpdRowReader::thread(const Cells& cells) {
  auto process = number_in(cells, queue_or_from_or_process);
  auto thread = number_in(cells, region_thread);
  if (const RocpdProcess::Lane* const on = lane(cells); on != nullptr) {
    if (!process) process = on->process;
    if (!thread) thread = on->thread;
  }
  if (!thread) add_dropped("call or range without a thread: assigned to thread 0");
  const auto [at, added] = own_->threads.try_emplace({process.value_or(0), thread.value_or(0)}, 0);
  if (!added) return at->second;
  const auto real = [](const std::map<int64_t, int64_t>& numbers, int64_t id) {
    const auto known = numbers.find(id);
    return known == numbers.end() ? id : known->second;
  };
  const int64_t pid = real(own_->process->pids, process.value_or(0));
  const int64_t tid = real(own_->process->tids, thread.value_or(0));
  const std::string& member = own_->process->member;
  const std::string shown =
      member.empty() ? fmt::format("{}", pid) : fmt::format("[{}] {}", member, pid);
  at->second = ids_.thread(shown, tid == 0 ? std::string() : std::to_string(tid), tid == 0);
  return at->second;
}

}  // namespace kr::trace
