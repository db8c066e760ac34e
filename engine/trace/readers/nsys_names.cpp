#include "trace/readers/nsys_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "trace/readers/copy_kinds.hpp"

namespace kr::trace {
namespace {

constexpr int64_t most_small = int64_t{1} << 20;

OperationKind kind_of(NsysTable table) {
  switch (table) {
    case NsysTable::memcpy:
      return OperationKind::memcpy;
    case NsysTable::memset:
      return OperationKind::memset;
    case NsysTable::kernel:
    case NsysTable::graph:
      break;
  }
  return OperationKind::kernel;
}

}  // namespace

void NameMemory::add(int64_t id, NameId name) {
  if (id < 0 || id >= most_small) {
    large_.emplace(id, name);
    return;
  }
  const auto place = static_cast<size_t>(id);
  // What was found by search before the places reached this far stays to be found.
  if (place >= small_.size()) small_.resize(std::max(place + 1, small_.size() * 2));
  small_[place] = name;
}

NsysNames::NsysNames(const sqlite::Database& database, const NsysSchema& schema, TraceBuilder& out)
    : database_(&database), schema_(&schema), out_(&out) {
  if (schema.has("StringIds")) {
    const NsysColumns columns(database, "StringIds");
    strings_ = columns.has("id") && columns.has("value");
    strings_have_key_ = columns.is_key("id");
    if (strings_ && !strings_have_key_) read_all_strings();
    if (strings_ && strings_have_key_) {
      find_string_.emplace(database.prepare(
          fmt::format("SELECT \"value\" FROM {} WHERE \"id\" = ?1", nsys_table("StringIds"))));
    }
  }
  read_copy_labels(schema);
  read_devices(schema);
}

void NsysNames::read_all_strings() {
  auto rows =
      database_->prepare(fmt::format("SELECT \"id\", \"value\" FROM {}", nsys_table("StringIds")));
  while (rows.step()) {
    const auto id = rows.whole_number(0);
    if (!id || rows.is_null(1)) continue;
    const auto [known, added] = all_strings_.try_emplace(*id, rows.text(1));
    if (!added && known->second != rows.text(1)) {
      out_->loss("id of two strings: the first is used", static_cast<uint64_t>(*id));
    }
  }
}

void NsysNames::read_copy_labels(const NsysSchema& schema) {
  // For exports before 2022.4, which have no table of them.
  for (size_t kind = 0; kind < copy_kinds.size(); ++kind) {
    copy_labels_[static_cast<int64_t>(kind)] = copy_kinds[kind];
  }
  constexpr const char* table = "ENUM_CUDA_MEMCPY_OPER";
  if (!schema.has(table)) return;
  const NsysColumns columns(*database_, table);
  if (!columns.has("id") || !columns.has("label")) return;
  auto rows =
      database_->prepare(fmt::format("SELECT \"id\", \"label\" FROM {}", nsys_table(table)));
  while (rows.step()) {
    const auto id = rows.whole_number(0);
    if (id && !rows.text(1).empty()) copy_labels_[*id] = rows.text(1);
  }
}

void NsysNames::read_devices(const NsysSchema& schema) {
  constexpr const char* table = "TARGET_INFO_GPU";
  if (!schema.has(table)) return;
  const NsysColumns columns(*database_, table);
  const std::string number = columns.first_of({"cuDevice", "id"});
  if (number == "NULL" || !columns.has("name")) return;
  auto rows =
      database_->prepare(fmt::format("SELECT {}, \"name\" FROM {}", number, nsys_table(table)));
  while (rows.step()) {
    const auto id = rows.whole_number(0);
    if (id && !rows.text(1).empty()) devices_.emplace(*id, rows.text(1));
  }
}

NameId NsysNames::name(const NsysRows& rows, const NsysRow& row) {
  const NsysTable table = rows.range.table;
  switch (row.name_form) {
    case NsysRow::Name::id:
      break;
    case NsysRow::Name::text:
      return out_->name(rows.texts[static_cast<size_t>(row.name)], kind_of(table));
    case NsysRow::Name::none:
      ++nameless_;
      return out_->name(table == NsysTable::graph ? "[CUDA graph]" : "(unnamed kernel)",
                        kind_of(table));
  }
  NameId id = met_[static_cast<size_t>(table)].find(row.name);
  if (!id.valid()) id = by_id(table, row.name);
  if (!made_up_.empty()) {
    if (const auto at = made_up_.find(id.index); at != made_up_.end()) {
      Unnamed& unnamed = unnamed_[static_cast<size_t>(at->second)];
      if (unnamed.count++ == 0) unnamed.first_id = row.name;
    }
  }
  return id;
}

NameId NsysNames::by_id(NsysTable table, int64_t id) {
  bool named = true;
  std::string text;
  switch (table) {
    case NsysTable::kernel:
      text = kernel(id, named);
      break;
    case NsysTable::memcpy:
      text = copy(id, named);
      break;
    case NsysTable::memset:
      text = "[CUDA memset]";
      break;
    case NsysTable::graph:
      text = fmt::format("[CUDA graph {}]", id);
      break;
  }
  const NameId name = out_->name(text, kind_of(table));
  met_[static_cast<size_t>(table)].add(id, name);
  if (!named) made_up_.emplace(name.index, table);
  return name;
}

std::string NsysNames::kernel(int64_t id, bool& named) {
  std::string text;
  named = find_string(id, text);
  return named ? text : fmt::format("(unnamed kernel {})", id);
}

std::string NsysNames::copy(int64_t kind, bool& named) const {
  const auto label = copy_labels_.find(kind);
  named = label != copy_labels_.end();
  return named ? fmt::format("[CUDA memcpy {}]", label->second)
               : fmt::format("[CUDA memcpy kind {}]", kind);
}

bool NsysNames::find_string(int64_t id, std::string& text) {
  if (!strings_) return false;
  if (!strings_have_key_) {
    const auto known = all_strings_.find(id);
    if (known == all_strings_.end()) return false;
    text = known->second;
    return true;
  }
  find_string_->reset();
  find_string_->bind(1, id);
  const bool found = find_string_->step() && !find_string_->is_null(0);
  if (found) text = find_string_->text(0);
  find_string_->reset();
  return found;
}

TrackId NsysNames::track(const NsysRow& row) {
  const auto place = static_cast<uint64_t>(row.device) * 8 + static_cast<uint64_t>(row.stream);
  SeenTrack& seen = seen_tracks_[place % seen_tracks_.size()];
  if (seen.id.valid() && seen.device == row.device && seen.stream == row.stream) return seen.id;
  const auto device = devices_.find(row.device);
  seen = {row.device, row.stream,
          out_->track({.device = row.device,
                       .stream = row.stream,
                       .device_name = device == devices_.end() ? "GPU" : device->second})};
  return seen.id;
}

uint64_t NsysNames::first_row(NsysTable table, int64_t id) const {
  const NsysColumns columns(*database_, name_of(table));
  const std::string name = table == NsysTable::kernel
                               ? columns.first_of({"demangledName", "mangledName", "shortName"})
                               : columns.or_else("copyKind", "0");
  const char* const row_id = schema_->row_id(name_of(table));
  if (row_id == nullptr) return 0;
  auto query = database_->prepare(fmt::format("SELECT {} FROM {} WHERE {} = ?1 LIMIT 1", row_id,
                                              nsys_table(name_of(table)), name));
  query.bind(1, id);
  return query.step() ? static_cast<uint64_t>(query.integer(0)) : 0;
}

void NsysNames::finish() {
  const auto tell = [this](NsysTable table, const char* what) {
    const Unnamed& unnamed = unnamed_[static_cast<size_t>(table)];
    if (unnamed.count == 0) return;
    out_->loss(what, first_row(table, unnamed.first_id), unnamed.count);
  };
  tell(NsysTable::kernel, "kernel name id without a string");
  tell(NsysTable::memcpy, "kind of copy without a label");
  if (nameless_ != 0) out_->loss("operation without a name", 0, nameless_);
}

}  // namespace kr::trace
