// kr merge: saved runs of a job as one file.
#include "saved/merge.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/input_files.hpp"
#include "base/plural.hpp"
#include "render/renderers.hpp"
#include "saved/codec.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> parts;
  std::string output;
  bool force = false;
};

Exit merge(const MergeOptions& options, Streams& streams) {
  for (const std::string& part : options.parts) {
    if (!saved::names_saved_run(part)) {
      throw Error(part, "is not the name of a saved run",
                  "save the run first: `kr report RUN --save FILE.krun`");
    }
    InputFiles::note(std::filesystem::path(part));
  }
  saved::check_name(options.output);
  PendingFile file(options.output);
  if (!options.force) render::check_own(file);
  const size_t runs = saved::merge(options.parts, file.aside().string(), options.output);
  file.commit();
  streams.note(fmt::format("wrote {}: {}", options.output, plural(runs, "run")));
  return Exit::done;
}

void add_merge_options(CLI::App& app, MergeOptions& options) {
  app.add_option("PART", options.parts, "Saved runs: FILE.krun")->required();
  app.add_option("-o,--output", options.output, "The file to write: FILE.krun")
      ->type_name("FILE")
      ->required();
  app.add_flag("--force", options.force, "Replace an existing file");
}

}  // namespace

const Verb merge_verb{"merge", "merge saved runs of one job into one file",
                      "kr merge rank*.krun -o job.krun",
                      setup<MergeOptions, add_merge_options, merge>, "Traces"};

}  // namespace kr::cli
