// The answer of a report on a terminal: about one screen. Each section is short, says what it
// shows, and is not shown where it has no content.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "analyze/idle.hpp"
#include "analyze/steps.hpp"
#include "base/join.hpp"
#include "base/plural.hpp"
#include "base/saturated.hpp"
#include "ncu/joined.hpp"
#include "overview/devices_text.hpp"
#include "overview/health_line.hpp"
#include "overview/overview.hpp"
#include "overview/phases_text.hpp"
#include "overview/pivot.hpp"
#include "overview/shown_runs.hpp"
#include "tables/device_word.hpp"
#include "tables/run_names.hpp"
#include "tables/verdicts.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"

namespace kr::overview {
namespace {

constexpr size_t max_lines = 30;
constexpr size_t max_lines_of_several = 45;
constexpr size_t most_labels = 8;
constexpr size_t fewest_labels = 4;
constexpr size_t most_phases = 5;
constexpr size_t shown_verdicts = 2;  // of a run, or a job
constexpr size_t max_runs_side_by_side = 4;
constexpr size_t widest_label = 32;

using Align = text::TextGrid::Align;
using Cell = text::TextGrid::Cell;

std::string bar(int64_t part, int64_t whole, size_t columns) {
  static constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (whole <= 0) return {};
  const auto wide = static_cast<unsigned __int128>(part) * columns * 8;
  const auto length = static_cast<size_t>(wide / static_cast<unsigned __int128>(whole));
  std::string text;
  for (size_t i = 0; i < length / 8; ++i) text += "█";
  return text + eighths[length % 8];
}

class Answer {
 public:
  Answer(const tables::Source& source, const Report& report, TableOptions options)
      : source_(source),
        report_(report),
        options_(options),
        as_job_(report.runs.size() > 1 && tables::named_by_rank(source)),
        any_operations_(
            std::any_of(report.runs.begin(), report.runs.end(),
                        [](const analyze::RunSummary* run) { return run->operations > 0; })) {
    for (const picture::LabelStyle& style : report.styles) {
      if (style.dimension == report.by) colors_[style.label] = style.color;
    }
  }

  std::string text() {
    std::string before;
    if (!report_.title.empty()) {
      before = options_.ink(printable(report_.title), text::Ink::bold) + "\n\n";
    }
    before += run_facts(source_, report_.by, options_);
    before += paragraph(wall_times());
    before += paragraph(verdicts());
    if (!any_operations_) return before;
    before += paragraph(devices_text(source_, options_));
    before += paragraph(phases());
    const std::string after = paragraph(idle()) + hints();
    const auto lines = [](const std::string& of) {
      return static_cast<size_t>(std::count(of.begin(), of.end(), '\n'));
    };
    // The head of the labels, the row of the others, and the blank line.
    const size_t others = lines(before) + lines(after) + 3;
    const size_t all = several() ? max_lines_of_several : max_lines;
    const size_t left = all - std::min(all, others);
    rows_ = folded(make_pivot(report_.runs, report_.by, report_.measure),
                   options_.all_rows ? max_labels : std::clamp(left, fewest_labels, most_labels));
    return before + paragraph(labels()) + after;
  }

 private:
  bool several() const { return report_.runs.size() > 1; }

  static std::string paragraph(std::string text) {
    if (!text.empty()) text += '\n';
    return text;
  }

  std::string line(std::string_view text, text::Ink ink) const {
    std::string lines = text::wrapped(text, options_.columns(), 2);
    if (lines.empty()) return {};
    lines.pop_back();
    return options_.ink(lines, ink) + '\n';
  }

  /// In how much of a wall time that the user named a GPU worked.
  std::string wall_times() const {
    std::string text;
    for (const analyze::RunSummary* run : report_.runs) {
      if (run->wall_from != analyze::WallFrom::user) continue;
      text += line(
          fmt::format("{}wall time {}; a {} is busy in {} of it, none in {}",
                      several() ? source_.run_name(run->id) + ": " : "",
                      text::human_time(run->wall_ns), tables::device_word(source_),
                      text::human_time(run->gpu_elapsed_ns), text::human_time(run->non_gpu_ns)),
          text::Ink::none);
    }
    return text;
  }

