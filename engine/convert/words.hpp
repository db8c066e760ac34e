// Words, texts and expressions as they are spelled in a rules file.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kr {

/// Whether it can stand as a name without quotes.
bool is_word(std::string_view text);

/// The nearest name to a text: what no name may have becomes `_`.
std::string word_like(std::string_view text);

/// The name itself, or with `_2`, `_3` … behind it: the first that is not taken.
std::string unused(const std::string& name, const std::function<bool(const std::string&)>& taken);

/// Between quotes; bytes that would not be seen as they are become `\xNN`. Not for the empty text,
/// which a rules file does not have.
std::string quoted_text(std::string_view text);

/// A label where a rule gives it.
std::string label_text(std::string_view label);

/// Lines behind `## `, each on its own; printable.
std::string doc_lines(std::string_view doc, std::string_view indent);

}  // namespace kr
