// The own name of a function (base/own_name.hpp) as parts of patterns of Python's `re`.
#pragma once

#include <string>

#include "regex/regex.hpp"

namespace kr::convert {

/// Parts of patterns that search the own name of a function inside its whole name. They agree with
/// own_name() if the name is decoded, its template arguments are nested at most OwnForm::depth
/// deep, and the function is not an operator.
struct OwnForm {
  /// How deep template arguments may be nested before more of the qualified name: `a<b<c>>::d`.
  static constexpr int depth = 6;

  /// From the begin of a name that is a function of C++ to the begin of its own name.
  std::string function;
  /// One byte of an own name, or one part of the whole name that the own name omits.
  std::string unit;
  /// What may stand before a colon, and behind it, without being part of the own name.
  std::string before_colon;
  std::string after_colon;
  /// At the end of an own name.
  std::string end;

  static const OwnForm& get();
  /// The bytes of which own names consist.
  static const regex::ByteSet& bytes();
};

}  // namespace kr::convert
