#include "trace/readers/nsys_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "trace/readers/module_text.hpp"
#include "trace/readers/nsys_rows.hpp"

namespace kr::trace {
namespace {

constexpr uint64_t bytes_a_host_row = 32;  // that a thread reads at a time: 8,192 rows, mostly
/// Copies of copies: a graph that is cloned, and made ready to launch.
constexpr size_t max_copies = 64;

}  // namespace

NsysHost::NsysHost(const SqliteTables& schema, const NsysLabels& labels, const OpenOptions& options,
                   TraceBuilder& out)
    : schema_(&schema),
      labels_(&labels),
      options_(&options),
      out_(&out),
      by_process_(identified_by_process()) {
  if (names_only()) return;
  out.host();
  if (options.collectives) payloads_ = NvtxPayloadSchemas(schema);
  wants_nodes_ = usable(NsysHostTable::nodes);
}

/// Whether calls and operations both name their process; else ids are taken to be of one.
bool NsysHost::identified_by_process() const {
  const auto has = [this](std::string_view table, std::string_view column) {
    return !schema_->has(table) || schema_->columns(table).has(column);
  };
  return has(name_of(NsysHostTable::calls), "globalTid") &&
         has(name_of(NsysTable::kernel), "globalPid") &&
         has(name_of(NsysTable::memcpy), "globalPid") &&
         has(name_of(NsysTable::memset), "globalPid") &&
         has(name_of(NsysTable::graph), "globalPid");
}

bool NsysHost::usable(NsysHostTable table) {
  if (!schema_->has(name_of(table))) return false;
  if (has_columns(*schema_, table)) return true;
  if (names_only()) return false;
  switch (table) {
    case NsysHostTable::calls:
      out_->add_dropped("table of CUDA calls without times or correlations", 0);
      break;
    case NsysHostTable::ranges:
      out_->add_dropped("table of NVTX events without the columns of ranges", 0);
      break;
    case NsysHostTable::nodes:
      out_->add_dropped("table of nodes of CUDA graphs without the columns of their creation", 0);
      break;
  }
  return false;
}

// CUPTI counts correlation ids in 32 bits; one that needs more is not one of them.
int64_t NsysHost::correlation(int64_t global_pid, int64_t id) {
  if (id < 0 || id > std::numeric_limits<uint32_t>::max()) return Launch::no_correlation;
  const int64_t process = global_pid >> nsys_process_shift;
  // 0 where the table does not say it.
  if (process != last_process_ && (by_process_ || process != 0)) {
    last_number_ = processes_.add(process);
    last_process_ = process;
  }
  return by_process_ ? last_number_ << 32 | id : id;
}

void NsysHost::note_processes() {
  if (by_process_ || processes_.size() < 2) return;
  out_->warn("missing-columns",
             fmt::format("calls and operations are of {} processes, but not every table says of "
                         "which (`globalPid`, `globalTid`): operations may be linked to calls of "
                         "another process",
                         processes_.size()));
}

uint32_t NsysHost::node_number(int64_t process, int64_t number) {
  const uint32_t node = nodes_.add(Node{by_process_ ? process : 0, number});
  if (node == origins_.size()) origins_.emplace_back();
  return node;
}

void NsysHost::node(size_t operation, int64_t global_pid, int64_t node) {
  any_node_ = true;
  out_->created(operation, node_number(global_pid >> nsys_process_shift, node));
}

bool NsysHost::read() {
  SqliteScan scan(*schema_, *options_, bytes_a_host_row);
  const auto add = [&](NsysHostTable table) {
    if (usable(table)) scan.add(static_cast<size_t>(table), name_of(table));
  };
  if (!names_only()) add(NsysHostTable::calls);
  add(NsysHostTable::ranges);
  if (any_node_) add(NsysHostTable::nodes);
  scan.read<NsysHostRows>(
      [this] {
        return std::make_shared<NsysHostReader>(schema_->database().again(), *schema_, *labels_,
                                                payloads_, names_only());
      },
      [this](NsysHostRows& rows) { merge(rows); });
  note_not_found(scan);
  note_processes();
  resolve_nodes();
  if (!payloads_.empty()) nccl_.finish(*out_);
  name_domains();
  add_module_ops();
  read_cut_steps();
  return scan.whole() || names_only();
}

void NsysHost::read_cut_steps() {
  if (names_only() || !schema_->has(nsys_cut_steps)) return;
  if (!schema_->columns(nsys_cut_steps).has("start")) return;
  auto rows = schema_->database().prepare(
      fmt::format("SELECT start FROM main.{} ORDER BY start", nsys_cut_steps));
  while (rows.step()) {
    if (const auto start_ns = rows.whole_number(0)) out_->host().cut_steps.push_back(*start_ns);
  }
}

void NsysHost::note_not_found(const SqliteScan& scan) {
  if (names_only() || options_->allow_truncated) return;
  for (const SqliteScan::Table& table : scan.tables()) {
    const uint64_t all = scan.rows(table);
    if (all <= table.met) continue;
    out_->add_dropped(fmt::format("row of {} that is not found by its number", table.name), 0,
                      all - table.met);
  }
}

void NsysHost::merge(NsysHostRows& rows) {
  for (size_t i = 0; i < rows.launches.size(); ++i) {
    Launch& launch = rows.launches[i];
    if (launch.correlation == Launch::no_correlation) continue;
    launch.correlation = correlation(rows.processes[i], launch.correlation);
  }
  add_block(rows, *out_);
  for (const NsysNodeEvent& event : rows.nodes) add_node_event(event, *rows.ids);
  for (const auto& [key, name] : rows.domains) domains_.emplace(key, name);
  for (NcclEvent event : rows.nccl_events) {
    event.thread = rows.ids->threads[event.thread];
    if (event.call != NcclEvent::no_call) event.call = nccl_.call(rows.nccl_calls[event.call]);
    nccl_.add(event);
  }
}

void NsysHost::add_node_event(const NsysNodeEvent& event, const TraceIds& ids) {
  const uint32_t node = node_number(event.process, event.node);
  if (event.original && *event.original != event.node) {
    const uint32_t original = node_number(event.process, *event.original);
    uint32_t& known = origins_[node].copied_from;
    if (known != HostRange::none && known != original) origins_[node].several = true;
    known = original;
    return;
  }
  GrowingArray<NodeCreation>& creations = out_->host().creations;
  uint32_t& creation = origins_[node].creation;
  if (creation != HostRange::none && creations[creation].time_ns <= event.time_ns) return;
  creation = static_cast<uint32_t>(creations.size());
  creations.push_back({event.time_ns, ids.threads[event.thread]});
}

// A copy is announced as created, too, before it is said to be one.
uint32_t NsysHost::creation_of(uint32_t node) const {
  for (size_t copies = 0; copies <= max_copies; ++copies) {
    const Origin& origin = origins_[node];
    if (origin.several) return HostRange::none;
    if (origin.copied_from == HostRange::none) return origin.creation;
    node = origin.copied_from;
  }
  return HostRange::none;
}

void NsysHost::resolve_nodes() {
  if (!any_node_) return;
  uint64_t unknown = 0;
  for (uint32_t& created : out_->host().creation_of) {
    if (created == HostRange::none) continue;
    created = creation_of(created);
    if (created == HostRange::none) ++unknown;
  }
  if (unknown != 0) {
    out_->add_dropped("operation of a CUDA graph whose node has no known creation", 0, unknown);
  }
}

// Until all is read, a domain is identified by its process and number.
void NsysHost::name_domains() {
  if (names_only()) return;
  for (RangeText& text : out_->host().range_texts) {
    if (text.domain.empty()) continue;
    const auto known = domains_.find(text.domain);
    text.domain = known != domains_.end()
                      ? known->second
                      : fmt::format("(domain {})", text.domain.substr(text.domain.find(' ') + 1));
  }
}

// Ranges of modules that contain shapes are calls of ops, for costs.
void NsysHost::add_module_ops() {
  if (!options_->ops || names_only()) return;
  constexpr uint32_t no_op = UINT32_MAX, not_yet = UINT32_MAX - 1;
  const HostTrace& host = out_->host();
  if (host.range_texts.empty()) return;
  std::vector<uint32_t> op_of(host.range_texts.size(), not_yet);  // by name of ranges
  for (const HostRange& range : host.ranges) {
    if (range.kind != HostRange::Kind::module || range.name >= op_of.size()) continue;
    uint32_t& op = op_of[range.name];
    if (op == not_yet) {
      const std::string& text = host.range_texts[range.name].text;
      HostOp one{"nn.Module: " + host.range_names[range.name], module_arguments(text)};
      op = one.arguments.empty() ? no_op : out_->op(text, one);
    }
    if (op == no_op) continue;
    out_->ops().calls.push_back({range.start_ns, range.end_ns, op, range.thread});
  }
}

}  // namespace kr::trace
