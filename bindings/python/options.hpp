// Options of a session, from a dict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "object.hpp"

namespace kr::python {

/// Members of a dict; those that are missing or None keep their default.
class Options {
 public:
  explicit Options(PyObject* dict) : dict_(dict) {}
  void operator()(const char* key, std::string& out) const {
    if (PyObject* value = get(key)) out = string_of(value);
  }
  void operator()(const char* key, bool& out) const {
    if (PyObject* value = get(key)) {
      const int truth = PyObject_IsTrue(value);
      checked(truth);
      out = truth != 0;
    }
  }
  void operator()(const char* key, std::vector<std::string>& out) const {
    if (PyObject* value = get(key)) out = strings_of(value);
  }
  void operator()(const char* key, double& out) const {
    if (PyObject* value = get(key)) {
      out = PyFloat_AsDouble(value);
      if (PyErr_Occurred() != nullptr) throw Raised();
    }
  }
  void operator()(const char* key, std::optional<int64_t>& out) const {
    if (PyObject* value = get(key)) out = whole(value);
  }
  void operator()(const char* key, size_t& out) const {
    if (PyObject* value = get(key)) out = static_cast<size_t>(natural(value));
  }
  void operator()(const char* key, unsigned& out) const {
    if (PyObject* value = get(key)) out = static_cast<unsigned>(natural(value));
  }
  void operator()(const char* key, int& out) const {
    if (PyObject* value = get(key)) out = static_cast<int>(natural(value));
  }

 private:
  PyObject* get(const char* key) const {
    PyObject* value = PyDict_GetItemString(dict_, key);
    return value == Py_None ? nullptr : value;
  }
  static int64_t whole(PyObject* value) {
    const long long number = PyLong_AsLongLong(value);
    if (number == -1 && PyErr_Occurred() != nullptr) throw Raised();
    return number;
  }
  static int64_t natural(PyObject* value) {
    const int64_t number = whole(value);
    if (number >= 0) return number;
    PyErr_SetString(PyExc_ValueError, "expected a number that is not negative");
    throw Raised();
  }
  PyObject* dict_;
};

}  // namespace kr::python
