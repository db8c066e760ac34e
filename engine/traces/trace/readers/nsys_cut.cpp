// A part of an nsys export: a database with its tables and indexes, and of its rows those that
// belong. Tables without times are whole, but of strings and call chains only those are there that
// some row names.
#include "trace/readers/nsys_cut.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/join.hpp"
#include "base/own_output.hpp"
#include "base/sqlite.hpp"
#include "trace/cut_plan.hpp"
#include "trace/readers/nsys_host_rows.hpp"
#include "trace/readers/nsys_rows.hpp"
#include "trace/readers/nsys_schema.hpp"
#include "trace/readers/sqlite_file.hpp"
#include "trace/readers/sqlite_tables.hpp"

namespace kr::trace {
namespace {

using Type = sqlite::Statement::Type;

constexpr std::string_view strings_table = "StringIds";
constexpr int64_t nvtx_mark = 34;  // an eventType

/// Of a row, by the names of its columns.
class NsysRow {
 public:
  NsysRow(const sqlite::Statement& row, const std::vector<std::string>& columns)
      : row_(row), columns_(columns) {}

  std::optional<size_t> column(std::string_view name) const {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (same_ignoring_case(columns_[i], name)) return i;
    }
    return std::nullopt;
  }
  bool is_null(std::optional<size_t> column) const {
    return !column || row_.is_null(static_cast<int>(*column));
  }
  bool is_integer(std::optional<size_t> column) const {
    return column && row_.type(static_cast<int>(*column)) == Type::integer;
  }
  int64_t integer(std::optional<size_t> column) const {
    return row_.integer(static_cast<int>(*column));
  }
  std::optional<int64_t> number(std::optional<size_t> column) const {
    return column ? row_.whole_number(static_cast<int>(*column)) : std::nullopt;
  }

 private:
  const sqlite::Statement& row_;
  const std::vector<std::string>& columns_;
};

/// How the rows of a table are chosen.
enum class RowChoice : uint8_t { all, work, calls, ranges, times, moments, chains, strings };

class NsysCut {
 public:
  NsysCut(const sqlite::Database& from, const CutPlan& plan, std::vector<int64_t> cut_steps,
          const sqlite::Database& to)
      : from_(from), plan_(plan), cut_steps_(std::move(cut_steps)), to_(to), tables_(from) {}

  void run() {
    to_.execute(fmt::format(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA application_id = {}; BEGIN",
        own_cut_database));
    for (const RowChoice last : {RowChoice::all, RowChoice::chains, RowChoice::strings}) {
      for (const std::string_view name : tables_.names(true)) {
        if (name.starts_with("sqlite_") || name == nsys_cut_steps) continue;
        const Table table = describe(name);
        const bool names_others =
            table.choice != RowChoice::chains && table.choice != RowChoice::strings;
        if (table.choice == last || (last == RowChoice::all && names_others)) copy(table);
      }
    }
    copy_indexes();
    write_cut_steps();
    to_.execute("COMMIT");
  }

 private:
  struct Table {
    std::string name;
    std::string sql;
    std::vector<std::string> columns;
    RowChoice choice = RowChoice::all;
    OperationKind kind = OperationKind::kernel;  // of work
    std::vector<size_t> of_strings;              // columns that may have ids of strings
    // Of columns, where they are there.
    std::optional<size_t> start, end, stream, correlation, thread, end_thread, event, time, id,
        chain;
  };

  Table describe(std::string_view name) const {
    Table table;
    table.name = name;
    enum Field { number, column, type, not_null, otherwise, key, hidden };
    auto rows = from_.prepare(fmt::format("PRAGMA main.table_xinfo({})", sqlite::quoted(name)));
    bool plain = true;
    std::string made;  // its description, where that of the source may do more than describe
    while (rows.step()) {
      if (rows.integer(hidden) == 1) continue;
      plain = plain && rows.integer(hidden) == 0;
      table.columns.emplace_back(rows.text(column));
      const bool is_integer_key =
          rows.integer(key) == 1 && same_ignoring_case(rows.text(type), "INTEGER");
      made += fmt::format("{}{}{}", made.empty() ? "" : ", ", sqlite::quoted(table.columns.back()),
                          is_integer_key ? " INTEGER PRIMARY KEY" : "");
    }
    auto description = from_.prepare("SELECT sql FROM main.sqlite_master WHERE name = ?1");
    description.bind(1, name);
    if (description.step()) table.sql = description.text(0);
    constexpr std::array<std::string_view, 5> acts{"SELECT", "CHECK", "DEFAULT", "GENERATED",
                                                   " AS "};
    std::string upper = table.sql;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    plain = plain && std::none_of(acts.begin(), acts.end(), [&](std::string_view word) {
              return upper.find(word) != upper.npos;
            });
    if (!plain) table.sql = fmt::format("CREATE TABLE {} ({})", sqlite::quoted(name), made);
    find_columns(table);
    choose(table);
    return table;
  }

