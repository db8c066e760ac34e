#include "diff_runs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "analyze/compare_runs.hpp"
#include "analyze/run.hpp"
#include "base/error.hpp"
#include "overview/run_difference.hpp"
#include "trace/open.hpp"

namespace kr::cli {
namespace {

trees::RunDifference compare_trees(tables::Source& source,
                                   const std::vector<classify::RunSpec>& specs,
                                   const DiffRunsOptions& options, Streams& streams) {
  const match::CompiledRules& rules = *source.rules;
  const auto read = [&](size_t index) {
    const classify::RunSpec& spec = specs[index];
    trace::Progress progress;
    const ProgressShown shown(streams, spec.path, progress);
    trace::OpenOptions open = options.trace.open;
    open.progress = &progress;
    auto modules = analyze::read_modules(rules, spec, open);
    show_warnings(spec.path, modules->trace.warnings, streams);
    const sema::Model& model = rules.program().models.get(modules->choice.model);
    const std::string& engine = rules.program().engines.get(model.engine).name;
    const std::string run = analyze::run_id(model.name, engine, spec.path, index);
    source.other_runs.push_back({run, modules->trace.source, modules->trace.format, engine,
                                 model.name, modules->choice.why});
    for (tables::Note& note :
         tables::notes_of(run, modules->trace.losses, "", modules->trace.warnings)) {
      source.notes.push_back(std::move(note));
    }
    return modules;
  };
  const auto first = read(0);
  return trees::compare_modules(
      rules, *first, *read(1),
      trees::named_level(options.level.empty() ? "module" : options.level));
}

trees::RunDifference compare_traces(session::Session& session,
                                    const std::vector<classify::RunSpec>& specs,
                                    const DiffRunsOptions& options, Streams& streams) {
  read_runs(session, specs, options.trace, {}, {}, streams);
  tables::Source& source = session.source();
  source.notes.clear();  // they say why runs are not ranks of one job
  return analyze::compare_runs(source.runs[0].summary, source.runs[1].summary);
}

}  // namespace

const OutputRules& diff_runs_outputs() {
  static const OutputRules rules{.stem = "difference",
                                 .tables = {"comparison", "label_changes", "name_changes"},
                                 .without = {"table"},
                                 .to_terminal = {"table"}};
  return rules;
}

bool names_run(const std::string& operand) {
  // As everywhere, a word that is the name of a shipped ruleset names that; `./vllm` is a path.
  if (own_library().ruleset(operand)) return false;
  const std::string path = parse_run(operand).path;
  const auto ends = [&](std::string_view end) { return path.ends_with(end); };
  if (ends(".kr") || ends(".krdb")) return false;
  std::error_code error;
  return path == "-" || std::filesystem::exists(path, error);
}

Exit diff_runs(const DiffRunsOptions& options, Streams& streams) {
  const std::vector<classify::RunSpec> specs = parse_runs({options.a, options.b});
  const classify::RunSpec &a = specs[0], &b = specs[1];
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  classify::named_dimension(rules.program(), options.by);
  // Standard input is taken to be of the other's kind, or reading it says what it is.
  const bool trees = trace::holds_module_trees(a.path == "-" ? b.path : a.path, options.trace.open);
  if (trees != trace::holds_module_trees(b.path == "-" ? a.path : b.path, options.trace.open)) {
    throw Error(
        trees ? b.path : a.path,
        fmt::format("contains operations, but {} contains module trees", trees ? a.path : b.path),
        "compare runs of the same kind");
  }
  // Operations stand in modules too, where their trace tells of them.
  const bool as_trees = trees || !options.level.empty();
  Outputs outputs(options.outputs, diff_runs_outputs());
  session::Session session(rules);
  tables::Source& source = session.source();
  const tables::RunPair pair{options.a, options.b,
                             as_trees ? compare_trees(source, specs, options, streams)
                                      : compare_traces(session, specs, options, streams)};
  const trees::RunDifference& difference = pair.difference;
  source.run_difference = &pair;
  const auto own = [&](const std::string& format, auto /*tables*/) -> Outputs::Writer {
    if (format != "table" || outputs.tables_named()) return nullptr;
    return [&](const auto& out) {
      const size_t most = options.outputs.all ? 0 : overview::DifferenceTable{}.most_names;
      out(overview::to_table(difference, {options.a, options.b, options.by, most},
                             {.color = streams.color_out(), .width = streams.out_width()}));
    };
  };
  outputs.finish(source, own, streams);
  if (difference.same()) streams.note("no difference: every name takes the same time in both runs");
  return difference.same() ? Exit::done : Exit::findings;
}

}  // namespace kr::cli
