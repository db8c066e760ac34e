#include "session/virtual_table.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <new>

#include "base/check.hpp"
#include "base/sqlite.hpp"

// https://www.sqlite.org/vtab.html
namespace kr::session {
namespace {

struct Connected {
  NumberedRows* rows;
  std::string schema;
};

struct VirtualTable : sqlite3_vtab {
  NumberedRows* rows = nullptr;
};

struct VirtualCursor : sqlite3_vtab_cursor {
  NumberedRows* rows = nullptr;
  const std::vector<uint32_t>* order = nullptr;
  size_t at = 0;
  size_t size = 0;

  size_t row() const { return order != nullptr ? (*order)[at] : at; }
};

int failed(sqlite3_vtab* table, const std::exception& error) {
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s", error.what());
  return SQLITE_ERROR;
}

int connect(sqlite3* connection, void* data, int, const char* const*, sqlite3_vtab** out, char**) {
  const auto* connected = static_cast<const Connected*>(data);
  const int code = sqlite3_declare_vtab(connection, connected->schema.c_str());
  if (code != SQLITE_OK) return code;
  auto* table = new (std::nothrow) VirtualTable{};
  if (table == nullptr) return SQLITE_NOMEM;
  table->rows = connected->rows;
  *out = table;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<VirtualTable*>(table);
  return SQLITE_OK;
}

/// The rows can come in the order of one column: idxNum is its number and 1, negative if
/// descending. They do so also if SQLite wants them grouped alone (`sqlite3_vtab_distinct`):
/// SQLite 3.40 says so of `GROUP BY a ORDER BY a`, too, and does not sort the groups.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  const NumberedRows& rows = *static_cast<VirtualTable*>(table)->rows;
  info->estimatedCost = 1e6;
  if (info->nOrderBy != 1) return SQLITE_OK;
  const auto& by = info->aOrderBy[0];
  if (by.iColumn < 0 || !rows.can_order(static_cast<size_t>(by.iColumn))) return SQLITE_OK;
  info->idxNum = by.desc != 0 ? -(by.iColumn + 1) : by.iColumn + 1;
  info->orderByConsumed = 1;
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  auto* cursor = new (std::nothrow) VirtualCursor{};
  if (cursor == nullptr) return SQLITE_NOMEM;
  cursor->rows = static_cast<VirtualTable*>(table)->rows;
  *out = cursor;
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<VirtualCursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int order, const char*, int, sqlite3_value**) {
  auto* cursor = static_cast<VirtualCursor*>(base);
  try {
    cursor->rows->prepare();
    const bool descending = order < 0;
    const int column = (descending ? -order : order) - 1;
    cursor->order =
        order == 0 ? nullptr : cursor->rows->ordered(static_cast<size_t>(column), descending);
  } catch (const std::exception& error) {
    return failed(base->pVtab, error);
  }
  cursor->at = 0;
  cursor->size = cursor->rows->size();
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<VirtualCursor*>(cursor)->at;
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* base) {
  const auto* cursor = static_cast<const VirtualCursor*>(base);
  return cursor->at >= cursor->size ? 1 : 0;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) {
  auto* cursor = static_cast<VirtualCursor*>(base);
  try {
    const Cell cell = cursor->rows->cell(cursor->row(), static_cast<size_t>(number));
    if (const auto* whole = std::get_if<int64_t>(&cell)) {
      sqlite3_result_int64(context, *whole);
    } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
      sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      sqlite3_result_double(context, *real);
    } else {
      sqlite3_result_null(context);
    }
  } catch (const std::exception& error) {
    return failed(base->pVtab, error);
  }
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(static_cast<VirtualCursor*>(base)->row());
  return SQLITE_OK;
}

/// Without xCreate the table is there under the module's name and cannot be made otherwise.
const sqlite3_module& virtual_module() {
  static const sqlite3_module module = [] {
    sqlite3_module one{};
    one.xConnect = connect;
    one.xBestIndex = best_index;
    one.xDisconnect = disconnect;
    one.xOpen = open_cursor;
    one.xClose = close_cursor;
    one.xFilter = filter;
    one.xNext = next;
    one.xEof = at_end;
    one.xColumn = column;
    one.xRowid = row_id;
    return one;
  }();
  return module;
}

std::string_view declared_type(Unit unit) {
  switch (unit) {
    case Unit::text:
    case Unit::name:
      return "TEXT";
    case Unit::ratio:
    case Unit::factor:
    case Unit::percent:
      return "REAL";
    default:
      return "";  // whole or not
  }
}

}  // namespace

void add_virtual_table(sqlite3* connection, const std::string& name,
                       const std::vector<Column>& columns, NumberedRows& rows) {
  std::string schema = "CREATE TABLE x(";
  for (size_t i = 0; i < columns.size(); ++i) {
    schema += fmt::format("{}{} {}", i == 0 ? "" : ", ", sqlite::quoted(columns[i].id),
                          declared_type(columns[i].unit));
  }
  const int code = sqlite3_create_module_v2(
      connection, name.c_str(), &virtual_module(), new Connected{&rows, schema + ")"},
      [](void* data) { delete static_cast<Connected*>(data); });
  KR_CHECK(code == SQLITE_OK);
  // Connects now: once queries may only read, SQLite could not declare the columns.
  sqlite3_stmt* statement = nullptr;
  const std::string query = "SELECT 1 FROM " + sqlite::quoted(name);
  KR_CHECK(sqlite3_prepare_v2(connection, query.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  sqlite3_finalize(statement);
}

}  // namespace kr::session
