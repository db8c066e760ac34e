// Words of a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace kr {

/// A text as one word, quoted where it has to be.
std::string shell_word(std::string_view text);

}  // namespace kr
