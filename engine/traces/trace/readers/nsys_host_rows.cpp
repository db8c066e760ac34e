#include "trace/readers/nsys_host_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "trace/call_kinds.hpp"
#include "trace/readers/module_text.hpp"

namespace kr::trace {
namespace {

using Type = sqlite::Statement::Type;

// Columns of queries: the first are numbers, whose types matter.
enum CallColumn { call_start, call_end, call_thread, call_correlation, call_name };
enum RangeColumn { begin, end, event, range_thread, end_thread, text_id, domain_id, text, payload };
enum NodeColumn { node_start, node_thread, node_number, node_original };

// Of most rows the others are not read: each read costs time.
size_t columns_of(NsysHostTable table) {
  switch (table) {
    case NsysHostTable::calls:
      return call_name + 1;
    case NsysHostTable::ranges:
      return range_thread + 1;
    case NsysHostTable::nodes:
      break;
  }
  return node_original + 1;
}

constexpr int64_t domain_created = 75;

/// In the order of the columns above.
TableScan scan_of(NsysHostTable table) {
  switch (table) {
    case NsysHostTable::calls:
      return {name_of(table),
              {"start", "end", {"globalTid", "0"}, "correlationId", {"nameId", "NULL"}}};
    case NsysHostTable::ranges:
      return {name_of(table),
              {"start",
               "end",
               "eventType",
               "globalTid",
               {"endGlobalTid", "NULL"},
               {"textId", "NULL"},
               {"domainId", "NULL"},
               {"text", "NULL"},
               {"binaryData", "NULL"}}};
    case NsysHostTable::nodes:
      break;
  }
  return {name_of(table), {"start", "globalTid", "graphNodeId", {"originalGraphNodeId", "NULL"}}};
}

/// Ranges have their texts in one of two columns.
bool lacks_texts(const SqliteTables& schema) {
  if (!schema.has(name_of(NsysHostTable::ranges))) return false;
  const SqliteColumns columns = schema.columns(name_of(NsysHostTable::ranges));
  return !columns.has("text") || !columns.has("textId");
}

}  // namespace

std::string_view name_of(NsysHostTable table) noexcept {
  constexpr std::array<std::string_view, nsys_host_table_count> names{
      "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "CUDA_GRAPH_NODE_EVENTS"};
  return names[static_cast<size_t>(table)];
}

bool has_columns(const SqliteTables& schema, NsysHostTable table) {
  return !scan_of(table).missing(schema.columns(name_of(table)));
}

NsysHostReader::NsysHostReader(sqlite::Database database, const SqliteTables& schema,
                               const NsysLabels& labels, const NvtxPayloadSchemas& payloads,
                               bool names_only)
    : rows_(std::move(database)),
      strings_(rows_.database(), labels),
      payloads_(payloads.empty() ? nullptr : &payloads),
      names_only_(names_only),
      text_incomplete_(lacks_texts(schema)) {}

// What is not wanted is NULL: SQLite decodes all that is requested.
TableScan NsysHostReader::scan(NsysHostTable table) const {
  TableScan scan = scan_of(table);
  if (table != NsysHostTable::ranges) return scan;
  // What is far behind in a row costs time: only where it is wanted.
  if (payloads_ == nullptr) scan.columns[payload] = ScanColumn::value("NULL");
  if (!names_only_) return scan;
  for (const RangeColumn column : {begin, end, range_thread, end_thread, domain_id}) {
    scan.columns[column] = ScanColumn::value("NULL");
  }
  return scan;
}

void NsysHostReader::read(NsysHostRows& out) {
  if (ids_.begin(out)) {
    seen_threads_ = {};
    calls_ = {};
    unnamed_calls_.clear();
    domains_.clear();
    domain_keys_.assign(1, {});
    names_ = {};
    names_in_domains_.clear();
    module_texts_ = {};
    module_names_.clear();
  }
  out_ = &out;
  out.processes.clear();
  out.nodes.clear();
  out.domains.clear();
  out.nccl_events.clear();
  out.nccl_calls.clear();
  Cells cells{};
  const auto wanted = std::span(cells).first(columns_of(out.kind()));
  const auto sql = [&](const SqliteColumns& columns) {
    return scan(out.kind()).sql(columns, out.row_id);
  };
  rows_.read(out, sql, [&](const sqlite::Statement& row) {
    row_ = &row;
    row.cells(wanted);
    switch (out.kind()) {
      case NsysHostTable::calls:
        add_call(cells);
        break;
      case NsysHostTable::ranges:
        add_event(cells);
        break;
      case NsysHostTable::nodes:
        add_node(cells);
        break;
    }
  });
}

void NsysHostReader::add_dropped(std::string_view what) {
  if (!names_only_) rows_.add_dropped(out_->dropped, *out_, what);
}

// Columns may contain values of other types. A number that is written as text is one.
std::optional<int64_t> NsysHostReader::number_in(const Cells& cells, int column) const {
  return row_->whole_number(column, cells[static_cast<size_t>(column)]);
}

int64_t NsysHostReader::thread_number(const Cells& cells, int column) {
  if (const auto value = number_in(cells, column)) return *value;
  add_dropped("call or range without a thread number: assigned to thread 0");
  return 0;
}

uint32_t NsysHostReader::thread(int64_t global_tid, bool whole_process) {
  SeenThread& seen = seen_threads_[static_cast<size_t>(global_tid) % seen_threads_.size()];
  if (!whole_process && seen.known && seen.global_tid == global_tid) return seen.number;
  const int64_t process = global_tid >> nsys_process_shift;
  const int64_t number = global_tid & ((int64_t{1} << nsys_process_shift) - 1);
  const uint32_t local =
      ids_.thread(std::to_string(process), whole_process ? std::string() : std::to_string(number),
                  whole_process);
  if (!whole_process) seen = {global_tid, local, true};
  return local;
}

void NsysHostReader::add_call(const Cells& cells) {
  const bool open = cells[call_end].type == Type::null;
  const int64_t start_ns = cells[call_start].integer;
  const int64_t end_ns = open ? start_ns : cells[call_end].integer;
  if (cells[call_start].type != Type::integer || (!open && cells[call_end].type != Type::integer) ||
      start_ns < 0 || end_ns < start_ns) {
    add_dropped("CUDA call without a valid time");
    return;
  }
  if (open) add_dropped("CUDA call with an open end");
  const int64_t global_tid = thread_number(cells, call_thread);
  int64_t linked = Launch::no_correlation;
  if (const auto value = number_in(cells, call_correlation)) {
    linked = *value;
  } else if (cells[call_correlation].type != Type::null) {
    add_dropped("CUDA call whose correlation is not a number");
  }
  out_->launches.push_back(
      {linked, start_ns, end_ns - start_ns, call(cells), thread(global_tid, false)});
  out_->processes.push_back(global_tid);
}

uint32_t NsysHostReader::call(const Cells& cells) {
  const auto add = [this](std::string_view name) {
    const std::string_view plain = without_version(name);
    const size_t version = std::min(plain.size() + 1, name.size());
    return ids_.call(plain, is_driver_call(plain), name.substr(version));
  };
  if (cells[call_name].type == Type::text) return add(row_->text(call_name));
  const auto given = number_in(cells, call_name);
  if (!given && cells[call_name].type != Type::null) return add(row_->text(call_name));
  const int64_t id = given.value_or(0);
  const CallId known = calls_.find(id);
  uint32_t number = known.index;
  if (!known.valid()) {
    const bool found = strings_.find(id, text_);
    if (!found) text_ = fmt::format("(unnamed call {})", id);
    number = add(text_);
    calls_.add(id, {number});
    if (!found) unnamed_calls_.insert(number);
  }
  if (given && !unnamed_calls_.empty() && unnamed_calls_.contains(number)) {
    add_dropped("CUDA call name id without a string");
  }
  return number;
}

void NsysHostReader::add_event(const Cells& cells) {
  const auto type = number_in(cells, event);
  if (!type) return add_dropped("NVTX event whose type is not a number");
  if (*type == domain_created && !names_only_) return add_domain(cells);
  const bool pushed = is_pushed_range(*type);
  if (!pushed && !is_started_range(*type)) return;
  if (names_only_) {
    range_name(0, true);
    return;
  }
  const bool open = cells[end].type == Type::null;
  const int64_t start_ns = cells[begin].integer;
  // One that was open when profiling ended encloses all that came after its start.
  const int64_t end_ns = open ? std::numeric_limits<int64_t>::max() : cells[end].integer;
  if (cells[begin].type != Type::integer || (!open && cells[end].type != Type::integer) ||
      end_ns < start_ns) {
    add_dropped("NVTX range without a valid time");
    return;
  }
  const int64_t global_tid = thread_number(cells, range_thread);
  const auto ended_on = pushed ? std::nullopt : row_->whole_number(end_thread);
  const bool moved = !open && ended_on && *ended_on != global_tid;
  const size_t in_domain = domain(global_tid);
  // A module is called and returns on one thread.
  const RangeName name = range_name(in_domain, !moved);
  out_->ranges.push_back({start_ns, end_ns, name.index, thread(global_tid, moved), HostRange::none,
                          name.module ? HostRange::Kind::module : HostRange::Kind::annotation,
                          pushed ? HostRange::Form::push_pop : HostRange::Form::start_end});
  if (name.nccl != 0 && pushed && !open)
    add_nccl(name, out_->ranges[out_->ranges.size() - 1], global_tid);
}

/// 0: it is not a range of NCCL, or these are not wanted.
uint32_t NsysHostReader::nccl_range(std::string_view text) {
  if (payloads_ == nullptr || nccl_function(text) == NcclFunction::none) return 0;
  if (nccl_ranges_.size() == 0) nccl_ranges_.add("");
  return nccl_ranges_.add(text);
}

void NsysHostReader::add_nccl(const RangeName& name, const HostRange& range, int64_t global_tid) {
  NcclCall call{std::string(nccl_ranges_.text(name.nccl)), {}};
  const NcclFunction function = nccl_function(call.range);
  uint32_t number = NcclEvent::no_call;
  if (read_payload(call)) {
    number = static_cast<uint32_t>(out_->nccl_calls.size());
    out_->nccl_calls.push_back(std::move(call));
  } else if (function == NcclFunction::other) {
    return;
  }
  out_->nccl_events.push_back({range.start_ns, range.end_ns, global_tid >> nsys_process_shift,
                               range.thread, number, function});
}

/// False if there is none, or none that can be read.
bool NsysHostReader::read_payload(NcclCall& call) {
  const bool requests = nccl_function(call.range) == NcclFunction::operation;
  if (row_->is_null(payload)) {
    if (requests) add_dropped("call of NCCL without a payload");
    return false;
  }
  switch (payloads_->decode(nvtx_payload_bytes(*row_, payload, text_), payload_fields_)) {
    case NvtxPayloadFault::none:
      call.arguments = nccl_arguments(payload_fields_);
      return true;
    case NvtxPayloadFault::short_header:
      add_dropped("payload of NCCL that is shorter than its header");
      break;
    case NvtxPayloadFault::unknown_schema:
      add_dropped("payload of NCCL whose schema is not known");
      break;
    case NvtxPayloadFault::ambiguous_schema:
      add_dropped("payload of NCCL whose schema has several definitions");
      break;
    case NvtxPayloadFault::cut_off:
      add_dropped("payload of NCCL that is cut off");
      break;
  }
  return false;
}

// Of the default domain, 0.
size_t NsysHostReader::domain(int64_t global_tid) {
  const int64_t number = row_->whole_number(domain_id).value_or(0);
  if (number == 0) return 0;
  const int64_t process = global_tid >> nsys_process_shift;
  const auto [at, added] = domains_.try_emplace({process, number}, domain_keys_.size());
  if (added) {
    domain_keys_.push_back(fmt::format("{} {}", process, number));
  }
  return at->second;
}

void NsysHostReader::add_domain(const Cells& cells) {
  const auto global_tid = number_in(cells, range_thread);
  if (!global_tid) return;
  const size_t number = domain(*global_tid);
  if (number == 0) return;
  if (!row_->is_null(text)) {
    text_ = row_->text(text);
  } else {
    const auto id = row_->whole_number(text_id);
    if (!id || !strings_.find(*id, text_)) return;
  }
  out_->domains.emplace_back(domain_keys_[number], text_);
}

NsysHostReader::RangeName NsysHostReader::range_name(size_t domain, bool may_be_module) {
  if (!row_->is_null(text)) return named(row_->text(text), domain, may_be_module);
  const auto id = row_->whole_number(text_id);
  if (!id && row_->is_null(text_id)) {
    if (text_incomplete_) add_dropped("NVTX range whose text is in a column that is missing");
    return named({}, domain, false);
  }
  if (!id) {
    add_dropped("NVTX text id that is not a number");
    return named({}, domain, false);
  }
  RangeName name;
  if (domain == 0) {
    IdMemory<RangeName>& known = names_[may_be_module ? 1 : 0];
    name = known.find(*id);
    if (!name.valid()) known.add(*id, name = named_by_id(*id, domain, may_be_module));
  } else {
    RangeName& known = names_in_domains_[{domain, *id, may_be_module}];
    if (!known.valid()) known = named_by_id(*id, domain, may_be_module);
    name = known;
  }
  if (name.unnamed) add_dropped("NVTX text id without a string");
  return name;
}

NsysHostReader::RangeName NsysHostReader::named_by_id(int64_t id, size_t domain,
                                                      bool may_be_module) {
  const bool found = strings_.find(id, text_);
  RangeName name = named(found ? text_ : std::string_view(), domain, may_be_module);
  name.unnamed = !found;
  return name;
}

NsysHostReader::RangeName NsysHostReader::named(std::string_view text, size_t domain,
                                                bool may_be_module) {
  if (may_be_module && may_name_module(text)) return module_named(text, domain);
  RangeName name;
  name.index =
      domain == 0 ? ids_.range_name(text) : ids_.range_name(text, {{}, domain_keys_[domain]});
  name.nccl = nccl_range(text);
  return name;
}

NsysHostReader::RangeName NsysHostReader::module_named(std::string_view text, size_t domain) {
  // Each text is looked into once, unless it is of a domain.
  const uint32_t number = domain == 0 ? module_texts_.add(text) : 0;
  if (domain == 0 && number < module_names_.size()) return module_names_[number];
  const std::string module = module_of_text(text);
  RangeName name;
  if (module.empty()) {
    name = named(text, domain, false);
  } else if (names_only_) {
    name = {ids_.range_name(module), true};
  } else {
    name = {ids_.range_name(module, {std::string(text), domain_keys_[domain]}), true};
  }
  if (domain == 0) module_names_.push_back(name);
  return name;
}

void NsysHostReader::add_node(const Cells& cells) {
  const auto node = number_in(cells, node_number);
  const auto global_tid = number_in(cells, node_thread);
  if (!node || !global_tid || cells[node_start].type != Type::integer) {
    add_dropped("node of a CUDA graph without an id, a thread or a time");
    return;
  }
  out_->nodes.push_back({*node, number_in(cells, node_original), *global_tid >> nsys_process_shift,
                         cells[node_start].integer, thread(*global_tid, false)});
}

}  // namespace kr::trace
