#include "tables.hpp"

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

/// Texts of tables repeat: one object for equal ones.
class Texts {
 public:
  PyObject* share(std::string_view value) {
    const auto found = known_.find(std::string(value));
    if (found != known_.end()) return found->second.share();
    return known_.emplace(std::string(value), text(value)).first->second.share();
  }

 private:
  std::unordered_map<std::string, Owned> known_;
};

/// Locks the mutex of the table without the GIL, and has both then.
class Reading {
 public:
  explicit Reading(const TableHandle& handle) : mutex_(handle.mutex) {
    const Unlocked unlocked;
    mutex_->lock();
  }
  ~Reading() { mutex_->unlock(); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  SharedMutex mutex_;
};

class Rows final : public RowSink {
 public:
  explicit Rows(std::span<const Column> columns)
      : columns_(columns), list_(checked(PyList_New(0))) {}

  void row(std::span<const Cell> cells) override {
    if (++count_ % 4096 == 0) checked(PyErr_CheckSignals());
    Owned made = checked(PyTuple_New(static_cast<Py_ssize_t>(cells.size())));
    for (size_t i = 0; i < cells.size(); ++i) {
      checked(PyTuple_SetItem(made.get(), static_cast<Py_ssize_t>(i), object(cells[i], i)));
    }
    append(list_, made);
  }
  Owned take() { return std::move(list_); }

 private:
  PyObject* object(const Cell& cell, size_t column) {
    if (const auto* value = std::get_if<std::string_view>(&cell)) return texts_.share(*value);
    if (const auto* number = std::get_if<int64_t>(&cell)) {
      return columns_[column].unit == Unit::boolean ? boolean(*number != 0).release()
                                                    : checked(PyLong_FromLongLong(*number)).release();
    }
    if (const auto* number = std::get_if<double>(&cell)) {
      return checked(PyFloat_FromDouble(*number)).release();
    }
    Py_INCREF(Py_None);
    return Py_None;
  }

  std::span<const Column> columns_;
  Owned list_;
  Texts texts_;
  uint64_t count_ = 0;
};

class Columns final : public RowSink {
 public:
  explicit Columns(std::span<const Column> columns) : data_(columns.size()) {
    for (size_t i = 0; i < columns.size(); ++i) {
      data_[i].unit = columns[i].unit;
      if (is_text(columns[i].unit)) data_[i].texts = checked(PyList_New(0));
    }
  }

  void row(std::span<const Cell> cells) override {
    if (++count_ % 4096 == 0) checked(PyErr_CheckSignals());
    for (size_t i = 0; i < cells.size(); ++i) add(data_[i], cells[i]);
  }

  Owned take() {
    Owned all = checked(PyList_New(0));
    for (One& one : data_) append(all, is_text(one.unit) ? std::move(one.texts) : numbers(one));
    return all;
  }

 private:
  struct One {
    Unit unit = Unit::text;
    Owned texts;
    std::vector<int64_t> whole;   // as long as all numbers are whole
    std::vector<double> doubles;  // else
    bool has_doubles = false;
    std::string present;  // a byte per row
  };

  void add(One& one, const Cell& cell) {
    if (is_text(one.unit)) {
      const auto* value = std::get_if<std::string_view>(&cell);
      Py_INCREF(Py_None);
      Owned item(Py_None);
      if (value != nullptr) item = Owned(texts_.share(*value));
      return append(one.texts, item);
    }
    const auto* whole = std::get_if<int64_t>(&cell);
    const auto* number = std::get_if<double>(&cell);
    one.present += static_cast<char>(whole != nullptr || number != nullptr);
    if (number != nullptr && !one.has_doubles) {
      one.doubles.assign(one.whole.begin(), one.whole.end());
      one.has_doubles = true;
      one.whole = {};
    }
    if (!one.has_doubles) return one.whole.push_back(whole != nullptr ? *whole : 0);
    one.doubles.push_back(number != nullptr  ? *number
                          : whole != nullptr ? static_cast<double>(*whole)
                                             : 0);
  }

  static Owned numbers(const One& one) {
    const auto* data = one.has_doubles ? reinterpret_cast<const char*>(one.doubles.data())
                                       : reinterpret_cast<const char*>(one.whole.data());
    const size_t size = 8 * one.present.size();
    return tuple(
        text(one.unit == Unit::boolean ? "bool" : one.has_doubles ? "float64" : "int64"),
        checked(PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(size))),
        checked(PyBytes_FromStringAndSize(one.present.data(),
                                          static_cast<Py_ssize_t>(one.present.size()))));
  }

  std::vector<One> data_;
  Texts texts_;
  uint64_t count_ = 0;
};

template <class Sink>
PyObject* written(PyObject* capsule) {
  try {
    const TableHandle& handle = handle_of(capsule);
    const Reading reading(handle);
    Sink sink(handle.table.columns());
    handle.table.write(sink);
    return sink.take().release();
  } catch (...) {
    return raise_current();
  }
}

/// A stream that other threads may read while the session is used.
struct LockedStream {
  ArrowArrayStream inner;
  SharedMutex mutex;
};

LockedStream& locked(ArrowArrayStream* stream) {
  return *static_cast<LockedStream*>(stream->private_data);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  LockedStream& one = locked(stream);
  const std::lock_guard lock(*one.mutex);
  return one.inner.get_schema(&one.inner, out);
}
int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  LockedStream& one = locked(stream);
  const std::lock_guard lock(*one.mutex);
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

Owned wrap(Table table, SharedMutex mutex) {
  auto handle = std::make_unique<TableHandle>(TableHandle{std::move(table), std::move(mutex)});
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
  return written<Rows>(capsule);
}

PyObject* table_columns(PyObject*, PyObject* capsule) {
  return written<Columns>(capsule);
}

PyObject* table_arrow(PyObject*, PyObject* capsule) {
  try {
    const TableHandle& handle = handle_of(capsule);
    auto inner = std::make_unique<LockedStream>(LockedStream{{}, handle.mutex});
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
