// Codes in `# kr: allow(…)` comments.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace kr::lsp {

/// The word of the list in parentheses that stands at or ends at a byte of a line: [begin, end).
/// Empty where a code may begin; none where the byte is in no such list.
std::optional<std::pair<size_t, size_t>> code_in_allow(std::string_view line, size_t at);

}  // namespace kr::lsp
