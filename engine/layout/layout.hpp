// The one canonical layout of a rules file (`kr fmt`). There are no options.
//
// Two blanks a level; rules of a block as a table, those between two blank lines in one column; as
// many alternatives on a line as 100 columns hold, operators leading the next; a block of one short
// rule on one line. Comments, and what they speak of, stay where they are: an expression or list
// with a comment in it or behind it keeps its line breaks. Blank lines stay, runs of them become
// one. Texts and regular expressions stay byte for byte.
#pragma once

#include <string>

#include "diag/diagnostic.hpp"

namespace kr::layout {

struct Layout {
  /// LF line breaks, no byte order mark. Empty for a file that says nothing.
  std::string text;
  /// What is wrong in the file. With mistakes, those declarations are laid out that certainly have
  /// none, and all else stands byte for byte as written.
  diag::Sink sink;
};

/// Laid out again, the text stays as it is; its meaning and its comments are those of the file,
/// which is checked each time.
Layout lay_out(const source::SourceMap& sources, source::FileId file);

/// A text that certainly has no mistake, laid out.
std::string laid_out(std::string text);

}  // namespace kr::layout