  std::string verdicts() {
    verdicts_ = tables::verdicts_of(source_);
    std::string text;
    std::map<const tables::Run*, size_t> shown;
    for (const tables::Verdict& one : verdicts_) {
      if (!options_.all_rows && shown[one.run]++ >= shown_verdicts) continue;
      const std::string of =
          several() && one.run != nullptr ? source_.run_name(one.run->summary.id) + ": " : "";
      text += line(fmt::format("{}{}: {}", of, one.code, one.text), text::Ink::bold);
    }
    text += line(tables::collective_headline(source_), text::Ink::bold);
    std::set<std::string> known;
    for (const tables::Verdict& one : verdicts_) known.insert(one.finding);
    if (const auto health = health_line(source_, known)) {
      text += line(*health, text::Ink::warning);
    }
    return text;
  }

  /// Annotated steps; without them what kr finds.
  std::string phases() const {
    text::TextGrid grid;
    if (several() && !as_job_) grid.column("run", Align::text);
    struct Row {
      const tables::Run* run;
      const analyze::PhasePart* phase;
    };
    std::vector<Row> rows;
    size_t left = 0;
    bool walls = false, tokens = false;
    text::ColumnUnit medians;
    for (const tables::Run& run : source_.runs) {
      const auto* const sums = run.find<analyze::StepSums>();
      if (sums == nullptr) continue;
      size_t count = 0;
      for (const analyze::PhasePart& phase : sums->phases) {
        if (phase.steps == 0) continue;
        if (!options_.all_rows && ++count > most_phases) {
          ++left;
          continue;
        }
        rows.push_back({&run, &phase});
        if (phase.wall) medians.add(static_cast<int64_t>(phase.wall->median_ns));
        walls |= phase.wall.has_value();
        tokens |= phase.walled.tokens_per_s().value_or(0) > 0;
      }
      // Ranks of a job make the same steps together.
      if (as_job_ && !rows.empty()) break;
    }
    if (rows.empty()) return found_phases();
    const text::TimeUnit unit = medians.unit();
    grid.column(
        as_job_ ? fmt::format("steps of {}", source_.run_name(rows[0].run->summary.id)) : "phase",
        Align::text);
    grid.column("steps", Align::number);
    if (walls) {
      for (const char* const of : {"median", "p95", "max"}) {
        grid.column(fmt::format("{} {}", of, unit.name), Align::number);
      }
      grid.column("mean busy %", Align::number);
    }
    if (tokens) grid.column("tokens/s", Align::number);
    for (const auto& [run, phase] : rows) {
      std::vector<Cell> cells;
      if (several() && !as_job_) {
        cells.push_back(
            {text::cut_middle(source_.run_name(run->summary.id), longest_run_name), {}});
      }
      cells.push_back({text::cut(phase->phase, widest_label), {}});
      cells.push_back({text::grouped(phase->steps), {}});
      if (walls) {
        const auto& wall = phase->wall;
        const analyze::WalledSteps& sum = phase->walled;
        const auto time = [&](int64_t ns) -> Cell {
          return {wall ? text::in_unit(ns, unit) : std::string(), {}};
        };
        cells.push_back(time(wall ? static_cast<int64_t>(wall->median_ns) : 0));
        cells.push_back(time(wall ? wall->p95_ns : 0));
        cells.push_back(time(wall ? wall->max_ns : 0));
        cells.push_back({sum.wall_ns > 0 ? text::share(sum.busy_ns, sum.wall_ns) : "", {}});
      }
      if (tokens) {
        const auto rate = phase->walled.tokens_per_s();
        cells.push_back({rate ? text::short_number(*rate) : "", {}});
      }
      grid.row(std::move(cells));
    }
    std::string text = grid.text(2, options_.color);
    if (left > 0)
      text += line(fmt::format("and {} more (--all shows them)", left), text::Ink::faint);
    return text;
  }

  std::string found_phases() const {
    std::string text;
    for (const std::string& one : found_phases_text(source_)) text += line(one, text::Ink::none);
    return text;
  }

  std::string labels() const {
    if (rows_.empty()) return {};
    if (!several()) return one_run(*report_.runs[0]);
    return as_job_ ? all_ranks() : runs_side_by_side();
  }

  text::TimeUnit unit_of_rows() const {
    text::ColumnUnit times;
    for (const PivotRow& row : rows_) {
      for (const analyze::LabelSum& sum : row.runs) times.add(time_of(sum, report_.measure));
    }
    return times.unit();
  }

  std::string measured(const text::TimeUnit& unit) const {
    return fmt::format("{} {}", to_string(report_.measure), unit.name);
  }

  std::string color_of(std::string_view label) const {
    const auto found = colors_.find(label);
    return found != colors_.end() ? std::string(found->second) : std::string();
  }

