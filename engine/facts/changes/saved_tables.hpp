// The tables of a saved run, as its readers read them: what is there may be damaged, or made by
// a stranger, so every number is checked.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/sqlite.hpp"
#include "changes/saved_run.hpp"

namespace kr::changes {

class SavedTables {
 public:
  /// Throws Error if it is not a saved run, has another version, or is damaged.
  explicit SavedTables(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  const sqlite::Database& database() const noexcept { return database_; }
  bool has_module_trees() const { return has("tree_sums"); }
  bool has(std::string_view table) const;

  [[noreturn]] void refuse(const std::string& why) const;
  void check(bool adds_up) const {
    if (!adds_up) refuse("does not add up");
  }
  /// A count or a time: what kr saves is neither negative nor longer than 73 years.
  int64_t amount(const sqlite::Statement& row, int column) const;
  /// A time of a clock: within 73 years of its beginning.
  int64_t time(const sqlite::Statement& row, int column) const;
  /// Takes a part from what is left of a sum.
  void take_from(int64_t& left, int64_t ns) const {
    check(ns <= left);
    left -= ns;
  }

  /// Nine columns: operations, and times in the order of analyze::Breakdown, which add up.
  analyze::Breakdown breakdown(const sqlite::Statement& row, int column) const;
  int32_t device(const sqlite::Statement& row, int column) const;
  std::optional<int64_t> amount_or_nothing(const sqlite::Statement& row, int column) const {
    return row.is_null(column) ? std::nullopt : std::optional(amount(row, column));
  }

  /// With the id of the run as its parameter 1: `sql` has `FROM table WHERE run = ?1`. Of a file of
  /// many runs it reads the rows of this run alone.
  sqlite::Statement of_run(std::string sql, const std::string& run) const;
  void read_sequences(const char* table, const std::string& run, Profile& profile) const;

 private:
  /// The first and the last row.
  using Rows = std::pair<int64_t, int64_t>;
  using RowsByRun = std::map<std::string, Rows, std::less<>>;

  void check_version() const;
  const RowsByRun& rows_by_run(const std::string& table) const;

  std::string path_;
  sqlite::Database database_;
  mutable std::map<std::string, RowsByRun, std::less<>> rows_;  // by table, once requested
};

/// The levels and the profile of a run of module trees.
void read_saved_trees(const SavedTables& tables, const std::string& run, SavedRun& saved);
/// The summary, but for its head and notes, the profile and the rest of a run of operations.
void read_saved_operations(const SavedTables& tables, const std::string& run, SavedRun& saved);
/// Its steps and phases. The dimensions are those of the summary.
void read_saved_steps(const SavedTables& tables, const std::string& run, SavedRun& saved);
/// Its streams, what communicates, and the times of kernels by device. The devices are those of the
/// summary.
void read_saved_devices(const SavedTables& tables, const std::string& run, SavedRun& saved);

}  // namespace kr::changes
