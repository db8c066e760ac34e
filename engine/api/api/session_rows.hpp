// Rows of a session's tables by number, for the extension of SQLite, and some of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kr/kr.hpp"
#include "session/numbered_rows.hpp"
#include "session/sql.hpp"

namespace kr {

struct SessionRows {
  std::vector<Column> columns;
  std::shared_ptr<session::NumberedRows> rows;  // own what they refer to

  /// The last of the tables; what all of them need is read. Throws as Session::table.
  static SessionRows of(Session& session, const std::vector<std::string>& tables);
  /// As Session::table: at most so many of the chosen rows, and how many there are.
  static session::BoundedRows chosen(Session& session, const std::string& id,
                                     const RowChoice& choice, const session::RowBound& bound);
};

}  // namespace kr
