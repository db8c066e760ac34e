#include "tables.hpp"

#include <bit>
#include <unordered_map>
#include <utility>

#include "kr/arrow.hpp"

namespace kr::python {
namespace {

constexpr const char* table_name = "kr.table";
constexpr const char* stream_name = "arrow_array_stream";  // of the Arrow PyCapsule interface

TableHandle& handle_of(PyObject* capsule) {
  void* pointer = PyCapsule_GetPointer(capsule, table_name);
  if (pointer == nullptr) throw Raised();
  return *static_cast<TableHandle*>(pointer);
}

Owned boolean(bool value) {
  return checked(PyBool_FromLong(value ? 1 : 0));
}

/// The cells of a table, read without the GIL.
class Cached final : public RowSink {
 public:
  explicit Cached(std::span<const Column> columns) : columns_(columns), data_(columns.size()) {}

  void read(const Table& table, const Stop& stop) {
    stop_ = &stop;
    table.write(*this);
  }

  void row(std::span<const Cell> cells) override {
    if (rows_ % 4096 == 0 && *stop_) throw Interrupted();
    for (size_t i = 0; i < cells.size(); ++i) {
      const Cell& cell = cells[i];
      data_[i].kinds += static_cast<char>(cell.index());
      int64_t value = 0;
      if (const auto* text = std::get_if<std::string_view>(&cell)) value = place(*text);
      if (const auto* number = std::get_if<int64_t>(&cell)) value = *number;
      if (const auto* number = std::get_if<double>(&cell)) value = std::bit_cast<int64_t>(*number);
      data_[i].values.push_back(value);
    }
    ++rows_;
  }

  Owned rows() {
    make_texts();
    Owned list = checked(PyList_New(static_cast<Py_ssize_t>(rows_)));
    for (size_t row = 0; row < rows_; ++row) {
      if (row % 4096 == 0) checked(PyErr_CheckSignals());
      Owned made = checked(PyTuple_New(static_cast<Py_ssize_t>(data_.size())));
      for (size_t i = 0; i < data_.size(); ++i) {
        checked(PyTuple_SetItem(made.get(), static_cast<Py_ssize_t>(i), object(i, row)));
      }
      checked(PyList_SetItem(list.get(), static_cast<Py_ssize_t>(row), made.release()));
    }
    return list;
  }

  Owned columns() {
    make_texts();
    Owned all = checked(PyList_New(0));
    for (size_t i = 0; i < data_.size(); ++i) {
      append(all, is_text(columns_[i].unit) ? texts(i) : numbers(i));
    }
    return all;
  }

 private:
  static constexpr char is_nothing = 0, is_a_text = 1, is_whole = 2, is_double = 3;  // of Cell
  struct One {
    std::vector<int64_t> values;  // the number, its bits, or the place of the text
    std::string kinds;
  };

  int64_t place(std::string_view value) {
    const auto next = static_cast<int64_t>(places_.size());
    return places_.try_emplace(std::string(value), next).first->second;
  }

  /// One object for equal texts: texts of tables repeat.
  void make_texts() {
    texts_.resize(places_.size());
    for (const auto& [value, place] : places_) texts_[static_cast<size_t>(place)] = text(value);
  }

  PyObject* object(size_t column, size_t row) const {
    const int64_t value = data_[column].values[row];
    switch (data_[column].kinds[row]) {
      case is_a_text:
        return texts_[static_cast<size_t>(value)].share();
      case is_whole:
        return columns_[column].unit == Unit::boolean
                   ? boolean(value != 0).release()
                   : checked(PyLong_FromLongLong(value)).release();
      case is_double:
        return checked(PyFloat_FromDouble(std::bit_cast<double>(value))).release();
      default:
        Py_INCREF(Py_None);
        return Py_None;
    }
  }

  Owned texts(size_t column) const {
    Owned list = checked(PyList_New(static_cast<Py_ssize_t>(rows_)));
    for (size_t row = 0; row < rows_; ++row) {
      checked(PyList_SetItem(list.get(), static_cast<Py_ssize_t>(row), object(column, row)));
    }
    return list;
  }

