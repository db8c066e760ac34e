// The names in a list or in an array of numpy, each once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object.hpp"

namespace kr::python {

/// Texts, each once, and the place of every text that was given.
class DistinctNames {
 public:
  /// Of a list of str. A list mostly has few names, and often the same objects, which are found by
  /// their addresses. Needs the GIL.
  static DistinctNames of_list(PyObject* list);

  /// The elements of an array of numpy with `dtype="<U…"`: each has `width` code points in the
  /// order of bytes of this machine, and NULs after its text. They may be anywhere in memory.
  struct Cells {
    const char* data = nullptr;
    size_t count = 0;
    size_t width = 0;

    const char* cell(size_t i) const { return data + i * width * sizeof(uint32_t); }
  };
  /// A cell that has a surrogate which `os.fsdecode` does not make, or a number above U+10FFFF.
  struct BadCell {
    size_t index = 0;
  };
  /// Throws BadCell. Needs no GIL, and changes nothing of Python's.
  static DistinctNames of_cells(const Cells& cells);

  /// By name, its place in `distinct()`; once.
  std::vector<uint32_t> take_places() { return std::move(place_of_); }
  std::vector<std::string_view> distinct() const;

 private:
  DistinctNames();
  std::string_view text_at(uint32_t place) const;
  /// The place of a text, which is added if it is new.
  uint32_t place(std::string_view text);
  void grow();

  /// Where a text may be: part of its hash, and its place and 1; 0 if there is none.
  struct Slot {
    uint32_t hash = 0;
    uint32_t next_place = 0;
  };
  std::vector<Slot> slots_;  // a power of two; at most half are used
  std::vector<uint32_t> place_of_;
  std::string bytes_;
  std::vector<size_t> ends_;
};

}  // namespace kr::python
