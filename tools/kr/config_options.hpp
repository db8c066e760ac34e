// The options of the command line as kr.toml and the environment see them.
#pragma once

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kr::cli {

/// As the command line spells it: a key may have `_` instead of `-`.
std::string option_name(std::string_view key);
/// The key of an option: its first long name, or that of a positional in small letters.
std::string key_of(const CLI::Option& option);
/// Whether it is one of its names; `name`: see option_name.
bool has_name(const CLI::Option& option, const std::string& name);
/// Null: there is none.
const CLI::Option* find_option(const CLI::App& app, const std::string& name);
std::vector<const CLI::App*> verbs_of_app(const CLI::App& app);

bool is_flag(const CLI::Option& option);
/// It can be repeated, or has several values.
bool is_list(const CLI::Option& option);
/// Whether a value from a file in `folder` is a path. The name of a shipped ruleset is not one.
bool is_path(const CLI::Option& option, const std::string& value,
             const std::filesystem::path& folder);
/// `a,b` as its parts, for an option that splits there.
std::vector<std::string> split_value(const CLI::Option& option, const std::string& value);
/// The parser takes a value in square brackets for a list: `[CUDA memcpy HtoD]` for the value
/// `CUDA memcpy HtoD`. This marks a word of the command line, or a value, so that it stays as it
/// is.
void keep_whole(std::string& word);
/// Without the mark.
std::string shown_whole(std::string text);
/// All options and positionals of `app` get values without the mark.
void take_whole(CLI::App& app);
/// See project_check. Null: the option has none.
const CLI::Validator* project_check_of(CLI::Option& option);

struct EnvironmentVariable {
  const char* name;
  const char* doc;
  const char* option = nullptr;  // that it sets, if the command line does not
  const char* value = nullptr;   // of that option
};
inline constexpr std::array environment_variables{
    EnvironmentVariable{"KR_PATH", "Folders with `stdlib` and `rulesets`, separated by colons."},
    EnvironmentVariable{"KR_CACHE_DIR", "The folder of compiled rules."},
    EnvironmentVariable{"NO_COLOR", "If it is not empty, nothing is coloured.", "--color", "never"},
};
/// What the environment sets an option to.
std::optional<std::string> value_from_environment(const CLI::Option& option);

}  // namespace kr::cli
