#include "trace/readers/sqlite_texts.hpp"

#include <fmt/format.h>

namespace kr::trace {

SqliteTexts::SqliteTexts(const sqlite::Database& database, const SqliteTables& tables,
                         std::string_view table, std::string_view id, std::string_view text) {
  if (!tables.has(table)) return;
  const SqliteColumns columns = tables.columns(table);
  if (!columns.has(id) || !columns.has(text)) return;
  if (columns.is_key(id)) {
    query_.emplace(
        database.prepare(fmt::format("SELECT {} FROM {} WHERE {} = ?1", sqlite::quoted(text),
                                     sqlite_table(table), sqlite::quoted(id))));
    return;
  }
  auto rows = database.prepare(fmt::format("SELECT {}, {} FROM {}", sqlite::quoted(id),
                                           sqlite::quoted(text), sqlite_table(table)));
  while (rows.step()) {
    const auto number = rows.whole_number(0);
    if (number && !rows.is_null(1)) texts_.try_emplace(*number, rows.text(1));
  }
}

bool SqliteTexts::find(int64_t id, std::string& text) {
  if (!query_) {
    const auto known = texts_.find(id);
    if (known == texts_.end()) return false;
    text = known->second;
    return true;
  }
  query_->reset();
  query_->bind(1, id);
  const bool found = query_->step() && !query_->is_null(0);
  if (found) text = query_->text(0);
  query_->reset();
  return found;
}

}  // namespace kr::trace
