#include "lsp/comments.hpp"

#include <algorithm>

namespace kr::lsp {

std::optional<std::pair<size_t, size_t>> code_in_allow(std::string_view line, size_t at) {
  constexpr std::string_view mark = "# kr: allow";
  const size_t comment = line.find(mark);
  if (comment == line.npos) return std::nullopt;
  const size_t open = line.find('(', comment);
  if (open == line.npos || at <= open) return std::nullopt;
  const std::string_view between = line.substr(comment + mark.size(), open - comment - mark.size());
  if (!between.empty() && between != "-file") return std::nullopt;
  const size_t close = std::min(line.find(')', open), line.size());
  if (at > close) return std::nullopt;
  const auto is_part = [&](size_t i) { return line[i] != ',' && line[i] != ' ' && line[i] != '('; };
  size_t begin = at;
  while (begin > open + 1 && is_part(begin - 1)) --begin;
  size_t end = at;
  while (end < close && is_part(end)) ++end;
  return std::pair(begin, end);
}

}  // namespace kr::lsp
