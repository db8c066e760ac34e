#include "config.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/join.hpp"
#include "base/nearest.hpp"
#include "base/version.hpp"
#include "config_options.hpp"
#include "session.hpp"
#include "source/library.hpp"
#include "source/text_file.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

constexpr const char* project_file = "kr.toml";
constexpr const char* required_version = "required-version";

}  // namespace

struct ProjectFile::Impl {
  struct Value {
    std::string text;  // as on the command line
    toml::source_region place;
  };
  /// What was set from the file.
  struct Applied {
    const CLI::Option* option;
    std::string place;
    std::vector<Value> values;
  };

  std::filesystem::path folder;  // of the file, from here: empty or `..` some times
  std::string path;
  toml::table root;
  std::vector<Applied> applied;

  std::string place(const toml::source_region& region) const {
    return fmt::format("{}:{}:{}", path, region.begin.line, region.begin.column);
  }
  [[noreturn]] void fail(const toml::source_region& region, std::string why,
                         std::string remedy) const {
    throw Error(place(region), std::move(why), std::move(remedy));
  }

  void read() {
    const std::string text = source::read_text_file(path, source::Pipes::refuse);
    try {
      root = toml::parse(text);
    } catch (const toml::parse_error& error) {
      fail(error.source(), fmt::format("this is not TOML: {}", error.description()),
           "see https://toml.io");
    }
    for (auto&& [key, node] : root) {
      if (option_name(key.str()) == required_version) check_version(node);
    }
  }

  void check_version(const toml::node& node) const {
    const auto text = node.value<std::string>();
    const auto least = text && node.is_string() ? parse_least_version(*text) : std::nullopt;
    if (!least) {
      fail(node.source(), "required_version is not a version", "write it as \">= 0.2\"");
    }
    if (*parse_version(KR_VERSION) < *least) {
      fail(node.source(),
           fmt::format("this project requires kr {}, and this is kr {}", *text, KR_VERSION),
           "install a newer kr, or run with --no-config");
    }
  }

  [[noreturn]] void unknown(const toml::key& key, std::vector<std::string> known) const {
    std::erase(known, "");
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    const auto near = nearest(option_name(key.str()), known);
    fail(key.source(), fmt::format("unknown key `{}`", key.str()),
         near ? fmt::format("did you mean `{}`?", *near) : "`kr list config` lists the keys");
  }
  [[noreturn]] void refused(const toml::key& key, const CLI::Option& option) const {
    fail(key.source(), fmt::format("`{}` cannot be set in {}", key.str(), project_file),
         fmt::format("give {} on the command line", option.get_name()));
  }

  std::string scalar(const CLI::Option& option, const toml::node& node) const {
    std::string text;
    if (const auto* string = node.as_string()) {
      text = string->get();
    } else if (const auto* integer = node.as_integer()) {
      text = std::to_string(integer->get());
    } else if (const auto* number = node.as_floating_point()) {
      text = fmt::format("{}", number->get());
    } else {
      fail(node.source(), fmt::format("`{}` cannot have this value", key_of(option)),
           is_list(option) ? "write a text, a number or a list of these"
                           : "write a text or a number");
    }
    return is_path(option, text, folder) && !text.starts_with('/') ? from_here(text) : text;
  }

  /// A path of the file, from the current folder. `./-` is not standard input, and `./vllm` not the
  /// name of a ruleset.
  std::string from_here(const std::string& text) const {
    const std::string path = (folder / text).lexically_normal().string();
    return path == "-" || own_library().ruleset(path) ? "./" + path : path;
  }

  /// As on the command line. Throws Error for a wrong type.
  std::vector<Value> values(const CLI::Option& option, const toml::node& node) const {
    if (is_flag(option)) {
      const auto* flag = node.as_boolean();
      if (flag == nullptr) {
        fail(node.source(), fmt::format("`{}` is a switch", key_of(option)), "write true or false");
      }
      return {{flag->get() ? "true" : "false", node.source()}};
    }
    std::vector<Value> all;
    if (const auto* table = node.as_table(); table != nullptr && is_list(option)) {
      for (auto&& [key, value] : *table) {
        all.push_back({fmt::format("{}={}", key.str(), scalar(option, value)), value.source()});
      }
    } else if (const auto* list = node.as_array(); list != nullptr && is_list(option)) {
      for (const toml::node& one : *list) all.push_back({scalar(option, one), one.source()});
    } else {
      all.push_back({scalar(option, node), node.source()});
    }
    return all;
  }

  static std::string joined(const std::vector<Value>& values) {
    std::string text;
    for (const Value& one : values) text += (text.empty() ? "" : ",") + one.text;
    return text;
  }

  /// An option may have several names, and each `-` may be `_`.
  void check_once(const std::string& name, const toml::key& key,
                  std::map<std::string, const toml::key*>& seen) const {
    const auto [first, added] = seen.try_emplace(name, &key);
    if (added) return;
    fail(key.source(),
         fmt::format("`{}` is `{}` of line {} again", key.str(), first->second->str(),
                     first->second->source().begin.line),
         "keep one of them");
  }

