// Tables of kr as virtual tables of SQLite (https://www.sqlite.org/vtab.html): nothing is copied
// that the trace already contains.
//
// For a program that links SQLite, and for an extension that a foreign SQLite loads: include it
// behind sqlite3.h or sqlite3ext.h. Calls go to that SQLite, so all of it has internal linkage.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "session/numbered_rows.hpp"

namespace kr::session {

/// What SQLite shows as a table.
class VirtualRows {
 public:
  virtual ~VirtualRows() = default;
  /// Asked when SQLite first names the table. Throws Error.
  virtual std::vector<Column> columns() = 0;
  /// Those of a table-valued function, which become hidden columns behind the others. Such a table
  /// reads files: it is refused in views and triggers, which may be somebody else's.
  virtual std::vector<std::string> arguments() const { return {}; }
  /// The rows for these arguments; one that is not given is empty. Throws Error.
  virtual std::shared_ptr<NumberedRows> rows(const std::vector<std::string>& arguments) = 0;
  /// Of a table without arguments.
  virtual bool can_order(size_t /*column*/) const { return false; }
};

namespace {

struct VirtualTable : sqlite3_vtab {
  VirtualRows* source = nullptr;
  size_t columns = 0;    // without the arguments
  size_t arguments = 0;  // at most 30
};

struct VirtualCursor : sqlite3_vtab_cursor {
  std::vector<std::string> arguments;
  std::shared_ptr<NumberedRows> rows;  // of these; null: none were read
  const std::vector<uint32_t>* order = nullptr;
  size_t at = 0;
  size_t size = 0;

  size_t row() const { return order != nullptr ? (*order)[at] : at; }
};

/// Runs `work`; its exceptions become a message of SQLite.
template <class Work>
int guarded(char*& message, const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    sqlite3_free(message);
    message = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

std::string_view declared_type(Unit unit) {
  switch (unit) {
    case Unit::text:
    case Unit::name:
      return " TEXT";
    case Unit::ratio:
    case Unit::factor:
    case Unit::percent:
      return " REAL";
    default:
      return "";  // whole or not
  }
}

std::string declaration(const std::vector<Column>& columns,
                        const std::vector<std::string>& arguments) {
  std::string text;
  const auto add = [&](const std::string& name, std::string_view type) {
    text += text.empty() ? "\"" : ", \"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    text.append("\"").append(type);
  };
  for (const Column& column : columns) add(column.id, declared_type(column.unit));
  for (std::string name : arguments) {
    // A dimension may have any name.
    while (std::any_of(columns.begin(), columns.end(),
                       [&](const Column& one) { return one.id == name; })) {
      name.insert(0, "kr_");
    }
    add(name, " HIDDEN");
  }
  return "CREATE TABLE x(" + text + ")";
}

/// The bytes of a value, valid until it is gone: texts need not be UTF-8. NULL is empty.
std::string_view text_of(sqlite3_value* value) {
  // A text may be UTF-16 in the database; what is made UTF-8 has its size afterwards.
  const void* bytes = sqlite3_value_type(value) == SQLITE_BLOB
                          ? sqlite3_value_blob(value)
                          : static_cast<const void*>(sqlite3_value_text(value));
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<size_t>(sqlite3_value_bytes(value))};
}

void give_text(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

int connect(sqlite3* connection, void* data, int, const char* const*, sqlite3_vtab** out,
            char** message) {
  return guarded(*message, [&] {
    auto table = std::make_unique<VirtualTable>();
    table->source = static_cast<VirtualRows*>(data);
    const std::vector<Column> columns = table->source->columns();
    const std::vector<std::string> arguments = table->source->arguments();
    table->columns = columns.size();
    table->arguments = arguments.size();
    int code = sqlite3_declare_vtab(connection, declaration(columns, arguments).c_str());
    if (code == SQLITE_OK && !arguments.empty()) {
      code = sqlite3_vtab_config(connection, SQLITE_VTAB_DIRECTONLY);
    }
    if (code == SQLITE_OK) *out = table.release();
    return code;
  });
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<VirtualTable*>(table);
  return SQLITE_OK;
}

/// idxNum has a bit for each argument that xFilter gets, in their order.
int choose_arguments(const VirtualTable& table, sqlite3_index_info* info) {
  std::vector<int> constraints(table.arguments, -1);
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& one = info->aConstraint[i];
    const auto first = static_cast<int>(table.columns);
    if (one.iColumn < first || one.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    // Another order of the tables gives the argument first.
    if (one.usable == 0) return SQLITE_CONSTRAINT;
    constraints[static_cast<size_t>(one.iColumn - first)] = i;
  }
  int given = 0;
  for (size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i] < 0) continue;
    info->aConstraintUsage[constraints[i]].argvIndex = ++given;
    info->aConstraintUsage[constraints[i]].omit = 1;
    info->idxNum |= 1 << i;
  }
  info->estimatedCost = 1e7;
  info->estimatedRows = 1'000'000;
  return SQLITE_OK;
}

