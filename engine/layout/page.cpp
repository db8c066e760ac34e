#include "layout/page.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "layout/items.hpp"

namespace kr::layout {
namespace {

/// Comments of longer lines are not aligned.
constexpr size_t widest_aligned = 72;

}  // namespace

size_t Page::column() const {
  return lines_.empty() ? 0 : lines_.back().indent + columns(lines_.back().code);
}

bool Page::takes_comment() const {
  return !lines_.empty() && !lines_.back().code.empty() && !lines_.back().ended &&
         lines_.back().trailing.empty();
}

void Page::newline(size_t indent) {
  if (lines_.empty() || !lines_.back().code.empty()) lines_.emplace_back();
  lines_.back().indent = indent;
}

void Page::blank() {
  KR_CHECK(!lines_.empty() && lines_.back().code.empty());
  if (lines_.size() == 1) return;
  const Line& above = lines_[lines_.size() - 2];
  if (!above.ended && above.code.ends_with('{')) return;
  lines_.back().blank_before = true;
}

void Page::add(std::string_view text) {
  KR_CHECK(!lines_.empty() && !lines_.back().ended && lines_.back().trailing.empty());
  lines_.back().code += text;
}

void Page::pad(size_t column) {
  while (this->column() < column) add(" ");
}

void Page::trail(std::string_view comment) {
  KR_CHECK(takes_comment());
  lines_.back().trailing = comment;
}

void Page::comment(std::string_view text) {
  KR_CHECK(!lines_.empty() && lines_.back().code.empty());
  lines_.back().code = text;
  lines_.back().ended = true;
}

std::string Page::text() const {
  const auto width = [](const Line& line) { return line.indent + columns(line.code); };
  const auto aligned = [&](const Line& line) {
    return !line.trailing.empty() && width(line) <= widest_aligned;
  };
  std::string out;
  size_t column = 0;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const Line& line = lines_[i];
    if (line.code.empty()) continue;
    if (line.blank_before) out += '\n';
    out.append(line.indent, ' ');
    out += line.code;
    if (!line.trailing.empty()) {
      const bool begins = i == 0 || line.blank_before || !aligned(lines_[i - 1]);
      if (begins) column = 0;
      for (size_t j = i; begins && j < lines_.size() && aligned(lines_[j]); ++j) {
        if (j > i && lines_[j].blank_before) break;
        column = std::max(column, width(lines_[j]));
      }
      out.append((aligned(line) ? column - width(line) : 0) + 2, ' ');
      out += line.trailing;
    }
    out += '\n';
  }
  return out;
}

}  // namespace kr::layout
