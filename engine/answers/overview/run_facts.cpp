// What a report says of its runs before their times: files, rules, what is missing.
#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "base/plural.hpp"
#include "overview/overview.hpp"
#include "overview/shown_runs.hpp"
#include "tables/registry.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"

namespace kr::overview {
namespace {

constexpr size_t longest_rules = 16;

class RunFacts {
 public:
  RunFacts(const tables::Source& source, std::string_view by, TableOptions options)
      : source_(source),
        runs_(source.summaries()),
        shown_(shown_runs(source, options)),
        by_(by),
        options_(options) {}

  std::string text() {
    if (runs_.empty()) return {};
    if (runs_.size() == 1) {
      one(*runs_[0]);
    } else {
      several();
    }
    warnings();
    return std::move(out_) + '\n';
  }

 private:
  /// What is the same for several runs is one line.
  void warnings() {
    std::vector<std::pair<std::string, std::vector<const analyze::RunSummary*>>> all;
    std::unordered_map<std::string, size_t> places;
    const auto add = [&](const analyze::RunSummary& run, std::string text) {
      const auto [at, fresh] = places.try_emplace(text, all.size());
      if (fresh) all.emplace_back(std::move(text), std::vector<const analyze::RunSummary*>{});
      all[at->second].second.push_back(&run);
    };
    for (const analyze::RunSummary* run : runs_) {
      if (run->operations == 0) {
        add(*run, std::string(no_operations(analyze::knows_layout(run->warnings))));
      }
      if (!run->inexact.empty()) add(*run, "times are not exact: " + run->inexact);
      for (const trace::DroppedRecords& records : run->dropped) add(*run, dropped_text(records));
    }
    for (const auto& [text, of] : all) {
      const std::string lead = of.size() > 1      ? plural(of.size(), "run") + ": "
                               : runs_.size() > 1 ? source_.run_name(of[0]->id) + ": "
                                                  : "";
      line(lead + text, text::Ink::warning);
    }
  }

  void line(std::string_view text, text::Ink ink = text::Ink::faint) {
    std::string lines = text::wrapped(text, options_.columns(), 2);
    if (lines.empty()) return;
    lines.pop_back();
    out_ += options_.ink(lines, ink) + '\n';
  }

  std::string explained(const analyze::RunSummary& run) const {
    return share_explained(explained_ns(run, by_), run.gpu_total_ns);
  }

  void one(const analyze::RunSummary& run) {
    out_ += options_.ink(text::cut_middle(run.id, options_.columns()), text::Ink::bold) + '\n';
    line(fmt::format("{} · {} · {}, {}", run.source, run.format,
                     text::counted(run.operations, "operation"),
                     text::counted(static_cast<int64_t>(run.names.size()), "name")));
    line(fmt::format("{}/{}{}{}", run.engine, run.model, run.choice_why.empty() ? "" : " · ",
                     run.choice_why));
    if (run.operations == 0) return;
    const auto at = run.dimension(by_);
    if (at && run.dimensions[*at].ordered) return;  // they do not have to explain everything
    line(fmt::format("rules of {} explain {} % of the total time", by_, explained(run)),
         is_well_explained(run, by_) ? text::Ink::faint : text::Ink::warning);
  }

  /// `file_columns`: 0: not cut; nothing: without the column.
  text::TextGrid grid_of_runs(std::optional<size_t> file_columns) const {
    text::TextGrid grid;
    grid.column("run", text::TextGrid::Align::text);
    grid.column("rules", text::TextGrid::Align::text);
    grid.column("operations", text::TextGrid::Align::number);
    grid.column("names", text::TextGrid::Align::number);
    grid.column("explained %", text::TextGrid::Align::number);
    if (file_columns) grid.column("file", text::TextGrid::Align::text);
    for (const size_t place : shown_.runs) {
      const analyze::RunSummary* const run = runs_[place];
      std::vector<text::TextGrid::Cell> cells{
          {text::cut_middle(source_.run_name(run->id), longest_run_name), {}},
          {text::cut(run->engine + "/" + run->model, longest_rules), {}},
          {text::grouped(run->operations), {}},
          {text::grouped(static_cast<int64_t>(run->names.size())), {}},
          {run->operations > 0 ? explained(*run) : "", {}}};
      if (file_columns) cells.push_back({text::cut_middle(run->source, *file_columns), {}});
      grid.row(std::move(cells));
    }
    return grid;
  }

  void several() {
    constexpr size_t shortest_file = 12;
    text::TextGrid grid = grid_of_runs(0);
    if (options_.columns() > 0 && grid.width() + 2 > options_.columns()) {
      grid = grid_of_runs(std::nullopt);
      const size_t before = 2 + grid.width() + 2;
      if (before + shortest_file <= options_.columns()) {
        grid = grid_of_runs(options_.columns() - before);
      }
    }
    out_ += grid.text(2, options_.color);
    line(shown_.left_text());
  }

  const tables::Source& source_;
  std::vector<const analyze::RunSummary*> runs_;
  ShownRuns shown_;
  std::string_view by_;
  TableOptions options_;
  std::string out_;
};

}  // namespace

std::string dropped_text(const trace::DroppedRecords& records) {
  return fmt::format("dropped records: {} × {} (first at {})", records.count, records.what,
                     records.first_offset);
}

std::string run_facts(const tables::Source& source, std::string_view by, TableOptions options) {
  return RunFacts(source, by, options).text();
}

}  // namespace kr::overview
