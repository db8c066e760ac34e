// The pages of docs/checks that the build embeds.
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
