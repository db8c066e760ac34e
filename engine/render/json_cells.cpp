#include "render/json_cells.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"
#include "render/columns.hpp"

namespace kr::render {
namespace {

/// Whether the text stands between quotes as it is.
bool is_plain_json(std::string_view text) noexcept {
  bool odd = false;  // without a branch, so that the compiler looks at many bytes at once
  for (const signed char c : text) odd |= (c < 0x20) | (c == 0x7f) | (c == '"') | (c == '\\');
  return !odd;
}

}  // namespace

JsonRows::JsonRows(OutputBuffer& out, std::span<const table::Column> columns, const Frame& frame)
    : out_(out), end_("}") {
  const std::string begin = "{" + std::string(frame.members);
  first_ = std::string(frame.before) + begin;
  next_ = std::string(frame.between) + begin;
  end_ += frame.after;
  bool separate = !frame.members.empty();
  for (size_t i = 0; i < columns.size(); ++i) {
    const table::Column& column = columns[i];
    if (!is_in_files(column)) continue;
    std::string key(separate ? "," : "");
    append_json_string(key, column.id);
    members_.push_back({i, column.unit == table::Unit::boolean, key + ':'});
    separate = true;
  }
}

void JsonRows::row(std::span<const table::Cell> cells) {
  out_.append(any_ ? next_ : first_);
  any_ = true;
  for (const Member& member : members_) {
    out_.append(member.key);
    append(cells[member.column], member.boolean);
  }
  out_.append(end_);
}

void JsonRows::append(const table::Cell& cell, bool boolean) {
  if (const auto* number = std::get_if<int64_t>(&cell)) {
    if (!boolean) return out_.append(*number);
    return out_.append(*number != 0 ? std::string_view("true") : "false");
  }
  if (const auto* text = std::get_if<std::string_view>(&cell)) return append(*text);
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || !std::isfinite(*number)) return out_.append(std::string_view("null"));
  constexpr size_t longest = 32;  // the shortest text that reads back has 17 digits at most
  out_.advance(fmt::format_to(out_.space(longest), FMT_COMPILE("{}"), *number));
}

void JsonRows::append(std::string_view text) {
  if (is_plain_json(text)) {
    out_.append('"');
    out_.append(text);
    return out_.append('"');
  }
  scratch_.clear();
  append_json_string(scratch_, text);
  out_.append(scratch_);
}

}  // namespace kr::render
