#include "trace/readers/sqlite_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace kr::trace {
namespace {

// Row numbers may be anything: a table with few rows and huge numbers is not cut finer than this.
constexpr uint64_t max_ranges = 4096;

uint64_t distance(int64_t first, int64_t last) {
  return static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
}

}  // namespace

int64_t RangeReader::row_number(const ScanRows& rows) const {
  if (rows.row_id == nullptr) return static_cast<int64_t>(rows.met) + 1;
  auto query = database_.prepare(
      fmt::format("SELECT {0} FROM {1} WHERE {0} BETWEEN ?1 AND ?2 LIMIT 1 OFFSET ?3", rows.row_id,
                  sqlite_table(rows.table_name)));
  query.bind(1, rows.first);
  query.bind(2, rows.last);
  query.bind(3, static_cast<int64_t>(rows.met));
  return query.step() ? query.integer(0) : 0;
}

void RangeReader::add_dropped(std::vector<DroppedRecords>& dropped, const ScanRows& rows,
                              std::string_view what) const {
  const bool known = std::any_of(dropped.begin(), dropped.end(),
                                 [&](const DroppedRecords& one) { return one.what == what; });
  trace::add_dropped(dropped, what, known ? UINT64_MAX : static_cast<uint64_t>(row_number(rows)),
                     1);
}

void SqliteScan::add(size_t number, std::string_view name) {
  if (!tables_->has(name)) return;
  Table& table = read_.emplace_back(Table{number, name, tables_->row_id(name)});
  if (table.row_id == nullptr) {
    ranges_.push_back({.table = number, .table_name = name});
    return;
  }
  const auto first = end(table, "min", std::numeric_limits<int64_t>::min());
  const auto last = end(table, "max", std::numeric_limits<int64_t>::max());
  if (!first || !last) return;
  table.empty = false;
  table.first = *first;
  table.last = *last;
  split(table);
}

void SqliteScan::show_progress() {
  counts_ = options_->progress != nullptr;
  if (!counts_) return;
  uint64_t total = 0;
  for (const Table& table : read_) total += table.empty ? 0 : distance(table.first, table.last) + 1;
  options_->progress->done = 0;
  options_->progress->total = total;
}

// Smallest or largest row number, each found at once if it is the only one requested.
std::optional<int64_t> SqliteScan::end(const Table& table, const char* which, int64_t if_cut_off) {
  auto query = tables_->database().prepare(
      fmt::format("SELECT {}({}) FROM {}", which, table.row_id, sqlite_table(table.name)));
  bool reached = true;
  query.step(&reached);
  if (!reached) {
    whole_ = false;
    return if_cut_off;
  }
  if (query.is_null(0)) return std::nullopt;
  return query.integer(0);
}

void SqliteScan::split(const Table& table) {
  const uint64_t step = std::max(range_rows_, distance(table.first, table.last) / max_ranges + 1);
  ScanRows range{table.number, table.name, table.row_id, table.first, table.last};
  while (distance(range.first, table.last) >= step) {
    range.last = static_cast<int64_t>(static_cast<uint64_t>(range.first) + step - 1);
    ranges_.push_back(range);
    range.first = range.last + 1;
  }
  range.last = table.last;
  ranges_.push_back(range);
}

bool SqliteScan::cut(ScanRows& rows) {
  if (next_ == ranges_.size()) return false;
  if (options_->progress != nullptr) options_->progress->check(tables_->database().path());
  rows = ranges_[next_++];
  return true;
}

void SqliteScan::count(const ScanRows& rows) {
  whole_ = whole_ && rows.whole;
  for (Table& table : read_) {
    if (table.number == rows.table) table.met += rows.met;
  }
  if (counts_ && rows.row_id != nullptr) {
    options_->progress->done += distance(rows.first, rows.last) + 1;
  }
}

// The way to the last row follows last pages, the way to a number the numbers between pages.
bool SqliteScan::any_beyond(const Table& table) const {
  const auto any = [&](const char* side, int64_t end) {
    auto query =
        tables_->database().prepare(fmt::format("SELECT 1 FROM {0} WHERE {1} {2} ?1 LIMIT 1",
                                                sqlite_table(table.name), table.row_id, side));
    query.bind(1, end);
    return query.step();
  };
  return any(">", table.last) || any("<", table.first);
}

// Where numbers of rows do not rise from page to page, a range ends before its last row.
void SqliteScan::check_counts(std::string_view remedy) const {
  if (options_->allow_truncated) return;
  for (const Table& table : read_) {
    const uint64_t all = rows(table);
    if (all == table.met) continue;
    throw Error(tables_->database().path(),
                fmt::format("the database is damaged: its table {} has {} rows, of which {} are "
                            "found by their numbers",
                            table.name, all, table.met),
                fmt::format("{}; --allow-truncated reads what is found", remedy));
  }
}

uint64_t SqliteScan::rows(const Table& table) const {
  if (table.row_id == nullptr || (table.empty && table.met == 0)) return table.met;
  if (table.met == distance(table.first, table.last) + 1 && !any_beyond(table)) return table.met;
  // Not count(*): that is one step of SQLite's machine, however many pages it goes through.
  auto query = tables_->database().prepare(
      fmt::format("SELECT count({} + 0) FROM {}", table.row_id, sqlite_table(table.name)));
  return query.step() ? static_cast<uint64_t>(query.integer(0)) : table.met;
}

}  // namespace kr::trace
