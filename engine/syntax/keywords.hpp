// The keywords, by the place where they have a meaning.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kr::syntax {

bool is_keyword(std::string_view word);

/// Keywords that begin a declaration of a file: use, pattern, labels, table, engine, test.
std::span<const std::string> file_keywords();
bool is_file_keyword(std::string_view word);
/// Keywords that begin an item of an engine: detect, phases, fold, abbreviate, model.
std::span<const std::string> body_keywords();
bool is_body_keyword(std::string_view word);
/// Keywords that begin an item of a block of rules: replace, drop, include, otherwise.
std::span<const std::string> rules_keywords();
bool is_rules_keyword(std::string_view word);

}  // namespace kr::syntax