  /// All keys and types, whatever verb runs.
  void check(const CLI::App& app) const {
    std::vector<const CLI::App*> all = verbs_of_app(app);
    all.push_back(&app);
    std::vector<std::string> known{"required_version"};
    for (const CLI::App* one : all) {
      if (one != &app) known.push_back(one->get_name());
      for (const std::string& key : keys(*one)) known.push_back(key);
    }
    std::map<std::string, const toml::key*> seen;
    for (auto&& [key, node] : root) {
      const std::string name = option_name(key.str());
      if (name == required_version) {
        check_once(name, key, seen);
        continue;
      }
      const CLI::App* const verb = find_verb_app(app, name);
      if (verb != nullptr && node.is_table()) {
        std::map<std::string, const toml::key*> seen_below;
        for (auto&& [below, value] : *node.as_table()) check_one(*verb, below, value, seen_below);
        continue;
      }
      const CLI::Option* refusing = nullptr;
      bool found = false;
      for (const CLI::App* one : all) {
        const CLI::Option* option = find_option(*one, name);
        if (option == nullptr) continue;
        if (!option->get_configurable()) {
          refusing = option;
          continue;
        }
        if (!found) check_once(key_of(*option), key, seen);
        found = true;
      }
      if (!found && refusing != nullptr) refused(key, *refusing);
      if (!found && verb != nullptr) {
        fail(node.source(), fmt::format("`{}` is a verb", key.str()),
             fmt::format("write its options below [{}]", key.str()));
      }
      if (!found) unknown(key, known);
    }
  }

  static std::vector<std::string> keys(const CLI::App& app) {
    std::vector<std::string> all;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_configurable()) all.push_back(key_of(*option));
    }
    return all;
  }
  static const CLI::App* find_verb_app(const CLI::App& app, const std::string& name) {
    for (const CLI::App* one : verbs_of_app(app)) {
      if (one->get_name() == name) return one;
    }
    return nullptr;
  }
  void check_one(const CLI::App& verb, const toml::key& key, const toml::node& node,
                 std::map<std::string, const toml::key*>& seen) const {
    const CLI::Option* option = find_option(verb, option_name(key.str()));
    if (option == nullptr) unknown(key, keys(verb));
    if (!option->get_configurable()) refused(key, *option);
    check_once(key_of(*option), key, seen);
    (void)values(*option, node);
  }

  /// What the file has for an option: below its verb, or for all. Null: nothing.
  const toml::node* find(const CLI::App& app, const CLI::App& of, const CLI::Option& option) const {
    if (!option.get_configurable()) return nullptr;
    const auto in = [&](const toml::table& table, bool is_root) -> const toml::node* {
      for (auto&& [key, node] : table) {
        const std::string name = option_name(key.str());
        const bool below = is_root && node.is_table() && find_verb_app(app, name) != nullptr;
        if (!below && has_name(option, name)) return &node;
      }
      return nullptr;
    };
    if (&app != &of) {
      for (auto&& [key, node] : root) {
        if (!node.is_table() || option_name(key.str()) != of.get_name()) continue;
        if (const toml::node* found = in(*node.as_table(), false)) return found;
      }
    }
    return in(root, true);
  }

  /// Sets the options of an App, and checks their values. `runs`: it is the program, or the verb
  /// that runs.
  void apply(const CLI::App& app, CLI::App& of, bool runs) {
    for (CLI::Option* option : of.get_options()) {
      const toml::node* node = find(app, of, *option);
      if (node == nullptr) continue;
      const std::vector<Value> given = values(*option, *node);
      check_values(app, of, *option, given);
      if (given.empty() || option->count() > 0) continue;  // an empty list
      if (runs) applied.push_back({option, place(node->source()), given});
      const std::optional<std::string> stronger = value_from_environment(*option);
      try {
        for (const Value& one : given) {
          std::string text = one.text;
          keep_whole(text);
          option->add_result(std::move(text));
        }
        option->run_callback();
        if (!stronger) continue;
        option->clear();
        option->add_result(*stronger);
        option->run_callback();
      } catch (const CLI::ParseError& error) {
        fail(given.front().place, error.what(), remedy(app, of, *option, help(of)));
      }
    }
  }
  /// A key at the top is for several verbs, and the value may be one of another verb.
  std::string remedy(const CLI::App& app, const CLI::App& of, const CLI::Option& option,
                     const std::string& text) const {
    const toml::node* const node = find(app, of, option);
    bool at_the_top = false;
    for (auto&& [key, one] : root) at_the_top = at_the_top || &one == node;
    size_t verbs = 0;
    for (const CLI::App* one : verbs_of_app(app)) {
      const CLI::Option* const other = find_option(*one, option_name(key_of(option)));
      verbs += other != nullptr && other->get_configurable() ? 1 : 0;
    }
    if (!at_the_top || verbs < 2) return text;
    return fmt::format("{} (in `kr {}`; write keys of one verb below [VERB])", text, of.get_name());
  }
  static std::string help(const CLI::App& of) {
    return fmt::format("see `{} {}--help`", program().name,
                       of.get_parent() == nullptr ? "" : of.get_name() + " ");
  }

  /// Those that the verb itself would check later.
  void check_values(const CLI::App& app, const CLI::App& of, CLI::Option& option,
                    const std::vector<Value>& given) const {
    const CLI::Validator* const check = project_check_of(option);
    if (check == nullptr) return;
    for (const Value& one : given) {
      for (const std::string& part : split_value(option, one.text)) {
        try {
          (void)check->active(true)(part);
        } catch (const Error& error) {
          fail(one.place, error.why(),
               remedy(app, of, option, error.remedy().empty() ? help(of) : error.remedy()));
        }
      }
    }
  }
};

