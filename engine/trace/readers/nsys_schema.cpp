#include "trace/readers/nsys_schema.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace kr {
namespace {

using namespace std::string_view_literals;

constexpr std::array nsys_tables{
    "StringIds"sv,        "META_DATA_EXPORT"sv, "EXPORT_META_DATA"sv,  "META_DATA_CAPTURE"sv,
    "NVTX_EVENTS"sv,      "OSRT_API"sv,         "TARGET_INFO_GPU"sv,   "TARGET_INFO_SYSTEM_ENV"sv,
    "ANALYSIS_DETAILS"sv, "ANALYSIS_FILE"sv,    "PROFILER_OVERHEAD"sv, "GPU_METRICS"sv,
    "COMPOSITE_EVENTS"sv, "SCHED_EVENTS"sv};

}  // namespace

NsysSchema::NsysSchema(const sqlite::Database& database) : database_(&database) {
  auto rows = database.prepare(
      "SELECT name, type = 'view' FROM sqlite_master WHERE type IN ('table', 'view')");
  while (rows.step()) tables_.push_back({std::string(rows.text(0)), rows.integer(1) != 0});
}

const NsysSchema::Table* NsysSchema::find(std::string_view name) const {
  const auto at = std::find_if(tables_.begin(), tables_.end(),
                               [&](const Table& table) { return table.name == name; });
  return at == tables_.end() ? nullptr : &*at;
}

bool NsysSchema::has(std::string_view table) const {
  return find(table) != nullptr;
}

bool NsysSchema::is_nsys() const {
  return std::any_of(tables_.begin(), tables_.end(), [](const Table& table) {
    return table.name.starts_with("CUPTI_ACTIVITY_KIND_") ||
           std::find(nsys_tables.begin(), nsys_tables.end(), table.name) != nsys_tables.end();
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

bool NsysSchema::has_row_ids(std::string_view table) const {
  const Table* found = find(table);
  if (found == nullptr || found->view) return false;
  auto query = database_->prepare(
      "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ?1 AND wr = 0");
  query.bind(1, table);
  return query.step();
}

NsysColumns::NsysColumns(const sqlite::Database& database, std::string_view table) {
  auto rows = database.prepare("SELECT name, type, pk, \"notnull\" FROM pragma_table_info(?1)");
  rows.bind(1, table);
  size_t keys = 0;
  while (rows.step()) {
    columns_.push_back({std::string(rows.text(0)), rows.integer(3) != 0});
    if (rows.integer(2) == 0) continue;
    ++keys;
    if (rows.text(1) == "INTEGER") key_ = columns_.back().name;
  }
  if (keys != 1) key_.clear();
}

const NsysColumns::Column* NsysColumns::find(std::string_view name) const {
  const auto at = std::find_if(columns_.begin(), columns_.end(),
                               [&](const Column& column) { return column.name == name; });
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

}  // namespace kr
