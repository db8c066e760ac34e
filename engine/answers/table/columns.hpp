// Columns that carry their value: one list declares the columns of a table and makes its rows.
//
//   using StreamRow = table::Parts<Run, StreamUse>;  // what a row is made from
//   {run_column,                                     // a column that many tables have
//    {"busy_ns", Unit::ns, Role::measure, "The time …", &StreamUse::busy_ns},
//    part_columns<StreamRow>(…)}                     // a group: Columns<StreamRow>
//
// A value is a pointer to a member of the row, of a base or of a part of it, a pointer to such a
// member function, or a function or lambda of one of these. A row makes no copies and does not
// allocate, unless a value returns a std::string: it is kept until the next row.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <initializer_list>
#include <new>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "table/table.hpp"

namespace kr::table {

/// A row that refers to several things, which have to outlive it.
template <class... Each>
class Parts {
 public:
  explicit(false) Parts(const Each&... each) : each_(&each...) {}

  template <class Of>
  requires(std::derived_from<Each, Of> || ...) operator const Of&() const noexcept {
    return of<Of>();
  }
  /// The first that is an `Of`.
  template <class Of, size_t i = 0>
  const Of& of() const noexcept {
    if constexpr (std::derived_from<std::tuple_element_t<i, std::tuple<Each...>>, Of>) {
      return *std::get<i>(each_);
    } else {
      return of<Of, i + 1>();
    }
  }

 private:
  std::tuple<const Each*...> each_;
};

/// The cells of a row, and the texts that were made for them.
struct RowCells {
  /// The place of the next cell.
  Cell& next() {
    if (used == cells.size()) cells.resize(2 * used + 8);
    return cells[used++];
  }

  Cells cells;
  size_t used = 0;  // of `cells`
  std::deque<std::string> texts = {};
};

/// What a row has in a column. Of an optional column, an empty text is nothing.
template <class Row>
class Value {
 public:
  template <class Get>
  explicit(false) Value(Get get) : append_(append_one<Get>) {
    static_assert(sizeof(Get) <= sizeof(get_) && std::is_trivially_copyable_v<Get>);
    std::memcpy(get_, &get, sizeof(Get));
  }
  /// Of `dimension_columns`: appends one cell per dimension.
  static Value several(void (*append)(const Row& row, Cells& cells)) {
    Value value;
    std::memcpy(value.get_, &append, sizeof(append));
    value.append_ = [](const Value& of, const Row& row, RowCells& to) {
      to.cells.resize(to.used);
      of.get<void (*)(const Row&, Cells&)>()(row, to.cells);
      to.used = to.cells.size();
    };
    return value;
  }
  void append(const Row& row, RowCells& to) const { append_(*this, row, to); }
  void make_optional() { optional_ = true; }

 private:
  Value() = default;
  template <class Get>
  const Get& get() const {
    return *std::launder(reinterpret_cast<const Get*>(get_));
  }
  template <class Member, class Of>
  static decltype(auto) call(Member Of::*get, const Row& row) {
    return std::invoke(get, static_cast<const Of&>(row));
  }
  template <class Get>
  static decltype(auto) call(const Get& get, const Row& row) {
    return get(row);
  }
  template <class Get>
  static void append_one(const Value& of, const Row& row, RowCells& to) {
    using Got = decltype(call(of.get<Get>(), row));
    Cell& made = to.next();
    if constexpr (std::is_same_v<Got, std::string>) {
      made = cell(to.texts.emplace_back(call(of.get<Get>(), row)));
    } else {
      made = cell(call(of.get<Get>(), row));
    }
    if (!of.optional_) return;
    const auto* text = std::get_if<std::string_view>(&made);
    if (text != nullptr && text->empty()) made = Cell();
  }

  void (*append_)(const Value& of, const Row& row, RowCells& to) = nullptr;
  alignas(std::max_align_t) std::byte get_[16] = {};
  bool optional_ = false;
};

/// What else a column is: see kr::Column.
struct More {
  bool optional = false;
  bool is_change = false;
  std::string_view share_of = {};

  constexpr More operator|(const More& other) const {
    return {optional || other.optional, is_change || other.is_change,
            share_of.empty() ? other.share_of : share_of};
  }
};
inline constexpr More optional{.optional = true};
inline constexpr More as_change{.is_change = true};
/// Of a share: see kr::Column.
constexpr More read_with(std::string_view column) {
  return {.share_of = column};
}

/// A column that several tables have, each with a value of its own.
struct Head {
  std::string_view id;
  Unit unit;
  Role role;
  std::string_view doc;
  More more = {};
};
/// With one value, for all rows that it can be had of.
template <class Get>
struct SharedColumn {
  Head head;
  Get get;
};

/// Columns with their values; lists may contain groups.
template <class Row>
class Columns {
 public:
  struct Item {
    Item(std::string id, Unit unit, Role role, std::string doc, Value<Row> value, More more = {})
        : columns{{std::move(id), unit, role, std::move(doc), more.optional, more.is_change,
                   std::string(more.share_of)}},
          values{value} {
      if (more.optional) values[0].make_optional();
    }
    Item(const Head& head, Value<Row> value)
        : Item(std::string(head.id), head.unit, head.role, std::string(head.doc), value,
               head.more) {}
    template <class Get>
    explicit(false) Item(const SharedColumn<Get>& shared) : Item(shared.head, shared.get) {}
    explicit(false) Item(Columns group)
        : columns(std::move(group.columns)), values(std::move(group.values)) {}

    std::vector<Column> columns;
    std::vector<Value<Row>> values;
  };

  Columns() = default;
  explicit(false) Columns(std::initializer_list<Item> items) {
    for (const Item& item : items) add(item);
  }
  void add(const Item& item) {
    columns.insert(columns.end(), item.columns.begin(), item.columns.end());
    values.insert(values.end(), item.values.begin(), item.values.end());
  }

  std::vector<Column> columns;
  std::vector<Value<Row>> values;  // one per column
};

/// Makes rows of a table. One at a time: cells are valid until the next.
template <class Row>
class Rows {
 public:
  Rows(const std::vector<Value<Row>>& values, RowSink& sink) : values_(values), sink_(sink) {}
  void add(const Row& row) {
    made_.used = 0;
    if (!made_.texts.empty()) made_.texts.clear();
    for (const Value<Row>& value : values_) value.append(row, made_);
    sink_.row(std::span<const Cell>(made_.cells.data(), made_.used));
  }

 private:
  const std::vector<Value<Row>>& values_;
  RowSink& sink_;
  RowCells made_;
};

}  // namespace kr::table
