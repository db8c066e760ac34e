#include "diag/characters.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace kr::diag {
namespace {

constexpr uint32_t stride = 4096;

uint32_t character_length(std::string_view text, uint32_t at) {
  return std::max<uint32_t>(1, static_cast<uint32_t>(utf8_length(text, at)));
}

}  // namespace

const std::vector<Characters::Mark>& Characters::marks(source::FileId file) {
  const auto [at, added] = marks_.try_emplace(file.index);
  std::vector<Mark>& marks = at->second;
  if (!added) return marks;
  const std::string_view text = sources_.text(file);
  marks.push_back({0, 0});
  Mark here{0, 0};
  if (text.starts_with(byte_order_mark)) {
    here.offset = 3;
    marks.push_back(here);
  }
  while (here.offset < text.size()) {
    here.offset += character_length(text, here.offset);
    here.characters += 1;
    if (here.offset - marks.back().offset >= stride) marks.push_back(here);
  }
  return marks;
}

uint32_t Characters::before(source::FileId file, uint32_t offset) {
  const std::vector<Mark>& all = marks(file);
  const std::string_view text = sources_.text(file);
  const auto above = std::ranges::upper_bound(all, offset, {}, &Mark::offset);
  Mark here = *std::prev(above);
  while (here.offset < offset && here.offset < text.size()) {
    here.offset += character_length(text, here.offset);
    if (here.offset <= offset) here.characters += 1;
  }
  return here.characters;
}

source::Position Characters::position(source::FileId file, uint32_t offset) {
  const source::Position bytes = sources_.position(file, offset);
  const uint32_t line_begin = offset - (bytes.column - 1);
  return {bytes.line, before(file, offset) - before(file, line_begin) + 1};
}

}  // namespace kr::diag
