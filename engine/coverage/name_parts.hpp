// What a kernel's name is made of, and which names are alike: those that differ in template
// arguments, numbers, shapes, types of elements and other suffixes only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kr::coverage {

/// A part of an identifier: `fused`, `Add`, `RMS`, `64`.
struct NameWord {
  size_t begin = 0;  // bytes [begin, end) of the identifier
  size_t end = 0;
  std::string small;  // in small letters
  /// Says what the kernel does: no number, type of elements or shape, nor `kernel`.
  bool descriptive = false;
};

/// At underscores, humps, and where letters meet digits.
std::vector<NameWord> words_of(std::string_view identifier);

struct NameParts {
  /// The function without its namespace, of a demangled, mangled or plain name: `foo_kernel`. Where
  /// there is no identifier, the whole name.
  std::string base;
  /// With its namespace, `acme::foo_kernel`, as it stands in the name; empty where that has none.
  std::string qualified;
  /// Identifiers in template arguments and parameters with a descriptive word, each once, in order;
  /// the first so many.
  std::vector<std::string> arguments;

  static constexpr size_t most_arguments = 64;
};

NameParts parts_of(std::string_view name);

/// The descriptive words of an identifier with blanks between; all words where none is descriptive.
std::string descriptive_words(std::string_view identifier);

}  // namespace kr::coverage
