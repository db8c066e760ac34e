// The overview of a report on a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "analyze/ranks.hpp"
#include "base/plural.hpp"
#include "overview/devices_text.hpp"
#include "overview/efficiency_text.hpp"
#include "overview/overview.hpp"
#include "overview/part.hpp"
#include "overview/phases_text.hpp"
#include "overview/pivot.hpp"
#include "overview/shown_runs.hpp"
#include "render/render.hpp"
#include "tables/definition.hpp"
#include "tables/registry.hpp"
#include "tables/run_names.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"

namespace kr::overview {
namespace {

constexpr size_t top_names = 10;
constexpr size_t max_ranks_side_by_side = 4;
constexpr size_t widest_label = 32;
constexpr int indent = 2;
constexpr std::string_view any_gpu_busy = "any GPU busy";
constexpr std::string_view no_gpu_busy = "no GPU busy";
constexpr size_t shortest_run_name = 12;
constexpr size_t columns_of_all_facts = 110;  // of a terminal

class Overview {
 public:
  Overview(const tables::Source& source, const Report& report, TableOptions options)
      : source_(source), report_(report), options_(options) {
    int64_t longest = 0;
    for (const analyze::RunSummary* run : report.runs) {
      longest = std::max({longest, time_of(*run, report.measure), run->non_gpu_ns});
    }
    unit_ = text::unit_for(longest);
    for (const picture::LabelStyle& style : report.styles) {
      if (style.dimension == report.by) colors_[style.label] = style.color;
    }
  }

  std::string text() {
    if (!report_.title.empty())
      out_ += options_.ink(printable(report_.title), text::Ink::bold) + "\n\n";
    out_ += run_facts(source_, report_.by, options_);
    if (std::any_of(report_.runs.begin(), report_.runs.end(),
                    [](const analyze::RunSummary* run) { return run->operations > 0; })) {
      rows_ = folded(make_pivot(report_.runs, report_.by, report_.measure), max_labels);
      phases();
      measured();
      out_ += devices_text(source_, options_) + '\n';
      labels();
      efficiency();
      ranks();
      names();
      next();
    }
    return std::move(out_);
  }

 private:
  using Align = text::TextGrid::Align;
  using Cell = text::TextGrid::Cell;

  std::string time(int64_t ns) const { return text::in_unit(ns, unit_); }
  bool several() const { return report_.runs.size() > 1; }
  size_t devices() const {
    size_t all = 0;
    for (const analyze::RunSummary* run : report_.runs) {
      all = std::max(all, run->devices.size());
    }
    return all;
  }
  static std::string_view wall_name(const analyze::RunSummary& run) {
    return run.wall_from == analyze::WallFrom::user ? "wall time" : "span of the trace";
  }

  void phases() {
    const std::vector<std::string> lines = found_phases_text(source_);
    for (const std::string& line : lines) {
      out_ += options_.ink(text::wrapped(line, options_.columns(), 2), text::Ink::faint);
    }
    if (!lines.empty()) out_ += '\n';
  }

  void labels() {
    // Of many ranks their sums say more.
    if (report_.runs.size() > max_ranks_side_by_side && tables::named_by_rank(source_)) return;
    if (several()) {
      runs_side_by_side();
    } else {
      one_run(*report_.runs[0]);
    }
    if (report_.measure != Measure::elapsed) wall_times();
  }

  /// In how much of the wall time a GPU worked. Of one device, and its own span, the rows of busy
  /// and idle time say so.
  void wall_times() {
    std::vector<const analyze::RunSummary*> runs;
    bool given = true;
    bool any_given = false;
    runs.reserve(report_.runs.size());
    for (const analyze::RunSummary* run : report_.runs) {
      const bool user = run->wall_from == analyze::WallFrom::user;
      if (run->operations == 0 || (!user && run->devices.size() < 2)) continue;
      runs.push_back(run);
      given &= user;
      any_given |= user;
    }
    if (runs.empty()) return;
    text::TextGrid grid = wall_grid(runs, any_given && !given, false);
    if (options_.columns() > 0 && grid.width() + 2 > options_.columns()) {
      grid = wall_grid(runs, any_given && !given, true);
    }
    out_ += grid.text(2, options_.color) + '\n';
  }

