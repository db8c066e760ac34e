// The texts of a table by their ids, for one connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hash.hpp"
#include "trace/readers/sqlite_tables.hpp"

namespace kr::trace {

class SqliteTexts {
 public:
  /// Without the table or its columns there is no text. If the id is not the key of the table, all
  /// are kept in memory.
  SqliteTexts(const sqlite::Database& database, const SqliteTables& tables, std::string_view table,
              std::string_view id, std::string_view text);

  /// Whether there is such a table.
  bool any() const noexcept { return query_.has_value() || !texts_.empty(); }
  /// False where there is none of that id. Throws Error.
  bool find(int64_t id, std::string& text);

 private:
  std::optional<sqlite::Statement> query_;
  std::unordered_map<int64_t, std::string, NumberHash> texts_;
};

}  // namespace kr::trace
