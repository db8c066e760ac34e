#include "session/sql.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>

#include "base/ascii.hpp"
#include "base/check.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/nearest.hpp"
#include "base/sqlite.hpp"
#include "session/sql_functions.hpp"
#include "session/virtual_table.hpp"
#include "table/table.hpp"
#include "tables/scoped.hpp"
#include "what_if/what_if.hpp"

namespace kr::session {
namespace {

/// What a query may do: read.
int allow_reading(void*, int action, const char*, const char*, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

/// `no such column: substgae` with the near name.
std::string remedy_for(std::string_view message, const tables::Source& source,
                       const std::vector<Table>& tables) {
  const auto after = [&](std::string_view head) -> std::optional<std::string> {
    if (!message.starts_with(head)) return std::nullopt;
    const std::string_view name = message.substr(head.size());
    const size_t point = name.rfind('.');
    return std::string(point == name.npos ? name : name.substr(point + 1));
  };
  std::set<std::string> names;
  if (const auto column = after("no such column: ")) {
    for (const Table& table : tables) {
      for (const Column& known : table.columns()) names.insert(known.id);
    }
    const auto near = nearest(*column, std::vector<std::string>(names.begin(), names.end()));
    return near ? fmt::format("did you mean `{}`?", *near)
                : "`kr list columns TABLE` lists the columns";
  }
  if (const auto table = after("no such table: ")) {
    if (const tables::Definition* known = tables::find(*table)) {
      if (const tables::Definition& whole = tables::whole_of(*known); &whole != known) {
        return tables::where_in(whole, *known);
      }
      std::string absent = tables::absent(*known, source);
      if (!absent.empty()) return absent;
    }
    for (const tables::Definition* one : tables::all()) {
      if (tables::is_about_runs(*one)) names.insert(one->info.id);
    }
    return near_or_all(*table, std::vector<std::string>(names.begin(), names.end()));
  }
  const bool denied = message == "not authorized" || message == "authorization denied";
  return denied ? "a query can only read tables" : "";
}

/// Whether a table has names of kernels in a column of this name. Other texts have no short form.
bool may_be_kernels(std::string_view name) {
  for (const tables::Definition* one : tables::all()) {
    for (const Column& column : one->info.columns) {
      if (column.id == name && column.unit == Unit::name) return true;
    }
  }
  return false;
}

/// The unit that a column of that name has in kr.
std::optional<Unit> known_unit(std::string_view name) {
  if (name.ends_with("_ns")) return Unit::ns;
  for (const tables::Definition* one : tables::all()) {
    for (const Column& column : one->info.columns) {
      if (column.id == name) return column.unit;
    }
  }
  return std::nullopt;
}

/// Rows of a result, for renderers that go through a table more than once.
class KeptResult {
 public:
  void add(const Cells& row) {
    columns_ = row.size();
    if (!whole_ || cells_.size() + columns_ > max_cells) {
      whole_ = false;
      return;
    }
    for (const Cell& cell : row) {
      const auto* text = std::get_if<std::string_view>(&cell);
      cells_.push_back(text != nullptr ? Cell(texts_.emplace_back(*text)) : cell);
    }
  }
  bool is_whole() const noexcept { return whole_; }
  void replay(RowSink& sink) const {
    for (size_t i = 0; i < cells_.size(); i += columns_) {
      sink.row(std::span(cells_).subspan(i, columns_));
    }
  }

 private:
  static constexpr size_t max_cells = 1'000'000;
  bool whole_ = true;
  size_t columns_ = 0;
  std::vector<Cell> cells_;
  std::deque<std::string> texts_;
};

/// A table of the runs.
class RunTable : public VirtualRows {
 public:
  RunTable(const Table& table, std::shared_ptr<NumberedRows> rows)
      : columns_(table.columns()), rows_(std::move(rows)) {}
  std::vector<Column> columns() override { return columns_; }
  std::shared_ptr<NumberedRows> rows(const std::vector<std::string>& /*arguments*/) override {
    return rows_;
  }
  bool can_order(size_t column) const override { return rows_->can_order(column); }

 private:
  std::vector<Column> columns_;
  std::shared_ptr<NumberedRows> rows_;
};

const TableInfo query_info{.id = "query",
                           .title = "result",
                           .doc = "One row per row of the result of a query.",
                           .columns = {},
                           .as_selected = true};

/// Longer texts and blobs are an error of the query: names are never as long.
constexpr int max_value_bytes = 64 << 20;

/// Steps of SQLite's machine between two questions whether to stop.
constexpr int steps_between_stops = 10'000;

/// All that a query can be about.
std::vector<Table> tables_of(const tables::Source& source) {
  std::vector<Table> made;
  for (const tables::Definition* one : tables::all()) {
    if (!tables::is_about_runs(*one) || !tables::absent(*one, source).empty()) continue;
    made.push_back(tables::make(*one, source));
  }
  return made;
}

struct Query {
  Query(const tables::Source& of, Stop stop_when) : source(of), stop(std::move(stop_when)) {
    sqlite3* opened = nullptr;
    const int code =
        sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, nullptr);
    connection.reset(opened);
    if (code != SQLITE_OK) fail();
    add_sql_functions(connection.get());
    sqlite3_limit(connection.get(), SQLITE_LIMIT_LENGTH, max_value_bytes);
    if (stop) {
      sqlite3_progress_handler(
          connection.get(), steps_between_stops,
          [](void* query) { return static_cast<Query*>(query)->stop() ? 1 : 0; }, this);
    }
  }
  void add(const Table& table, std::shared_ptr<NumberedRows> rows) {
    tables.push_back(table);
    KR_CHECK(add_virtual_table(connection.get(), table.id(),
                               std::make_unique<RunTable>(table, std::move(rows))) == SQLITE_OK);
    // Connects now: once queries may only read, SQLite could not declare the columns.
    sqlite3_stmt* one = nullptr;
    const std::string query = "SELECT 1 FROM " + sqlite::quoted(table.id());
    KR_CHECK(sqlite3_prepare_v2(connection.get(), query.c_str(), -1, &one, nullptr) == SQLITE_OK);
    sqlite3_finalize(one);
  }
  [[noreturn]] void fail() const {
    const std::string message = sqlite3_errmsg(connection.get());
    throw Error("", "the query: " + message, remedy_for(message, source, tables));
  }

  /// After the last `add`.
  void prepare(const std::string& query) {
    sqlite3_set_authorizer(connection.get(), allow_reading, nullptr);
    const char* rest = nullptr;
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite3_prepare_v2(connection.get(), query.data(),
                                        static_cast<int>(query.size()), &prepared, &rest);
    statement.reset(prepared);
    if (code != SQLITE_OK) fail();
    if (statement == nullptr) throw Error("", "the query is empty", "write a SELECT");
    const std::string_view left(rest, static_cast<size_t>(query.data() + query.size() - rest));
    if (left.find_first_not_of(" \t\r\n;") != left.npos) {
      throw Error("", "there is a second statement after the query", "run one at a time");
    }
  }

  /// Units are known once there is a row.
  void read_columns() {
    const bool any = step();
    for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
      const std::string name = sqlite3_column_name(statement.get(), i);
      Column column{unused(name), Unit::text, Role::measure, "", true};
      const int type = any ? sqlite3_column_type(statement.get(), i) : SQLITE_NULL;
      const auto unit = known_unit(name);
      if (type == SQLITE_TEXT && may_be_kernels(name)) column.unit = Unit::name;
      if (type == SQLITE_INTEGER) {
        column.unit = unit && !is_text(*unit) ? *unit : Unit::count;
      } else if (type == SQLITE_FLOAT) {
        column.unit = unit && !is_text(*unit) ? *unit : Unit::factor;
      }
      columns.push_back(std::move(column));
    }
    sqlite3_reset(statement.get());
  }

