#include "trace/readers/dict_cell.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace kr::trace {
namespace {

/// The text between the quotes at `at`, which moves behind them. To the end where none closes.
std::string_view quoted(std::string_view cell, size_t& at) noexcept {
  const char quote = cell[at++];
  const size_t begin = at;
  while (at < cell.size() && cell[at] != quote) at += cell[at] == '\\' ? 2 : 1;
  const size_t end = std::min(at, cell.size());
  at = std::min(end + 1, cell.size());
  return cell.substr(begin, end - begin);
}

}  // namespace

std::optional<std::string_view> member_of_cell(std::string_view cell,
                                               std::string_view key) noexcept {
  size_t depth = 0;
  bool wanted = false;  // the key came before
  for (size_t at = 0; at < cell.size();) {
    const char c = cell[at];
    if (c == '"' || c == '\'') {
      const std::string_view text = quoted(cell, at);
      if (wanted) return text;
      const size_t next = std::min(cell.find_first_not_of(" \t\r\n", at), cell.size());
      wanted = depth == 1 && text == key && next < cell.size() && cell[next] == ':';
      if (wanted) at = next + 1;
      continue;
    }
    if (wanted && c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      if (c == '{' || c == '[' || c == '(') return std::nullopt;
      const size_t end = std::min(cell.find_first_of(",}", at), cell.size());
      return trimmed(cell.substr(at, end - at));
    }
    if (c == '{' || c == '[' || c == '(') ++depth;
    if ((c == '}' || c == ']' || c == ')') && depth != 0) --depth;
    ++at;
  }
  return std::nullopt;
}

}  // namespace kr::trace
