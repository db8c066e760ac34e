// kr compile: rules as one serialized file.
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/plural.hpp"
#include "match/krdb.hpp"
#include "render/renderers.hpp"
#include "sema/load.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct CompileOptions {
  RulesOptions rules;
  std::string output;
  bool force = false;
};

Exit compile(const CompileOptions& options, Streams& streams) {
  PendingFile file(options.output);
  if (!options.force) render::check_own(file);
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  const std::string bytes = match::to_krdb(*rules.rules, *rules.database);
  file.write(bytes);
  file.commit();
  streams.note(fmt::format("wrote {}: {}, {}, {}, {} bytes", options.output,
                           plural(rules.program().engines.size(), "engine"),
                           plural(rules.program().models.size(), "model"),
                           plural(rules.program().atoms.size(), "pattern"), bytes.size()));
  return Exit::done;
}

void add_compile_options(CLI::App& app, CompileOptions& options) {
  app.add_option("RULES,--rules", options.rules.names, "Rules files, or names of shipped rulesets")
      ->required();
  app.add_option("-o,--output", options.output, "The file to write, ending in .krdb")
      ->required()
      ->type_name("FILE");
  app.add_flag("--force", options.force, "Replace an existing file that kr did not write");
}

}  // namespace

const Verb compile_verb{"compile", "compile rules into one database file",
                        "kr compile rulesets/vllm.kr -o vllm.krdb",
                        setup<CompileOptions, add_compile_options, compile>, "Rules"};

}  // namespace kr::cli
