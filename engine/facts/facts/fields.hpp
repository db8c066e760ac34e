// The saved form of a fact: its fields, declared once, in one order for writing and reading.
//
//   void StreamUses::saved(facts::Fields& io, const RunSummary& run) {
//     io.list("streams", streams, [&](facts::Fields& row, StreamUse& one) {
//       row.number("device", one.device);
//       row.amount("busy_ns", one.busy_ns);
//       row.check(one.busy_ns <= run.span_ns);
//     });
//   }
//
// A row has the same fields and lists whatever its values are. A list is a table of an SQLite
// database, named after those around it (`StreamUses.streams`): the number of the run in the file,
// that of the row of the outer list, and the fields. Rows of a run follow each other, and runs
// follow in order: each table is read once, from its beginning to its end. Texts are stored once,
// in the table `texts`. The file may be a stranger's: what is read is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/distinct_texts.hpp"
#include "base/sqlite.hpp"

namespace kr::facts {

/// One list of a file, with what is written or read next.
struct FieldList {
  std::string table;
  bool is_inner = false;                          // in another list
  std::vector<std::string> columns;               // the fields
  std::vector<std::unique_ptr<FieldList>> lists;  // in this one

  std::optional<sqlite::Statement> rows;  // of a file that is read: none until it is used
  bool has_row = false;                   // `rows` is at one
  int64_t next = 0;                       // rows of the run before it
};

/// The lists of a file.
class FieldFile {
 public:
  enum class Mode : uint8_t { declare, write, read };

  /// Creates, writes or reads the lists that `declare` declares, by the mode. `remedy`: what to do
  /// about a file that cannot be read.
  FieldFile(sqlite::Database database, Mode mode, std::string remedy,
            const std::function<void(FieldFile&)>& declare);
  FieldFile(const FieldFile&) = delete;
  FieldFile& operator=(const FieldFile&) = delete;

  Mode mode() const noexcept { return mode_; }
  const sqlite::Database& database() const noexcept { return database_; }
  FieldList& root() noexcept { return root_; }
  /// What follows is of this run.
  void begin_run(int64_t run);
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  friend class Fields;
  void create(FieldList& list);
  void open(FieldList& list);
  bool begin_row(FieldList& list, int64_t parent);
  int64_t first_row(const FieldList& list) const;
  /// Refuses rows of this run, or of one before it, that were not read.
  void check_all_read(const FieldList& list) const;
  int64_t number_of(std::string_view text);
  const std::string& text(int64_t number) const;

  sqlite::Database database_;
  Mode mode_ = Mode::declare;
  std::string remedy_;
  FieldList root_;
  int64_t run_ = -1;
  // Of a file that is written.
  DistinctTexts texts_written_;
  std::optional<sqlite::Statement> insert_text_;
  std::vector<std::string> texts_read_;
};

/// A row of a list.
class Fields {
 public:
  /// What contains the facts of a run.
  explicit Fields(FieldFile& file) : Fields(file, file.root(), -1) {}

  bool reads() const noexcept { return file_.mode() == FieldFile::Mode::read; }
  bool writes() const noexcept { return file_.mode() == FieldFile::Mode::write; }

  /// A count, or a time that something took: at most 2^61, which is 73 years.
  void amount(const char* name, int64_t& value) { whole(name, value, 0, max_amount); }
  void amount(const char* name, std::optional<int64_t>& value) { whole(name, value, 0); }
  /// A time of a clock.
  void time(const char* name, int64_t& value) { whole(name, value, -max_amount, max_amount); }
  void time(const char* name, std::optional<int64_t>& value) { whole(name, value, -max_amount); }
  /// Any number.
  template <class Number>
  void number(const char* name, Number& value) {
    using Limits = std::numeric_limits<Number>;
    constexpr auto all = std::numeric_limits<int64_t>::max();
    constexpr bool is_wide = sizeof(Number) == sizeof(int64_t);
    between(name, value, static_cast<int64_t>(Limits::min()),
            is_wide ? all : static_cast<int64_t>(Limits::max()));
  }
  void number(const char* name, std::optional<int64_t>& value) {
    whole(name, value, std::numeric_limits<int64_t>::min());
  }
  /// A place in a list of `size`.
  template <class Number>
  void place(const char* name, Number& value, size_t size) {
    between(name, value, 0, static_cast<int64_t>(size) - 1);
  }
  /// Finite.
  void real(const char* name, double& value);
  void flag(const char* name, bool& value);
  void text(const char* name, std::string& value);
  /// A long text that no other is equal to.
  void bytes(const char* name, std::string& value);
  /// A value with a `to_string`, which `from` reads.
  template <class Enum, class From>
  void choice(const char* name, Enum& value, const From& from) {
    std::string word;
    if (writes()) word = to_string(value);
    text(name, word);
    if (!reads()) return;
    const auto known = from(std::string_view(word));
    if (!known) refuse(std::string("has an unknown ") + name);
    value = *known;
  }

  /// `each(row, i)` for each of `count` rows, or for as many as the file has.
  template <class Each>
  void rows(const char* name, size_t count, const Each& each) {
    Fields row(file_, inner(name), row_);
    for (size_t i = 0; row.begin(i, count); ++i) {
      each(row, i);
      row.end();
    }
    if (reads() && row_ == outermost) file_.check_all_read(row.list_);
  }
  /// `each(row, one)` for each of them.
  template <class Row, class Each>
  void list(const char* name, std::vector<Row>& all, const Each& each) {
    rows(name, all.size(), [&](Fields& row, size_t i) {
      if (writes()) return each(row, all[i]);
      Row one{};
      each(row, one);
      if (reads()) all.push_back(std::move(one));
    });
  }

  /// Of what is read.
  void check(bool adds_up) const {
    if (reads() && !adds_up) refuse("does not add up");
  }
  /// Takes a part from what is left of a sum.
  void take_from(int64_t& left, int64_t part) const {
    check(part <= left);
    left -= part;
  }
  [[noreturn]] void refuse(const std::string& why) const { file_.refuse(why); }

 private:
  static constexpr int64_t max_amount = int64_t{1} << 61;
  static constexpr int64_t outermost = -1;

  Fields(FieldFile& file, FieldList& list, int64_t parent)
      : file_(file), list_(list), parent_(parent), row_(outermost) {}

  template <class Number>
  void between(const char* name, Number& value, int64_t min, int64_t max) {
    auto number = static_cast<int64_t>(value);
    whole(name, number, min, max);
    if (reads()) value = static_cast<Number>(number);
  }
  void whole(const char* name, int64_t& value, int64_t min, int64_t max);
  /// At most `max_amount`, if there is one.
  void whole(const char* name, std::optional<int64_t>& value, int64_t min);
  int64_t whole_between(int column, int64_t min, int64_t max) const;
  /// The column of the next field, or its parameter.
  int next_column(const char* name);
  FieldList& inner(const char* name);
  bool begin(size_t row, size_t count);
  void end();

  FieldFile& file_;
  FieldList& list_;
  int64_t parent_;
  int64_t row_;        // its number in the run
  size_t column_ = 0;  // the next field
};

}  // namespace kr::facts
