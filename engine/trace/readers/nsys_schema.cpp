#include "trace/readers/nsys_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/error.hpp"

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

}  // namespace kr::trace
