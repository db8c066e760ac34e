// kr diff: what changes between two rulesets in meaning, or between two runs in time.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/plural.hpp"
#include "base/printable.hpp"
#include "compare/count.hpp"
#include "diff_runs.hpp"
#include "outputs.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

const OutputRules& diff_rules_outputs() {
  static const OutputRules rules{.stem = "difference",
                                 .tables = {"rule_changes", "model_changes"},
                                 .without = {"table"},
                                 .to_terminal = {"table"}};
  return rules;
}

/// What either kind of comparison has, for help.
const OutputRules& diff_outputs() {
  static const OutputRules rules = [] {
    OutputRules both = diff_rules_outputs();
    const OutputRules& runs = diff_runs_outputs();
    both.tables.insert(both.tables.end(), runs.tables.begin(), runs.tables.end());
    return both;
  }();
  return rules;
}

struct DiffOptions {
  std::string before;
  std::string after;
  std::vector<std::string> names;
  std::vector<std::string> runs;
  OutputOptions outputs;
  std::string by;
  std::string level;
  RulesOptions rules;
  TraceOptions trace;
};

/// The rules of one side, with their database where names are to be scanned.
match::CompiledRules load(const std::string& name, bool beside, bool scanned, Streams& streams) {
  match::CompiledRules rules =
      beside ? compile_rules({{name}}, streams) : load_named({name}, streams);
  if (rules.program().engines.empty()) {
    throw Error(name, "it defines no engine, so it labels nothing", "compare rulesets that use it");
  }
  if (scanned && !rules.database) {
    rules.database = match::Database::compile(rules.program(), cache_of_process(streams));
  }
  return rules;
}

void add_run(const classify::RunSpec& run, const DiffOptions& options, Streams& streams,
             std::vector<compare::TimedName>& names) {
  trace::Progress progress;
  const ProgressShown shown(streams, run.path, progress);
  trace::OpenOptions open = options.trace.open;
  open.progress = &progress;
  const trace::Trace trace = trace::open_trace(run.path, open);
  const size_t first = names.size();
  for (const trace::OperationName& name : trace.names) {
    names.push_back({std::string(name.text), name.kind, 0, run.engine, run.model});
  }
  for (const trace::Operation& operation : trace.operations) {
    int64_t& total = names[first + operation.name.index].total_ns;
    if (__builtin_add_overflow(total, operation.duration_ns, &total)) {
      throw Error(run.path, "the sum of its times exceeds 64 bits of nanoseconds");
    }
  }
}

/// A run whose engine or model neither side has would count nothing.
void check_engine(const classify::RunSpec& run, const sema::Program& before,
                  const sema::Program& after) {
  if (run.engine.empty()) return;
  std::set<std::string> engines;
  std::set<std::string> models;
  for (const sema::Program* program : {&before, &after}) {
    for (const sema::Engine& engine : program->engines) {
      engines.insert(engine.name);
      if (engine.name != run.engine) continue;
      for (const sema::ModelId id : engine.models) models.insert(program->models.get(id).name);
    }
  }
  const auto check = [&](const std::set<std::string>& names, const std::string& name,
                         const char* what) {
    if (name.empty() || names.contains(name)) return;
    throw Error(run.path, fmt::format("neither ruleset has {} `{}`", what, name),
                near_or_all(name, std::vector<std::string>(names.begin(), names.end())));
  };
  check(engines, run.engine, "engine");
  check(models, run.model, "model");
}

/// Names met in several places are one.
std::vector<compare::TimedName> joined(std::vector<compare::TimedName> names) {
  std::map<std::tuple<std::string, OperationKind, std::string, std::string>, int64_t> totals;
  for (compare::TimedName& one : names) {
    int64_t& total = totals[{one.name, one.kind, one.engine, one.model}];
    if (__builtin_add_overflow(total, one.total_ns, &total)) {
      throw Error("", "the sum of the times of all runs exceeds 64 bits of nanoseconds");
    }
  }
  names.clear();
  for (const auto& [key, total] : totals) {
    const auto& [name, kind, engine, model] = key;
    names.push_back({name, kind, total, engine, model});
  }
  return names;
}

struct TextOptions {
  bool counted = false;
  bool timed = false;
  bool all = false;  // moves that none of the names makes, too
};

std::string text_of(const compare::MoveCount& one, const TextOptions& options) {
  const compare::Change& change = one.change;
  std::string text =
      fmt::format("  {} -> {}", printable(change.move.from), printable(change.move.to));
  if (options.counted) text += "  " + plural(static_cast<size_t>(one.names), "name");
  if (options.timed) {
    text += fmt::format("  {}.{:03} ms", one.total_ns / 1000000, one.total_ns / 1000 % 1000);
  }
  return text + fmt::format("\n    such as {}\n", to_string(change.move.witness));
}

/// The dimensions of models stand in the order of what moves most in each.
std::string text_of(const compare::Comparison& comparison,
                    const std::vector<compare::MoveCount>& moves, const TextOptions& options) {
  std::string text;
  for (const std::string& model : comparison.only_before) text += fmt::format("- {}\n", model);
  for (const std::string& model : comparison.only_after) text += fmt::format("+ {}\n", model);
  std::vector<std::string> headings;
  std::unordered_map<std::string, std::string> below;
  size_t left_out = 0;
  for (const compare::MoveCount& one : moves) {
    if (options.counted && !options.all && one.names == 0) {
      ++left_out;
      continue;
    }
    std::string heading =
        fmt::format("{}/{} {}\n", one.change.engine, one.change.model, one.change.dimension);
    const auto [at, added] = below.try_emplace(heading);
    at->second += text_of(one, options);
    if (added) headings.push_back(std::move(heading));
  }
  for (const std::string& heading : headings) text += heading + below[heading];
  if (left_out > 0) {
    text += fmt::format("{} without a change in these names (--all shows {})\n",
                        plural(left_out, "pair") + " of labels", left_out == 1 ? "it" : "them");
  }
  return text;
}