  /// A result may have several columns of one name: `n`, `n_2`. Names of members differ.
  std::string unused(const std::string& name) const {
    std::string free = name;
    const auto used = [&] {
      return std::any_of(columns.begin(), columns.end(),
                         [&](const Column& one) { return one.id == free; });
    };
    for (int number = 2; used(); ++number) free = fmt::format("{}_{}", name, number);
    return free;
  }

  bool step() const {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail();
    return false;
  }

  /// Of a query of numbers of rows.
  uint32_t row_number() const {
    return static_cast<uint32_t>(sqlite3_column_int64(statement.get(), 0));
  }

  Cell cell(int column) const {
    switch (sqlite3_column_type(statement.get(), column)) {
      case SQLITE_INTEGER:
        return static_cast<int64_t>(sqlite3_column_int64(statement.get(), column));
      case SQLITE_FLOAT:
        return sqlite3_column_double(statement.get(), column);
      case SQLITE_NULL:
        return {};
      default:
        return std::string_view(
            static_cast<const char*>(sqlite3_column_blob(statement.get(), column)),
            static_cast<size_t>(sqlite3_column_bytes(statement.get(), column)));
    }
  }

  /// The first time the query runs; its rows are kept as long as they are few.
  void write(RowSink& sink) {
    if (kept) return kept->replay(sink);
    sqlite3_reset(statement.get());
    KeptResult result;
    Cells row(columns.size());
    while (step()) {
      for (size_t i = 0; i < row.size(); ++i) row[i] = cell(static_cast<int>(i));
      result.add(row);
      sink.row(row);
    }
    sqlite3_reset(statement.get());
    if (result.is_whole()) kept = std::move(result);
  }

