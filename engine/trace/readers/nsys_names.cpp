#include "trace/readers/nsys_names.hpp"

#include <fmt/format.h>

#include "trace/readers/copy_kinds.hpp"

namespace kr::trace {

NsysLabels::NsysLabels(const sqlite::Database& database, const NsysSchema& schema,
                       TraceBuilder& out) {
  read_strings(database, schema, out);
  read_copies(database, schema);
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
      out.loss("id of two strings: the first is used", static_cast<uint64_t>(*id));
    }
  }
}

void NsysLabels::read_copies(const sqlite::Database& database, const NsysSchema& schema) {
  // For exports before 2022.4, which have no table of them.
  for (size_t kind = 0; kind < copy_kinds.size(); ++kind) {
    copies_[static_cast<int64_t>(kind)] = copy_kinds[kind];
  }
  constexpr const char* table = "ENUM_CUDA_MEMCPY_OPER";
  if (!schema.has(table)) return;
  const NsysColumns columns(database, table);
  if (!columns.has("id") || !columns.has("label")) return;
  auto rows = database.prepare(fmt::format("SELECT \"id\", \"label\" FROM {}", nsys_table(table)));
  while (rows.step()) {
    const auto id = rows.whole_number(0);
    if (id && !rows.text(1).empty()) copies_[*id] = rows.text(1);
  }
}

void NsysLabels::read_devices(const sqlite::Database& database, const NsysSchema& schema) {
  constexpr const char* table = "TARGET_INFO_GPU";
  if (!schema.has(table)) return;
  const NsysColumns columns(database, table);
  const std::string number = columns.first_of({"cuDevice", "id"});
  if (number == "NULL" || !columns.has("name")) return;
  auto rows =
      database.prepare(fmt::format("SELECT {}, \"name\" FROM {}", number, nsys_table(table)));
  while (rows.step()) {
    const auto id = rows.whole_number(0);
    if (id && !rows.text(1).empty()) devices.emplace(*id, rows.text(1));
  }
}

std::string NsysLabels::copy(int64_t kind, bool& known) const {
  const auto label = copies_.find(kind);
  known = label != copies_.end();
  return known ? fmt::format("[CUDA memcpy {}]", label->second)
               : fmt::format("[CUDA memcpy kind {}]", kind);
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
