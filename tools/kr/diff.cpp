// kr diff: what changes in meaning between two rulesets.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "compare/count.hpp"
#include "diag/printable.hpp"
#include "diag/render.hpp"
#include "session.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

struct DiffOptions {
  std::string before;
  std::string after;
  std::vector<std::string> names;
  std::vector<std::string> runs;
  std::string format = "text";
  TraceOptions trace;
};

/// A ruleset by itself, with its database where names are to be scanned.
struct Version {
  std::unique_ptr<Rules> rules;
  std::shared_ptr<const Database> database;
};

Version load(const std::string& name, bool scanned, Streams& streams) {
  Sink sink;
  Version version;
  version.rules = load_rules({name}, Library::of_process("kr"), sink);
  if (sink.has_errors()) {
    streams.raw_error(
        render_human(version.rules->sources, sink.sorted(), {.color = streams.color_error()}));
    throw Error(name, "the rules have errors, so what they mean cannot be compared",
                "mend them and run again");
  }
  if (version.rules->program.engines.empty()) {
    throw Error(name, "there is no engine in it, so it labels nothing",
                "compare rulesets that use it");
  }
  if (scanned) {
    version.database = Database::compile(version.rules->program, Database::Cache::of_process());
  }
  return version;
}

/// One name a line; blank lines are none.
void add_names(const std::string& path, std::vector<NameMet>& names) {
  const std::string text =
      path == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_file(path);
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string name = text.substr(begin, end - begin);
    if (name.ends_with('\r')) name.pop_back();
    const OperationKind kind = operation_kind_of(name);
    if (!name.empty()) names.push_back({std::move(name), kind, 0});
    begin = end + 1;
  }
}

void add_run(const std::string& path, const DiffOptions& options, Streams& streams,
             std::vector<NameMet>& names) {
  OpenOptions open = options.trace.open;
  ProgressShown shown(streams, path);
  open.progress = shown.progress();
  const Trace trace = open_trace(path, open);
  const size_t first = names.size();
  for (const OperationName& name : trace.names) {
    names.push_back({std::string(name.text), name.kind, 0});
  }
  for (const Operation& operation : trace.operations) {
    int64_t& total = names[first + operation.name.index].total_ns;
    if (__builtin_add_overflow(total, operation.duration_ns, &total)) {
      throw Error(path, "its times add up to more than 64 bits of nanoseconds hold");
    }
  }
}

/// Names met in several places are one.
std::vector<NameMet> joined(std::vector<NameMet> names) {
  std::map<std::pair<std::string, OperationKind>, int64_t> totals;
  for (NameMet& one : names) {
    int64_t& total = totals[{std::move(one.name), one.kind}];
    if (__builtin_add_overflow(total, one.total_ns, &total)) {
      throw Error("", "the runs' times add up to more than 64 bits of nanoseconds hold");
    }
  }
  names.clear();
  for (const auto& [key, total] : totals) names.push_back({key.first, key.second, total});
  return names;
}

std::string text_of(const Comparison& comparison, const std::vector<MoveCount>& moves, bool counted,
                    bool timed) {
  std::string text;
  for (const std::string& model : comparison.only_before) text += fmt::format("- {}\n", model);
  for (const std::string& model : comparison.only_after) text += fmt::format("+ {}\n", model);
  std::string heading;
  for (const MoveCount& one : moves) {
    const Change& change = one.change;
    std::string own = fmt::format("{}/{} {}", change.engine, change.model, change.dimension);
    if (own != heading) text += fmt::format("{}\n", own);
    heading = std::move(own);
    text += fmt::format("  {} -> {}", printable(change.move.from), printable(change.move.to));
    if (counted) text += fmt::format("  {} name{}", one.names, one.names == 1 ? "" : "s");
    if (timed) {
      text += fmt::format("  {}.{:03} ms", one.total_ns / 1000000, one.total_ns / 1000 % 1000);
    }
    text += fmt::format("\n    such as {}\n", to_string(change.move.witness));
  }
  return text;
}

std::string json_of(const Comparison& comparison, const std::vector<MoveCount>& moves) {
  const auto list = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + json_string(name);
    return "[" + text + "]";
  };
  std::string text = "{\"changes\":[";
  const char* comma = "\n ";
  for (const MoveCount& one : moves) {
    const Change& change = one.change;
    const prove::Witness& witness = change.move.witness;
    text += fmt::format(
        "{}{{\"engine\":{},\"model\":{},\"dimension\":{},\"from\":{},\"to\":{},\"witness\":{},"
        "\"kind\":{},\"within\":{},\"names\":{},\"total_ns\":{}}}",
        comma, json_string(change.engine), json_string(change.model), json_string(change.dimension),
        json_string(change.move.from), json_string(change.move.to), json_string(witness.name),
        json_string(to_string(witness.kind)), list(witness.within), one.names, one.total_ns);
    comma = ",\n ";
  }
  text += fmt::format("],\n \"only_before\":{},\"only_after\":{},\"proven\":{}}}\n",
                      list(comparison.only_before), list(comparison.only_after), comparison.proven);
  return text;
}

Exit diff(const DiffOptions& options, Streams& streams) {
  const auto format = parse_choices(options.format, "--format", {"text", "json"});
  std::vector<NameMet> names;
  for (const std::string& path : options.names) add_names(path, names);
  for (const std::string& run : options.runs) add_run(run, options, streams, names);
  names = joined(std::move(names));
  const Version before = load(options.before, !names.empty(), streams);
  const Version after = load(options.after, !names.empty(), streams);
  const Comparison comparison = compare_programs(before.rules->program, after.rules->program);
  const std::vector<MoveCount> moves =
      count_moves(comparison, {&before.rules->program, before.database},
                  {&after.rules->program, after.database}, names);
  streams.out(format[0] == "json"
                  ? json_of(comparison, moves)
                  : text_of(comparison, moves, !names.empty(), !options.runs.empty()));
  if (!comparison.proven) {
    streams.warning("not proven: the rules are too involved to be sure that this is all");
  } else if (comparison.same()) {
    streams.note("the same: every name gets the same labels");
  }
  return comparison.same() ? Exit::done : Exit::findings;
}

Action setup(CLI::App& app) {
  auto options = std::make_shared<DiffOptions>();
  app.add_option("OLD", options->before, "A rules file, or the name of a shipped ruleset")
      ->required();
  app.add_option("NEW", options->after, "What to hold against it")->required();
  app.add_option("--names", options->names,
                 "Count those of these names that move: a file, one a line (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--run", options->runs,
                 "Count the names of this trace that move, and their time (repeatable)")
      ->type_name("TRACE")
      ->allow_extra_args(false);
  app.add_option("--format", options->format, "text or json (default: text)")->type_name("FORMAT");
  options->trace.add_to(app);
  return [options](Streams& streams) { return diff(*options, streams); };
}

}  // namespace

extern const Verb diff_verb;
const Verb diff_verb{"diff", "what changes in meaning between two rulesets",
                     "kr diff old.kr rulesets/sglang.kr --run trace.csv", setup};

}  // namespace kr::cli