  static void find_columns(Table& table) {
    const auto find = [&](std::string_view name) -> std::optional<size_t> {
      for (size_t i = 0; i < table.columns.size(); ++i) {
        if (same_ignoring_case(table.columns[i], name)) return i;
      }
      return std::nullopt;
    };
    table.start = find("start");
    table.end = find("end");
    table.stream = find("streamId");
    table.correlation = find("correlationId");
    table.thread = find("globalTid");
    table.end_thread = find("endGlobalTid");
    table.event = find("eventType");
    table.time = find("timestamp") ? find("timestamp") : find("rawTimestamp");
    table.id = find("id");
    table.chain = find("callchainId");
  }

  static void choose(Table& table) {
    const auto is = [&](std::string_view name) { return same_ignoring_case(table.name, name); };
    constexpr std::array works{NsysTable::kernel, NsysTable::memcpy, NsysTable::memset,
                               NsysTable::graph};
    for (const NsysTable work : works) {
      if (!is(name_of(work)) || !table.start || !table.end) continue;
      table.choice = RowChoice::work;
      if (work == NsysTable::memcpy) table.kind = OperationKind::memcpy;
      if (work == NsysTable::memset) table.kind = OperationKind::memset;
    }
    if (table.choice == RowChoice::work) {
    } else if (is(strings_table)) {
      table.choice = RowChoice::strings;
    } else if (is("CUDA_CALLCHAINS") || is("OSRT_CALLCHAINS") || is("SAMPLING_CALLCHAINS")) {
      table.choice = RowChoice::chains;
    } else if (is(name_of(NsysHostTable::calls)) && table.start && table.end) {
      table.choice = RowChoice::calls;
    } else if (is(name_of(NsysHostTable::ranges)) && table.start && table.end && table.event) {
      table.choice = RowChoice::ranges;
    } else if (is(name_of(NsysHostTable::nodes)) || is("CUDA_GRAPH_EVENTS")) {
      table.choice = RowChoice::all;  // kernels of a graph run what was created long before
    } else if (table.start && table.end) {
      table.choice = RowChoice::times;
    } else if (table.start || table.time) {
      table.choice = RowChoice::moments;
      if (!table.time) table.time = table.start;
    }
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const std::string_view name = table.columns[i];
      const bool text = ends_with_ignoring_case(name, "name") ||
                        ends_with_ignoring_case(name, "nameId") ||
                        ends_with_ignoring_case(name, "textId");
      if (table.choice != RowChoice::strings &&
          (text || table.choice == RowChoice::all || table.choice == RowChoice::chains ||
           table.choice == RowChoice::times)) {
        table.of_strings.push_back(i);
      }
    }
  }

