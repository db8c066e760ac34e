#include "facts/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "base/error.hpp"

namespace kr::facts {
namespace {

using sqlite::quoted;
using sqlite::Statement;

/// Before the fields: `run`, and of inner lists `parent`.
int first_column(const FieldList& list) noexcept {
  return list.is_inner ? 2 : 1;
}

std::string columns_of(const FieldList& list) {
  std::string columns = list.is_inner ? "run, parent" : "run";
  for (const std::string& one : list.columns) columns += ", " + quoted(one);
  return columns;
}

}  // namespace

FieldFile::FieldFile(sqlite::Database database, Mode mode, std::string remedy,
                     const std::function<void(FieldFile&)>& declare)
    : database_(std::move(database)), remedy_(std::move(remedy)) {
  declare(*this);
  mode_ = mode;
  if (mode == Mode::write) {
    database_.execute("CREATE TABLE texts (text)");
    insert_text_ = database_.prepare("INSERT INTO texts VALUES (?)");
    for (const auto& list : root_.lists) create(*list);
    return;
  }
  constexpr const char* all_texts = "SELECT text FROM texts ORDER BY rowid";
  if (!database_.can_prepare(all_texts)) refuse("has no table `texts`");
  for (Statement rows = database_.prepare(all_texts); rows.step();) {
    texts_read_.emplace_back(rows.text(0));
  }
}

void FieldFile::refuse(const std::string& why) const {
  throw Error(database_.path(), why, remedy_);
}

void FieldFile::create(FieldList& list) {
  const std::string columns = columns_of(list);
  database_.execute(fmt::format("CREATE TABLE {} ({})", quoted(list.table), columns));
  std::string values = "?";
  for (auto left = std::count(columns.begin(), columns.end(), ','); left > 0; --left) {
    values += ", ?";
  }
  list.rows =
      database_.prepare(fmt::format("INSERT INTO {} VALUES ({})", quoted(list.table), values));
  for (const auto& inner : list.lists) create(*inner);
}

void FieldFile::begin_run(int64_t run) {
  const bool follows = run == run_ + 1;
  run_ = run;
  const auto begin = [&](const auto& self, FieldList& list) -> void {
    list.next = 0;
    if (mode_ == Mode::read && !follows) list.rows.reset();
    for (const auto& inner : list.lists) self(self, *inner);
  };
  begin(begin, root_);
}

/// The first of the run, or behind it. There is no index: rows are in the order of runs.
int64_t FieldFile::first_row(const FieldList& list) const {
  Statement last = database_.prepare(fmt::format("SELECT max(rowid) FROM {}", quoted(list.table)));
  int64_t low = 1, high = (last.step() ? last.integer(0) : 0) + 1;
  Statement row =
      database_.prepare(fmt::format("SELECT run FROM {} WHERE rowid = ?1", quoted(list.table)));
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    row.bind(1, middle);
    const bool before = row.step() && row.integer(0) < run_;
    row.reset();
    (before ? low : high) = before ? middle + 1 : middle;
  }
  return low;
}

void FieldFile::open(FieldList& list) {
  const std::string sql = fmt::format("SELECT {} FROM {} WHERE rowid >= ?1 ORDER BY rowid",
                                      columns_of(list), quoted(list.table));
  if (!database_.can_prepare(sql)) {
    refuse(fmt::format("has no table `{}` with the columns of this version", list.table));
  }
  const int64_t first = run_ == 0 ? 1 : first_row(list);
  list.rows = database_.prepare(sql);
  list.rows->bind(1, first);
  list.has_row = list.rows->step();
}

bool FieldFile::begin_row(FieldList& list, int64_t parent) {
  if (!list.rows) open(list);
  return list.has_row && list.rows->integer(0) == run_ &&
         (!list.is_inner || list.rows->integer(1) == parent);
}

void FieldFile::check_all_read(const FieldList& list) const {
  if (list.rows && list.has_row && list.rows->integer(0) <= run_) refuse("does not add up");
  for (const auto& inner : list.lists) check_all_read(*inner);
}

