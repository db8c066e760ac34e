// Names and comments for rules files that are written.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "syntax/words.hpp"

namespace kr::convert {

using syntax::is_word;
using syntax::label_text;
using syntax::quoted_text;

/// The nearest name to a text: what no name may have becomes `_`.
std::string word_like(std::string_view text);

/// The name itself, or with `_2`, `_3` … behind it: the first that is not taken.
std::string unused(const std::string& name, const std::function<bool(const std::string&)>& taken);

/// Lines behind `## `, each on its own; printable.
std::string doc_lines(std::string_view doc, std::string_view indent);

}  // namespace kr::convert
