// Payloads of NVTX: values that a library attaches to a range, and the tables of an nsys export
// that say how they are laid out: at which place of the payload each entry of a schema has its
// value, and what values of an enum are called. Layouts differ between versions of a library.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.hpp"
#include "trace/readers/sqlite_tables.hpp"

namespace kr::trace {

enum class NvtxPayloadFault : uint8_t {
  none,
  short_header,      // fewer bytes than a header has
  unknown_schema,    // or one whose kind is not read: a union, values of no fixed place
  ambiguous_schema,  // two processes define it in different ways
  cut_off,           // fewer bytes than the header or the schema says
};

/// A number of a payload. Its texts are owned by the schemas.
struct NvtxField {
  std::string_view name;
  uint64_t value = 0;      // negative numbers as int64_t
  std::string_view label;  // of an enum: the name of the value; empty: it is none, or has none
};

/// Unique only among the schemas and enums of a domain.
struct NvtxSchemaId {
  uint64_t domain = 0;
  uint64_t number = 0;

  friend auto operator<=>(const NvtxSchemaId&, const NvtxSchemaId&) = default;
};

/// What a schema says of a value.
struct NvtxEntry {
  std::string name;
  int64_t type = 0;
  uint64_t offset = 0;
  bool plain = true;  // one value at that place: no pointer, no array

  friend bool operator==(const NvtxEntry&, const NvtxEntry&) = default;
};

class NvtxPayloadSchemas {
 public:
  NvtxPayloadSchemas() = default;
  /// Reads the tables; any may be missing.
  explicit NvtxPayloadSchemas(const SqliteTables& schema);

  /// `readable`: its values have fixed places.
  void add_schema(NvtxSchemaId id, bool readable);
  /// `place`: among the entries of the schema.
  void add_entry(NvtxSchemaId id, int64_t place, const NvtxEntry& entry);
  /// `bytes` 1, 2, 4 or 8; others are passed over.
  void add_enum(NvtxSchemaId id, int64_t bytes);
  void add_label(NvtxSchemaId id, int64_t value, const std::string& label);

  /// Nothing is described.
  bool empty() const noexcept { return schemas_.empty(); }
  /// The numbers of a payload, in the order of its schema. Arrays, pointers, texts, real numbers
  /// and structures within it are passed over. With a fault, `fields` is empty.
  NvtxPayloadFault decode(std::string_view payload, std::vector<NvtxField>& fields) const;

 private:
  struct Schema {
    bool ambiguous = false;
    bool readable = true;
    std::map<int64_t, NvtxEntry> entries;  // by place
  };
  struct Enum {
    unsigned bytes = 4;
    std::map<uint64_t, std::string> labels;  // by value; empty: there are two of it
  };

  std::map<NvtxSchemaId, Schema> schemas_;
  std::map<NvtxSchemaId, Enum> enums_;
};

/// The bytes of a column `binaryData`, which some copies of databases have as hexadecimal digits.
/// A text that is not of such digits is what it is. `buffer` is for the result, which is valid as
/// long as both.
std::string_view nvtx_payload_bytes(const sqlite::Statement& row, int column, std::string& buffer);

}  // namespace kr::trace
