#include "trace/readers/nvtx_payload.hpp"

#include <cstring>
#include <iterator>
#include <optional>

namespace kr::trace {
namespace {

/// Domain, schema, bytes that follow, and bytes with the header.
constexpr size_t header_bytes = 32;
/// Types from here on are schemas and enums of the same domain.
constexpr int64_t first_own_type = int64_t{1} << 24;
/// A schema whose values have fixed places.
constexpr int64_t static_schema = 1;
/// A pointer, an offset or an array (nvToolsExtPayload.h); other flags say what the value means.
constexpr int64_t not_plain = 0xfe;

struct NumberType {
  unsigned bytes = 0;  // 0: it is no number that is read
  bool is_signed = false;
};

/// As NVTX_PAYLOAD_ENTRY_TYPE_… numbers them, on 64-bit Linux.
NumberType number_type(int64_t type) {
  constexpr NumberType types[] = {
      {},         {1, true}, {1, false}, {2, true}, {2, false}, {4, true}, {4, false}, {8, true},
      {8, false}, {8, true}, {8, false}, {1, true}, {1, false}, {2, true}, {2, false}, {4, true},
      {4, false}, {8, true}, {8, false}, {},        {},         {},        {8, false}, {8, false}};
  const bool known = type >= 0 && type < static_cast<int64_t>(std::size(types));
  return known ? types[type] : NumberType{};
}

uint64_t unsigned_at(const char* at, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, at, bytes);  // little-endian, as all machines that kr runs on
  return value;
}

uint64_t number_at(const char* at, NumberType type) {
  uint64_t value = unsigned_at(at, type.bytes);
  if (!type.is_signed || type.bytes == sizeof value) return value;
  const unsigned bits = type.bytes * 8;
  if ((value >> (bits - 1) & 1) != 0) value |= ~uint64_t{0} << bits;
  return value;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

/// Of the first two columns.
std::optional<NvtxSchemaId> schema_id(const sqlite::Statement& row) {
  const auto domain = row.whole_number(0), number = row.whole_number(1);
  if (!domain || !number) return std::nullopt;
  return NvtxSchemaId{static_cast<uint64_t>(*domain), static_cast<uint64_t>(*number)};
}

/// Calls `add(id, row)` for each row of a table, if there is one, that says which schema it is of.
template <class Add>
void each_schema_row(const SqliteTables& schema, const TableScan& table, const Add& add) {
  auto rows = schema.rows(table);
  while (rows && rows->step()) {
    if (const auto id = schema_id(*rows)) add(*id, *rows);
  }
}

}  // namespace

NvtxPayloadSchemas::NvtxPayloadSchemas(const SqliteTables& schema) {
  using Row = sqlite::Statement;
  each_schema_row(schema, {"NVTX_PAYLOAD_SCHEMAS", {"domainId", "schemaId", {"type", "NULL"}}},
                  [this](NvtxSchemaId id, const Row& row) {
                    const int64_t type = row.whole_number(2).value_or(static_schema);
                    add_schema(id, type == static_schema);
                  });
  each_schema_row(
      schema,
      {"NVTX_PAYLOAD_SCHEMA_ENTRIES",
       {"domainId",
        "schemaId",
        "idx",
        "type",
        {"name", "NULL"},
        {"offset", "NULL"},
        {"flags", "NULL"},
        {"arrayOrUnionDetail", "NULL"}}},
      [this](NvtxSchemaId id, const Row& row) {
        const auto place = row.whole_number(2), type = row.whole_number(3);
        if (!place || !type) return;
        // The first value has none.
        const auto offset = row.is_null(5) ? std::optional<int64_t>(0) : row.whole_number(5);
        const bool plain = offset && (row.whole_number(6).value_or(0) & not_plain) == 0 &&
                           row.whole_number(7).value_or(0) == 0;
        add_entry(
            id, *place,
            {std::string(row.text(4)), *type, static_cast<uint64_t>(offset.value_or(0)), plain});
      });
  each_schema_row(
      schema, {"NVTX_PAYLOAD_ENUMS", {"domainId", "schemaId", {"size", "4"}}},
      [this](NvtxSchemaId id, const Row& row) { add_enum(id, row.whole_number(2).value_or(4)); });
  each_schema_row(
      schema, {"NVTX_PAYLOAD_ENUM_ENTRIES", {"domainId", "schemaId", "value", {"name", "NULL"}}},
      [this](NvtxSchemaId id, const Row& row) {
        if (const auto value = row.whole_number(2)) add_label(id, *value, std::string(row.text(3)));
      });
}

void NvtxPayloadSchemas::add_schema(NvtxSchemaId id, bool readable) {
  Schema& one = schemas_[id];
  one.readable = one.readable && readable;
}

void NvtxPayloadSchemas::add_entry(NvtxSchemaId id, int64_t place, const NvtxEntry& entry) {
  Schema& one = schemas_[id];
  const auto [at, added] = one.entries.try_emplace(place, entry);
  // Every process defines it anew.
  if (!added && at->second != entry) one.ambiguous = true;
}

void NvtxPayloadSchemas::add_enum(NvtxSchemaId id, int64_t bytes) {
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return;
  enums_[id].bytes = static_cast<unsigned>(bytes);
}

void NvtxPayloadSchemas::add_label(NvtxSchemaId id, int64_t value, const std::string& label) {
  const auto [at, added] = enums_[id].labels.try_emplace(static_cast<uint64_t>(value), label);
  if (!added && at->second != label) at->second.clear();
}

NvtxPayloadFault NvtxPayloadSchemas::decode(std::string_view payload,
                                            std::vector<NvtxField>& fields) const {
  fields.clear();
  if (payload.size() < header_bytes) return NvtxPayloadFault::short_header;
  const uint64_t domain = unsigned_at(payload.data(), 8);
  const auto at = schemas_.find({domain, unsigned_at(payload.data() + 8, 8)});
  if (at == schemas_.end() || !at->second.readable || at->second.entries.empty()) {
    return NvtxPayloadFault::unknown_schema;
  }
  if (at->second.ambiguous) return NvtxPayloadFault::ambiguous_schema;
  const uint64_t size = unsigned_at(payload.data() + 16, 8);
  payload.remove_prefix(header_bytes);
  if (size > payload.size()) return NvtxPayloadFault::cut_off;
  for (const auto& [place, entry] : at->second.entries) {
    if (!entry.plain) continue;
    NumberType type = number_type(entry.type);
    const Enum* labels = nullptr;
    if (entry.type >= first_own_type) {
      const auto own = enums_.find({domain, static_cast<uint64_t>(entry.type)});
      if (own == enums_.end()) continue;
      labels = &own->second;
      type = {labels->bytes, true};
    }
    if (type.bytes == 0) continue;
    if (entry.offset > size || size - entry.offset < type.bytes) {
      fields.clear();
      return NvtxPayloadFault::cut_off;
    }
    NvtxField& field = fields.emplace_back();
    field.name = entry.name;
    field.value = number_at(payload.data() + entry.offset, type);
    if (labels == nullptr) continue;
    const auto label = labels->labels.find(field.value);
    if (label != labels->labels.end()) field.label = label->second;
  }
  return NvtxPayloadFault::none;
}

std::string_view nvtx_payload_bytes(const sqlite::Statement& row, int column, std::string& buffer) {
  const std::string_view bytes = row.text(column);
  if (row.type(column) != sqlite::Statement::Type::text || bytes.size() % 2 != 0) return bytes;
  buffer.clear();
  for (size_t i = 0; i < bytes.size(); i += 2) {
    const auto high = hex_digit(bytes[i]), low = hex_digit(bytes[i + 1]);
    if (!high || !low) return bytes;
    buffer += static_cast<char>(*high << 4 | *low);
  }
  return buffer;
}

}  // namespace kr::trace
