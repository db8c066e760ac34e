// What the parts of the extension share, and how errors reach SQLite.
#pragma once

#include <sqlite3ext.h>

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kr/kr.hpp"

namespace kr_sqlite {

/// The shipped rules, loaded when something first needs them.
class SharedRules {
 public:
  /// Throws kr::Error.
  const kr::Rules& get() {
    if (!rules_) rules_ = kr::Rules::load();
    return *rules_;
  }

 private:
  std::optional<kr::Rules> rules_;
};
using Shared = std::shared_ptr<SharedRules>;

/// The bytes of a value, valid as long as it: names need not be UTF-8. NULL is empty.
std::string_view text_of(sqlite3_value* value);

/// Adds the table-valued function `kr_TABLE`. `tables`: what is read of a run, and last the table
/// that is shown. Returns a code of SQLite.
int add_table(sqlite3* database, const char* name, std::vector<std::string> tables,
              const Shared& rules);

}  // namespace kr_sqlite