  /// `mixed`: some runs have a wall time that was given.
  text::TextGrid wall_grid(const std::vector<const analyze::RunSummary*>& runs, bool mixed,
                           bool narrow) const {
    constexpr size_t narrow_head = 7;
    const auto head = [&](std::string_view name) {
      std::string text = fmt::format("{} {}", name, unit_.name);
      return narrow ? text::in_lines(text, narrow_head) : text;
    };
    text::TextGrid grid;
    if (several()) grid.column("run", Align::text);
    if (mixed) grid.column("of", Align::text);
    grid.column(head(mixed ? "time" : wall_name(*runs[0])), Align::number);
    for (const std::string_view part : {any_gpu_busy, no_gpu_busy}) {
      grid.column(head(part), Align::number);
      grid.column("%", Align::number);
    }
    for (const analyze::RunSummary* run : runs) {
      std::vector<Cell> cells;
      cells.reserve(7);
      if (several()) {
        cells.push_back({text::cut_middle(source_.run_name(run->id),
                                          narrow ? shortest_run_name : longest_run_name),
                         {}});
      }
      if (mixed) cells.push_back({std::string(wall_name(*run)), {}});
      cells.push_back({time(run->wall_ns), {}});
      for (const int64_t ns : {run->gpu_elapsed_ns, run->non_gpu_ns}) {
        cells.push_back({time(ns), {}});
        cells.push_back({text::share(ns, run->wall_ns), {}});
      }
      grid.row(std::move(cells));
    }
    return grid;
  }

  std::string color_of(std::string_view label) const {
    const auto found = colors_.find(label);
    return found != colors_.end() ? std::string(found->second) : std::string();
  }

  std::string bar(int64_t part, int64_t whole, size_t longest) const {
    static constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (whole <= 0 || longest == 0) return {};
    const auto wide = static_cast<unsigned __int128>(part) * longest * 8;
    const auto length = static_cast<size_t>(wide / static_cast<unsigned __int128>(whole));
    std::string text;
    for (size_t i = 0; i < length / 8; ++i) text += "█";
    return text + eighths[length % 8];
  }

  std::string measured_column() const {
    return fmt::format("{} {}", to_string(report_.measure), unit_.name);
  }

  /// A row below the labels: their sum, and what completes it.
  struct Foot {
    std::string name;
    std::vector<int64_t> ns;  // by run
  };
  /// The first is the sum of the labels; the second and it add up to the third.
  std::vector<Foot> feet() const {
    const auto row = [&](std::string name, auto&& of) {
      Foot foot{std::move(name), {}};
      foot.ns.reserve(report_.runs.size());
      for (const analyze::RunSummary* run : report_.runs) foot.ns.push_back(of(*run));
      return foot;
    };
    const auto devices_sum = [](int64_t analyze::DeviceSum::*time) {
      return [time](const analyze::RunSummary& run) {
        int64_t sum = 0;
        for (const analyze::DeviceSum& device : run.devices) sum += device.*time;
        return sum;
      };
    };
    const auto all = [&](const analyze::RunSummary& run) { return time_of(run, report_.measure); };
    const std::string of =
        devices() > 1 ? several() ? ", all devices" : fmt::format(", {} devices", devices()) : "";
    switch (report_.measure) {
      case Measure::busy:
        return {row("busy" + of, all), row("idle" + of, devices_sum(&analyze::DeviceSum::idle_ns)),
                row("span" + of, devices_sum(&analyze::DeviceSum::span_ns))};
      case Measure::elapsed:
        return {row(std::string(any_gpu_busy), all),
                row(std::string(no_gpu_busy),
                    [](const analyze::RunSummary& run) { return run.non_gpu_ns; }),
                row(several() ? "wall time or span" : std::string(wall_name(*report_.runs[0])),
                    [](const analyze::RunSummary& run) { return run.wall_ns; })};
      case Measure::total:
        break;
    }
    return {row("sum of durations", all)};
  }

  void one_run(const analyze::RunSummary& run) {
    constexpr size_t bar_columns = 22;
    const bool bars = options_.columns() == 0 || options_.columns() >= 96;
    const int64_t whole = time_of(run, report_.measure);
    text::TextGrid grid;
    grid.column(report_.by, Align::text);
    grid.column(measured_column(), Align::number);
    grid.column("%", Align::number);
    if (bars) grid.column("", Align::text, 1);
    grid.column("instances", Align::number);
    int64_t longest = 0;
    for (const PivotRow& row : rows_) {
      longest = std::max(longest, time_of(row.runs[0], report_.measure));
    }
    const auto add = [&](std::string_view name, int64_t ns, std::string share,
                         std::vector<Cell> bar_cell, std::string instances, text::Ink row_ink) {
      std::vector<Cell> cells{
          {text::cut(name, widest_label), {}}, {time(ns), {}}, {std::move(share), {}}};
      if (bars) cells.insert(cells.end(), bar_cell.begin(), bar_cell.end());
      cells.push_back({std::move(instances), {}});
      grid.row(std::move(cells), row_ink);
    };
    for (const PivotRow& row : rows_) {
      const int64_t ns = time_of(row.runs[0], report_.measure);
      add(row.label, ns, text::share(ns, whole),
          {{bar(ns, longest, bar_columns), color_of(row.label)}},
          text::grouped(row.runs[0].instances), text::Ink::none);
    }
    grid.rule();
    bool is_sum = true;
    for (const Foot& foot : feet()) {
      add(foot.name, foot.ns[0], is_sum ? text::share(whole, whole) : "", {{}},
          is_sum ? text::grouped(run.operations) : "", is_sum ? text::Ink::bold : text::Ink::none);
      is_sum = false;
    }
    out_ += grid.text(2, options_.color) + '\n';
  }

