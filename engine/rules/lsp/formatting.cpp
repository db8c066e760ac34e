// The canonical layout, as edits of the lines that change.
#include <algorithm>

#include "layout/layout.hpp"
#include "lsp/features.hpp"

namespace kr::lsp {
namespace {

/// The lines that differ: all lines before and after are the same in both texts. One edit of these
/// leaves the pointer and folded lines elsewhere as they are.
struct Middle {
  size_t begin = 0;    // in both
  size_t old_end = 0;  // in the old text
  size_t new_end = 0;
};

Middle middle_of(std::string_view before, std::string_view after) {
  const size_t shorter = std::min(before.size(), after.size());
  Middle middle;
  size_t same = 0;
  for (; same < shorter && before[same] == after[same]; ++same) {
    if (before[same] == '\n') middle.begin = same + 1;
  }
  const size_t most = shorter - middle.begin;
  const auto begins_line = [&](std::string_view text, size_t tail) {
    const size_t at = text.size() - tail;
    return at == middle.begin || text[at - 1] == '\n';
  };
  size_t kept = 0;
  for (size_t tail = 1; tail <= most; ++tail) {
    if (before[before.size() - tail] != after[after.size() - tail]) break;
    if (begins_line(before, tail) && begins_line(after, tail)) kept = tail;
  }
  middle.old_end = before.size() - kept;
  middle.new_end = after.size() - kept;
  return middle;
}

}  // namespace

void write_formatting(Question question, Writer& out) {
  const std::string& text = question.document.document.text;
  const Lines& lines = question.document.document.lines;
  source::SourceMap sources;
  const source::FileId file = sources.add(question.document.path.string(), text);
  const layout::Layout layout = layout::lay_out(sources, file);
  out.open('[');
  if (layout.text != text) {
    const Middle middle = middle_of(text, layout.text);
    out.edit({lines.place(text, middle.begin, question.encoding),
              lines.place(text, middle.old_end, question.encoding)},
             std::string_view(layout.text).substr(middle.begin, middle.new_end - middle.begin));
  }
  out.close(']');
}

}  // namespace kr::lsp