ProjectFile::ProjectFile() : impl_(std::make_unique<Impl>()) {}
ProjectFile::ProjectFile(ProjectFile&&) noexcept = default;
ProjectFile::~ProjectFile() = default;

ProjectFile ProjectFile::find() {
  ProjectFile file;
  std::error_code error;
  std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return file;  // it was removed
  for (std::filesystem::path up;; up /= "..", here = here.parent_path()) {
    if (std::filesystem::exists(here / project_file, error)) {
      file.impl_->folder = up;
      file.impl_->path = (up / project_file).string();
      file.impl_->read();
      return file;
    }
    if (here == here.parent_path()) return file;
  }
}

void ProjectFile::apply(CLI::App& app, CLI::App& verb) {
  if (impl_->path.empty()) return;
  // Another program has other verbs.
  if (program().name == std::string_view("kr")) impl_->check(app);
  impl_->apply(app, app, true);
  impl_->apply(app, verb, true);
  // A mistake is found whatever verb runs.
  for (CLI::App* other : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (other != &verb) impl_->apply(app, *other, false);
  }
}

std::optional<Error> ProjectFile::placed(const Error& error) const {
  for (const Impl::Applied& one : impl_->applied) {
    for (const Impl::Value& value : one.values) {
      if (!error.path().empty() && error.path() == value.text) {
        return Error(impl_->place(value.place), fmt::format("{}: {}", value.text, error.why()),
                     error.remedy());
      }
    }
    if (!error.path().empty()) continue;
    // Such as a dimension that the rules do not have: the message has the option or the value.
    const auto has = [&](const std::string& text) {
      return error.why().find(text) != std::string::npos;
    };
    const std::string name = one.option->get_name();
    const bool about_value =
        one.values.size() == 1 && has(fmt::format("`{}`", one.values.front().text));
    if (about_value || (name.starts_with("--") && has(name))) {
      return Error(one.place, error.why(), error.remedy());
    }
  }
  return std::nullopt;
}

std::vector<tables::Setting> ProjectFile::settings(const CLI::App& app,
                                                   const CLI::App& verb) const {
  std::vector<tables::Setting> all;
  const auto add = [&](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options()) {
      if (!option->get_configurable()) continue;
      tables::Setting one{&of == &app ? "" : of.get_name(), option->get_name(), "", "default",
                          option->get_description()};
      const auto from_file =
          std::find_if(impl_->applied.begin(), impl_->applied.end(),
                       [&](const Impl::Applied& other) { return other.option == option; });
      const toml::node* node = impl_->find(app, of, *option);
      const bool given = option->count() > 0 && from_file == impl_->applied.end();
      const std::optional<std::string> set_outside = value_from_environment(*option);
      if (given && (&of == &app || &of == &verb)) {
        one.value = join(option->results(), ",");
        one.from = "command line";
      } else if (set_outside) {
        one.value = *set_outside;
        one.from = "environment";
      } else if (node != nullptr) {
        one.value = Impl::joined(impl_->values(*option, *node));
        one.from = impl_->place(node->source());
      }
      all.push_back(std::move(one));
    }
  };
  add(app);
  for (const CLI::App* one : verbs_of_app(app)) add(*one);
  for (const EnvironmentVariable& one : environment_variables) {
    const char* value = std::getenv(one.name);
    if (value != nullptr) all.push_back({"", one.name, value, "environment", one.doc});
  }
  for (auto&& [key, node] : impl_->root) {
    if (option_name(key.str()) != required_version) continue;
    all.push_back({"", "required_version", node.value_or(std::string()),
                   impl_->place(node.source()), "The versions of kr that may read the project."});
  }
  return all;
}

std::vector<tables::Setting>& settings_in_force() {
  static std::vector<tables::Setting> settings;
  return settings;
}

}  // namespace kr::cli
