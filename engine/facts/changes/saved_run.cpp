#include "changes/saved_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "changes/saved_tables.hpp"
#include "text/numbers.hpp"
#include "trace/open.hpp"

namespace kr::changes {
namespace {

using sqlite::Statement;

constexpr std::array<std::string_view, 25> run_tables{"run_identities",
                                                      "runs",
                                                      "notes",
                                                      "labels",
                                                      "labels_by_device",
                                                      "coverage",
                                                      "devices",
                                                      "streams",
                                                      "stream_overlap",
                                                      "in_flight",
                                                      "in_flight_over_time",
                                                      "kernels",
                                                      "phases",
                                                      "steps",
                                                      "step_devices",
                                                      "step_labels",
                                                      "layers",
                                                      "repeats",
                                                      "phase_labels",
                                                      "sequences",
                                                      "saved_step_sums",
                                                      "saved_steps",
                                                      "saved_collective_groups",
                                                      "saved_collectives",
                                                      "trace_health"};

constexpr std::array<std::string_view, 7> tree_tables{
    "runs",          "notes", "tree_sums", "tree_kernels", "tree_labels", "tree_step_labels",
    "tree_sequences"};
class SavedRuns {
 public:
  explicit SavedRuns(const std::string& path) : tables_(path) {}

  std::vector<SavedRun> read() {
    std::vector<std::pair<std::string, SavedRun>> runs;
    Statement rows = tables_.database().prepare(
        "SELECT run, format, engine, model, coalesce(why, ''), rank_from, rank, world_size, "
        "coalesce(backend, ''), operations, gpu_elapsed_ns, gpu_total_ns, span_ns, wall_ns, "
        "wall_from, non_gpu_ns, gpu_busy_ns FROM runs ORDER BY rowid");
    while (rows.step()) {
      auto& [id, saved] = runs.emplace_back(rows.text(0), SavedRun{});
      read_head(rows, saved.summary);
    }
    if (runs.empty()) tables_.refuse("has no runs");
    const std::string& path = tables_.path();
    std::vector<SavedRun> out;
    out.reserve(runs.size());
    for (auto& [id, saved] : runs) {
      analyze::RunSummary& summary = saved.summary;
      summary.source = runs.size() == 1 ? path : fmt::format("{} ({})", path, id);
      summary.id = fmt::format("{}_{}_{}", summary.model, summary.engine, trace::trace_stem(path));
      read_notes(id, summary);
      saved.module_trees = tables_.has_module_trees();
      if (saved.module_trees) {
        read_saved_trees(tables_, id, saved);
      } else {
        read_saved_operations(tables_, id, saved);
        if (saved.steps.sample) add_note(*saved.steps.sample, summary);
      }
      out.push_back(std::move(saved));
    }
    return out;
  }

 private:
  void read_head(const Statement& row, analyze::RunSummary& run) const {
    run.format = row.text(1);
    run.engine = row.text(2);
    run.model = row.text(3);
    run.choice_why = row.text(4);
    // A number that was only the order given means nothing in another order.
    if (!row.is_null(6) && row.text(5) != "order") run.distributed.rank = tables_.amount(row, 6);
    if (!row.is_null(7)) run.distributed.world_size = tables_.amount(row, 7);
    run.distributed.backend = row.text(8);
    run.operations = tables_.amount(row, 9);
    run.gpu_elapsed_ns = tables_.amount(row, 10);
    run.gpu_total_ns = tables_.amount(row, 11);
    run.span_ns = tables_.amount(row, 12);
    run.wall_ns = tables_.amount(row, 13);
    run.wall_from = row.text(14) == "user" ? analyze::WallFrom::user : analyze::WallFrom::span;
    run.non_gpu_ns = tables_.amount(row, 15);
    run.gpu_busy_ns = tables_.amount(row, 16);
    tables_.check(run.gpu_elapsed_ns <= run.gpu_busy_ns && run.gpu_busy_ns <= run.gpu_total_ns &&
                  run.gpu_elapsed_ns <= run.span_ns &&
                  run.non_gpu_ns == std::max<int64_t>(0, run.wall_ns - run.gpu_elapsed_ns));
  }

  /// Unless it has the note: it was saved with it, when it was read from another file.
  static void add_note(const analyze::StepSample& sample, analyze::RunSummary& summary) {
    constexpr const char* code = "sampled-steps";
    const bool noted =
        std::ranges::any_of(summary.warnings, [&](const auto& one) { return one.code == code; });
    if (noted) return;
    summary.warnings.push_back(
        {code,
         fmt::format("the saved run has a sample of {} of {} steps: medians of steps and their "
                     "intervals are those of the sample, and sums are those of all steps.",
                     text::grouped(static_cast<int64_t>(sample.steps.size())),
                     text::grouped(sample.all_steps()))});
  }

  void read_notes(const std::string& run, analyze::RunSummary& summary) {
    if (!tables_.has("notes")) return;
    Statement rows = tables_.of_run(
        "SELECT severity, code, text, coalesce(count, 0), coalesce(first_offset, 0) FROM notes "
        "WHERE run = ?1 ORDER BY rowid",
        run);
    while (rows.step()) {
      const std::string code(rows.text(1)), text(rows.text(2));
      if (code == "dropped-records") {
        summary.dropped.push_back({text, static_cast<uint64_t>(tables_.amount(rows, 3)),
                                   static_cast<uint64_t>(tables_.amount(rows, 4))});
      } else if (code == "inexact-times") {
        summary.inexact = text;
      } else {
        summary.warnings.push_back({code, text, std::string(rows.text(0))});
      }
    }
  }

  SavedTables tables_;
};

}  // namespace

std::span<const std::string_view> saved_tables() {
  return run_tables;
}

std::span<const std::string_view> saved_tree_tables() {
  return tree_tables;
}

bool saves_module_trees(const std::string& path) {
  return SavedTables(path).has_module_trees();
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
