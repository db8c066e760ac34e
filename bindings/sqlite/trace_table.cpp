// Tables of kr as table-valued functions: kr_operations('trace.json.gz'[, engine[, model]]).
// https://www.sqlite.org/vtab.html#tabfunc2: the arguments are hidden columns behind the others.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "extension.hpp"
#include "kr/arrow.hpp"

SQLITE_EXTENSION_INIT3

namespace kr_sqlite {
namespace {

constexpr std::array argument_names{"path", "engine", "model"};
using Arguments = std::array<std::string, argument_names.size()>;

/// What a module of SQLite is made with.
struct Module {
  std::string name;
  std::vector<std::string> tables;
  Shared rules;
};

struct TraceTable : sqlite3_vtab {
  const Module* module = nullptr;
  std::vector<std::string> columns;  // without the arguments
};

/// What the C data interface of Arrow hands over, released once.
template <class Interface>
class Released {
 public:
  Released() = default;
  ~Released() { reset(); }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  /// To be filled.
  Interface* fresh() {
    reset();
    return &held_;
  }
  const Interface* operator->() const { return &held_; }
  Interface* get() { return &held_; }
  bool holds() const { return held_.release != nullptr; }

 private:
  void reset() {
    if (held_.release != nullptr) held_.release(&held_);
    held_ = Interface{};
  }
  Interface held_{};
};

struct TraceCursor : sqlite3_vtab_cursor {
  Arguments arguments;
  std::optional<kr::Table> table;  // of the run that these name
  Released<ArrowArrayStream> stream;
  Released<ArrowSchema> schema;
  Released<ArrowArray> batch;
  std::vector<int> places;  // by column of the function: its child in a batch; -1: it is absent
  int64_t row = 0;          // in the batch
  int64_t number = 0;       // of all
  bool at_end = true;
};

/// Runs `work`; its exceptions become an error of the table.
template <class Work>
int guarded(sqlite3_vtab* table, const Work& work) {
  try {
    work();
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

std::string identifier(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

std::string declared(const std::vector<kr::Column>& columns) {
  std::string text;
  for (const kr::Column& column : columns) {
    text += identifier(column.id) + (kr::is_text(column.unit) ? " TEXT, " : ", ");
  }
  for (const char* argument : argument_names) {
    // A dimension may have any name.
    std::string name = argument;
    while (std::any_of(columns.begin(), columns.end(),
                       [&](const kr::Column& one) { return one.id == name; })) {
      name.insert(0, "kr_");
    }
    text += identifier(name) + (argument == argument_names.back() ? " HIDDEN" : " HIDDEN, ");
  }
  return "CREATE TABLE x(" + text + ")";
}

int connect(sqlite3* database, void* data, int, const char* const*, sqlite3_vtab** out,
            char** message) {
  const auto* module = static_cast<const Module*>(data);
  try {
    auto table = std::make_unique<TraceTable>();
    table->module = module;
    std::vector<kr::Column> columns = module->rules->get().columns(module->tables.back());
    // A stream does not have what is only for terminals.
    std::erase_if(columns, [](const kr::Column& one) { return one.role == kr::Role::short_form; });
    for (const kr::Column& column : columns) table->columns.push_back(column.id);
    int code = sqlite3_declare_vtab(database, declared(columns).c_str());
    // It reads files: not for views and triggers, which may be somebody else's.
    if (code == SQLITE_OK) code = sqlite3_vtab_config(database, SQLITE_VTAB_DIRECTONLY);
    if (code == SQLITE_OK) *out = table.release();
    return code;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    *message = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<TraceTable*>(table);
  return SQLITE_OK;
}

/// idxNum has a bit for each argument that xFilter gets, in their order.
int best_index(sqlite3_vtab* base, sqlite3_index_info* info) {
  const auto first = static_cast<int>(static_cast<TraceTable*>(base)->columns.size());
  std::array<int, argument_names.size()> constraints;
  constraints.fill(-1);
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& one = info->aConstraint[i];
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

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new (std::nothrow) TraceCursor{};
  return *out == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<TraceCursor*>(cursor);
  return SQLITE_OK;
}

/// The run as a table. Throws kr::Error.
kr::Table opened(const Module& module, const Arguments& arguments) {
  const std::string& path = arguments[0];
  if (path.empty()) {
    throw kr::Error("", module.name + " has no trace to read",
                    "name one: " + module.name + "('trace.sqlite')");
  }
  if (path == "-") throw kr::Error("", module.name + " cannot read standard input", "name a file");
  kr::Session session(module.rules->get());
  session.add({.path = path, .engine = arguments[1], .model = arguments[2]});
  std::vector<kr::Table> tables = session.tables(module.tables);
  // All of them, or what says why the last is missing.
  if (tables.size() == module.tables.size()) return std::move(tables.back());
  return session.table(module.tables.back());
}

[[noreturn]] void stream_failed(TraceCursor& cursor, int code) {
  if (code == ENOMEM) throw std::bad_alloc();
  const char* why = cursor.stream->get_last_error(cursor.stream.get());
  throw kr::Error(cursor.arguments[0], why != nullptr ? why : "cannot be read");
}

void next_batch(TraceCursor& cursor) {
  cursor.row = 0;
  do {
    const int code = cursor.stream->get_next(cursor.stream.get(), cursor.batch.fresh());
    if (code != 0) stream_failed(cursor, code);
    cursor.at_end = !cursor.batch.holds();
  } while (!cursor.at_end && cursor.batch->length == 0);
}

void begin(TraceCursor& cursor, const TraceTable& table) {
  kr::render::arrow(*cursor.table, nullptr, cursor.stream.fresh());
  const int code = cursor.stream->get_schema(cursor.stream.get(), cursor.schema.fresh());
  if (code != 0) stream_failed(cursor, code);
  // A run has the dimensions of its own engine and model.
  std::unordered_map<std::string_view, int> place;
  for (int64_t i = 0; i < cursor.schema->n_children; ++i) {
    place.emplace(cursor.schema->children[i]->name, static_cast<int>(i));
  }
  cursor.places.clear();
  for (const std::string& column : table.columns) {
    const auto at = place.find(column);
    cursor.places.push_back(at == place.end() ? -1 : at->second);
  }
  cursor.number = 0;
  next_batch(cursor);
}

int filter(sqlite3_vtab_cursor* base, int given, const char*, int, sqlite3_value** values) {
  auto& cursor = *static_cast<TraceCursor*>(base);
  const auto& table = *static_cast<const TraceTable*>(base->pVtab);
  cursor.at_end = true;
  return guarded(base->pVtab, [&] {
    Arguments arguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if ((given & (1 << i)) == 0) continue;
      // Nothing is equal to NULL.
      if (sqlite3_value_type(*values) == SQLITE_NULL) return;
      arguments[i] = text_of(*values++);
    }
    // Joined with another table, it begins anew for each of its rows.
    if (!cursor.table || arguments != cursor.arguments) {
      cursor.table.reset();
      cursor.arguments = arguments;
      cursor.table = opened(*table.module, arguments);
    }
    begin(cursor, table);
  });
}

int next(sqlite3_vtab_cursor* base) {
  auto& cursor = *static_cast<TraceCursor*>(base);
  ++cursor.number;
  if (++cursor.row < cursor.batch->length) return SQLITE_OK;
  return guarded(base->pVtab, [&] { next_batch(cursor); });
}

int at_end(sqlite3_vtab_cursor* cursor) {
  return static_cast<const TraceCursor*>(cursor)->at_end ? 1 : 0;
}

bool bit_at(const void* bits, int64_t place) {
  return (static_cast<const uint8_t*>(bits)[place / 8] >> (place % 8) & 1) != 0;
}

template <class Number>
Number number_at(const void* numbers, int64_t place) {
  Number number;
  std::memcpy(&number, static_cast<const char*>(numbers) + place * int64_t{sizeof number},
              sizeof number);
  return number;
}

/// A cell of a batch; the formats are those of kr/arrow.hpp.
void give(sqlite3_context* context, const ArrowArray& column, std::string_view format,
          int64_t row) {
  const int64_t place = column.offset + row;
  const void* const valid = column.buffers[0];
  if (valid != nullptr && !bit_at(valid, place)) return sqlite3_result_null(context);
  const void* const values = column.buffers[1];
  if (format == "U") {
    const auto from = number_at<int64_t>(values, place);
    const auto to = number_at<int64_t>(values, place + 1);
    return sqlite3_result_text64(context, static_cast<const char*>(column.buffers[2]) + from,
                                 static_cast<sqlite3_uint64>(to - from), SQLITE_TRANSIENT,
                                 SQLITE_UTF8);
  }
  if (format == "l") return sqlite3_result_int64(context, number_at<int64_t>(values, place));
  if (format == "g") return sqlite3_result_double(context, number_at<double>(values, place));
  if (format == "b") return sqlite3_result_int(context, bit_at(values, place) ? 1 : 0);
  throw kr::Error("", "a column has the unknown Arrow format " + std::string(format));
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) {
  const auto& cursor = *static_cast<const TraceCursor*>(base);
  const auto at = static_cast<size_t>(number);
  if (at >= cursor.places.size()) {
    const std::string& argument = cursor.arguments[at - cursor.places.size()];
    if (argument.empty()) return sqlite3_result_null(context), SQLITE_OK;
    sqlite3_result_text64(context, argument.data(), argument.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    return SQLITE_OK;
  }
  const int child = cursor.places[at];
  if (child < 0) return sqlite3_result_null(context), SQLITE_OK;
  return guarded(base->pVtab, [&] {
    give(context, *cursor.batch->children[child], cursor.schema->children[child]->format,
         cursor.row);
  });
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<const TraceCursor*>(cursor)->number;
  return SQLITE_OK;
}

/// Without xCreate it cannot be in a schema; it is there by its name.
const sqlite3_module& functions() {
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

}  // namespace

int add_table(sqlite3* database, const char* name, std::vector<std::string> tables,
              const Shared& rules) {
  return sqlite3_create_module_v2(database, name, &functions(),
                                  new Module{name, std::move(tables), rules},
                                  [](void* data) { delete static_cast<Module*>(data); });
}

}  // namespace kr_sqlite
