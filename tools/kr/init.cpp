// kr init: a ruleset to start from.
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "convert/starter.hpp"
#include "session.hpp"
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
    throw Error("", fmt::format("`{}` is the name of a file, not of an engine", options.engine),
                fmt::format("`kr init {}` writes {}.kr; name another file with -o", name, name));
  }
  const std::string text = convert::starter_rules(options.engine);
  if (!options.force && own_library().ruleset(options.engine)) {
    throw Error("", fmt::format("engine `{}` ships with kr", options.engine),
                fmt::format("add `use rulesets.{}` to a ruleset and extend its models, choose "
                            "another name, or use --force",
                            options.engine));
  }
  if (options.output == "-") {
    streams.out(text);
    return Exit::done;
  }
  const std::string path = options.output.empty() ? options.engine + ".kr" : options.output;
  std::error_code error;
  if (!options.force && std::filesystem::is_regular_file(path, error)) {
    throw Error(path, "the file exists", "name another file with -o, or replace it with --force");
  }
  write_file(path, text);
  streams.note(fmt::format("wrote {}: try `kr test {}`", path, path));
  return Exit::done;
}

void add_init_options(CLI::App& app, InitArguments& options) {
  app.add_option("ENGINE", options.engine, "The name of the engine")->required();
  app.add_option("-o,--output", options.output,
                 "The file to write (default: ENGINE.kr; `-`: standard output)")
      ->type_name("FILE");
  app.add_flag("--force", options.force,
               "Replace an existing file, or allow the name of an engine that ships with kr");
}

}  // namespace

const Verb init_verb{"init", "write a commented ruleset to start from", "kr init mine",
                     setup<InitArguments, add_init_options, init>, "Rules"};

}  // namespace kr::cli
