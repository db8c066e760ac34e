// kr init: a ruleset to start from.
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/file.hpp"
#include "convert/starter.hpp"
#include "source/library.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct InitArguments {
  std::string engine;
  std::string output;
  bool force = false;
};

Exit init(const InitArguments& options, Streams& streams) {
  if (options.engine.ends_with(".kr")) {
    const std::string name = std::filesystem::path(options.engine).stem().string();
    throw Error(
        "", fmt::format("`{}` is the name of a file, and an engine is asked for", options.engine),
        fmt::format("`kr init {}` writes {}.kr; another file is named with -o", name, name));
  }
  const std::string text = starter_rules(options.engine);
  if (!options.force && Library::of_process().ruleset(options.engine)) {
    throw Error("", fmt::format("engine `{}` ships with kr already", options.engine),
                fmt::format("build on it with `use rulesets.{}` and models that extend its own, "
                            "choose another name, or write yours with --force",
                            options.engine));
  }
  if (options.output == "-") {
    streams.out(text);
    return Exit::done;
  }
  const std::string path = options.output.empty() ? options.engine + ".kr" : options.output;
  std::error_code error;
  if (!options.force && std::filesystem::is_regular_file(path, error)) {
    throw Error(path, "the file is there already",
                "name another with -o, or replace it with --force");
  }
  write_file(path, text);
  streams.note(fmt::format("wrote {}: try `kr test {}`", path, path));
  return Exit::done;
}

Action setup_init(CLI::App& app) {
  auto options = std::make_shared<InitArguments>();
  app.add_option("ENGINE", options->engine, "The name of the engine")->required();
  app.add_option("-o,--output", options->output,
                 "The file to write (default: ENGINE.kr; `-`: standard output)")
      ->type_name("FILE");
  app.add_flag("--force", options->force,
               "Replace a file that is there, or name an engine that ships with kr");
  return [options](Streams& streams) { return init(*options, streams); };
}

}  // namespace

extern const Verb init_verb;
const Verb init_verb{"init", "a commented ruleset to start from", "kr init mine", setup_init,
                     "Rules"};

}  // namespace kr::cli
