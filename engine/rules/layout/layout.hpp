// The canonical layout of a rules file (`kr fmt`). It has no options.
//
// Two blanks per level. The rules of a block form a table: rules between two blank lines share a
// column. A line has as many alternatives as fit in 100 columns; a continuation line begins with an
// operator. A block of one short rule is on one line. Comments stay next to what they describe: an
// expression or list with a comment in it or after it keeps its line breaks. Several blank lines
// become one. Texts and regular expressions do not change.
#pragma once

#include <string>

#include "diag/diagnostic.hpp"

namespace kr::layout {

struct Layout {
  /// LF line breaks, no byte order mark. Empty for a file without content.
  std::string text;
  /// The mistakes in the file. With mistakes, only declarations without mistakes are laid out;
  /// everything else stays as written.
  diag::Sink sink;
};

/// The layout is idempotent and keeps the meaning and the comments of the file, which is checked
/// each time.
Layout lay_out(const source::SourceMap& sources, source::FileId file);

/// The layout of a text that has no mistakes.
std::string laid_out(std::string text);

}  // namespace kr::layout
