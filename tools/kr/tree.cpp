// kr tree: module trees, cut at a level, by phase and step.
#include "tables/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "analyze/run.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/input_files.hpp"
#include "export/views.hpp"
#include "outputs.hpp"
#include "overview/overview.hpp"
#include "picture/tree_picture.hpp"
#include "render/renderers.hpp"
#include "session.hpp"
#include "tables/registry.hpp"
#include "trace/readers/proton_parts.hpp"
#include "trees/for_people.hpp"
#include "verb.hpp"

namespace kr::cli {
namespace {

constexpr uint64_t default_picture_interval = 4;

struct TreeOptions : RunVerbOptions {
  std::vector<std::string> runs;
  std::string json_trace;  // as vLLM's script calls the run
  std::string level = "module";
  std::string by;
  std::string phase;
  std::optional<int64_t> step;
  std::optional<uint64_t> step_interval;
  std::string metric;
  std::vector<std::string> folds;
  std::optional<uint64_t> top_k;
  bool unique_names = false;
  bool plain_names = false;
  std::optional<size_t> width;
  bool compat = false;
  bool all_steps = false;
  bool each_sibling = false;
  std::string table = "summary";
  std::string save;
  std::string gpu;
  std::string peaks;
};

OutputRules tree_outputs() {
  const exports::View& view = exports::view_named("tree");
  return {.stem = std::string(view.stem),
          .tables = view.tables,
          .more_tables = {"tree_sums"},
          .own_csv = "phase,step,layer,depth,path,",
          .to_terminal = {"table", "csv", "json", "jsonl", "markdown"}};
}

trees::Level parse_level(const TreeOptions& options) {
  const trees::Level level = trees::named_level(options.level);
  const bool own =
      level.kind == trees::Level::Kind::kernel || level.kind == trees::Level::Kind::module;
  if (options.compat && !own) {
    throw Error("", "--compat supports only the levels kernel and module",
                "remove --level or --compat");
  }
  return level;
}

std::optional<trees::Metric> parse_metric(const std::string& word) {
  if (word.empty()) return std::nullopt;
  const std::vector<std::string> names(trees::metric_names.begin(), trees::metric_names.end());
  const auto at = std::ranges::find(names, parse_choice(word, "--metric", names));
  return static_cast<trees::Metric>(at - names.begin());
}

bool parse_each_call(const std::string& word) {
  return parse_choice(word, "--table", {"summary", "model"}) == "model";
}

/// `machine`: what programs read is whole and under its own names, unless the user chose otherwise.
trees::ViewOptions view_options(const TreeOptions& options, bool machine) {
  trees::ViewOptions view;
  view.level = parse_level(options);
  if (!options.by.empty()) view.dimension = options.by;
  view.by_label = !options.by.empty() && !machine;
  view.folds = options.folds;
  if (options.compat) {
    view.ruleset_folds = false;
    view.folds.insert(view.folds.end(), {"Sampler", "LogitsProcessor"});
  }
  view.phase = options.phase;
  view.step = options.step;
  view.step_interval = options.step_interval.value_or(1);
  // Who names steps wants to see them.
  const bool steps = options.all_steps || options.step || options.step_interval;
  view.by_phase = !options.compat && !steps;
  view.merge_siblings = !options.compat && !options.each_sibling;
  view.top_k = options.top_k.value_or(machine ? 0 : trees::default_top_k);
  view.limit_others = !options.compat && !options.top_k;
  view.unique_names = options.unique_names || (!machine && !options.plain_names);
  view.abbreviate = !machine || options.unique_names || options.width.has_value();
  view.short_names = !machine && !options.compat;
  view.width = options.width.value_or(machine ? 0 : trees::default_width);
  view.compat = options.compat;
  return view;
}

/// The pictures of `--out-dir`, and the page unless it is one of the formats.
void write_pictures(const sema::Program& program, const std::filesystem::path& folder,
                    const trees::TreeView& view, const std::optional<std::string>& page,
                    trees::Metric metric, bool force, Streams& streams) {
  std::vector<PendingFile> files;
  const auto add = [&](const std::string& name, std::string_view text) {
    PendingFile& file = files.emplace_back(folder / name);
    if (!force) render::check_own(file);
    file.write(text);
  };
  for (const picture::Picture& picture : picture::tree_pictures(program, view, metric)) {
    add(picture.file_stem + ".png", picture.png);
    add(picture.file_stem + ".svg", picture.svg);
  }
  if (page) add("tree.html", *page);
  std::vector<PendingFile*> all;
  all.reserve(files.size());
  for (PendingFile& file : files) all.push_back(&file);
  commit_all(all);
  for (const PendingFile& file : files) {
    streams.note(fmt::format("wrote {}", file.path().string()));
  }
}

/// The run, and its other files, by number: those of one session of Proton are one profile. Throws
/// Error.
std::pair<classify::RunSpec, std::vector<std::string>> parse_files(const TreeOptions& options) {
  std::vector<classify::RunSpec> files;
  for (const std::string& one : options.runs) files.push_back(parse_run(one));
  if (!options.json_trace.empty()) files.push_back(parse_run(options.json_trace));
  if (files.empty()) throw Error("", "no run given", "name a profile: kr tree profile.json");
  if (files.size() == 1) return {files[0], {}};
  const auto part_of = [](const classify::RunSpec& spec) {
    return trace::proton_part(std::string_view(spec.path).substr(spec.path.rfind('/') + 1));
  };
  const auto first = part_of(files[0]);
  for (const classify::RunSpec& one : files) {
    const auto part = part_of(one);
    if (!part || !first || !part->same_profile(*first)) {
      throw Error(one.path, "is not a part of the profile of the other files",
                  "kr tree shows one run: name one file, or the files NAME.part_0.hatchet, "
                  "NAME.part_1.hatchet, … of one session of Proton");
    }
  }
  const auto number = [&](const classify::RunSpec& spec) { return part_of(spec)->number; };
  std::ranges::stable_sort(files, {}, number);
  const auto twice = std::ranges::adjacent_find(files, {}, number);
  if (twice != files.end())
    throw Error(std::next(twice)->path, "is given twice, or is a part of another session");
  std::vector<std::string> parts;
  for (size_t i = 1; i < files.size(); ++i) {
    InputFiles::note(std::filesystem::path(files[i].path));
    parts.push_back(files[i].path);
  }
  return {files[0], std::move(parts)};
}

Exit tree(const TreeOptions& options, Streams& streams) {
  const auto [spec, parts] = parse_files(options);
  Outputs outputs(options.outputs, tree_outputs());
  const bool machine = outputs.makes_for_programs();
  if (!options.save.empty()) outputs.save(options.save, true);
  const trees::ViewOptions how = view_options(options, machine);
  const std::optional<trees::Metric> metric = parse_metric(options.metric);
  const std::filesystem::path folder = options.outputs.out_dir;
  // A folder that cannot be written is known before anything is read.
  if (!folder.empty()) PartFile(folder / "prefill.png", (folder / "prefill.png").string());
  const match::CompiledRules rules = compile_rules(options.rules, streams);

  TraceOptions trace = options.trace;
  trace.open.each_call = parse_each_call(options.table);
  trace.open.parts = parts;
  session::Session session = open_session(rules, trace, streams);
  join_gpu(session, options.gpu, options.peaks);
  session::Demand demand{.facts = facts::Set::of<tables::Tree>()};
  demand.tree_dimension = classify::order_dimension(rules.program(), options.by);
  if (demand.tree_dimension && !options.save.empty()) {
    throw Error("", fmt::format("--save keeps no labels from neighbours (`{}`)", options.by),
                "save without --by, or leave --save out");
  }
  read_runs(session, {spec}, demand, streams, Infos::shown);
  const size_t ranks = session.source().other_runs.size();
  if (ranks > 1) {
    streams.note(fmt::format("the trace has {} ranks: this is {}; choose another with --rank",
                             ranks, session.source().other_runs[0].source));
  }
  const trees::LabelledModules& modules = session.modules(0);
  session.show_tree(how);
  const tables::Tree& shown = *session.source().tree;
  for (const std::string& text : shown.unknown_folds) {
    streams.warning(fmt::format("{}: --fold: {}", modules.trace.source, text));
  }
  const std::string no_costs = tables::absent(*tables::find("module_costs"), session.source());
  const auto warn_without_costs = [&](std::string_view option, const std::string& given) {
    if (given.empty() || no_costs.empty()) return;
    streams.warning(
        fmt::format("{}: {} has no effect: {}", modules.trace.source, option, no_costs));
  };
  warn_without_costs("--gpu", options.gpu);
  warn_without_costs("--peaks", options.peaks);
  const trees::TreeView& view = *shown.view;
  const trees::Metric shown_metric = metric.value_or(trees::Metric::cuda_time_ms);
  std::optional<trees::TreeView> short_view;
  // What a person reads is short even if files for programs are made as well.
  const auto for_people = [&]() -> const trees::TreeView& {
    if (!machine) return view;
    return short_view ? *short_view
                      : short_view.emplace(rules, modules, view_options(options, false));
  };
  const auto html = [&] {
    return exports::tree_page(session.source(), for_people(), shown_metric);
  };
  const auto page = [&](const auto& out, auto) { out(html()); };
  const auto csv = [&](const auto& out, auto) { overview::write_tree_csv(view, metric, out); };
  const auto text = [&](const auto& out, auto) {
    exports::tree_text(session.source(), for_people(), shown_metric,
                       {streams.color_out(), streams.out_width(), options.outputs.all}, out);
  };
  outputs.finish(session.source(), {{"html", page}, {"csv", csv}, {"table", text}}, streams);
  if (!folder.empty()) {
    trees::ViewOptions some = view_options(options, false);
    if (!some.by_phase) {
      some.step_interval = options.step_interval.value_or(default_picture_interval);
    }
    const bool has_page = outputs.makes("html") && !outputs.tables_named();
    write_pictures(rules.program(), folder, trees::TreeView(rules, modules, some),
                   has_page ? std::nullopt : std::optional(html()), shown_metric,
                   options.outputs.force, streams);
  }
  return Exit::done;
}

void add_tree_options(CLI::App& app, TreeOptions& options) {
  auto* run = app.add_option("RUN", options.runs,
                             "PATH[,ENGINE,MODEL]; `-` is standard input; several: the files of "
                             "one session of Proton");
  app.add_option("--json-trace", options.json_trace,
                 "Same as RUN, for compatibility with the vLLM script")
      ->type_name("RUN")
      ->excludes(run);
  app.add_option(
         "--level", options.level,
         "Level to show: kernel, module, layer, or a depth, where 0 is the root (default: module)")
      ->type_name("LEVEL")
      ->check(project_check(trees::named_level))
      ->configurable();
  app.add_option("--by", options.by, "Merge nodes with the same label in this dimension")
      ->type_name("DIM")
      ->configurable();
  app.add_option("--phase", options.phase, "Only steps of this phase, such as prefill or decode")
      ->type_name("PHASE")
      ->configurable();
  app.add_flag("--all-steps", options.all_steps,
               "Show the tree of each step; without it, one tree per phase of all its steps")
      ->configurable();
  app.add_option("--step", options.step, "Only the step with this number")->type_name("NUMBER");
  app.add_option("--step-interval,--step-plot-interval", options.step_interval,
                 "Show the trees of every Kth step of a phase, and of the last (with --all-steps: "
                 "default 1, in pictures 4)")
      ->type_name("K")
      ->check(whole_number(1))
      ->configurable();
  app.add_option("--metric,--plot-metric", options.metric,
                 "cuda_time_ms, pct_cuda_time or invocations (default: cuda_time_ms)")
      ->type_name("METRIC")
      ->check(project_check(parse_metric))
      ->configurable();
  app.add_option("--fold,--fold-json-node", options.folds,
                 "Hide what is below nodes of this name, in addition to the folds of the ruleset "
                 "(repeatable)")
      ->type_name("NAME")
      ->configurable();
  app.add_option("--top-k", options.top_k,
                 "Show the K largest, and the rest as `others`; 0: all (default: 12 in text, or "
                 "more if `others` would be too large; all in csv and json)")
      ->type_name("K")
      ->check(whole_number())
      ->configurable();
  app.add_flag("--each-sibling", options.each_sibling,
               "Show siblings that differ only in their number, such as the layers of a model, one "
               "by one")
      ->configurable();
  auto* unique =
      app.add_flag("--unique-names", options.unique_names,
                   "Distinguish nodes with the same name by their parents (default in text)");
  app.add_flag("--no-unique-names", options.plain_names, "Merge nodes with the same name")
      ->excludes(unique);
  app.add_option("--width", options.width,
                 "Truncate names after this many characters; 0: never (default: 50 in text)")
      ->type_name("N")
      ->check(whole_number())
      ->configurable();
  app.add_option("--save", options.save,
                 "Save the sums of all steps as FILE.krun, which kr diff compares with other runs")
      ->type_name("FILE");
  app.add_option("--gpu", options.gpu,
                 "The GPU with whose peaks the FLOPs of a Proton profile are compared; `kr list "
                 "gpus` shows them")
      ->type_name("NAME");
  app.add_option("--peaks", options.peaks,
                 "Peaks that were measured on this GPU, as tools/peaks writes them: the same FLOPs "
                 "and bytes are compared with them, too")
      ->type_name("FILE");
  app.add_flag("--compat", options.compat,
               "Truncate and select as the plotting script of vLLM does, and report how much time "
               "that omits")
      ->configurable();
  options.add_to(app, tree_outputs(), PhaseOption::of_verb);
  app.add_option("--table", options.table,
                 "Trees of the profile to read: summary (sums of calls) or model (one node per "
                 "call); default: summary")
      ->type_name("TABLE")
      ->check(project_check(parse_each_call))
      ->configurable();
}

}  // namespace

const Verb tree_verb{
    "tree", "show the module trees of a profile (layer-wise, Proton) or a PyTorch trace, by phase",
    "kr tree profile.json --level module --phase decode",
    setup<TreeOptions, add_tree_options, tree>, "Traces"};

}  // namespace kr::cli