  const tables::Source& source;
  std::vector<Table> tables;
  Stop stop;
  struct Close {
    void operator()(sqlite3* one) const { sqlite3_close(one); }
    void operator()(sqlite3_stmt* one) const { sqlite3_finalize(one); }
  };
  std::unique_ptr<sqlite3, Close> connection;
  std::unique_ptr<sqlite3_stmt, Close> statement;
  std::vector<Column> columns;
  std::optional<KeptResult> kept;
};

}  // namespace

std::vector<const tables::Definition*> tables_named(std::string_view query) {
  const std::string text = lowered(query);
  std::vector<const tables::Definition*> named;
  for (const tables::Definition* one : tables::all()) {
    if (tables::is_about_runs(*one) && has_word(text, one->info.id)) named.push_back(one);
  }
  return named;
}

Table query_table(const tables::Source& source, const std::string& query, Stop stop) {
  const auto prepared = std::make_shared<Query>(source, std::move(stop));
  for (const Table& table : tables_of(source)) prepared->add(table, numbered_rows(table, source));
  prepared->prepare(query);
  prepared->read_columns();
  return {query_info, prepared->columns, [prepared](RowSink& sink) { prepared->write(sink); }};
}

namespace {

size_t json_bytes(std::span<const Column> columns, std::span<const Cell> cells) {
  size_t bytes = 3;  // {},
  for (size_t i = 0; i < cells.size(); ++i) {
    bytes += columns[i].id.size() + 4;
    if (const auto* text = std::get_if<std::string_view>(&cells[i])) {
      bytes += json_string(*text).size();
    } else if (const auto* whole = std::get_if<int64_t>(&cells[i])) {
      bytes += fmt::formatted_size("{}", *whole);
    } else if (const auto* real = std::get_if<double>(&cells[i])) {
      bytes += fmt::formatted_size("{}", *real);
    } else {
      bytes += 4;  // null
    }
  }
  return bytes;
}

/// Counts the rows behind the first ones that a bound skips, until they are too many.
struct WithinBound {
  WithinBound(const std::vector<Column>& of, const RowBound& by) : columns(of), bound(by) {}
  /// False: this row is not shown, nor is any behind it.
  bool add(std::span<const Cell> cells) {
    if (full || (bound.max_rows > 0 && shown == bound.max_rows)) return false;
    const size_t more = bound.max_bytes > 0 ? json_bytes(columns, cells) : 0;
    full = shown > 0 && bound.max_bytes > 0 && bytes + more > bound.max_bytes;
    if (full) return false;
    bytes += more;
    ++shown;
    return true;
  }
  const std::vector<Column>& columns;
  const RowBound& bound;
  size_t shown = 0;
  size_t bytes = 0;
  bool full = false;
};

/// Passes rows with the numbers [skip, skip + count).
class SomeRows final : public RowSink {
 public:
  SomeRows(RowSink& to, size_t skip, size_t count) : to_(to), skip_(skip), left_(count) {}
  using RowSink::row;
  void row(std::span<const Cell> cells) override {
    if (skip_ > 0) {
      --skip_;
    } else if (left_ > 0) {
      --left_;
      to_.row(cells);
    }
  }

 private:
  RowSink& to_;
  size_t skip_;
  size_t left_;
};

}  // namespace

BoundedRows bounded_rows(Table table, const RowBound& bound) {
  size_t all = 0;
  WithinBound within(table.columns(), bound);
  table::RowsTo count([&](std::span<const Cell> cells) {
    if (all++ >= bound.skip) within.add(cells);
  });
  table.write(count);
  const size_t shown = within.shown;
  const TableInfo& info = table.info();
  std::vector<Column> columns = table.columns();
  Table some(info, std::move(columns),
             [table = std::move(table), skip = bound.skip, shown](RowSink& sink) {
               SomeRows rows(sink, skip, shown);
               table.write(rows);
             });
  return {std::move(some), shown, all, within.bytes};
}

