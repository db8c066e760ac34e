// What an nsys export says in place of numbers: names as `nsys stats` of 2023 and later spells
// them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/sqlite.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Read once, for all connections.
struct NsysLabels {
  NsysLabels(const sqlite::Database& database, const NsysSchema& schema, TraceBuilder& out);

  /// The name of a kind of copy; `known`: whether there is one.
  std::string copy(int64_t kind, bool& known) const;

  bool strings_have_key = false;  // found in the file; else all are held in `strings`
  std::unordered_map<int64_t, std::string, NumberHash> strings;
  std::unordered_map<int64_t, std::string, NumberHash> devices;

 private:
  void read_strings(const sqlite::Database& database, const NsysSchema& schema, TraceBuilder& out);
  void read_copies(const sqlite::Database& database, const NsysSchema& schema);
  void read_devices(const sqlite::Database& database, const NsysSchema& schema);
  std::map<int64_t, std::string> copies_;
};

/// The strings of an export, for one connection.
class NsysStrings {
 public:
  NsysStrings(const sqlite::Database& database, const NsysLabels& labels);
  /// False where there is none of that id. Prepared once: a table may have any number of columns
  /// and indices.
  bool find(int64_t id, std::string& text);

 private:
  const NsysLabels* labels_;
  std::optional<sqlite::Statement> query_;
};

}  // namespace kr::trace
