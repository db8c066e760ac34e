// kr diff: what changes between two rulesets in meaning, or between two runs in time.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "analyze/run.hpp"
#include "base/error.hpp"
#include "base/part_file.hpp"
#include "baseline.hpp"
#include "changes/gate.hpp"
#include "outputs.hpp"
#include "overview/rule_changes_text.hpp"
#include "overview/run_changes_text.hpp"
#include "page/pages.hpp"
#include "sema/load.hpp"
#include "session.hpp"
#include "tables/difference.hpp"
#include "trees/level.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

OutputRules diff_rules_outputs() {
  return {.stem = "difference",
          .tables = {"rule_changes", "model_changes", "setting_changes", "changed_names"}};
}

OutputRules diff_runs_outputs() {
  return {
      .stem = "difference",
      .tables = {"comparison", "phase_changes", "label_changes", "substitutions", "name_changes"},
      .more_tables = {"conditions", "trend"}};
}

/// With conditions, these are results, too.
OutputRules gated_outputs() {
  return {.stem = "difference",
          .tables = {"comparison", "conditions", "phase_changes", "label_changes", "substitutions",
                     "name_changes"},
          .more_tables = {"trend"}};
}

/// With a baseline, the trend is a result, too.
OutputRules with_trend(OutputRules rules) {
  rules.tables.emplace_back("trend");
  std::erase(rules.more_tables, "trend");
  return rules;
}

/// What either kind of comparison has, for help.
OutputRules diff_outputs() {
  OutputRules both = diff_rules_outputs();
  const OutputRules runs = diff_runs_outputs();
  both.tables.insert(both.tables.end(), runs.tables.begin(), runs.tables.end());
  both.more_tables = runs.more_tables;
  return both;
}

struct DiffOptions : RunVerbOptions {
  std::string before;
  std::vector<std::string> after;
  std::string baseline;  // a folder
  std::optional<size_t> last;
  std::vector<std::string> names;
  std::vector<std::string> runs;
  std::vector<std::string> side_a;
  std::vector<std::string> side_b;
  std::vector<std::string> fail_if;
  std::string undecided = "pass";
  std::string by;
  std::string level;
};

/// The rules of a side, and the engine and model that are named with them.
struct RulesSide {
  std::string rules;
  compare::Chosen chosen;
};

/// `RULES[,ENGINE[,MODEL]]`. A path that exists may contain commas.
RulesSide rules_side(const std::string& operand) {
  std::error_code error;
  const size_t comma = operand.find(',');
  if (comma == operand.npos || std::filesystem::exists(operand, error)) return {operand, {}};
  RulesSide side{operand.substr(0, comma), {}};
  const size_t second = operand.find(',', comma + 1);
  side.chosen.engine =
      operand.substr(comma + 1, second == operand.npos ? second : second - comma - 1);
  if (second != operand.npos) side.chosen.model = operand.substr(second + 1);
  if (side.chosen.engine.empty() || (second != operand.npos && side.chosen.model.empty())) {
    throw Error(operand, "an empty name of an engine or model",
                "write RULES,ENGINE or RULES,ENGINE,MODEL");
  }
  return side;
}

/// The rules of one side, with their database if there is one already.
match::CompiledRules load(const std::string& name, bool beside, Streams& streams) {
  match::CompiledRules rules =
      beside ? compile_rules({{name}}, streams) : load_named({name}, streams);
  if (rules.program().engines.empty()) {
    throw Error(name, "it defines no engine, so it labels nothing", "compare rulesets that use it");
  }
  const auto cache = cache_of_process(streams);
  if (!rules.database && cache) rules.database = match::Database::find(rules.program(), *cache);
  return rules;
}

/// An option that means nothing for what is compared is an error.
void refuse(bool given, std::string_view option, std::string_view what) {
  if (given) throw Error("", fmt::format("{} does not apply to {}", option, what));
}