int64_t FieldFile::number_of(std::string_view text) {
  const size_t known = texts_written_.size();
  const uint32_t number = texts_written_.add(text);
  if (number == known) {
    insert_text_->bind_blob(1, text.empty() ? std::string_view("") : text);
    insert_text_->step();
    insert_text_->reset();
  }
  return number;
}

const std::string& FieldFile::text(int64_t number) const {
  if (number < 0 || number >= static_cast<int64_t>(texts_read_.size())) {
    refuse("has the number of a text that it does not have");
  }
  return texts_read_[static_cast<size_t>(number)];
}

FieldList& Fields::inner(const char* name) {
  const std::string table = list_.table.empty() ? name : fmt::format("{}.{}", list_.table, name);
  for (const auto& known : list_.lists) {
    if (known->table == table) return *known;
  }
  KR_CHECK(file_.mode() == FieldFile::Mode::declare);
  FieldList& added = *list_.lists.emplace_back(std::make_unique<FieldList>());
  added.table = table;
  added.is_inner = !list_.table.empty();
  return added;
}

bool Fields::begin(size_t row, size_t count) {
  column_ = 0;
  switch (file_.mode()) {
    case FieldFile::Mode::declare:
      return row == 0;
    case FieldFile::Mode::write:
      if (row == count) return false;
      list_.rows->bind(1, file_.run_);
      if (list_.is_inner) list_.rows->bind(2, parent_);
      break;
    case FieldFile::Mode::read:
      if (!file_.begin_row(list_, parent_)) return false;
      break;
  }
  row_ = list_.next++;
  return true;
}

void Fields::end() {
  if (file_.mode() == FieldFile::Mode::declare) return;
  KR_CHECK(column_ == list_.columns.size());
  const bool more = list_.rows->step();
  if (reads()) list_.has_row = more;
  if (writes()) list_.rows->reset();
}

int Fields::next_column(const char* name) {
  if (file_.mode() == FieldFile::Mode::declare) list_.columns.emplace_back(name);
  const int parameter = writes() ? 1 : 0;
  return first_column(list_) + static_cast<int>(column_++) + parameter;
}

int64_t Fields::whole_between(int column, int64_t min, int64_t max) const {
  const int64_t number = list_.rows->integer(column);
  if (list_.rows->type(column) != Statement::Type::integer || number < min || number > max) {
    refuse("has a number that cannot be");
  }
  return number;
}

void Fields::whole(const char* name, int64_t& value, int64_t min, int64_t max) {
  const int column = next_column(name);
  if (writes()) list_.rows->bind(column, value);
  if (reads()) value = whole_between(column, min, max);
}

void Fields::whole(const char* name, std::optional<int64_t>& value, int64_t min) {
  const int column = next_column(name);
  if (writes() && value) list_.rows->bind(column, *value);
  if (writes() && !value) list_.rows->bind_null(column);
  if (!reads()) return;
  value.reset();
  const bool any = min == std::numeric_limits<int64_t>::min();
  const int64_t max = any ? std::numeric_limits<int64_t>::max() : max_amount;
  if (!list_.rows->is_null(column)) value = whole_between(column, min, max);
}

void Fields::real(const char* name, double& value) {
  const int column = next_column(name);
  if (writes()) list_.rows->bind_real(column, value);
  if (!reads()) return;
  value = list_.rows->real(column);
  if (list_.rows->type(column) != Statement::Type::real || !std::isfinite(value)) {
    refuse("has a number that cannot be");
  }
}

void Fields::flag(const char* name, bool& value) {
  between(name, value, 0, 1);
}

void Fields::text(const char* name, std::string& value) {
  int64_t number = writes() ? file_.number_of(value) : 0;
  whole(name, number, 0, max_amount);
  if (reads()) value = file_.text(number);
}

void Fields::bytes(const char* name, std::string& value) {
  const int column = next_column(name);
  if (writes()) list_.rows->bind_blob(column, value.empty() ? std::string_view("") : value);
  if (reads()) value = list_.rows->text(column);
}

}  // namespace kr::facts