/// The rows can come in the order of one column: idxNum is its number and 1, negative if
/// descending. They do so also if SQLite wants them grouped alone (`sqlite3_vtab_distinct`):
/// SQLite 3.40 says so of `GROUP BY a ORDER BY a`, too, and does not sort the groups.
int choose_order(const VirtualTable& table, sqlite3_index_info* info) {
  info->estimatedCost = 1e6;
  if (info->nOrderBy != 1) return SQLITE_OK;
  const auto& by = info->aOrderBy[0];
  if (by.iColumn < 0 || !table.source->can_order(static_cast<size_t>(by.iColumn))) return SQLITE_OK;
  info->idxNum = by.desc != 0 ? -(by.iColumn + 1) : by.iColumn + 1;
  info->orderByConsumed = 1;
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* base, sqlite3_index_info* info) {
  const auto& table = *static_cast<const VirtualTable*>(base);
  return guarded(base->zErrMsg, [&] {
    return table.arguments > 0 ? choose_arguments(table, info) : choose_order(table, info);
  });
}

int open_cursor(sqlite3_vtab* /*table*/, sqlite3_vtab_cursor** out) {
  *out = new (std::nothrow) VirtualCursor{};
  return *out == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<VirtualCursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int chosen, const char*, int, sqlite3_value** values) {
  auto& cursor = *static_cast<VirtualCursor*>(base);
  const auto& table = *static_cast<const VirtualTable*>(base->pVtab);
  cursor.at = cursor.size = 0;
  cursor.order = nullptr;
  return guarded(base->pVtab->zErrMsg, [&] {
    std::vector<std::string> arguments(table.arguments);
    for (size_t i = 0; i < arguments.size(); ++i) {
      if ((chosen & (1 << i)) == 0) continue;
      // Nothing is equal to NULL.
      if (sqlite3_value_type(*values) == SQLITE_NULL) return SQLITE_OK;
      arguments[i] = text_of(*values++);
    }
    // Joined with another table, it begins anew for each of its rows.
    if (cursor.rows == nullptr || arguments != cursor.arguments) {
      cursor.rows.reset();
      cursor.arguments = std::move(arguments);
      cursor.rows = table.source->rows(cursor.arguments);
      cursor.rows->prepare();
    }
    if (table.arguments == 0 && chosen != 0) {
      const auto by = static_cast<size_t>(std::abs(chosen)) - 1;
      cursor.order = cursor.rows->ordered(by, chosen < 0);
    }
    cursor.size = cursor.rows->size();
    return SQLITE_OK;
  });
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
  auto& cursor = *static_cast<VirtualCursor*>(base);
  const auto& table = *static_cast<const VirtualTable*>(base->pVtab);
  return guarded(base->pVtab->zErrMsg, [&] {
    const auto place = static_cast<size_t>(number);
    if (place >= table.columns) {
      const std::string& argument = cursor.arguments[place - table.columns];
      argument.empty() ? sqlite3_result_null(context) : give_text(context, argument);
      return SQLITE_OK;
    }
    const Cell cell = cursor.rows->cell(cursor.row(), place);
    if (const auto* whole = std::get_if<int64_t>(&cell)) {
      sqlite3_result_int64(context, *whole);
    } else if (const auto* text = std::get_if<std::string_view>(&cell)) {
      give_text(context, *text);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      sqlite3_result_double(context, *real);
    } else {
      sqlite3_result_null(context);
    }
    return SQLITE_OK;
  });
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

/// Makes them a table of the connection, which owns them. Returns a code of SQLite.
int add_virtual_table(sqlite3* connection, const std::string& name,
                      std::unique_ptr<VirtualRows> rows) {
  return sqlite3_create_module_v2(connection, name.c_str(), &virtual_module(), rows.release(),
                                  [](void* data) { delete static_cast<VirtualRows*>(data); });
}

}  // namespace
}  // namespace kr::session
