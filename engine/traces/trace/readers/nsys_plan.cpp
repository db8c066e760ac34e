#include "trace/readers/nsys_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kr::trace {
namespace {

// Row numbers may be anything: a table with few rows and huge numbers is not cut finer than this.
constexpr uint64_t max_ranges = 4096;

}  // namespace

NsysPlan::NsysPlan(const sqlite::Database& database, const NsysSchema& schema,
                   std::string_view table, uint64_t rows)
    : database_(&database), table_(table), row_id_(schema.row_id(table)) {
  if (row_id_ == nullptr) return;
  const auto first = end("min");
  const auto last = end("max");
  if (!first || !last) return;
  numbers_ = static_cast<uint64_t>(*last) - static_cast<uint64_t>(*first) + 1;
  split({*first, *last}, rows);
}

// Smallest or largest row number, each found at once if it is the only one requested.
std::optional<int64_t> NsysPlan::end(const char* which) {
  auto query =
      database_->prepare(fmt::format("SELECT {}({}) FROM {}", which, row_id_, nsys_table(table_)));
  bool reached = true;
  query.step(&reached);
  if (!reached) {
    whole_ = false;
    return *which == 'm' && which[1] == 'i' ? std::numeric_limits<int64_t>::min()
                                            : std::numeric_limits<int64_t>::max();
  }
  if (query.is_null(0)) return std::nullopt;
  return query.integer(0);
}

void NsysPlan::split(RowRange range, uint64_t rows) {
  const uint64_t count = static_cast<uint64_t>(range.last) - static_cast<uint64_t>(range.first);
  const uint64_t step = std::max(rows, count / max_ranges + 1);
  const int64_t last = range.last;
  while (true) {
    const uint64_t left = static_cast<uint64_t>(last) - static_cast<uint64_t>(range.first);
    if (left < step) break;
    range.last = static_cast<int64_t>(static_cast<uint64_t>(range.first) + step - 1);
    ranges_.push_back(range);
    range.first = range.last + 1;
  }
  range.last = last;
  ranges_.push_back(range);
}

// The way to the last row follows last pages, the way to a number the numbers between pages.
bool NsysPlan::any_beyond() const {
  auto query = database_->prepare(
      fmt::format("SELECT 1 FROM {0} WHERE {1} {2} ?1 LIMIT 1", nsys_table(table_), row_id_, ">"));
  query.bind(1, ranges_.back().last);
  if (query.step()) return true;
  auto before = database_->prepare(
      fmt::format("SELECT 1 FROM {0} WHERE {1} {2} ?1 LIMIT 1", nsys_table(table_), row_id_, "<"));
  before.bind(1, ranges_.front().first);
  return before.step();
}

uint64_t NsysPlan::rows(uint64_t met) const {
  if (row_id_ == nullptr || (ranges_.empty() && met == 0)) return met;
  if (met == numbers_ && !any_beyond()) return met;
  // Not count(*): that is one step of SQLite's machine, however many pages it goes through.
  auto query =
      database_->prepare(fmt::format("SELECT count({} + 0) FROM {}", row_id_, nsys_table(table_)));
  return query.step() ? static_cast<uint64_t>(query.integer(0)) : met;
}

}  // namespace kr::trace
