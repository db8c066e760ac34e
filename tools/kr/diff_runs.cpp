#include "diff_runs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "analyze/compare_runs.hpp"
#include "analyze/run.hpp"
#include "base/error.hpp"
#include "report/run_difference.hpp"
#include "source/library.hpp"
#include "trace/open.hpp"

namespace kr::cli {
namespace {

RunDifference compare_trees(const CompiledRules& rules, const RunSpec& a, const RunSpec& b,
                            const DiffRunsOptions& options, Streams& streams) {
  const auto read = [&](const RunSpec& spec) {
    OpenOptions open = options.trace.open;
    ProgressShown shown(streams, spec.path);
    open.progress = shown.progress();
    auto modules = read_modules(rules, spec, open);
    for (const std::string& warning : modules->trace.warnings) {
      streams.warning(fmt::format("{}: {}", spec.path, warning));
    }
    return modules;
  };
  const auto first = read(a);
  return compare_modules(rules, *first, *read(b),
                         named_level(options.level.empty() ? "module" : options.level));
}

RunDifference compare_traces(const CompiledRules& rules, const RunSpec& a, const RunSpec& b,
                             const DiffRunsOptions& options, Streams& streams) {
  const auto read = [&](const RunSpec& spec, size_t index) {
    OpenOptions open = options.trace.open;
    ProgressShown shown(streams, spec.path);
    open.progress = shown.progress();
    const auto run = label_run(rules, spec, open);
    for (const std::string& warning : run->trace.warnings) {
      streams.warning(fmt::format("{}: {}", spec.path, warning));
    }
    return summarize_run(rules, spec, index, *run);
  };
  const RunSummary first = read(a, 0);
  return compare_runs(first, read(b, 1));
}

}  // namespace

bool names_run(const std::string& operand) {
  // As everywhere, a word that is the name of a shipped ruleset names that; `./vllm` is a path.
  if (Library::of_process().ruleset(operand)) return false;
  const std::string path = parse_run(operand).path;
  const auto ends = [&](std::string_view end) { return path.ends_with(end); };
  if (ends(".kr") || ends(".krdb")) return false;
  std::error_code error;
  return path == "-" || std::filesystem::exists(path, error);
}

Exit diff_runs(const DiffRunsOptions& options, Streams& streams) {
  const std::vector<RunSpec> specs = parse_runs({options.a, options.b});
  const RunSpec &a = specs[0], &b = specs[1];
  const CompiledRules rules = compile_rules(options.rules, streams);
  named_dimension(rules.program(), options.by);
  // Standard input is taken to be of the other's kind, or reading it says what it is.
  const bool trees = holds_module_trees(a.path == "-" ? b.path : a.path, options.trace.open);
  if (trees != holds_module_trees(b.path == "-" ? a.path : b.path, options.trace.open)) {
    throw Error(trees ? b.path : a.path,
                fmt::format("holds operations, and {} module trees", trees ? a.path : b.path),
                "compare runs of one kind");
  }
  // Operations stand in modules too, where their trace tells of them.
  const bool as_trees = trees || !options.level.empty();
  const RunDifference difference = as_trees ? compare_trees(rules, a, b, options, streams)
                                            : compare_traces(rules, a, b, options, streams);
  if (options.format == "json") {
    streams.out(to_json(difference));
  } else {
    const size_t most = options.all ? 0 : DifferenceTable{}.most_names;
    streams.out(to_table(difference, {options.a, options.b, options.by, most},
                         {.color = streams.color_out(), .width = streams.out_width()}));
  }
  if (difference.same()) streams.note("the same: every name takes as long in both");
  return difference.same() ? Exit::done : Exit::findings;
}

}  // namespace kr::cli