Exit diff_rules(const DiffOptions& options, Streams& streams) {
  // A CSV file has one table: the labels, unless the user names another one.
  OutputOptions made = options.outputs;
  const bool csv = made.formats == "csv" || (made.formats.empty() && made.file.ends_with(".csv"));
  if (csv && made.tables.empty() && made.out_dir.empty()) made.tables = "rule_changes";
  Outputs outputs(made, diff_rules_outputs());
  refuse(!options.by.empty(), "--by", "rulesets");
  refuse(!options.level.empty(), "--level", "rulesets");
  refuse(!options.rules.names.empty(), "--rules", "rulesets");
  refuse(!options.fail_if.empty(), "--fail-if", "rulesets");
  const std::vector<classify::RunSpec> runs = parse_runs(options.runs);
  std::vector<compare::SeenName> names = compare::shipped_names(own_library());
  for (const std::string& path : options.names) {
    for (std::string& name : names_of_file(path)) {
      const OperationKind kind = operation_kind_of(name);
      names.push_back({.name = std::move(name), .kind = kind});
    }
  }
  // A .krdb contains `generic` too if it has several engines, and so must what it is compared with.
  const source::Library& library = own_library();
  const RulesSide old_side = rules_side(options.before);
  const RulesSide new_side = rules_side(options.after[0]);
  const bool beside =
      match::names_krdb(old_side.rules, library) || match::names_krdb(new_side.rules, library);
  const match::CompiledRules before = load(old_side.rules, beside, streams);
  const match::CompiledRules after = load(new_side.rules, beside, streams);
  session::Session session = open_session(after, options.trace, streams);
  const tables::RulesDifference& difference =
      session.compare_rules(before, std::move(names), runs, {old_side.chosen, new_side.chosen});
  const auto text = [&](const auto& out, auto) {
    overview::rule_changes_text(difference, {.all = options.outputs.all}, out);
  };
  const auto markdown = [&](const auto& out, auto) {
    overview::rule_changes_markdown(difference, out);
  };
  outputs.finish(session.source(), {{"table", text}, {"markdown", markdown}}, streams);
  for (const tables::Note& note : tables::result_notes(session.source())) {
    if (note.severity != "info") streams.warning(note.text);
  }
  if (difference.changes.same()) {
    streams.note("no difference; compared: " + difference.compared());
  }
  return difference.changes.same() ? Exit::done : Exit::findings;
}

std::string why_undecided(const tables::RunPair& pair, const tables::GateResult& one) {
  if (!pair.comparison.not_judged.empty()) return "is undecided: " + pair.comparison.not_judged;
  if (one.measured.interval) {
    return "is undecided: the change lies beyond the limit, but within the noise";
  }
  if (const std::string& why = pair.trend.no_verdict; !why.empty()) {
    return "is undecided: the change lies beyond the limit, but " + why;
  }
  return "is undecided: the change lies beyond the limit, but there are fewer than three steps or "
         "runs to say how much is noise (--a, --b)";
}

/// With conditions, these decide; otherwise any difference is one.
Exit exit_of(const tables::RunPair& pair, bool undecided_fails, Streams& streams) {
  if (pair.gates.empty()) {
    if (!pair.comparison.same()) return Exit::findings;
    streams.note("no difference: every name takes the same time in both runs");
    return Exit::done;
  }
  Exit exit = Exit::done;
  for (const tables::GateResult& one : pair.gates) {
    if (one.outcome == changes::Outcome::passed) continue;
    const bool failed = one.outcome == changes::Outcome::failed;
    if (failed || undecided_fails) exit = Exit::findings;
    const std::string of = one.of.empty() || one.of == one.gate.label ? "" : " (" + one.of + ")";
    streams.warning(fmt::format("{}{} {}", one.gate.text, of,
                                failed ? "is met: the gate fails" : why_undecided(pair, one)));
  }
  return exit;
}

