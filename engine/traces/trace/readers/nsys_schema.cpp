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

sqlite::Statement pragma(const sqlite::Database& database, const char* what,
                         std::string_view table) {
  return database.prepare(fmt::format("PRAGMA main.{}({})", what, sqlite::quoted(table)));
}

constexpr std::array nsys_tables{
    "StringIds"sv,        "META_DATA_EXPORT"sv, "EXPORT_META_DATA"sv,  "META_DATA_CAPTURE"sv,
    "NVTX_EVENTS"sv,      "OSRT_API"sv,         "TARGET_INFO_GPU"sv,   "TARGET_INFO_SYSTEM_ENV"sv,
    "ANALYSIS_DETAILS"sv, "ANALYSIS_FILE"sv,    "PROFILER_OVERHEAD"sv, "GPU_METRICS"sv,
    "COMPOSITE_EVENTS"sv, "SCHED_EVENTS"sv};

/// Those of a table of labels by number; exports before 2022.4 have none.
std::map<int64_t, std::string> labels_of(const sqlite::Database& database, const NsysSchema& schema,
                                         const char* table,
                                         std::span<const std::string_view> known) {
  std::map<int64_t, std::string> labels;
  for (const std::string_view label : known) {
    labels.emplace(static_cast<int64_t>(labels.size()), label);
  }
  if (!schema.has(table)) return labels;
  const NsysColumns columns(database, table);
  if (!columns.has("id") || !columns.has("label")) return labels;
  auto rows = database.prepare(fmt::format("SELECT \"id\", \"label\" FROM {}", nsys_table(table)));
  while (rows.step()) {
    const auto id = rows.whole_number(0);
    if (id && !rows.text(1).empty()) labels[*id] = rows.text(1);
  }
  return labels;
}

}  // namespace

// SQLite itself writes how a description begins, and takes one of another kind or name than its row
// says for damage.
NsysSchema::NsysSchema(const sqlite::Database& database) : database_(&database) {
  auto rows = database.prepare(
      "SELECT name, type, sql FROM main.sqlite_master WHERE type IN ('table', 'view')");
  while (rows.step()) {
    const bool stored = rows.text(1) == "table" && rows.text(2).starts_with("CREATE TABLE ");
    tables_.push_back({std::string(rows.text(0)), stored});
  }
}

const NsysSchema::Table* NsysSchema::find(std::string_view name) const {
  const auto at = std::find_if(tables_.begin(), tables_.end(), [&](const Table& table) {
    return same_ignoring_case(table.name, name);
  });
  return at == tables_.end() ? nullptr : &*at;
}

bool NsysSchema::has(std::string_view table) const {
  const Table* const found = find(table);
  return found != nullptr && found->stored;
}

bool NsysSchema::has_other(std::string_view name) const {
  const Table* const found = find(name);
  return found != nullptr && !found->stored;
}

bool NsysSchema::is_nsys() const {
  return std::any_of(tables_.begin(), tables_.end(), [](const Table& table) {
    return begins(table.name, "CUPTI_ACTIVITY_KIND_") ||
           std::any_of(nsys_tables.begin(), nsys_tables.end(), [&](std::string_view known) {
             return same_ignoring_case(table.name, known);
           });
  });
}

std::string NsysSchema::some_tables() const {
  constexpr size_t shown = 5;
  std::string out;
  for (size_t i = 0; i < std::min(shown, tables_.size()); ++i) {
    if (i != 0) out += ", ";
    out += tables_[i].name;
  }
  return tables_.size() > shown ? out + ", …" : out;
}

bool NsysSchema::is_rocm() const {
  return std::any_of(tables_.begin(), tables_.end(),
                     [](const Table& table) { return begins(table.name, "rocpd_"); });
}

std::vector<std::string> NsysSchema::unread_work(std::span<const std::string_view> read) const {
  constexpr std::array works{"KERNEL"sv, "KIND_MEMCPY"sv, "KIND_MEMSET"sv, "KIND_GRAPH_TRACE"sv};
  std::vector<std::string> found;
  for (const Table& table : tables_) {
    const auto is_named = [&](std::string_view name) {
      return same_ignoring_case(table.name, name);
    };
    const bool work = std::any_of(works.begin(), works.end(), [&](std::string_view word) {
      return table.name.find(word) != table.name.npos;
    });
    if (!table.stored || !work || std::any_of(read.begin(), read.end(), is_named)) continue;
    const NsysColumns columns(*database_, table.name);
    if (!columns.has("start") || !columns.has("end")) continue;
    auto rows = database_->prepare(fmt::format("SELECT 1 FROM {} LIMIT 1", nsys_table(table.name)));
    if (rows.step()) found.push_back(table.name);
  }
  return found;
}

const char* NsysSchema::row_id(std::string_view table) const {
  const NsysColumns columns(*database_, table);
  for (const char* const name : {"_rowid_", "rowid", "oid"}) {
    if (columns.has(name)) continue;
    if (!database_->can_prepare(fmt::format("SELECT {} FROM {}", name, nsys_table(table)))) break;
    return name;
  }
  return nullptr;
}

