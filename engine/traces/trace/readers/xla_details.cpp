#include "trace/readers/xla_details.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/integer.hpp"

namespace kr::trace {
namespace {

/// `1024` behind `grid:`, to the next blank; empty: it is not there.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (size_t at = 0; (at = text.find(key, at)) != text.npos; at += key.size()) {
    if (at != 0 && text[at - 1] != ' ') continue;
    const std::string_view rest = text.substr(at + key.size());
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

std::optional<int64_t> number_within(std::string_view text, int64_t least, int64_t most) {
  const auto number = integer_from(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

/// All three axes, or none.
void take_axes(std::string_view text, DetailField first, int64_t most, OperationDetail& to) {
  std::array<int64_t, 3> axes{};
  for (int64_t& axis : axes) {
    const size_t end = text.find(',');
    const auto number = number_within(text.substr(0, end), 1, most);
    if (!number) return;
    axis = *number;
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    to[static_cast<DetailField>(static_cast<size_t>(first) + i)] = axes[i];
  }
}

}  // namespace

OperationDetail xla_detail(std::string_view kernel, std::string_view copy) {
  constexpr int64_t max_registers = 512;
  constexpr int64_t max_threads = 1024;
  constexpr int64_t any = std::numeric_limits<int32_t>::max();
  OperationDetail detail;
  take_axes(value_of(kernel, "grid:"), DetailField::grid_x, any, detail);
  take_axes(value_of(kernel, "block:"), DetailField::block_x, max_threads, detail);
  if (const auto registers = number_within(value_of(kernel, "regs:"), 1, max_registers)) {
    detail[DetailField::registers] = *registers;
    const auto take = [&](std::string_view key, DetailField field) {
      if (const auto bytes = number_within(value_of(kernel, key), 0, any)) detail[field] = *bytes;
    };
    take("static_shared:", DetailField::static_shared);
    take("dynamic_shared:", DetailField::dynamic_shared);
  }
  if (const auto bytes =
          number_within(value_of(copy, "size:"), 1, std::numeric_limits<int64_t>::max())) {
    detail[DetailField::bytes] = *bytes;
  }
  return detail;
}

}  // namespace kr::trace