  std::string one_run(const analyze::RunSummary& run) const {
    constexpr size_t bar_columns = 22;
    const bool bars = options_.columns() == 0 || options_.columns() >= 76;
    const int64_t whole = time_of(run, report_.measure);
    const text::TimeUnit unit = unit_of_rows();
    int64_t longest = 0;
    for (const PivotRow& row : rows_) {
      longest = std::max(longest, time_of(row.runs[0], report_.measure));
    }
    text::TextGrid grid;
    grid.column(report_.by, Align::text);
    grid.column(measured(unit), Align::number);
    grid.column("%", Align::number);
    if (bars) grid.column("", Align::text, 1);
    grid.column("operations", Align::number);
    for (const PivotRow& row : rows_) {
      const int64_t ns = time_of(row.runs[0], report_.measure);
      std::vector<Cell> cells{{text::cut(row.label, widest_label), {}},
                              {text::in_unit(ns, unit), {}},
                              {text::share(ns, whole), {}}};
      if (bars) cells.push_back({bar(ns, longest, bar_columns), color_of(row.label)});
      cells.push_back({text::grouped(row.runs[0].instances), {}});
      grid.row(std::move(cells));
    }
    return grid.text(2, options_.color);
  }

  /// Of ranks: all together, and the one with most.
  std::string all_ranks() const {
    const text::TimeUnit unit = unit_of_rows();
    int64_t whole = 0;
    for (const analyze::RunSummary* run : report_.runs) {
      whole = add_saturated(whole, time_of(*run, report_.measure));
    }
    text::TextGrid grid;
    grid.column(report_.by, Align::text);
    grid.column(fmt::format("mean {}", measured(unit)), Align::number);
    grid.column("%", Align::number);
    grid.column(fmt::format("max {}", unit.name), Align::number);
    grid.column("max over mean", Align::number);
    grid.column("of", Align::text);
    for (const PivotRow& row : rows_) {
      size_t most = 0;
      int64_t sum = 0;
      for (size_t i = 0; i < row.runs.size(); ++i) {
        sum = add_saturated(sum, time_of(row.runs[i], report_.measure));
        if (time_of(row.runs[i], report_.measure) > time_of(row.runs[most], report_.measure)) {
          most = i;
        }
      }
      const auto runs = static_cast<int64_t>(row.runs.size());
      const int64_t max = time_of(row.runs[most], report_.measure);
      const double mean = static_cast<double>(sum) / static_cast<double>(runs);
      grid.row({{text::cut(row.label, widest_label), {}},
                {text::in_unit(sum / runs, unit), {}},
                {text::share(sum, whole), {}},
                {text::in_unit(max, unit), {}},
                {mean > 0 ? fmt::format("{:.2f}", static_cast<double>(max) / mean) : "", {}},
                {source_.run_name(report_.runs[most]->id), {}}});
    }
    return grid.text(2, options_.color);
  }

  /// Columns of as many runs as fit the width; the others go below.
  std::string runs_side_by_side() const {
    std::string out;
    size_t from = 0;
    while (from < report_.runs.size()) {
      size_t to = std::min(report_.runs.size(), from + max_runs_side_by_side);
      text::TextGrid grid = runs_grid(from, to);
      while (options_.columns() > 0 && to > from + 1 && grid.width() + 2 > options_.columns()) {
        grid = runs_grid(from, --to);
      }
      if (from > 0) out += '\n';
      out += run_heads(grid, from, to) + grid.text(2, options_.color);
      from = to;
    }
    return out;
  }

  text::TextGrid runs_grid(size_t from, size_t to) const {
    const text::TimeUnit unit = unit_of_rows();
    text::TextGrid grid;
    grid.column(report_.by, Align::text);
    for (size_t i = from; i < to; ++i) {
      // The name is above time and share together, in a line of its own: see `run_heads`.
      const size_t name = text::columns_of(head_of_run(i));
      grid.column(fmt::format("{:>{}}", measured(unit), name > 8 ? name - 8 : 0), Align::number, 3);
      grid.column("%", Align::number);
    }
    for (const PivotRow& row : rows_) {
      std::vector<Cell> cells{{text::cut(row.label, widest_label), {}}};
      for (size_t i = from; i < to; ++i) {
        const int64_t ns = time_of(row.runs[i], report_.measure);
        cells.push_back({text::in_unit(ns, unit), {}});
        cells.push_back({text::share(ns, time_of(*report_.runs[i], report_.measure)), {}});
      }
      grid.row(std::move(cells));
    }
    return grid;
  }

