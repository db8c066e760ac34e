// Objects of Python with the stable interface (PEP 384): references, conversions and errors.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kr::python {

/// An exception of Python is set.
struct Raised {};

/// Owns a reference. Needs the GIL.
class Owned {
 public:
  Owned() = default;
  explicit Owned(PyObject* object) : object_(object) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { Py_XDECREF(object_); }
  PyObject* get() const noexcept { return object_; }
  PyObject* release() noexcept { return std::exchange(object_, nullptr); }
  /// Another reference.
  PyObject* share() const noexcept {
    Py_XINCREF(object_);
    return object_;
  }

 private:
  PyObject* object_ = nullptr;
};

/// A new reference, or Raised.
inline Owned checked(PyObject* object) {
  if (object == nullptr) throw Raised();
  return Owned(object);
}
inline void checked(int code) {
  if (code < 0) throw Raised();
}

/// Without the GIL as long as it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() { PyEval_RestoreThread(state_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// What `work` returns, done without the GIL.
template <class Work>
auto unlocked(Work work) {
  const Unlocked released;
  return work();
}

/// A byte that is not UTF-8 becomes `\xNN`, as in Arrow and JSON.
Owned text(std::string_view value);
/// Appends the UTF-8 of a str; lone surrogates that `os.fsdecode` makes become their bytes.
void append_utf8(PyObject* value, std::string& out);
std::string string_of(PyObject* value);
std::vector<std::string> strings_of(PyObject* sequence);

/// A tuple of these; takes the references.
template <class... Parts>
Owned tuple(Parts&&... parts) {
  Owned made = checked(PyTuple_New(sizeof...(Parts)));
  Py_ssize_t at = 0;
  (checked(PyTuple_SetItem(made.get(), at++, parts.release())), ...);
  return made;
}
inline void append(const Owned& list, const Owned& item) {
  checked(PyList_Append(list.get(), item.get()));
}

/// The classes of errors, from the package.
void set_error_classes(PyObject* error, PyObject* internal_error);
/// Sets the exception of Python for the one being handled. Returns null.
PyObject* raise_current() noexcept;

}  // namespace kr::python
