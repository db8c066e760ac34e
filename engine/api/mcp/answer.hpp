// The answer of a tool: tables as JSON, within a number of rows and bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kr/kr.hpp"
#include "lsp/rpc.hpp"
#include "mcp/arguments.hpp"
#include "session/sql.hpp"

namespace kr::mcp {

struct Bounds {
  size_t max_rows = 50;       // of each table
  size_t max_bytes = 24'000;  // of the rows of all tables
  size_t offset = 0;          // the first row

  static constexpr size_t most_rows = 10'000;
  static constexpr size_t most_bytes = 1'000'000;
  /// `max_rows`, `max_bytes`, `offset` of a tool. Throws Error.
  static Bounds of(Arguments& arguments);
};

/// Writes an object. A table in it has
///   `key`        the columns that together identify a row,
///   `rows`       an object each, without columns that no row shown has a value in,
///   `unknown`    these columns: what is empty is not known, and not 0,
///   `truncated`  `{"shown":50,"of":812,"next_offset":50}` if rows are left out.
class Answer {
 public:
  explicit Answer(const Bounds& bounds) : left_(bounds), writer_(text_) { writer_.open('{'); }

  lsp::Writer& writer() noexcept { return writer_; }
  /// `columns`: only these; empty: all. Throws Error if there is no such column.
  void table(std::string_view name, const Table& table,
             const std::vector<std::string>& columns = {});
  /// The same of the chosen rows of a table that the session has.
  void chosen(Session& session, const std::string& id, const RowChoice& choice,
              const std::vector<std::string>& columns = {});
  /// The lines of a text, as many as there are bytes left for; `truncated` as that of a table.
  void lines(std::string_view name, std::string_view text);
  /// Of tables that the runs do not have, and why.
  void absent(const std::vector<std::pair<std::string, std::string>>& tables);
  std::string finish() &&;

 private:
  session::RowBound bound() const;
  void rows(std::string_view name, const session::BoundedRows& some,
            const std::vector<std::string>& columns);

  Bounds left_;
  std::string text_;
  lsp::Writer writer_;
};

}  // namespace kr::mcp
