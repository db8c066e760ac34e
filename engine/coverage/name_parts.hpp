// The parts of a kernel's name, and which names are similar: those that differ only in template
// arguments, numbers, shapes, element types and other suffixes.
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
  std::string text;  // in lower case
  /// Describes what the kernel does: not a number, an element type or a shape, and not `kernel`.
  bool descriptive = false;
};

/// Splits at underscores, at capital letters, and between letters and digits.
std::vector<NameWord> words_of(std::string_view identifier);

struct NameParts {
  /// The function without its namespace, from a demangled, mangled or plain name: `foo_kernel`. The
  /// whole name if it has no identifier.
  std::string base;
  /// With its namespace, as in the name: `acme::foo_kernel`; empty if the name has none.
  std::string qualified;
  /// Identifiers with a descriptive word in template arguments and parameters, each once, in order;
  /// at most `most_arguments`.
  std::vector<std::string> arguments;

  static constexpr size_t most_arguments = 64;
};

NameParts parts_of(std::string_view name);

/// The descriptive words of an identifier, separated by blanks; all words if none is descriptive.
/// Names with equal ones are similar.
std::string descriptive_words(std::string_view identifier);

}  // namespace kr::coverage
