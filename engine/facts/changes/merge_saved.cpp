#include "changes/merge_saved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "changes/saved_tables.hpp"
#include "kr/render.hpp"

namespace kr::changes {
namespace {

using sqlite::Statement;

/// A run of a part.
struct MergedRun {
  size_t part = 0;
  std::string id;
  std::string stem;  // the id without its number
  int64_t rank = 0;  // those without one come last
  analyze::RunIdentity identity;

  auto key() const { return std::tie(rank, identity.operations); }
};

struct MergedColumn {
  std::string name;
  std::string type;  // INTEGER, REAL or TEXT

  /// The run first: which columns there are must not depend on what was merged first.
  friend bool operator<(const MergedColumn& a, const MergedColumn& b) {
    return std::pair(a.name != "run", std::string_view(a.name)) <
           std::pair(b.name != "run", std::string_view(b.name));
  }
};

std::string list_of(std::span<const MergedColumn> columns) {
  std::string list;
  for (const MergedColumn& one : columns)
    list += (list.empty() ? "" : ", ") + sqlite::quoted(one.name);
  return list;
}

/// Of columns alone, not of what else a stranger may have written there.
std::vector<MergedColumn> columns_of(const SavedTables& part, std::string_view table) {
  std::vector<MergedColumn> columns;
  Statement rows =
      part.database().prepare(fmt::format("PRAGMA main.table_info({})", sqlite::quoted(table)));
  while (rows.step()) {
    std::string type(rows.text(2));
    if (type != "INTEGER" && type != "REAL" && type != "TEXT") {
      part.refuse(fmt::format("has a column of type `{}`", type));
    }
    columns.push_back({std::string(rows.text(1)), std::move(type)});
  }
  return columns;
}

class Merger {
 public:
  Merger(std::span<const std::string> paths, const std::string& location, const std::string& path)
      : paths_(paths), out_(sqlite::Database::write(location, path)) {
    for (size_t part = 0; part < paths.size(); ++part) {
      const size_t before = runs_.size();
      add_part(part);
      // Its runs may have those of other parts between them.
      if (runs_.size() - before > 1 && kept_.size() < max_kept) {
        kept_.emplace(part, std::move(*open_));
        open_.reset();
      }
    }
    std::sort(runs_.begin(), runs_.end(),
              [](const MergedRun& a, const MergedRun& b) { return a.key() < b.key(); });
    check_runs();
  }

  size_t write() {
    out_.execute(
        fmt::format("PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA application_id = {}; "
                    "PRAGMA user_version = {}; BEGIN;",
                    render::sqlite_application_id, saved_version));
    for (const auto& [table, rows] : head_) write_head(table, rows);
    for (const auto& [table, columns] : columns_) create(table, columns);
    for (size_t place = 0; place < runs_.size(); ++place) copy_run(place);
    out_.execute("COMMIT");
    return runs_.size();
  }

 private:
  using Columns = std::set<MergedColumn>;

  /// Few are open: there may be more parts than files may be.
  const SavedTables& open(size_t part) {
    if (const auto at = kept_.find(part); at != kept_.end()) return at->second;
    if (!open_ || open_->path() != paths_[part]) open_.emplace(paths_[part]);
    return *open_;
  }

  void add_part(size_t number) {
    const std::string& path = paths_[number];
    const SavedTables& part = open(number);
    if (part.has_module_trees()) {
      throw Error(path, "is a saved run of module trees", "merge what `kr report --save` wrote");
    }
    (void)read_saved_runs(path);  // checks that its numbers add up
    Statement rows = part.database().prepare(
        "SELECT r.run, r.rank, coalesce(r.rank_from, 'order'), i.operations_hash, i.rules_hash "
        "FROM runs r LEFT JOIN run_identities i ON i.run = r.run ORDER BY r.rowid");
    while (rows.step()) {
      if (rows.is_null(3) || rows.is_null(4)) part.refuse("does not contain the identity of runs");
      const std::string id(rows.text(0));
      const bool ranked = !rows.is_null(1) && rows.text(2) != "order";
      const size_t end = id.find_last_not_of("0123456789");
      runs_.push_back({number,
                       id,
                       id.substr(0, end == id.npos ? 0 : end + 1),
                       ranked ? rows.integer(1) : no_rank,
                       {std::string(rows.text(3)), std::string(rows.text(4))}});
    }
    for (const std::string_view table : saved_tables()) {
      if (!part.has(table)) continue;
      for (MergedColumn& one : columns_of(part, table)) columns_[table].insert(std::move(one));
    }
    for (const std::string_view table : {"columns", "info"}) add_head(part, table);
  }

  /// What is said of a file. All parts are of one version, so most of it is equal.
  void add_head(const SavedTables& part, std::string_view table) {
    const std::vector<MergedColumn> columns = columns_of(part, table);
    columns_of_head_[table] = columns;
    Statement from = part.database().prepare(
        fmt::format("SELECT {} FROM {}", list_of(columns), sqlite::quoted(table)));
    while (from.step()) {
      std::vector<std::string> row;
      for (size_t i = 0; i < columns.size(); ++i) row.emplace_back(from.text(static_cast<int>(i)));
      head_[table].insert(std::move(row));
    }
  }