Exit diff_runs(const DiffOptions& options, std::vector<std::string> a, std::vector<std::string> b,
               Streams& streams) {
  refuse(!options.names.empty(), "--names", "runs");
  refuse(!options.runs.empty(), "--run", "runs");
  session::RunComparison how;
  for (const std::string& gate : options.fail_if) how.gates.push_back(changes::parse_gate(gate));
  std::vector<std::string> read = a;
  read.insert(read.end(), b.begin(), b.end());
  how.a = std::move(a);
  how.b = std::move(b);
  const std::vector<classify::RunSpec> specs = parse_runs(read);
  const match::CompiledRules rules = compile_rules(options.rules, streams);
  if (!options.by.empty()) how.by = options.by;
  classify::named_dimension(rules.program(), how.by);
  session::Session session = open_session(rules, options.trace, streams);
  session.look_for_order(how.by);
  if (!options.level.empty()) {
    // Operations are in modules too, if their trace shows these.
    how.level = trees::named_level(options.level);
  } else {
    for (size_t i = 1; i < specs.size(); ++i) {
      if (session.are_module_trees(specs[0], specs[i])) how.level = trees::named_level("module");
    }
  }
  const bool trend = !options.baseline.empty();
  const OutputRules results = how.gates.empty() ? diff_runs_outputs() : gated_outputs();
  Outputs outputs(options.outputs, trend ? with_trend(results) : results);
  // A folder that cannot be written is known before anything is read.
  const std::filesystem::path folder = trend ? options.outputs.out_dir : std::string();
  if (!folder.empty()) PartFile(folder / "trend.png", (folder / "trend.png").string());
  read_runs(session, specs, session::Demand::of_comparison(how.level.has_value()), streams,
            how.level ? Infos::shown : Infos::hidden);
  const tables::RunPair& pair = session.compare_runs(how);
  overview::RunChangesOptions shown{.by = how.by};
  const auto text = [&](const auto& out, auto tables) {
    shown.color = streams.color_out();
    shown.width = streams.out_width();
    shown.max_rows = options.outputs.all ? 0 : 20;
    overview::run_changes_text(pair, tables, shown, out);
  };
  const auto markdown = [&](const auto& out, auto tables) {
    overview::run_changes_markdown(pair, tables, shown, out);
  };
  const auto page = [&](const auto& out, auto tables) {
    out(page::diff_html(session.source(), tables, how.by));
  };
  outputs.finish(session.source(), {{"table", text}, {"markdown", markdown}, {"html", page}},
                 streams);
  if (trend) {
    if (!pair.trend.no_verdict.empty()) streams.note("no verdict: " + pair.trend.no_verdict);
    if (!folder.empty()) {
      write_trend_pictures(session.source(), pair, how.by, folder, options.outputs.force, streams);
    }
  }
  return exit_of(pair, options.undecided == "fail", streams);
}

/// The saved runs of a folder, against all runs that are named.
Exit diff_baseline(const DiffOptions& options, Streams& streams) {
  if (!options.side_a.empty() || !options.side_b.empty()) {
    throw Error("", "--baseline names the first side, and --a and --b name both",
                "write, for example, --baseline FOLDER new1.json new2.json new3.json");
  }
  std::vector<std::string> fresh = options.after;
  if (!options.before.empty()) fresh.insert(fresh.begin(), options.before);
  if (fresh.empty()) {
    throw Error("", "no run to compare with the baseline is named",
                "write, for example, --baseline FOLDER new1.json new2.json new3.json");
  }
  constexpr size_t default_last = 10;
  std::vector<std::string> saved =
      baseline_runs(options.baseline, options.last.value_or(default_last), fresh, streams);
  return diff_runs(options, std::move(saved), std::move(fresh), streams);
}

/// Whether an operand names a run, not rules: standard input, or a path that exists, is not the
/// name of a shipped ruleset and does not end as rules do.
bool names_run(const std::string& operand) {
  // As everywhere, a word that is the name of a shipped ruleset names that; `./vllm` is a path.
  if (own_library().ruleset(operand)) return false;
  if (own_library().ruleset(rules_side(operand).rules)) return false;
  const std::string path = parse_run(operand).path;
  if (path.ends_with(".kr") || path.ends_with(".krdb")) return false;
  std::error_code error;
  return path == "-" || std::filesystem::exists(path, error);
}

