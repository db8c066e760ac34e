#include "trace/readers/nsys_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "trace/readers/copy_kinds.hpp"

namespace kr::trace {
namespace {

using namespace std::string_view_literals;

bool begins(std::string_view text, std::string_view head) {
  return same_ignoring_case(text.substr(0, head.size()), head);
}

constexpr std::array nsys_tables{
    "StringIds"sv,        "META_DATA_EXPORT"sv, "EXPORT_META_DATA"sv,  "META_DATA_CAPTURE"sv,
    "NVTX_EVENTS"sv,      "OSRT_API"sv,         "TARGET_INFO_GPU"sv,   "TARGET_INFO_SYSTEM_ENV"sv,
    "ANALYSIS_DETAILS"sv, "ANALYSIS_FILE"sv,    "PROFILER_OVERHEAD"sv, "GPU_METRICS"sv,
    "COMPOSITE_EVENTS"sv, "SCHED_EVENTS"sv};

/// Those of a table of labels by number; exports before 2022.4 have none.
std::map<int64_t, std::string> labels_of(const SqliteTables& schema, const char* table,
                                         std::span<const std::string_view> known) {
  std::map<int64_t, std::string> labels;
  for (const std::string_view label : known) {
    labels.emplace(static_cast<int64_t>(labels.size()), label);
  }
  auto rows = schema.rows({table, {"id", "label"}});
  while (rows && rows->step()) {
    const auto id = rows->whole_number(0);
    if (id && !rows->text(1).empty()) labels[*id] = rows->text(1);
  }
  return labels;
}

}  // namespace

bool is_nsys(const SqliteTables& schema) {
  const auto names = schema.names(false);
  return std::any_of(names.begin(), names.end(), [](std::string_view table) {
    return begins(table, "CUPTI_ACTIVITY_KIND_") ||
           std::any_of(nsys_tables.begin(), nsys_tables.end(),
                       [&](std::string_view known) { return same_ignoring_case(table, known); });
  });
}

std::vector<std::string> unread_work(const SqliteTables& schema,
                                     std::span<const std::string_view> read) {
  constexpr std::array works{"KERNEL"sv, "KIND_MEMCPY"sv, "KIND_MEMSET"sv, "KIND_GRAPH_TRACE"sv};
  std::vector<std::string> found;
  for (const std::string_view table : schema.names(true)) {
    const auto is_named = [&](std::string_view name) { return same_ignoring_case(table, name); };
    const bool work = std::any_of(works.begin(), works.end(), [&](std::string_view word) {
      return table.find(word) != table.npos;
    });
    if (!work || std::any_of(read.begin(), read.end(), is_named)) continue;
    const SqliteColumns columns = schema.columns(table);
    if (!columns.has("start") || !columns.has("end")) continue;
    auto rows =
        schema.database().prepare(fmt::format("SELECT 1 FROM {} LIMIT 1", sqlite_table(table)));
    if (rows.step()) found.emplace_back(table);
  }
  return found;
}

NsysLabels::NsysLabels(const SqliteTables& schema, TraceBuilder& out)
    : copies_(labels_of(schema, "ENUM_CUDA_MEMCPY_OPER", copy_kinds)) {
  read_strings(schema, out);
  read_processes(schema);
  read_devices(schema);
}

void NsysLabels::read_strings(const SqliteTables& schema, TraceBuilder& out) {
  constexpr const char* table = "StringIds";
  auto rows = schema.rows({table, {"id", "value"}});
  strings_have_key = rows && schema.columns(table).is_key("id");
  if (!rows || strings_have_key) return;
  while (rows->step()) {
    const auto id = rows->whole_number(0);
    if (!id || rows->is_null(1)) continue;
    const auto [known, added] = strings.try_emplace(*id, rows->text(1));
    if (!added && known->second != rows->text(1)) {
      out.add_dropped("id of two strings: the first is used", static_cast<uint64_t>(*id));
    }
  }
}

void NsysLabels::read_devices(const SqliteTables& schema) {
  const ScanColumn number =
      numbered_by_process.empty() ? ScanColumn::first_of({"cuDevice", "id"}) : ScanColumn("id");
  auto rows = schema.rows({"TARGET_INFO_GPU", {number, "name"}});
  while (rows && rows->step()) {
    const auto id = rows->whole_number(0);
    if (id && !rows->text(1).empty()) devices.emplace(*id, rows->text(1));
  }
}

void NsysLabels::read_processes(const SqliteTables& schema) {
  auto rows = schema.rows({"TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"}});
  if (!rows) return;
  for (const char* const kind : {"KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"}) {
    const std::string operations = fmt::format("CUPTI_ACTIVITY_KIND_{}", kind);
    if (schema.has(operations) && !schema.columns(operations).has("globalPid")) return;
  }
  std::set<NsysDevice> found;
  std::map<int64_t, int64_t> gpu_of;  // by number
  bool several = false;
  while (rows->step()) {
    const auto process = rows->whole_number(0);
    const auto number = rows->whole_number(1);
    const auto gpu = rows->whole_number(2);
    if (!process || !number || !gpu || *gpu < 0 || *gpu > std::numeric_limits<int32_t>::max()) {
      continue;
    }
    found.insert({*process, *number, *gpu});
    several |= gpu_of.try_emplace(*number, *gpu).first->second != *gpu;
  }
  if (several) numbered_by_process.assign(found.begin(), found.end());
}

std::string NsysLabels::copy(int64_t kind, bool& known) const {
  const auto label = copies_.find(kind);
  known = label != copies_.end();
  return known ? fmt::format("[CUDA memcpy {}]", label->second)
               : fmt::format("[CUDA memcpy kind {}]", kind);
}

std::map<int64_t, std::string> nsys_memory_kinds(const SqliteTables& schema) {
  return labels_of(schema, "ENUM_CUDA_MEM_KIND", memory_kinds);
}

NsysStrings::NsysStrings(const sqlite::Database& database, const NsysLabels& labels)
    : labels_(&labels) {
  if (!labels.strings_have_key) return;
  query_.emplace(database.prepare(
      fmt::format("SELECT \"value\" FROM {} WHERE \"id\" = ?1", sqlite_table("StringIds"))));
}

bool NsysStrings::find(int64_t id, std::string& text) {
  if (query_) {
    query_->reset();
    query_->bind(1, id);
    const bool found = query_->step() && !query_->is_null(0);
    if (found) text = query_->text(0);
    query_->reset();
    return found;
  }
  const auto known = labels_->strings.find(id);
  if (known == labels_->strings.end()) return false;
  text = known->second;
  return true;
}

}  // namespace kr::trace