  std::string head_of_run(size_t run) const {
    return text::cut_middle(source_.run_name(report_.runs[run]->id), longest_run_name);
  }

  /// The runs' names, each ending where its column of shares ends.
  std::string run_heads(const text::TextGrid& grid, size_t from, size_t to) const {
    std::string heads;
    size_t at = 0;
    for (size_t i = from; i < to; ++i) {
      const std::string id = head_of_run(i);
      const size_t end = grid.end_of(2 * (i - from) + 2) + 2;
      const size_t size = text::columns_of(id);
      heads += std::string(end > at + size ? end - at - size : 1, ' ') + id;
      at = end;
    }
    return options_.ink(heads, text::Ink::bold) + '\n';
  }

  /// The causes of idle time, where a verdict is about it.
  std::string idle() const {
    std::string text;
    const auto add = [&](std::string_view of, const std::vector<const tables::Run*>& runs) {
      std::array<int64_t, analyze::idle_causes.size()> sums{};
      int64_t all = 0, span = 0;
      for (const tables::Run* run : runs) {
        const auto* const causes = run->find<analyze::Idle>();
        if (causes == nullptr) return;
        for (const analyze::DeviceSum& device : run->summary.devices) {
          span = add_saturated(span, device.span_ns);
        }
        for (const analyze::DeviceIdle& device : causes->devices) {
          for (size_t i = 0; i < sums.size(); ++i) {
            sums[i] = add_saturated(sums[i], device.causes[i].total_ns);
            all = add_saturated(all, device.causes[i].total_ns);
          }
        }
      }
      if (!tables::limits(all, span)) return;
      std::vector<size_t> order;
      for (size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] > 0) order.push_back(i);
      }
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return sums[a] > sums[b]; });
      std::vector<std::string> parts;
      parts.reserve(order.size());
      for (const size_t i : order) {
        parts.push_back(
            fmt::format("{} {} %", to_string(analyze::idle_causes[i]), text::share(sums[i], all)));
      }
      text +=
          line(fmt::format("{}idle {}, by cause: {}", of, text::human_time(all), join(parts, ", ")),
               text::Ink::none);
    };
    if (as_job_) {
      std::vector<const tables::Run*> runs;
      for (const tables::Run& run : source_.runs) runs.push_back(&run);
      add("all ranks: ", runs);
      return text;
    }
    for (const tables::Run& run : source_.runs) {
      add(several() ? source_.run_name(run.summary.id) + ": " : "", {&run});
    }
    return text;
  }

  /// Two commands that show more.
  std::string hints() const {
    std::vector<std::pair<std::string, std::string>> commands;
    if (const auto next = next_step(report_)) {
      commands.emplace_back(next->command, "what rules do not explain, and rules to add");
    }
    const std::string runs = runs_as_words(report_);
    const auto is_measured = [](const tables::Run& run) {
      return run.find<ncu::Joined>() != nullptr;
    };
    if (std::ranges::any_of(source_.runs, is_measured)) {
      commands.emplace_back(fmt::format("kr report {} --tables optimize_first", runs),
                            "what ncu measured, and what it would save at its roof");
    }
    if (!verdicts_.empty()) {
      const std::string_view table = verdicts_[0].table;
      commands.emplace_back(fmt::format("kr report {} --tables {}", runs, table),
                            "the numbers of the verdict");
    }
    commands.emplace_back(fmt::format("kr report {} --all", runs), "all sections");
    commands.resize(std::min<size_t>(commands.size(), 2));
    size_t width = 0;
    for (const auto& [command, what] : commands) {
      width = std::max(width, text::columns_of(printable(command)));
    }
    const bool fits = options_.columns() == 0 || width + 50 <= options_.columns();
    std::string text;
    for (const auto& [command, what] : commands) {
      const std::string shown = printable(command);
      text += "  " + options_.ink(shown, text::Ink::bold);
      if (fits) {
        text += std::string(width - text::columns_of(shown) + 2, ' ') +
                options_.ink(what, text::Ink::faint);
      }
      text += '\n';
    }
    return text;
  }

  const tables::Source& source_;
  const Report& report_;
  TableOptions options_;
  bool as_job_;
  bool any_operations_;
  std::unordered_map<std::string_view, std::string_view> colors_;
  std::vector<tables::Verdict> verdicts_;
  std::vector<PivotRow> rows_;
};

}  // namespace

std::string answer_text(const tables::Source& source, const Report& report, TableOptions options) {
  std::string text = Answer(source, report, options).text();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace kr::overview