  /// Columns of as many runs as fit the width; the others go below.
  void runs_side_by_side() {
    size_t from = 0;
    while (from < report_.runs.size()) {
      size_t to = report_.runs.size();
      text::TextGrid grid = runs_grid(from, to);
      while (options_.columns() > 0 && to > from + 1 && grid.width() + 2 > options_.columns()) {
        grid = runs_grid(from, --to);
      }
      run_heads(grid, from, to);
      out_ += grid.text(2, options_.color) + '\n';
      from = to;
    }
  }

  text::TextGrid runs_grid(size_t from, size_t to) const {
    text::TextGrid grid;
    grid.column(report_.by, Align::text);
    for (size_t i = from; i < to; ++i) {
      // The name is above time and share together, in a line of its own: see `run_heads`.
      const size_t name = text::columns_of(head_of_run(i));
      grid.column(fmt::format("{:>{}}", measured_column(), name > 8 ? name - 8 : 0), Align::number,
                  3);
      grid.column("%", Align::number);
    }
    const auto add = [&](std::string_view label, text::Ink row_ink, auto&& value, bool share) {
      std::vector<Cell> cells{{text::cut(label, widest_label), {}}};
      for (size_t i = from; i < to; ++i) {
        const int64_t ns = value(i);
        cells.push_back({time(ns), {}});
        const int64_t whole = time_of(*report_.runs[i], report_.measure);
        cells.push_back({share ? text::share(ns, whole) : "", {}});
      }
      grid.row(std::move(cells), row_ink);
    };
    for (const PivotRow& row : rows_) {
      add(
          row.label, text::Ink::none,
          [&](size_t i) { return time_of(row.runs[i], report_.measure); }, true);
    }
    grid.rule();
    bool is_sum = true;
    for (const Foot& foot : feet()) {
      add(
          foot.name, is_sum ? text::Ink::bold : text::Ink::none,
          [&](size_t i) { return foot.ns[i]; }, is_sum);
      is_sum = false;
    }
    return grid;
  }

  std::string head_of_run(size_t run) const {
    return text::cut_middle(source_.run_name(report_.runs[run]->id), longest_run_name);
  }

  /// The runs' names, each ending where its column of shares ends.
  void run_heads(const text::TextGrid& grid, size_t from, size_t to) {
    std::string heads;
    size_t at = 0;
    for (size_t i = from; i < to; ++i) {
      const std::string id = head_of_run(i);
      const size_t end = grid.end_of(2 * (i - from) + 2) + 2;
      const size_t size = text::columns_of(id);
      heads += std::string(end > at + size ? end - at - size : 1, ' ') + id;
      at = end;
    }
    out_ += options_.ink(heads, text::Ink::bold) + '\n';
  }

  /// Tables of the registry, below each other; those that these runs do not have are left out.
  void tables(const std::vector<std::pair<const char*, Part>>& parts) {
    std::vector<table::Table> present;
    for (const auto& [id, part] : parts) {
      const tables::Definition& definition = *tables::find(id);
      if (!tables::absent(definition, source_).empty()) continue;
      present.push_back(
          tables::with_run_names(part_of(tables::make(definition, source_), part), source_));
    }
    print(present);
  }

  void print(const std::vector<table::Table>& all) {
    std::string text;
    render::terminal(all, [&](std::string_view piece) { text += piece; },
                     {.color = options_.color,
                      .width = std::max(options_.width - indent, 0),
                      .max_rows = options_.all_rows ? 0 : top_names,
                      .several_runs = several()});
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at) + 1;
      out_.append(text[at] == '\n' ? 0 : indent, ' ').append(text, at, end - at);
      at = end;
    }
    if (!text.empty()) out_ += '\n';
  }

