#include "changes/saved_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <system_error>

#include "base/error.hpp"
#include "base/sqlite.hpp"
#include "kr/render.hpp"
#include "trace/open.hpp"

namespace kr::changes {
namespace {

using sqlite::Statement;

constexpr std::array<std::string_view, 13> tables{
    "runs",  "notes",       "labels", "coverage",     "devices",   "kernels",     "phases",
    "steps", "step_labels", "layers", "phase_labels", "sequences", "trace_health"};

constexpr std::array<std::string_view, 7> tree_tables{
    "runs",          "notes", "tree_sums", "tree_kernels", "tree_labels", "tree_step_labels",
    "tree_sequences"};
constexpr std::array<trees::Level, 3> levels{trees::Level{trees::Level::Kind::kernel, 0},
                                             trees::Level{trees::Level::Kind::module, 0},
                                             trees::Level{trees::Level::Kind::layer, 0}};

/// Steps of phases, layers, and the run.
constexpr size_t most_sequences = 2 * analyze::Sequence::most_phases + 1;

class SavedRuns {
 public:
  explicit SavedRuns(const std::string& path)
      : path_(path), database_(sqlite::Database::read(path)) {
    check_version();
  }

  bool has_module_trees() const { return has("tree_sums"); }

  std::vector<SavedRun> read() {
    std::vector<std::pair<std::string, SavedRun>> runs;
    Statement rows = database_.prepare(
        "SELECT run, format, engine, model, coalesce(why, ''), rank_from, rank, world_size, "
        "coalesce(backend, ''), operations, gpu_elapsed_ns, gpu_total_ns, span_ns, wall_ns, "
        "wall_from, non_gpu_ns, gpu_busy_ns FROM runs ORDER BY rowid");
    while (rows.step()) {
      auto& [id, saved] = runs.emplace_back(rows.text(0), SavedRun{});
      read_head(rows, saved.summary);
    }
    if (runs.empty()) refuse("has no runs");
    std::vector<SavedRun> out;
    out.reserve(runs.size());
    for (auto& [id, saved] : runs) {
      analyze::RunSummary& summary = saved.summary;
      summary.source = runs.size() == 1 ? path_ : fmt::format("{} ({})", path_, id);
      summary.id = fmt::format("{}_{}_{}", summary.model, summary.engine, trace::trace_stem(path_));
      read_notes(id, summary);
      saved.module_trees = has_module_trees();
      if (saved.module_trees) {
        read_trees(id, saved);
        out.push_back(std::move(saved));
        continue;
      }
      read_labels(id, summary);
      read_names(id, summary);
      read_devices(id, summary);
      if (has("trace_health")) read_findings(id, summary);
      saved.profile = profile_of(summary.source, summary, nullptr);
      // A trace without a host trace has no steps, and few have layers.
      if (has("steps") && has("step_labels")) read_steps(id, saved.profile);
      if (has("layers")) read_layers(id, saved.profile);
      if (has("sequences")) read_sequences("sequences", id, saved.profile);
      out.push_back(std::move(saved));
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(path_, why, "save the run again with `kr report RUN --save FILE.krun`");
  }

  /// A count or a time: what kr saves is neither negative nor longer than 73 years.
  int64_t amount(const Statement& row, int column) const {
    const int64_t number = row.integer(column);
    if (number < 0 || number > int64_t{1} << 61) refuse("has a count or time that cannot be");
    return number;
  }

  void check_version() {
    const auto number = [&](const char* pragma) {
      Statement row = database_.prepare(pragma);
      return row.step() ? row.integer(0) : 0;
    };
    if (number("PRAGMA application_id") != render::sqlite_application_id) {
      refuse("is not a saved run");
    }
    const int64_t version = number("PRAGMA user_version");
    if (version != render::schema_version) {
      refuse(
          fmt::format("was saved by another version of kr: its tables have version {}, those of "
                      "this program {}",
                      version, render::schema_version));
    }
    std::error_code error;
    const auto size = std::filesystem::file_size(path_, error);
    if (error ||
        static_cast<int64_t>(size) != number("PRAGMA page_count") * number("PRAGMA page_size")) {
      refuse("is not whole");
    }
    static constexpr std::array of_trees{"runs", "tree_kernels", "tree_labels", "tree_step_labels",
                                         "tree_sequences"};
    static constexpr std::array of_operations{"runs", "labels", "coverage", "kernels", "devices"};
    const bool trees = has_module_trees();
    for (const char* table : trees ? std::span<const char* const>(of_trees) : of_operations) {
      if (!has(table)) refuse(fmt::format("has no table `{}`", table));
    }
  }

  bool has(std::string_view table) const {
    return database_.can_prepare(fmt::format("SELECT 1 FROM {}", sqlite::quoted(table)));
  }

  Statement of_run(const std::string& sql, const std::string& run) const {
    Statement rows = database_.prepare(sql);
    rows.bind(1, run);
    return rows;
  }

  void read_head(const Statement& row, analyze::RunSummary& run) const {
    run.format = row.text(1);
    run.engine = row.text(2);
    run.model = row.text(3);
    run.choice_why = row.text(4);
    // A number that was only the order given means nothing in another order.
    if (!row.is_null(6) && row.text(5) != "order") run.distributed.rank = amount(row, 6);
    if (!row.is_null(7)) run.distributed.world_size = amount(row, 7);
    run.distributed.backend = row.text(8);
    run.operations = amount(row, 9);
    run.gpu_elapsed_ns = amount(row, 10);
    run.gpu_total_ns = amount(row, 11);
    run.span_ns = amount(row, 12);
    run.wall_ns = amount(row, 13);
    run.wall_from = row.text(14) == "user" ? analyze::WallFrom::user : analyze::WallFrom::span;
    run.non_gpu_ns = amount(row, 15);
    run.gpu_busy_ns = amount(row, 16);
    check(run.gpu_elapsed_ns <= run.gpu_busy_ns && run.gpu_busy_ns <= run.gpu_total_ns &&
          run.gpu_elapsed_ns <= run.span_ns &&
          run.non_gpu_ns == std::max<int64_t>(0, run.wall_ns - run.gpu_elapsed_ns));
  }

  void check(bool adds_up) const {
    if (!adds_up) refuse("does not add up");
  }

  /// Sums of a run, which must not exceed its own.
  struct Sums {
    Amount total;
    Amount elapsed;  // without instances
    Amount busy;

    void add(int64_t instances, int64_t total_ns, int64_t elapsed_ns, int64_t busy_ns) {
      total += {instances, total_ns};
      elapsed += {0, elapsed_ns};
      busy += {0, busy_ns};
    }
    bool are_of(const analyze::RunSummary& run) const {
      return total.instances == run.operations && total.total_ns == run.gpu_total_ns &&
             elapsed.total_ns == run.gpu_elapsed_ns && busy.total_ns == run.gpu_busy_ns;
    }
  };

  void read_labels(const std::string& run, analyze::RunSummary& summary) {
    Statement rows = of_run(
        "SELECT dimension, label, elapsed_ns, total_ns, instances, busy_ns FROM labels WHERE run = "
        "?1 ORDER BY rowid",
        run);
    std::map<std::string, Sums> sums;
    while (rows.step()) {
      const std::string dimension(rows.text(0));
      if (summary.dimensions.empty() || summary.dimensions.back().dimension != dimension) {
        check(!sums.contains(dimension));
        summary.dimensions.push_back({dimension, {}});
        read_explained(run, summary, summary.dimensions.back());
      }
      const analyze::LabelSum label{std::string(rows.text(1)), amount(rows, 2), amount(rows, 3),
                                    amount(rows, 4), amount(rows, 5)};
      sums[dimension].add(label.instances, label.total_ns, label.elapsed_ns, label.busy_ns);
      summary.dimensions.back().labels.push_back(label);
    }
    for (const auto& [dimension, sum] : sums) check(sum.are_of(summary));
  }

  void read_explained(const std::string& run, const analyze::RunSummary& summary,
                      analyze::DimensionSum& dimension) {
    Statement row = of_run(
        "SELECT explained_ns, unexplained_names FROM coverage WHERE run = ?1 AND dimension = ?2",
        run);
    row.bind(2, dimension.dimension);
    if (!row.step()) refuse(fmt::format("has no coverage of `{}`", dimension.dimension));
    dimension.explained_ns = amount(row, 0);
    dimension.unexplained_names = amount(row, 1);
    check(dimension.explained_ns <= summary.gpu_total_ns);
  }

  void read_names(const std::string& run, analyze::RunSummary& summary) {
    const auto ruled =
        summary.dimension("substage") ? summary.dimension("substage") : summary.dimension("kind");
    std::string sql =
        "SELECT name, type, instances, elapsed_ns, total_ns, min_ns, max_ns, mean_ns, stddev_ns, "
        "coalesce(rule, ''), busy_ns";
    for (const analyze::DimensionSum& one : summary.dimensions) {
      const std::string other = one.dimension + "_label";  // where a fixed column has the name
      const bool clash = database_.can_prepare(
          fmt::format("SELECT kernels.{} FROM kernels", sqlite::quoted(other)));
      sql += ", kernels." + sqlite::quoted(clash ? other : one.dimension);
    }
    Sums sums;
    Statement rows = of_run(sql + " FROM kernels WHERE run = ?1 ORDER BY rowid", run);
    while (rows.step()) {
      analyze::NameSum& name = summary.names.emplace_back();
      name.name = rows.text(0);
      name.kind = operation_kind_from(rows.text(1)).value_or(OperationKind::kernel);
      name.instances = amount(rows, 2);
      name.elapsed_ns = amount(rows, 3);
      name.total_ns = amount(rows, 4);
      name.min_ns = amount(rows, 5);
      name.max_ns = amount(rows, 6);
      name.mean_ns = rows.real(7);
      name.stddev_ns = rows.real(8);
      check(std::isfinite(name.mean_ns) && std::isfinite(name.stddev_ns));
      name.busy_ns = amount(rows, 10);
      for (size_t i = 0; i < summary.dimensions.size(); ++i) {
        auto& label = name.labels.emplace_back();
        label.label = rows.text(static_cast<int>(11 + i));
        if (i == ruled) label.rule = rows.text(9);
      }
      sums.add(name.instances, name.total_ns, name.elapsed_ns, name.busy_ns);
    }
    check(sums.are_of(summary));
  }

  void read_devices(const std::string& run, analyze::RunSummary& summary) {
    Statement rows = of_run(
        "SELECT device, coalesce(device_name, ''), operations, span_ns, busy_ns, compute_ns, "
        "communication_ns, exposed_communication_ns, memory_ns, exposed_memory_ns, idle_ns FROM "
        "devices WHERE run = ?1 ORDER BY rowid",
        run);
    Amount operations;
    while (rows.step()) {
      analyze::DeviceSum& one = summary.devices.emplace_back();
      const int64_t device = rows.integer(0);
      check(device >= INT32_MIN && device <= INT32_MAX);
      one.device = static_cast<int32_t>(device);
      one.name = rows.text(1);
      int column = 2;
      for (int64_t analyze::Breakdown::*value :
           {&analyze::Breakdown::operations, &analyze::Breakdown::span_ns,
            &analyze::Breakdown::busy_ns, &analyze::Breakdown::compute_ns,
            &analyze::Breakdown::communication_ns, &analyze::Breakdown::exposed_communication_ns,
            &analyze::Breakdown::memory_ns, &analyze::Breakdown::exposed_memory_ns,
            &analyze::Breakdown::idle_ns}) {
        one.*value = amount(rows, column++);
      }
      operations += {one.operations, 0};
      // Each is less than the span, which is at most 2^61.
      check(one.compute_ns <= one.span_ns && one.exposed_communication_ns <= one.span_ns &&
            one.exposed_memory_ns <= one.span_ns && one.idle_ns <= one.span_ns &&
            one.busy_ns == one.span_ns - one.idle_ns &&
            one.busy_ns - one.compute_ns == one.exposed_communication_ns + one.exposed_memory_ns);
    }
    check(operations.instances == summary.operations);
  }

  void read_notes(const std::string& run, analyze::RunSummary& summary) {
    if (!has("notes")) return;
    Statement rows = of_run(
        "SELECT severity, code, text, coalesce(count, 0), coalesce(first_offset, 0) FROM notes "
        "WHERE run = ?1 ORDER BY rowid",
        run);
    while (rows.step()) {
      const std::string code(rows.text(1)), text(rows.text(2));
      if (code == "dropped-records") {
        summary.dropped.push_back(
            {text, static_cast<uint64_t>(amount(rows, 3)), static_cast<uint64_t>(amount(rows, 4))});
      } else if (code == "inexact-times") {
        summary.inexact = text;
      } else {
        summary.warnings.push_back({code, text, std::string(rows.text(0))});
      }
    }
  }

  void read_findings(const std::string& run, analyze::RunSummary& summary) {
    Statement rows = of_run(
        "SELECT code, severity, coalesce(count, -1), effect, tables FROM trace_health "
        "WHERE run = ?1 ORDER BY rowid",
        run);
    while (rows.step()) {
      const auto severity = analyze::severity_from(rows.text(1));
      if (!severity) refuse("has a finding of an unknown severity");
      analyze::Finding one{std::string(rows.text(0)), *severity, std::nullopt,
                           std::string(rows.text(3)), std::string(rows.text(4))};
      if (rows.integer(2) != -1) one.count = amount(rows, 2);
      summary.findings.push_back(std::move(one));
    }
  }

  std::vector<NameTime> read_amounts(Statement rows, Amount& sum) const {
    std::vector<NameTime> names;
    while (rows.step()) {
      names.push_back({std::string(rows.text(0)), {}, {}, {amount(rows, 1), amount(rows, 2)}});
      sum += names.back().amount;
    }
    return names;
  }

  void read_trees(const std::string& run, SavedRun& saved) {
    Profile& profile = saved.profile;
    profile.run = saved.summary.source;
    profile.names = read_amounts(
        of_run("SELECT name, invocations, total_ns FROM tree_kernels WHERE run = ?1 ORDER BY rowid",
               run),
        profile.all);
    for (const trees::Level level : levels) {
      Statement rows = of_run(
          "SELECT path, invocations, total_ns FROM tree_sums WHERE run = ?1 AND level = ?2 ORDER "
          "BY rowid",
          run);
      const std::string text = trees::to_string(level);
      rows.bind(2, text);
      Amount sum;
      saved.levels.emplace_back(level, read_amounts(std::move(rows), sum));
      check(sum.total_ns == profile.all.total_ns);
    }
    profile.elapsed_ns = profile.all.total_ns;
    read_tree_labels(run, profile);
    read_tree_steps(run, profile);
    read_sequences("tree_sequences", run, profile);
  }

  static size_t dimension_of(std::string_view dimension, Profile& profile) {
    const auto known = std::ranges::find(profile.dimensions, dimension);
    const auto place = static_cast<size_t>(known - profile.dimensions.begin());
    if (known == profile.dimensions.end()) profile.dimensions.emplace_back(dimension);
    return place;
  }

  void read_tree_labels(const std::string& run, Profile& profile) {
    Statement rows = of_run(
        "SELECT kernel, dimension, label FROM tree_labels WHERE run = ?1 ORDER BY rowid", run);
    while (rows.step()) {
      const int64_t kernel = rows.integer(0);
      check(kernel >= 0 && static_cast<size_t>(kernel) < profile.names.size());
      const size_t dimension = dimension_of(rows.text(1), profile);
      std::vector<std::string>& labels = profile.names[static_cast<size_t>(kernel)].labels;
      check(labels.size() == dimension);  // each kernel has the dimensions in the same order
      labels.emplace_back(rows.text(2));
    }
    for (const NameTime& name : profile.names) {
      check(name.labels.size() == profile.dimensions.size());
    }
  }

  void read_tree_steps(const std::string& run, Profile& profile) {
    Statement rows = of_run(
        "SELECT step_id, phase, dimension, label, total_ns FROM tree_step_labels WHERE run = ?1 "
        "ORDER BY rowid",
        run);
    std::optional<int64_t> id;
    int64_t left = profile.all.total_ns;
    while (rows.step()) {
      if (rows.integer(0) != id) {
        id = rows.integer(0);
        profile.steps.push_back({std::string(rows.text(1)), 0, {}});
      }
      StepTime& step = profile.steps.back();
      const auto dimension = std::ranges::find(profile.dimensions, rows.text(2));
      check(dimension != profile.dimensions.end());
      const LabelTime label{static_cast<size_t>(dimension - profile.dimensions.begin()),
                            std::string(rows.text(3)), amount(rows, 4)};
      // The labels of each dimension are the whole step.
      if (label.dimension == 0) {
        take_from(left, label.total_ns);
        step.total_ns += label.total_ns;
      }
      check(label.total_ns <= profile.all.total_ns);
      step.labels.push_back(label);
    }
    for (const StepTime& step : profile.steps) {
      std::vector<int64_t> rest(profile.dimensions.size(), step.total_ns);
      for (const LabelTime& label : step.labels) take_from(rest[label.dimension], label.total_ns);
      check(std::ranges::all_of(rest, [](int64_t ns) { return ns == 0; }));
    }
  }

  void read_layers(const std::string& run, Profile& profile) {
    Statement layers = of_run("SELECT repeats FROM layers WHERE run = ?1 AND level = 0", run);
    while (layers.step()) profile.layers += std::min<int64_t>(amount(layers, 0), INT32_MAX);
  }

  void read_sequences(const char* table, const std::string& run, Profile& profile) {
    using analyze::Sequence;
    Statement rows = of_run(
        fmt::format("SELECT part, coalesce(phase, ''), kernel FROM {} WHERE run = ?1 ORDER BY "
                    "rowid",
                    table),
        run);
    while (rows.step()) {
      const auto of = analyze::sequence_part_from(rows.text(0));
      const std::string phase(rows.text(1));
      const int64_t name = rows.integer(2);
      if (!of || name < 0 || static_cast<size_t>(name) >= profile.names.size()) {
        refuse("has a sequence of names that it does not have");
      }
      auto& all = profile.sequences;
      if (all.empty() || all.back().of != *of || all.back().phase != phase) {
        all.push_back({*of, phase, {}});
      }
      if (all.back().names.size() == Sequence::most_places || all.size() > most_sequences) {
        refuse("has sequences that are too long");
      }
      all.back().names.push_back(static_cast<uint32_t>(name));
    }
  }

  void read_steps(const std::string& run, Profile& profile) {
    struct Step {
      std::optional<int64_t> outer;
      std::string phase;
    };
    std::map<int64_t, Step> known;
    std::map<int64_t, size_t> places;  // of steps that count, in the profile
    // Steps of a phase have no time in common, nor do labels of a step.
    std::map<std::string, int64_t> left;                           // by phase
    std::map<std::pair<size_t, ptrdiff_t>, int64_t> left_of_step;  // by step and dimension
    // An enclosing step begins before those inside it, so it is known when they come.
    Statement rows = of_run(
        "SELECT step_id, outer_step_id, phase, instances, total_ns FROM steps WHERE run = ?1 "
        "ORDER BY step_id",
        run);
    while (rows.step()) {
      Step step{{}, std::string(rows.text(2))};
      if (!rows.is_null(1)) step.outer = rows.integer(1);
      const int64_t id = rows.integer(0);
      bool inside = false;
      for (auto at = step.outer; at && *at < id; to_outer(known, at)) {
        inside |= known.contains(*at) && known.at(*at).phase == step.phase;
      }
      if (rows.integer(3) != 0 && !inside) {
        places.emplace(id, profile.steps.size());
        profile.steps.push_back({step.phase, amount(rows, 4), {}});
        take_from(left.try_emplace(step.phase, profile.all.total_ns).first->second,
                  profile.steps.back().total_ns);
      }
      known.emplace(id, std::move(step));
    }
    Statement labels = of_run(
        "SELECT step_id, dimension, label, total_ns FROM step_labels WHERE run = ?1 ORDER BY rowid",
        run);
    while (labels.step()) {
      const auto at = places.find(labels.integer(0));
      const auto dimension = std::ranges::find(profile.dimensions, labels.text(1));
      if (at == places.end() || dimension == profile.dimensions.end()) continue;
      const auto key = std::pair(at->second, dimension - profile.dimensions.begin());
      take_from(left_of_step.try_emplace(key, profile.steps[at->second].total_ns).first->second,
                amount(labels, 3));
      profile.steps[at->second].labels.push_back(
          {static_cast<size_t>(dimension - profile.dimensions.begin()), std::string(labels.text(2)),
           labels.integer(3)});
    }
  }

  void take_from(int64_t& left, int64_t ns) const {
    check(ns <= left);
    left -= ns;
  }

  /// From a step to the one that encloses it; an earlier one, so that a damaged file ends.
  template <class Steps>
  static void to_outer(const Steps& known, std::optional<int64_t>& at) {
    const auto found = known.find(*at);
    const auto next = found == known.end() ? std::nullopt : found->second.outer;
    at = next && *next < *at ? next : std::nullopt;
  }

  std::string path_;
  sqlite::Database database_;
};

}  // namespace

std::span<const std::string_view> saved_tables() {
  return tables;
}

std::span<const std::string_view> saved_tree_tables() {
  return tree_tables;
}

std::span<const trees::Level> saved_levels() {
  return levels;
}

bool saves_module_trees(const std::string& path) {
  return SavedRuns(path).has_module_trees();
}

const std::vector<NameTime>& SavedRun::nodes(trees::Level level) const {
  const auto found =
      std::ranges::find_if(levels, [&](const auto& one) { return one.first == level; });
  if (found == levels.end()) {
    throw Error(profile.run, fmt::format("was not saved at level {}", trees::to_string(level)),
                "compare at level kernel, module or layer, or name the trace");
  }
  return found->second;
}

bool names_saved_run(std::string_view path) {
  return path.ends_with(".krun");
}

std::vector<SavedRun> read_saved_runs(const std::string& path) {
  return SavedRuns(path).read();
}

}  // namespace kr::changes
