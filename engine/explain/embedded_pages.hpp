// The pages of docs/checks as the build embeds them.
#pragma once

#include <span>
#include <string_view>

namespace kr::explain {

struct EmbeddedPage {
  std::string_view file;  // KR204-unknown-label.md
  std::string_view text;  // markdown
};

/// By file name.
std::span<const EmbeddedPage> embedded_pages();

}  // namespace kr::explain