  void copy(const Table& table) {
    to_.execute(table.sql);
    std::string columns, values;
    for (size_t i = 0; i < table.columns.size(); ++i) {
      columns += (i == 0 ? "" : ", ") + sqlite::quoted(table.columns[i]);
      values += i == 0 ? "?" : ", ?";
    }
    auto rows = from_.prepare(fmt::format("SELECT {} FROM {}{}", columns, sqlite_table(table.name),
                                          time_condition(table)));
    auto insert = to_.prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})",
                                          sqlite::quoted(table.name), columns, values));
    const NsysRow row(rows, table.columns);
    bool whole = true;
    while (rows.step(&whole)) {
      if (!belongs(table, row)) continue;
      for (const size_t column : table.of_strings) {
        if (row.is_integer(column)) add_string(row.integer(column));
      }
      if (row.is_integer(table.chain)) chains_.insert(row.integer(table.chain));
      if (row.is_integer(table.id) && same_ignoring_case(table.name, "COMPOSITE_EVENTS")) {
        chains_.insert(row.integer(table.id));
      }
      for (size_t i = 0; i < table.columns.size(); ++i) bind(rows, static_cast<int>(i), insert);
      insert.step();
      insert.reset();
    }
  }

  /// Leaves out, in SQLite, most rows that do not belong: those whose times are integers, and
  /// before or after all that does. Events without times name domains and threads.
  std::string time_condition(const Table& table) const {
    const std::optional<WorkTime> time = plan_.whole_time();
    std::optional<size_t> start = table.start, end = table.end;
    if (table.choice == RowChoice::moments) start = end = table.time;
    const bool timed = table.choice == RowChoice::work || table.choice == RowChoice::calls ||
                       table.choice == RowChoice::ranges || table.choice == RowChoice::times ||
                       table.choice == RowChoice::moments;
    if (!time || !timed) return {};
    const std::string begins = sqlite::quoted(table.columns[*start]);
    const std::string ends = sqlite::quoted(table.columns[*end]);
    // Texts come behind all numbers.
    std::string condition = fmt::format(
        " WHERE ({0} IS NULL OR {0} <= {3} OR {0} >= '') AND ({1} IS NULL OR {1} >= {2})", begins,
        ends, time->begin_ns, time->end_ns);
    if (table.choice == RowChoice::ranges) {
      condition += fmt::format(" OR {} NOT IN (59, 60, 70, 71, {})",
                               sqlite::quoted(table.columns[*table.event]), nvtx_mark);
    }
    return condition;
  }

  static void bind(const sqlite::Statement& from, int column, sqlite::Statement& to) {
    // An empty text without an address would be null.
    const auto bytes = [&] {
      const std::string_view text = from.text(column);
      return text.empty() ? std::string_view("") : text;
    };
    switch (from.type(column)) {
      case Type::integer:
        return to.bind(column + 1, from.integer(column));
      case Type::real:
        return to.bind_real(column + 1, from.real(column));
      case Type::text:
        return to.bind(column + 1, bytes());
      case Type::blob:
        return to.bind_blob(column + 1, bytes());
      case Type::null:
        return to.bind_null(column + 1);
    }
  }

  void add_string(int64_t id) {
    constexpr int64_t max_bits = int64_t{1} << 26;
    if (id < 0 || id >= max_bits) {
      other_strings_.insert(id);
      return;
    }
    const auto place = static_cast<size_t>(id);
    if (place >= strings_.size()) strings_.resize(std::max(place + 1, 2 * strings_.size()));
    strings_[place] = true;
  }

  bool has_string(int64_t id) const {
    if (id >= 0 && static_cast<size_t>(id) < strings_.size() && strings_[static_cast<size_t>(id)]) {
      return true;
    }
    return other_strings_.contains(id);
  }

  bool belongs(const Table& table, const NsysRow& row) const {
    switch (table.choice) {
      case RowChoice::all:
        return true;
      case RowChoice::work:
        return has_work(table, row);
      case RowChoice::calls:
        return has_call(table, row);
      case RowChoice::ranges:
        return has_event(table, row);
      case RowChoice::times: {
        if (!row.is_integer(table.start)) return false;
        const int64_t start_ns = row.integer(table.start);
        const bool open = !row.is_integer(table.end);
        return plan_.overlaps({}, start_ns, open ? start_ns : row.integer(table.end));
      }
      case RowChoice::moments: {
        const auto at = row.number(table.time);
        return at && plan_.overlaps({}, *at, *at);
      }
      case RowChoice::chains:
        return !row.is_integer(table.id) || chains_.contains(row.integer(table.id));
      case RowChoice::strings:
        return !row.is_integer(table.id) || has_string(row.integer(table.id));
    }
    return true;
  }

  bool has_work(const Table& table, const NsysRow& row) const {
    const int64_t start_ns = row.number(table.start).value_or(0);
    const int64_t end_ns = row.number(table.end).value_or(0);
    const int64_t duration_ns =
        end_ns >= start_ns && start_ns >= 0 ? end_ns - start_ns : int64_t{-1};
    return plan_.has(CutPlan::Work{{},
                                   {},
                                   table.kind,
                                   0,
                                   row.number(table.stream).value_or(0),
                                   start_ns,
                                   duration_ns,
                                   row.number(table.correlation)});
  }

  struct Thread {
    std::string process, thread;
  };
  static Thread thread_of(int64_t global_tid) {
    constexpr int64_t threads = (int64_t{1} << nsys_process_shift) - 1;
    return {std::to_string(global_tid >> nsys_process_shift), std::to_string(global_tid & threads)};
  }

  bool has_call(const Table& table, const NsysRow& row) const {
    if (!row.is_integer(table.start)) return false;
    const int64_t start_ns = row.integer(table.start);
    const int64_t end_ns = row.is_null(table.end) ? start_ns : row.integer(table.end);
    const Thread on = thread_of(row.number(table.thread).value_or(0));
    return plan_.has(CutPlan::Call{{},
                                   on.process,
                                   on.thread,
                                   start_ns,
                                   end_ns - start_ns,
                                   row.number(table.correlation).value_or(Launch::no_correlation)});
  }

  /// Ranges; marks at their time; and what names domains, categories and threads.
  bool has_event(const Table& table, const NsysRow& row) const {
    const int64_t type = row.number(table.event).value_or(nvtx_mark);
    const bool pushed = is_pushed_range(type);
    if (!pushed && !is_started_range(type)) {
      if (type != nvtx_mark) return true;
      const int64_t at = row.number(table.start).value_or(-1);
      return plan_.overlaps({}, at, at);
    }
    if (!row.is_integer(table.start)) return false;
    const bool open = row.is_null(table.end);
    const int64_t end_ns = open ? std::numeric_limits<int64_t>::max() : row.integer(table.end);
    const int64_t global_tid = row.number(table.thread).value_or(0);
    const auto ended_on = pushed ? std::nullopt : row.number(table.end_thread);
    const bool moved = !open && ended_on && *ended_on != global_tid;
    const Thread on = thread_of(global_tid);
    return plan_.has(CutPlan::Range{{},
                                    on.process,
                                    moved ? std::string_view() : on.thread,
                                    row.integer(table.start),
                                    end_ns,
                                    {}});
  }

  void write_cut_steps() {
    if (cut_steps_.empty()) return;
    to_.execute(fmt::format("CREATE TABLE {} (start INTEGER)", nsys_cut_steps));
    for (const int64_t start_ns : cut_steps_) {
      to_.execute(fmt::format("INSERT INTO {} VALUES ({})", nsys_cut_steps, start_ns));
    }
  }

  /// Those of columns alone.
  void copy_indexes() {
    auto rows = from_.prepare(
        "SELECT sql, tbl_name FROM main.sqlite_master WHERE type = 'index' AND sql IS NOT NULL");
    while (rows.step()) {
      const std::string sql(rows.text(0));
      if (!tables_.has(rows.text(1)) || std::count(sql.begin(), sql.end(), '(') != 1) continue;
      if (!sql.starts_with("CREATE INDEX ") && !sql.starts_with("CREATE UNIQUE INDEX ")) continue;
      to_.execute(sql);
    }
  }

  const sqlite::Database& from_;
  const CutPlan& plan_;
  std::vector<int64_t> cut_steps_;
  const sqlite::Database& to_;
  SqliteTables tables_;
  std::vector<bool> strings_;  // by id: some row names it
  std::unordered_set<int64_t> other_strings_;
  std::unordered_set<int64_t> chains_;
};

}  // namespace

void cut_nsys(Input& input, std::span<const Trace* const> reduced, const std::string& location,
              const std::string& path) {
  const CutPlan plan(reduced, CutPlan::Names::ignored);
  use_sqlite(input, [&](sqlite::Database& from) {
    if (!is_nsys(SqliteTables(from))) {
      throw Error(input.shown(), "is not an nsys export: no part of it can be written as one",
                  "write it with --format perfetto");
    }
    const auto to = sqlite::Database::write(location, path);
    std::vector<int64_t> cut_steps;
    for (const Trace* trace : reduced) {
      if (trace->host) std::ranges::copy(trace->host->cut_steps, std::back_inserter(cut_steps));
    }
    NsysCut(from, plan, std::move(cut_steps), to).run();
  });
}

}  // namespace kr::trace