Exit diff(const DiffOptions& options, Streams& streams) {
  if (!options.baseline.empty()) return diff_baseline(options, streams);
  if (options.last) throw Error("", "--last is about the saved runs of --baseline FOLDER");
  if (!options.side_a.empty() || !options.side_b.empty()) {
    if (options.side_a.empty() || options.side_b.empty() || !options.before.empty()) {
      throw Error("", "--a and --b name all runs of the two sides",
                  "write, for example, --a base1.json base2.json --b new1.json new2.json");
    }
    return diff_runs(options, options.side_a, options.side_b, streams);
  }
  if (options.after.empty()) {
    throw Error("", "two runs or two rulesets are needed", "see kr diff --help");
  }
  if (options.after.size() > 1) {
    throw Error("", "more than two runs or rulesets are named",
                "name all runs of two sides with --a and --b, or compare new runs with the saved "
                "ones of a folder (--baseline)");
  }
  const std::string& after = options.after[0];
  const bool run = names_run(options.before);
  if (run != names_run(after)) {
    const classify::RunSpec other = parse_run(run ? after : options.before);
    std::error_code error;
    if (other.path.find('.') != other.path.npos && !std::filesystem::exists(other.path, error)) {
      throw Error(other.path, "no such file");
    }
    throw Error(run ? after : options.before,
                fmt::format("is not a run, but {} is", run ? options.before : after),
                "compare two runs, or two rulesets");
  }
  return run ? diff_runs(options, {options.before}, {after}, streams)
             : diff_rules(options, streams);
}

void add_diff_options(CLI::App& app, DiffOptions& options) {
  app.add_option("OLD", options.before,
                 "A rules file, a .krdb, or the name of a shipped ruleset, each with an engine and "
                 "model if only these are compared (RULES[,ENGINE[,MODEL]]); or a run, "
                 "PATH[,ENGINE,MODEL]");
  app.add_option("NEW", options.after,
                 "The ruleset or run to compare OLD with; with --baseline, all runs that are named "
                 "are new");
  app.add_option("--baseline", options.baseline,
                 "Compare with the saved runs (*.krun) of this folder, in the natural order of "
                 "their names, and show the trend from run to run")
      ->type_name("FOLDER");
  app.add_option("--last", options.last,
                 "With --baseline: only the last N saved runs of the folder (default: 10)")
      ->type_name("N")
      ->check(whole_number(1));
  app.add_option("--a", options.side_a,
                 "Several runs as the first side, in place of OLD: three or more show the noise")
      ->type_name("RUN...");
  app.add_option("--b", options.side_b, "The runs of the second side, in place of NEW")
      ->type_name("RUN...");
  app.add_option("--fail-if", options.fail_if,
                 "Exit with 1 only if this condition is met beyond noise: 'step > +2%' (the median "
                 "wall time of each phase), 'step/decode > +300us/step', 'idle > +10%', 'busy > "
                 "+2%', 'span > +5ms/run', 'work > +2%', 'substage/gemm > +5%', 'substage/* > "
                 "+300us/step' (repeatable)")
      ->type_name("CONDITION")
      ->check(project_check(changes::parse_gate))
      ->allow_extra_args(false)
      ->configurable();
  app.add_option("--undecided", options.undecided,
                 "What a condition does that the noise leaves undecided (default: pass)")
      ->check(CLI::IsMember({"pass", "fail"}))
      ->configurable();
  app.add_option(
         "--names", options.names,
         "Count how many names of this file, one per line, change their label, and show these "
         "first (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->configurable();
  app.add_option("--run", options.runs,
                 "Count the names of this run that change their label, and their time "
                 "(repeatable); with an engine and model, only under their rules")
      ->type_name("PATH[,ENGINE,MODEL]")
      ->allow_extra_args(false);
  app.add_option("--by", options.by, "For runs: the dimension to compare (default: substage)")
      ->type_name("DIM")
      ->configurable();
  app.add_option("--level", options.level,
                 "For runs: compare module trees at this level: kernel, module, layer, or a depth "
                 "(default: module for layer-wise profiles; traces are compared by name)")
      ->type_name("LEVEL")
      ->check(project_check(trees::named_level))
      ->configurable();
  options.add_to(app, diff_outputs());
}

}  // namespace

const Verb diff_verb{"diff", "compare two rulesets by meaning, or two runs by time",
                     "kr diff old.kr rulesets/sglang.kr --run trace.csv",
                     setup<DiffOptions, add_diff_options, diff>, "Results"};

}  // namespace kr::cli
