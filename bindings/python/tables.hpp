// Tables as objects of Python.
#pragma once

#include "kr/table.hpp"
#include "object.hpp"
#include "waiting.hpp"

namespace kr::python {

struct TableHandle {
  Table table;
  SharedTurns turns;
};

/// A capsule.
Owned wrap(Table table, SharedTurns turns);

Owned info_of(const TableInfo& info, std::span<const Column> columns);

/// Functions of the module; their argument is a capsule.
PyObject* table_info(PyObject* module, PyObject* capsule);
PyObject* table_rows(PyObject* module, PyObject* capsule);
/// By column: a list of texts, or `(type, numbers, present)` with bytes that numpy takes.
PyObject* table_columns(PyObject* module, PyObject* capsule);
PyObject* table_arrow(PyObject* module, PyObject* capsule);

}  // namespace kr::python
