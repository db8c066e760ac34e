// The own name of a function (base/own_name.hpp) as parts of patterns of Python's `re`.
#pragma once

#include <string>

#include "regex/regex.hpp"

namespace kr::convert {

/// Parts of patterns that find something in the own name of a function, in the whole name. They
/// agree with own_name() for names that are decoded, whose template arguments are nested at most
/// OwnForm::depth deep and whose functions are no operators.
struct OwnForm {
  /// How deep template arguments may be nested before more of the qualified name: `a<b<c>>::d`.
  static constexpr int depth = 6;

  /// From the begin of a name that is a function of C++ to the begin of its own name.
  std::string function;
  /// One byte of an own name, or what is left out of it.
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
