// An object in a cell, as scripts leave it there that write the events of a Chrome trace as rows:
// in JSON, `{"device": 0, "stream": 7}`, or as Python prints a dict, `{'device': 0, 'stream': 7}`.
#pragma once

#include <optional>
#include <string_view>

namespace kr::trace {

/// The value of `key` in the object itself, not in objects within it: a number or a word as
/// written, a text without its quotes. Nothing where there is no such key, or the cell is no
/// object.
std::optional<std::string_view> member_of_cell(std::string_view cell,
                                               std::string_view key) noexcept;

}  // namespace kr::trace
