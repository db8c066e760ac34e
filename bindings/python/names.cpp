#include "names.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>

// Every Python since 3.3 has it, and the headers of the stable interface have it since 3.10. The
// text belongs to the object, which keeps a copy of a name that is not ASCII.
extern "C" const char* PyUnicode_AsUTF8AndSize(PyObject*, Py_ssize_t*);

namespace kr::python {
namespace {

constexpr size_t block_size = 16;  // code points

/// 16 code points as bytes if all are ASCII. `any`: one is not NUL.
struct Block {
  bool ascii = true;
  bool any = false;
};
#ifdef __SSE2__
Block to_bytes(const char* from, char* to) {
  const auto load = [&](int i) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i);
  };
  const __m128i a = load(0), b = load(1), c = load(2), d = load(3);
  const __m128i all = _mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d));
  const auto all_zero = [](__m128i value) {
    return _mm_movemask_epi8(_mm_cmpeq_epi8(value, _mm_setzero_si128())) == 0xffff;
  };
  if (all_zero(all)) return {};
  if (!all_zero(_mm_and_si128(all, _mm_set1_epi32(~0x7f)))) return {.ascii = false, .any = true};
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
  return {.ascii = true, .any = true};
}
#else
Block to_bytes(const char* from, char* to) {
  std::array<uint32_t, block_size> units;
  std::memcpy(units.data(), from, sizeof units);
  uint32_t all = 0;
  for (const uint32_t unit : units) all |= unit;
  if (all == 0) return {};
  if (all > 0x7f) return {.ascii = false, .any = true};
  for (size_t i = 0; i < block_size; ++i) to[i] = static_cast<char>(units[i]);
  return {.ascii = true, .any = true};
}
#endif

/// Appends the UTF-8 of a code point as append_utf8() does. False: it has none.
bool append_code_point(uint32_t unit, std::string& out) {
  const auto add = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  const auto rest = [&](int shift) { add(0x80 | (unit >> shift & 0x3f)); };
  if (unit < 0x80) {
    add(unit);
  } else if (unit < 0x800) {
    add(0xc0 | unit >> 6);
    rest(0);
  } else if (unit >= 0xd800 && unit < 0xe000) {
    if (unit < 0xdc80 || unit > 0xdcff) return false;
    add(unit & 0xff);
  } else if (unit < 0x10000) {
    add(0xe0 | unit >> 12);
    rest(6);
    rest(0);
  } else if (unit < 0x110000) {
    add(0xf0 | unit >> 18);
    rest(12);
    rest(6);
    rest(0);
  } else {
    return false;
  }
  return true;
}

/// The UTF-8 of cells of one width.
class CellReader {
 public:
  explicit CellReader(size_t width)
      : width_(width), ascii_((width + block_size - 1) / block_size * block_size) {}

  /// `text` is valid until the next call. False: see BadCell.
  bool read(const char* cell, std::string_view& text) {
    size_t size = 0;  // a multiple of the block's, behind the last code point that is not NUL
    size_t at = 0;
    const auto take = [&](const char* from) {
      const Block block = to_bytes(from, ascii_.data() + at);
      if (!block.ascii) return false;
      if (block.any) {
        // NULs within the text were not written.
        if (size < at) std::memset(ascii_.data() + size, 0, at - size);
        size = at + block_size;
      }
      at += block_size;
      return true;
    };
    while (at + block_size <= width_) {
      if (!take(cell + at * sizeof(uint32_t))) return read_any(cell, text);
    }
    if (at < width_) {
      std::array<uint32_t, block_size> last{};
      std::memcpy(last.data(), cell + at * sizeof(uint32_t), (width_ - at) * sizeof(uint32_t));
      if (!take(reinterpret_cast<const char*>(last.data()))) return read_any(cell, text);
    }
    while (size > 0 && ascii_[size - 1] == '\0') --size;
    text = std::string_view(ascii_.data(), size);
    return true;
  }