  void check_runs() const {
    std::map<std::string_view, const MergedRun*> known;
    for (const MergedRun& run : runs_) {
      const MergedRun& first = runs_.front();
      if (run.identity.rules != first.identity.rules) {
        throw Error(paths_[run.part],
                    fmt::format("was labelled by other rules than {}", paths_[first.part]),
                    "save both with the same rules");
      }
      const auto [at, added] = known.try_emplace(run.identity.operations, &run);
      if (added) continue;
      throw Error(paths_[run.part],
                  fmt::format("contains the same run as {}: {} and {}", paths_[at->second->part],
                              run.id, at->second->id),
                  "merge each run once");
    }
  }

  void write_head(std::string_view table, const std::set<std::vector<std::string>>& rows) {
    const std::vector<MergedColumn>& columns = columns_of_head_.at(table);
    create(table, columns);
    Statement to = insert(table, columns.size());
    for (const std::vector<std::string>& row : rows) {
      if (row.size() != columns.size()) continue;
      for (size_t i = 0; i < row.size(); ++i) {
        to.bind(static_cast<int>(i) + 1, std::string_view(row[i]));
      }
      to.step();
      to.reset();
    }
  }

  void copy_run(size_t place) {
    const MergedRun& run = runs_[place];
    const SavedTables& part = open(run.part);
    for (const auto& [table, columns] : columns_) {
      if (part.has(table)) copy_rows(part, table, columns, place);
    }
  }

  void copy_rows(const SavedTables& part, std::string_view table, const Columns& columns,
                 size_t place) const {
    const MergedRun& run = runs_[place];
    const std::string id = fmt::format("{}{}", run.stem, place);
    const std::vector<MergedColumn> own = columns_of(part, table);
    std::vector<int> parameters;  // by own column
    parameters.reserve(own.size());
    for (const MergedColumn& one : own) {
      parameters.push_back(static_cast<int>(std::distance(columns.begin(), columns.find(one))) + 1);
    }
    // A rank that is only the place of a run among those read together does not count.
    const bool unranked = table == "runs" && run.rank == no_rank;
    Statement from = part.of_run(fmt::format("SELECT {} FROM {} WHERE run = ?1 ORDER BY rowid",
                                             list_of(own), sqlite::quoted(table)),
                                 run.id);
    Statement to = insert(table, columns.size());
    while (from.step()) {
      for (size_t i = 0; i < own.size(); ++i) {
        const bool rank = own[i].name == "rank" || own[i].name == "rank_from";
        if (own[i].name == "run") {
          to.bind(parameters[i], std::string_view(id));
        } else if (unranked && rank) {
          to.bind_null(parameters[i]);
        } else {
          copy_cell(from, static_cast<int>(i), to, parameters[i]);
        }
      }
      to.step();
      to.reset();
    }
  }

  static void copy_cell(const Statement& from, int column, Statement& to, int parameter) {
    switch (from.type(column)) {
      case Statement::Type::integer:
        return to.bind(parameter, from.integer(column));
      case Statement::Type::real:
        return to.bind_real(parameter, from.real(column));
      case Statement::Type::text:
        return to.bind(parameter, from.text(column));
      case Statement::Type::blob:
        return to.bind_blob(parameter, from.text(column));
      case Statement::Type::null:
        return to.bind_null(parameter);
    }
  }

  template <class List>
  void create(std::string_view table, const List& columns) const {
    std::string sql = fmt::format("CREATE TABLE {} (", sqlite::quoted(table));
    std::string_view separator = "\n  ";
    for (const MergedColumn& one : columns) {
      sql += fmt::format("{}{} {}", separator, sqlite::quoted(one.name), one.type);
      separator = ",\n  ";
    }
    out_.execute(sql + "\n)");
  }

  Statement insert(std::string_view table, size_t columns) const {
    std::string sql = fmt::format("INSERT INTO {} VALUES (", sqlite::quoted(table));
    for (size_t i = 0; i < columns; ++i) sql += i == 0 ? "?" : ", ?";
    return out_.prepare(sql + ")");
  }

  static constexpr int64_t no_rank = std::numeric_limits<int64_t>::max();

  std::span<const std::string> paths_;
  sqlite::Database out_;
  static constexpr size_t max_kept = 64;
  std::map<size_t, SavedTables> kept_;  // of several runs
  std::optional<SavedTables> open_;     // the last of the others
  std::vector<MergedRun> runs_;
  std::map<std::string_view, Columns> columns_;  // by table
  // Of the tables that are not about runs.
  std::map<std::string_view, std::vector<MergedColumn>> columns_of_head_;
  std::map<std::string_view, std::set<std::vector<std::string>>> head_;
};

}  // namespace

size_t merge_saved_runs(std::span<const std::string> parts, const std::string& location,
                        const std::string& path) {
  const size_t runs = Merger(parts, location, path).write();
  append_checksum(location, path);
  return runs;
}

}  // namespace kr::changes
