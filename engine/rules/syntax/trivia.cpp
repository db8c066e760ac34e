#include "syntax/trivia.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace kr::syntax {

void Trivia::add(size_t begin, size_t end) {
  while (end > begin && is_blank(text_[end - 1])) --end;
  if (!comments_.empty() && begin < comments_.back().span.end) return;
  comments_.push_back({{file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)},
                       text_.substr(begin, 2) == "##"});
}

size_t Trivia::breaks_before(size_t at, size_t& stop) const {
  size_t breaks = 0;
  while (at > 0 && is_blank(text_[at - 1])) {
    --at;
    if (text_[at] == '\n') ++breaks;
  }
  stop = at;
  return breaks;
}

size_t Trivia::before_gap(size_t at) const {
  size_t stop = 0;
  breaks_before(at, stop);
  for (size_t i = comments_.size(); i > 0; --i) {
    const source::Span comment = comments_[i - 1].span;
    if (comment.begin >= stop) continue;
    if (comment.end != stop) break;
    breaks_before(comment.begin, stop);
  }
  return stop;
}

bool Trivia::alone(const Comment& comment) const {
  const size_t mark = text_.starts_with(byte_order_mark) ? 3 : 0;
  size_t at = comment.span.begin;
  while (at > 0 && (text_[at - 1] == ' ' || text_[at - 1] == '\t')) --at;
  return at == 0 || at == mark || text_[at - 1] == '\n';
}

Trivia::Block Trivia::block_before(size_t at) const {
  Block block;
  for (size_t i = comments_.size(); i > 0; --i) {
    const Comment& comment = comments_[i - 1];
    if (comment.span.begin >= at) continue;
    size_t stop = 0;
    const bool blank_line = breaks_before(at, stop) > 1;
    const bool begun = block.last > block.first;
    if (stop != comment.span.end || !alone(comment)) break;
    if (begun && (blank_line || !comment.doc)) break;
    if (!begun) block.separated = block.separated || blank_line;
    if (comment.doc) {
      if (!begun) block.last = i;
      block.first = i - 1;
    }
    at = comment.span.begin;
  }
  return block;
}

Doc Trivia::text_of(size_t first, size_t last) const {
  Doc doc;
  for (size_t i = first; i < last; ++i) {
    const source::Span span = comments_[i].span;
    std::string_view line = text_.substr(span.begin, span.size());
    line.remove_prefix(2);
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (i > first) doc += '\n';
    doc += line;
  }
  return doc;
}

Doc Trivia::before(size_t at) const {
  if (comments_.empty()) return {};
  const Block block = block_before(at);
  return text_of(block.first, block.last);
}

bool Trivia::separated(size_t at) const {
  const Block block = block_before(at);
  return block.last > block.first && block.separated;
}

Doc Trivia::of_file(size_t from, size_t at, bool all) const {
  size_t end = comments_.size();
  while (end > 0 && comments_[end - 1].span.begin >= at) --end;
  if (!all) {
    const Block block = block_before(at);
    if (block.last > block.first && !block.separated) end = block.first;
  }
  Doc doc;
  for (size_t i = 0; i < end; ++i) {
    if (comments_[i].span.begin < from || !comments_[i].doc || !alone(comments_[i])) continue;
    size_t last = i + 1;
    const auto adjacent = [this](const Comment& a, const Comment& b) {
      size_t stop = 0;
      return b.doc && breaks_before(b.span.begin, stop) == 1 && stop == a.span.end;
    };
    while (last < end && adjacent(comments_[last - 1], comments_[last])) ++last;
    if (!doc.empty()) doc += "\n\n";
    doc += text_of(i, last);
    i = last - 1;
  }
  return doc;
}

}  // namespace kr::syntax