namespace {

/// How a query names the number of a row. A dimension may have any name.
std::string_view row_number_of(const Table& table) {
  for (const std::string_view name : {"rowid", "oid", "_rowid_"}) {
    const bool taken = std::ranges::any_of(
        table.columns(), [&](const Column& one) { return lowered(one.id) == name; });
    if (!taken) return name;
  }
  throw Error("", "dimensions are called `rowid`, `oid` and `_rowid_`", "rename one of them");
}

/// Finds the numbers of chosen rows, in their order: SQLite sorts them with their keys alone.
std::string numbers_query(const Table& table, const RowChoice& choice) {
  const std::string_view number = row_number_of(table);
  std::string query = fmt::format("SELECT {} FROM {}", number, sqlite::quoted(table.id()));
  if (!choice.where.empty()) query += fmt::format(" WHERE ({}\n)", choice.where);
  if (choice.sort.empty()) return query;
  const bool other = choice.sort[0] == '-';
  const std::string id = choice.sort.substr(other ? 1 : 0);
  const auto column = std::ranges::find(table.columns(), id, &Column::id);
  if (column == table.columns().end()) {
    std::vector<std::string> ids;
    for (const Column& one : table.columns()) ids.push_back(one.id);
    throw Error("", fmt::format("table `{}` has no column `{}`", table.id(), id),
                near_or_all(id, ids));
  }
  return query + fmt::format(" ORDER BY {} {} NULLS LAST, {}", sqlite::quoted(id),
                             is_text(column->unit) == other ? "DESC" : "ASC", number);
}

/// Rows of a table by their numbers.
class ChosenRows {
 public:
  ChosenRows(const Table& table, const tables::Source& source, const RowChoice& choice, Stop stop)
      : columns_(table.columns()), rows_(numbered_rows(table, source)), stop_(std::move(stop)) {
    Query query(source, stop_);
    query.add(table, rows_);
    query.prepare(numbers_query(table, choice));
    while (query.step()) numbers_.push_back(query.row_number());
  }
  size_t size() const noexcept { return numbers_.size(); }

  /// The rows at [begin, end) until `take` says that it has enough.
  template <class Take>
  void each(size_t begin, size_t end, const Take& take) const {
    Cells row(columns_.size());
    std::vector<std::string> texts(columns_.size());  // a cell's is gone with the next cell
    for (size_t i = begin; i < std::min(end, size()); ++i) {
      if (stop_ && i % rows_between_stops == 0 && stop_()) {
        throw Error("", "the query: interrupted");
      }
      for (size_t place = 0; place < row.size(); ++place) {
        row[place] = rows_->cell(numbers_[i], place);
        const auto* text = std::get_if<std::string_view>(&row[place]);
        if (text != nullptr) row[place] = std::string_view(texts[place].assign(*text));
      }
      if (!take(std::span<const Cell>(row))) return;
    }
  }

 private:
  static constexpr size_t rows_between_stops = 1000;
  std::vector<Column> columns_;
  std::shared_ptr<NumberedRows> rows_;
  Stop stop_;
  std::vector<uint32_t> numbers_;
};

}  // namespace

BoundedRows chosen_rows(const Table& table, const tables::Source& source, const RowChoice& choice,
                        const RowBound& bound, Stop stop) {
  if (choice.empty()) return bounded_rows(table, bound);
  const auto chosen = std::make_shared<const ChosenRows>(table, source, choice, std::move(stop));
  const size_t begin = std::min(bound.skip, chosen->size());
  size_t end = chosen->size();
  if (bound.max_rows > 0) end = begin + std::min(bound.max_rows, end - begin);
  WithinBound within(table.columns(), bound);
  if (bound.max_bytes > 0) {
    chosen->each(begin, end, [&](auto cells) { return within.add(cells); });
    end = begin + within.shown;
  }
  Table some(table.info(), table.columns(), [chosen, begin, end](RowSink& sink) {
    chosen->each(begin, end, [&](auto cells) {
      sink.row(cells);
      return true;
    });
  });
  return {std::move(some), end - begin, chosen->size(), within.bytes};
}

}  // namespace kr::session
