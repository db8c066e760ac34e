// Rows of a session's tables by number, for the extension of SQLite.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kr/kr.hpp"
#include "session/numbered_rows.hpp"

namespace kr {

struct SessionRows {
  std::vector<Column> columns;
  std::shared_ptr<session::NumberedRows> rows;  // own what they refer to

  /// The last of the tables; what all of them need is read. Throws as Session::table.
  static SessionRows of(Session& session, const std::vector<std::string>& tables);
};

}  // namespace kr
