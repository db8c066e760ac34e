// The names in a list, each once.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object.hpp"

namespace kr::python {

/// A list mostly has few names, and often the same objects, which are found by their addresses, or
/// in a dict, without a copy of the text.
class DistinctNames {
 public:
  explicit DistinctNames(PyObject* list) : places_(checked(PyDict_New())) {
    if (!PyList_Check(list)) {
      PyErr_SetString(PyExc_TypeError, "names are not a list");
      throw Raised();
    }
    place_of_.reserve(static_cast<size_t>(PyList_Size(list)));
    // The size is asked again: a subclass of str may run code of Python.
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) add(PyList_GetItem(list, i));
  }

  /// By name of the list, its place in `distinct()`; once.
  std::vector<uint32_t> take_places() { return std::move(place_of_); }
  std::vector<std::string_view> distinct() const {
    std::vector<std::string_view> all;
    all.reserve(ends_.size());
    size_t begin = 0;
    for (const size_t end : ends_) {
      all.push_back(std::string_view(bytes_).substr(begin, end - begin));
      begin = end;
    }
    return all;
  }

 private:
  void add(PyObject* name) {
    // The last object of the list that was met here, if the dict holds it.
    const auto address = reinterpret_cast<uintptr_t>(name) >> 4;
    auto& [known, known_place] = recent_[(address ^ (address >> 14)) % recent_.size()];
    if (known == name) return place_of_.push_back(known_place);
    if (!PyUnicode_CheckExact(name)) return place_of_.push_back(append(name));
    if (PyObject* place = PyDict_GetItemWithError(places_.get(), name)) {
      return place_of_.push_back(static_cast<uint32_t>(PyLong_AsUnsignedLong(place)));
    }
    if (PyErr_Occurred() != nullptr) throw Raised();
    const uint32_t place = append(name);
    checked(PyDict_SetItem(places_.get(), name, checked(PyLong_FromUnsignedLong(place)).get()));
    place_of_.push_back(place);
    known = name;
    known_place = place;
  }

  uint32_t append(PyObject* name) {
    append_utf8(name, bytes_);
    ends_.push_back(bytes_.size());
    if (ends_.size() > std::numeric_limits<uint32_t>::max()) {
      PyErr_SetString(PyExc_ValueError, "there are too many distinct names");
      throw Raised();
    }
    return static_cast<uint32_t>(ends_.size() - 1);
  }

  Owned places_;
  std::vector<std::pair<PyObject*, uint32_t>> recent_{size_t{1} << 14};
  std::vector<uint32_t> place_of_;
  std::string bytes_;
  std::vector<size_t> ends_;
};

}  // namespace kr::python
