#include "object.hpp"

#include <new>
#include <optional>

#include "kr/error.hpp"

namespace kr::python {
namespace {

PyObject* error_class = nullptr;
PyObject* internal_error_class = nullptr;

Owned number_or_none(const std::optional<uint64_t>& number) {
  if (number) return checked(PyLong_FromUnsignedLongLong(*number));
  Py_INCREF(Py_None);
  return Owned(Py_None);
}

void raise(const Error& error) {
  if (error_class == nullptr) return PyErr_SetString(PyExc_RuntimeError, error.what());
  const Owned arguments =
      tuple(text(error.what()), text(error.path()), number_or_none(error.place().line),
            number_or_none(error.place().offset), text(error.why()), text(error.remedy()));
  const Owned made = checked(PyObject_CallObject(error_class, arguments.get()));
  PyErr_SetObject(error_class, made.get());
}

}  // namespace

Owned text(std::string_view value) {
  return checked(PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()),
                                      "backslashreplace"));
}

void append_utf8(PyObject* value, std::string& out) {
  if (!PyUnicode_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "expected a str");
    throw Raised();
  }
  Owned bytes(PyUnicode_AsUTF8String(value));
  if (bytes.get() == nullptr) {
    PyErr_Clear();
    bytes = checked(PyUnicode_AsEncodedString(value, "utf-8", "surrogateescape"));
  }
  char* data = nullptr;
  Py_ssize_t size = 0;
  checked(PyBytes_AsStringAndSize(bytes.get(), &data, &size));
  out.append(data, static_cast<size_t>(size));
}

std::string string_of(PyObject* value) {
  std::string out;
  append_utf8(value, out);
  return out;
}

std::vector<std::string> strings_of(PyObject* sequence) {
  const Py_ssize_t size = PySequence_Size(sequence);
  if (size < 0) throw Raised();
  std::vector<std::string> all;
  all.reserve(static_cast<size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    all.push_back(string_of(checked(PySequence_GetItem(sequence, i)).get()));
  }
  return all;
}

void set_error_classes(PyObject* error, PyObject* internal_error) {
  Py_INCREF(error);
  Py_INCREF(internal_error);
  Py_XDECREF(std::exchange(error_class, error));
  Py_XDECREF(std::exchange(internal_error_class, internal_error));
}

PyObject* raise_current() noexcept {
  try {
    throw;
  } catch (const Raised&) {
  } catch (const Error& error) {
    try {
      raise(error);
    } catch (const Raised&) {
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(internal_error_class != nullptr ? internal_error_class : PyExc_RuntimeError,
                    error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown exception");
  }
  return nullptr;
}

}  // namespace kr::python
