// Tables as objects of Python.
#pragma once

#include <memory>
#include <mutex>

#include "kr/table.hpp"
#include "object.hpp"

namespace kr::python {

/// The tables of a session are for one thread at a time. Who has it never waits for the GIL.
using SharedMutex = std::shared_ptr<std::recursive_mutex>;

struct TableHandle {
  Table table;
  SharedMutex mutex;
};

/// A capsule.
Owned wrap(Table table, SharedMutex mutex);

Owned info_of(const TableInfo& info, std::span<const Column> columns);

/// Functions of the module; their argument is a capsule.
PyObject* table_info(PyObject* module, PyObject* capsule);
PyObject* table_rows(PyObject* module, PyObject* capsule);
/// By column: a list of texts, or `(type, numbers, present)` with bytes that numpy takes.
PyObject* table_columns(PyObject* module, PyObject* capsule);
PyObject* table_arrow(PyObject* module, PyObject* capsule);

}  // namespace kr::python