/// An option that means nothing for what is compared is a mistake worth telling.
void refuse(bool given, std::string_view option, std::string_view what) {
  if (given) throw Error("", fmt::format("{} does not apply to {}", option, what));
}

Exit diff_rules(const DiffOptions& options, Streams& streams) {
  Outputs outputs(options.outputs, diff_rules_outputs());
  refuse(!options.by.empty(), "--by", "rulesets");
  refuse(!options.level.empty(), "--level", "rulesets");
  refuse(!options.rules.names.empty(), "--rules", "rulesets");
  std::vector<compare::TimedName> names;
  for (const std::string& path : options.names) {
    for (std::string& name : names_of_file(path)) {
      const OperationKind kind = operation_kind_of(name);
      names.push_back({std::move(name), kind, 0, {}, {}});
    }
  }
  const std::vector<classify::RunSpec> runs = parse_runs(options.runs);
  for (const classify::RunSpec& run : runs) add_run(run, options, streams, names);
  names = joined(std::move(names));
  // A .krdb holds `generic` too where several engines want it, and so must what it is held against.
  const source::Library& library = own_library();
  const bool beside =
      match::names_krdb(options.before, library) || match::names_krdb(options.after, library);
  const match::CompiledRules before = load(options.before, beside, !names.empty(), streams);
  const match::CompiledRules after = load(options.after, beside, !names.empty(), streams);
  for (const classify::RunSpec& run : runs) check_engine(run, before.program(), after.program());
  const compare::Comparison comparison =
      compare::compare_programs(before.program(), after.program());
  tables::RulesDifference difference{
      comparison, compare::count_moves(comparison, {&before.program(), before.database},
                                       {&after.program(), after.database}, names)};
  tables::Source source;
  source.rules_difference = &difference;
  constexpr const char* not_proven =
      "not proven: the rules are too complex to prove that the list is complete";
  if (!comparison.proven) source.notes.push_back({"", "warning", "not-proven", not_proven});
  const auto own = [&](const std::string& format, auto /*tables*/) -> Outputs::Writer {
    if (format != "table" || outputs.tables_named()) return nullptr;
    return [&](const auto& out) {
      out(text_of(
          comparison, difference.moves,
          {.counted = !names.empty(), .timed = !options.runs.empty(), .all = options.outputs.all}));
    };
  };
  outputs.finish(source, own, streams);
  if (!comparison.proven) {
    streams.warning(not_proven);
  } else if (comparison.same()) {
    streams.note("no difference: every name gets the same labels");
  }
  return comparison.same() ? Exit::done : Exit::findings;
}

Exit diff(const DiffOptions& options, Streams& streams) {
  const bool run = names_run(options.before);
  if (run != names_run(options.after)) {
    const classify::RunSpec other = parse_run(run ? options.after : options.before);
    std::error_code error;
    if (other.path.find('.') != other.path.npos && !std::filesystem::exists(other.path, error)) {
      throw Error(other.path, "no such file");
    }
    throw Error(run ? options.after : options.before,
                fmt::format("is not a run, but {} is", run ? options.before : options.after),
                "compare two runs, or two rulesets");
  }
  if (!run) return diff_rules(options, streams);
  refuse(!options.names.empty(), "--names", "runs");
  refuse(!options.runs.empty(), "--run", "runs");
  DiffRunsOptions runs;
  runs.a = options.before;
  runs.b = options.after;
  runs.outputs = options.outputs;
  if (!options.by.empty()) runs.by = options.by;
  runs.level = options.level;
  runs.rules = options.rules;
  runs.trace = options.trace;
  return diff_runs(runs, streams);
}

Action setup_diff(CLI::App& app) {
  auto options = std::make_shared<DiffOptions>();
  app.add_option("OLD", options->before,
                 "A rules file, a .krdb, or the name of a shipped ruleset; or a run, "
                 "PATH[,ENGINE,MODEL]")
      ->required();
  app.add_option("NEW", options->after, "The ruleset or run to compare OLD with")->required();
  app.add_option("--names", options->names,
                 "Count how many names of this file, one per line, change their label (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--run", options->runs,
                 "Count the names of this run that change their label, and their time "
                 "(repeatable); with an engine and model, only under their rules")
      ->type_name("PATH[,ENGINE,MODEL]")
      ->allow_extra_args(false);
  app.add_option("--by", options->by, "For runs: the dimension to compare (default: substage)")
      ->type_name("DIM");
  app.add_option("--level", options->level,
                 "For runs: compare module trees at this level: kernel, module, layer, or a depth "
                 "(default: module for layer-wise profiles; traces are compared by name)")
      ->type_name("LEVEL");
  options->outputs.add_to(app, diff_outputs());
  options->rules.add_to(app);
  options->trace.add_to(app);
  return [options](Streams& streams) { return diff(*options, streams); };
}

}  // namespace

extern const Verb diff_verb;
const Verb diff_verb{"diff", "compare two rulesets by meaning, or two runs by time",
                     "kr diff old.kr rulesets/sglang.kr --run trace.csv", setup_diff, "Results"};

}  // namespace kr::cli
