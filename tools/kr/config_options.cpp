#include "config_options.hpp"

#include <algorithm>
#include <cstdlib>

#include "session.hpp"
#include "source/library.hpp"

namespace kr::cli {

std::string option_name(std::string_view key) {
  std::string name(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string key_of(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return option.get_lnames().front();
  return CLI::detail::to_lower(option.get_name());
}

bool has_name(const CLI::Option& option, const std::string& name) {
  if (option.get_lnames().empty()) return key_of(option) == name;
  return std::any_of(option.get_lnames().begin(), option.get_lnames().end(),
                     [&](const std::string& one) { return option_name(one) == name; });
}

const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* option : app.get_options()) {
    if (has_name(*option, name)) return option;
  }
  return nullptr;
}

std::vector<const CLI::App*> verbs_of_app(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

bool is_flag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0;
}

bool is_list(const CLI::Option& option) {
  return option.get_items_expected_max() > 1;
}

bool is_path(const CLI::Option& option, const std::string& value,
             const std::filesystem::path& folder) {
  const std::string type = option.get_type_name();
  if (type == "FILE" || type == "TRACE" || type == "PAGES") return true;
  if (type != "FILE|NAME" && !option.get_positional()) return false;
  if (value.find('/') != value.npos || value.ends_with(".kr") || value.ends_with(".krdb")) {
    return true;
  }
  std::error_code error;
  return !own_library().ruleset(value) && std::filesystem::exists(folder / value, error);
}

std::vector<std::string> split_value(const CLI::Option& option, const std::string& value) {
  if (option.get_delimiter() == '\0') return {value};
  return CLI::detail::split(value, option.get_delimiter());
}

namespace {

/// No argument contains it.
constexpr char whole_mark = '\0';

}  // namespace

void keep_whole(std::string& word) {
  if (word.ends_with(']')) word += whole_mark;
}

std::string shown_whole(std::string text) {
  std::erase(text, whole_mark);
  return text;
}

void take_whole(CLI::App& app) {
  const auto unmark = [](std::string& value) {
    std::erase(value, whole_mark);
    return std::string();
  };
  for (CLI::Option* option : app.get_options()) {
    if (!is_flag(*option)) option->transform(CLI::Validator(unmark, ""));
  }
}

const CLI::Validator* project_check_of(CLI::Option& option) {
  try {
    return option.get_validator(project_check_name);
  } catch (const CLI::OptionNotFound&) {
    return nullptr;
  }
}

std::optional<std::string> value_from_environment(const CLI::Option& option) {
  for (const EnvironmentVariable& one : environment_variables) {
    const char* const text = one.option != nullptr ? std::getenv(one.name) : nullptr;
    if (text != nullptr && *text != '\0' && option.get_name() == one.option) return one.value;
  }
  return std::nullopt;
}

}  // namespace kr::cli
