// Escapes in JSON strings.
#pragma once

#include <string>
#include <string_view>

namespace kr::trace {

/// The character of an escape of two, by its second; 0: there is none.
char short_escape(char c) noexcept;

/// Appends what a string means whose inside, between the quotes, is `raw`. False where an escape is
/// none, or is half a character.
bool append_unescaped(std::string& out, std::string_view raw);

}  // namespace kr::trace