 private:
  bool read_any(const char* cell, std::string_view& text) {
    units_.resize(width_);
    std::memcpy(units_.data(), cell, width_ * sizeof(uint32_t));
    size_t size = width_;
    while (size > 0 && units_[size - 1] == 0) --size;
    utf8_.clear();
    for (size_t i = 0; i < size; ++i) {
      if (!append_code_point(units_[i], utf8_)) return false;
    }
    text = utf8_;
    return true;
  }

  size_t width_;
  std::vector<char> ascii_;
  std::vector<uint32_t> units_;
  std::string utf8_;
};

}  // namespace

DistinctNames::DistinctNames() : slots_(size_t{1} << 12) {}

DistinctNames DistinctNames::of_list(PyObject* list) {
  if (!PyList_Check(list)) {
    PyErr_SetString(PyExc_TypeError, "names are not a list");
    throw Raised();
  }
  DistinctNames made;
  made.place_of_.reserve(static_cast<size_t>(PyList_Size(list)));
  // The last object of the list that was met at an address. The list owns them as long as no code
  // of Python runs.
  std::vector<std::pair<PyObject*, uint32_t>> recent(size_t{1} << 14);
  std::string other;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    PyObject* name = PyList_GetItem(list, i);
    const auto address = reinterpret_cast<uintptr_t>(name) >> 4;
    auto& [known, known_place] = recent[(address ^ (address >> 14)) % recent.size()];
    if (known != name) {
      Py_ssize_t size = 0;
      const char* utf8 = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, &size) : nullptr;
      if (utf8 != nullptr) {
        known_place = made.place(std::string_view(utf8, static_cast<size_t>(size)));
        known = name;
      } else {
        // A codec or a handler of errors may be code of Python.
        PyErr_Clear();
        other.clear();
        append_utf8(name, other);
        made.place_of_.push_back(made.place(other));
        std::fill(recent.begin(), recent.end(), std::pair<PyObject*, uint32_t>());
        continue;
      }
    }
    made.place_of_.push_back(known_place);
  }
  return made;
}

DistinctNames DistinctNames::of_cells(const Cells& cells) {
  DistinctNames made;
  made.place_of_.reserve(cells.count);
  CellReader reader(cells.width);
  for (size_t i = 0; i < cells.count; ++i) {
    std::string_view text;
    if (!reader.read(cells.cell(i), text)) throw BadCell{i};
    made.place_of_.push_back(made.place(text));
  }
  return made;
}

std::vector<std::string_view> DistinctNames::distinct() const {
  std::vector<std::string_view> all(ends_.size());
  for (uint32_t i = 0; i < all.size(); ++i) all[i] = text_at(i);
  return all;
}

std::string_view DistinctNames::text_at(uint32_t place) const {
  const size_t begin = place == 0 ? 0 : ends_[place - 1];
  return std::string_view(bytes_).substr(begin, ends_[place] - begin);
}

uint32_t DistinctNames::place(std::string_view text) {
  const uint64_t hash = XXH3_64bits(text.data(), text.size());
  const auto part = static_cast<uint32_t>(hash >> 32);
  size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].next_place != 0; at = (at + 1) & (slots_.size() - 1)) {
    const uint32_t found = slots_[at].next_place - 1;
    if (slots_[at].hash == part && text_at(found) == text) return found;
  }
  if (ends_.size() + 1 >= std::numeric_limits<uint32_t>::max()) {
    throw std::length_error("there are too many distinct names");
  }
  bytes_.append(text);
  ends_.push_back(bytes_.size());
  slots_[at] = {part, static_cast<uint32_t>(ends_.size())};
  if (ends_.size() * 2 > slots_.size()) grow();
  return static_cast<uint32_t>(ends_.size() - 1);
}

void DistinctNames::grow() {
  slots_.assign(slots_.size() * 4, Slot());
  for (uint32_t i = 0; i < ends_.size(); ++i) {
    const std::string_view text = text_at(i);
    const uint64_t hash = XXH3_64bits(text.data(), text.size());
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at].next_place != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {static_cast<uint32_t>(hash >> 32), i + 1};
  }
}

}  // namespace kr::python
