// What an nsys SQLite export says in place of numbers: names as `nsys stats` of 2023 and later
// spells them. A table is there only when the profile had such events, and eighteen schemas from
// 2020 to 2026 differ in columns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "base/sqlite.hpp"
#include "trace/readers/sqlite_tables.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

/// Any table that only nsys writes.
bool is_nsys(const SqliteTables& schema);
/// Tables with rows whose names and columns are as those of GPU work, besides `read`.
std::vector<std::string> unread_work(const SqliteTables& schema,
                                     std::span<const std::string_view> read);

/// A GPU as one process numbers it. With CUDA_VISIBLE_DEVICES each process begins with 0.
struct NsysDevice {
  int64_t process = 0;
  int64_t number = 0;
  int64_t gpu = 0;  // its number among all of the machine

  friend auto operator<=>(const NsysDevice&, const NsysDevice&) = default;
};

/// Read once, for all connections.
struct NsysLabels {
  NsysLabels(const SqliteTables& schema, TraceBuilder& out);

  /// The name of a kind of copy; `known`: whether there is one.
  std::string copy(int64_t kind, bool& known) const;

  bool strings_have_key = false;  // found in the file; else all are in `strings`
  std::unordered_map<int64_t, std::string, NumberHash> strings;
  std::unordered_map<int64_t, std::string, NumberHash> devices;
  /// Where processes give several GPUs one number: by process and number. Operations then have the
  /// GPU's number among all. Empty: no number means several GPUs.
  std::vector<NsysDevice> numbered_by_process;

 private:
  void read_strings(const SqliteTables& schema, TraceBuilder& out);
  void read_devices(const SqliteTables& schema);
  void read_processes(const SqliteTables& schema);
  std::map<int64_t, std::string> copies_;
};

/// The kinds of memory of an export, by number.
std::map<int64_t, std::string> nsys_memory_kinds(const SqliteTables& schema);

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