NsysColumns::NsysColumns(const sqlite::Database& database, std::string_view table) {
  enum Field { id, name, type, not_null, otherwise, key, hidden };
  constexpr int64_t computed = 2;
  auto rows = pragma(database, "table_xinfo", table);
  size_t keys = 0;
  while (rows.step()) {
    columns_.push_back({std::string(rows.text(name)), rows.integer(not_null) != 0});
    if (rows.integer(hidden) == computed) ++computed_;
    if (rows.integer(key) == 0) continue;
    ++keys;
    if (same_ignoring_case(rows.text(type), "INTEGER")) key_ = columns_.back().name;
  }
  if (keys != 1) key_.clear();
  if (key_.empty()) return;
  // A key that has an index is not the number of the row.
  auto indices = pragma(database, "index_list", table);
  while (indices.step()) {
    if (indices.text(3) == "pk") key_.clear();
  }
}

bool NsysColumns::is_key(std::string_view column) const {
  return !key_.empty() && same_ignoring_case(key_, column);
}

const NsysColumns::Column* NsysColumns::find(std::string_view name) const {
  const auto at = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
    return same_ignoring_case(column.name, name);
  });
  return at == columns_.end() ? nullptr : &*at;
}

std::string NsysColumns::or_else(std::string_view column, std::string_view otherwise) const {
  return has(column) ? sqlite::quoted(column) : std::string(otherwise);
}

std::string NsysColumns::first_of(const std::vector<std::string_view>& columns) const {
  std::string out;
  size_t found = 0;
  for (const std::string_view column : columns) {
    const Column* known = find(column);
    if (known == nullptr) continue;
    if (found++ != 0) out += ", ";
    out += sqlite::quoted(column);
    if (known->never_null) break;
  }
  if (found == 0) return "NULL";
  return found == 1 ? out : "coalesce(" + out + ")";
}

std::string nsys_table(std::string_view table) {
  return fmt::format("main.{} NOT INDEXED", sqlite::quoted(table));
}

NsysLabels::NsysLabels(const sqlite::Database& database, const NsysSchema& schema,
                       TraceBuilder& out) {
  read_strings(database, schema, out);
  read_copies(database, schema);
  read_processes(database, schema);
  read_devices(database, schema);
}

void NsysLabels::read_strings(const sqlite::Database& database, const NsysSchema& schema,
                              TraceBuilder& out) {
  constexpr const char* table = "StringIds";
  if (!schema.has(table)) return;
  const NsysColumns columns(database, table);
  if (!columns.has("id") || !columns.has("value")) return;
  strings_have_key = columns.is_key("id");
  if (strings_have_key) return;
  auto rows = database.prepare(fmt::format("SELECT \"id\", \"value\" FROM {}", nsys_table(table)));
  while (rows.step()) {
    const auto id = rows.whole_number(0);
    if (!id || rows.is_null(1)) continue;
    const auto [known, added] = strings.try_emplace(*id, rows.text(1));
    if (!added && known->second != rows.text(1)) {
      out.add_dropped("id of two strings: the first is used", static_cast<uint64_t>(*id));
    }
  }
}

void NsysLabels::read_copies(const sqlite::Database& database, const NsysSchema& schema) {
  copies_ = labels_of(database, schema, "ENUM_CUDA_MEMCPY_OPER", copy_kinds);
}

void NsysLabels::read_devices(const sqlite::Database& database, const NsysSchema& schema) {
  constexpr const char* table = "TARGET_INFO_GPU";
  if (!schema.has(table)) return;
  const NsysColumns columns(database, table);
  const std::string number =
      numbered_by_process.empty() ? columns.first_of({"cuDevice", "id"}) : columns.first_of({"id"});
  if (number == "NULL" || !columns.has("name")) return;
  auto rows =
      database.prepare(fmt::format("SELECT {}, \"name\" FROM {}", number, nsys_table(table)));
  while (rows.step()) {
    const auto id = rows.whole_number(0);
    if (id && !rows.text(1).empty()) devices.emplace(*id, rows.text(1));
  }
}

void NsysLabels::read_processes(const sqlite::Database& database, const NsysSchema& schema) {
  constexpr const char* table = "TARGET_INFO_CUDA_DEVICE";
  if (!schema.has(table)) return;
  const NsysColumns columns(database, table);
  for (const std::string_view needed : {"pid", "cudaId", "gpuId"}) {
    if (!columns.has(needed)) return;
  }
  for (const char* const kind : {"KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"}) {
    const std::string operations = fmt::format("CUPTI_ACTIVITY_KIND_{}", kind);
    if (schema.has(operations) && !NsysColumns(database, operations).has("globalPid")) return;
  }
  auto rows = database.prepare(
      fmt::format("SELECT \"pid\", \"cudaId\", \"gpuId\" FROM {}", nsys_table(table)));
  std::set<NsysDevice> found;
  std::map<int64_t, int64_t> gpu_of;  // by number
  bool several = false;
  while (rows.step()) {
    const auto process = rows.whole_number(0);
    const auto number = rows.whole_number(1);
    const auto gpu = rows.whole_number(2);
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

std::map<int64_t, std::string> nsys_memory_kinds(const sqlite::Database& database,
                                                 const NsysSchema& schema) {
  return labels_of(database, schema, "ENUM_CUDA_MEM_KIND", memory_kinds);
}

NsysStrings::NsysStrings(const sqlite::Database& database, const NsysLabels& labels)
    : labels_(&labels) {
  if (!labels.strings_have_key) return;
  query_.emplace(database.prepare(
      fmt::format("SELECT \"value\" FROM {} WHERE \"id\" = ?1", nsys_table("StringIds"))));
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