  Owned numbers(size_t column) const {
    const One& one = data_[column];
    std::string present = one.kinds;
    for (char& kind : present) kind = static_cast<char>(kind != is_nothing);
    const bool doubles = one.kinds.find(is_double) != std::string::npos;
    std::vector<int64_t> values = one.values;
    for (size_t row = 0; doubles && row < rows_; ++row) {
      if (one.kinds[row] != is_whole) continue;
      values[row] = std::bit_cast<int64_t>(static_cast<double>(values[row]));
    }
    const auto bytes = [](const void* data, size_t size) {
      return checked(
          PyBytes_FromStringAndSize(static_cast<const char*>(data), static_cast<Py_ssize_t>(size)));
    };
    return tuple(text(columns_[column].unit == Unit::boolean ? "bool"
                      : doubles                              ? "float64"
                                                             : "int64"),
                 bytes(values.data(), 8 * rows_), bytes(present.data(), rows_));
  }

  const Stop* stop_ = nullptr;
  std::span<const Column> columns_;
  std::vector<One> data_;
  size_t rows_ = 0;
  std::unordered_map<std::string, int64_t> places_;
  std::vector<Owned> texts_;
};

PyObject* written(PyObject* capsule, Owned (Cached::*make)()) {
  try {
    const TableHandle& handle = handle_of(capsule);
    Cached cells(handle.table.columns());
    in_turn(*handle.turns, [&](const Stop& stop) { cells.read(handle.table, stop); });
    return (cells.*make)().release();
  } catch (...) {
    return raise_current();
  }
}

/// A stream that other threads may read while the session is used.
struct LockedStream {
  ArrowArrayStream inner;
  SharedTurns turns;
};

LockedStream& locked(ArrowArrayStream* stream) {
  return *static_cast<LockedStream*>(stream->private_data);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  LockedStream& one = locked(stream);
  const Turn turn(*one.turns);
  return one.inner.get_schema(&one.inner, out);
}
int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  LockedStream& one = locked(stream);
  const Turn turn(*one.turns);
  return one.inner.get_next(&one.inner, out);
}
const char* last_error(ArrowArrayStream* stream) {
  LockedStream& one = locked(stream);
  return one.inner.get_last_error(&one.inner);
}
void release_stream(ArrowArrayStream* stream) {
  LockedStream* one = &locked(stream);
  one->inner.release(&one->inner);
  delete one;
  stream->release = nullptr;
}

void free_stream(PyObject* capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, stream_name));
  if (stream == nullptr) return PyErr_Clear();
  if (stream->release != nullptr) stream->release(stream);
  delete stream;
}

}  // namespace

Owned wrap(Table table, SharedTurns turns) {
  auto handle = std::make_unique<TableHandle>(TableHandle{std::move(table), std::move(turns)});
  Owned capsule = checked(PyCapsule_New(handle.get(), table_name, [](PyObject* object) {
    delete static_cast<TableHandle*>(PyCapsule_GetPointer(object, table_name));
  }));
  handle.release();  // NOLINT(bugprone-unused-return-value): the capsule owns it
  return capsule;
}

Owned info_of(const TableInfo& info, std::span<const Column> columns) {
  Owned all = checked(PyList_New(0));
  for (const Column& one : columns) {
    append(all, tuple(text(one.id), text(to_string(one.unit)), text(to_string(one.role)),
                      text(one.doc), boolean(one.optional)));
  }
  return tuple(text(info.id), text(info.title), text(info.doc), std::move(all));
}

PyObject* table_info(PyObject*, PyObject* capsule) {
  try {
    const Table& table = handle_of(capsule).table;
    return info_of(table.info(), table.columns()).release();
  } catch (...) {
    return raise_current();
  }
}

PyObject* table_rows(PyObject*, PyObject* capsule) {
  return written(capsule, &Cached::rows);
}

PyObject* table_columns(PyObject*, PyObject* capsule) {
  return written(capsule, &Cached::columns);
}

PyObject* table_arrow(PyObject*, PyObject* capsule) {
  try {
    const TableHandle& handle = handle_of(capsule);
    auto inner = std::make_unique<LockedStream>(LockedStream{{}, handle.turns});
    render::arrow(handle.table, nullptr, &inner->inner);
    auto stream = std::make_unique<ArrowArrayStream>();
    *stream = {get_schema, get_next, last_error, release_stream, inner.release()};
    Owned made = Owned(PyCapsule_New(stream.get(), stream_name, free_stream));
    if (made.get() == nullptr) {
      stream->release(stream.get());
      throw Raised();
    }
    stream.release();  // NOLINT(bugprone-unused-return-value): the capsule owns it
    return made.release();
  } catch (...) {
    return raise_current();
  }
}

}  // namespace kr::python