  /// What pages of ncu say of the kernels; nothing without them.
  void measured() {
    tables(
        {{"optimize_first",
          {.columns = {"run", "total_ns", "share", "roof", "roof_ratio", "saved_ns", "verdict",
                       "name"}}},
         {"ncu_match", {.columns = {"run", "match", "names", "measured", "total_ns", "share"}}}});
  }

  /// Of what is known to be one job, or is compared with others.
  void efficiency() {
    if (source_.baselines.empty() && !analyze::shown_together(source_.ranks())) return;
    out_ += efficiency_text(source_, options_);
  }

  std::string all_ranks() const {
    const auto all = source_.larger_job();
    return all ? fmt::format("{} of {} ranks", source_.runs.size(), *all) : "all ranks";
  }

  /// How even the work is, if the runs are known to be ranks of one job.
  void ranks() {
    if (!analyze::shown_together(source_.ranks())) return;
    const std::string number = several() ? "max_rank" : "max_device";
    tables({{"label_balance",
             {.columns = {"label", "busy_ns", "mean_ns", "max_ns", "max_over_mean", "max_rank"},
              .title = all_ranks() + " together, by " + report_.by,
              .where = "dimension",
              .value = report_.by,
              .not_zero = "max_ns"}},
            {"rank_balance",
             {.columns = {"what", "mean_ns", "max_ns", "max_over_mean", number},
              .title = (several() ? all_ranks() : "all devices") + " together",
              .not_zero = "max_ns"}}});
  }

  /// Of ranks one list, otherwise one per run.
  void names() {
    const std::string by = tables::dimension_column(*tables::find("kernels"), report_.by);
    if (tables::named_by_rank(source_)) {
      std::vector<std::string> columns{"busy_ns", "share", "max_over_mean", "name"};
      if (options_.columns() == 0 || options_.columns() >= columns_of_all_facts) {
        columns = {"busy_ns", "share", "max_over_mean", "max_rank", "instances", by, "name"};
      }
      return tables(
          {{"kernel_balance",
            {.columns = std::move(columns), .title = "kernel summary of " + all_ranks()}}});
    }
    for (const analyze::RunSummary* run : report_.runs) {
      if (!run->names.empty()) print({names_of(*run, by)});
    }
  }

  int64_t time_of_name(const analyze::NameSum& name) const {
    return time_of({{}, name.elapsed_ns, name.total_ns, name.instances, name.busy_ns},
                   report_.measure);
  }

  /// Names of a run in the measure of the report, the longest first.
  table::Table names_of(const analyze::RunSummary& run, const std::string& by) const {
    using table::Role;
    using table::Unit;
    const auto info = std::make_shared<table::Info>();
    info->id = "kernels";
    info->title =
        several() ? "kernel summary of " + printable(source_.run_name(run.id)) : "kernel summary";
    info->columns = {
        {fmt::format("{}_ns", to_string(report_.measure)), Unit::ns, Role::measure, ""},
        {"share", Unit::ratio, Role::measure, ""},
        {"instances", Unit::count, Role::measure, ""},
        {by, Unit::text, Role::key, "", true},
        {"name", Unit::name, Role::key, ""}};
    std::vector<const analyze::NameSum*> names;
    names.reserve(run.names.size());
    for (const analyze::NameSum& name : run.names) names.push_back(&name);
    std::stable_sort(names.begin(), names.end(),
                     [&](const analyze::NameSum* a, const analyze::NameSum* b) {
                       return time_of_name(*a) > time_of_name(*b);
                     });
    const auto rows = [this, info, &run, names = std::move(names)](table::RowSink& sink) {
      for (const analyze::NameSum* name : names) {
        const int64_t ns = time_of_name(*name);
        const auto* label = name->label(run.dimension(report_.by));
        sink.row({ns, tables::ratio_of(ns, time_of(run, report_.measure)), name->instances,
                  label != nullptr ? table::Cell(label->label) : table::Cell(), name->name});
      }
    };
    return {*info, info->columns, rows};
  }

  void next() {
    const auto next = next_step(report_);
    if (!next) return;
    out_ += text::wrapped(next->text, options_.columns(), 0) + "\n  " +
            options_.ink(printable(next->command), text::Ink::bold) + '\n';
  }

  const tables::Source& source_;
  const Report& report_;
  TableOptions options_;
  text::TimeUnit unit_{};
  std::unordered_map<std::string_view, std::string_view> colors_;
  std::vector<PivotRow> rows_;
  std::string out_;
};

}  // namespace

std::string to_table(const tables::Source& source, const Report& report, TableOptions options) {
  std::string text = Overview(source, report, options).text();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace kr::overview
