// The overview of a report on a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "analyze/ranks.hpp"
#include "overview/overview.hpp"
#include "overview/part.hpp"
#include "overview/pivot.hpp"
#include "render/render.hpp"
#include "sema/program.hpp"
#include "table/numbers.hpp"
#include "table/text_grid.hpp"
#include "tables/registry.hpp"

namespace kr::overview {
namespace {

constexpr size_t top_names = 10;
constexpr size_t widest_label = 32;
constexpr size_t longest_titled_id = 48;
constexpr int indent = 2;
constexpr size_t longest_run_id = 28;
constexpr size_t shortest_device = 8;

/// Lines about one run.
std::string facts_of(const analyze::RunSummary& run, TableOptions options) {
  std::string out =
      options.ink(table::cut_middle(run.id, options.columns()), table::Ink::bold) + '\n';
  const auto line = [&](std::string_view text, table::Ink ink = table::Ink::faint) {
    std::string lines = table::wrapped(text, options.columns(), 2);
    if (lines.empty()) return;
    lines.pop_back();
    out += options.ink(lines, ink) + '\n';
  };
  line(fmt::format("{} · {} · {}, {}", run.source, run.format,
                   table::counted(run.operations, "operation"),
                   table::counted(static_cast<int64_t>(run.names.size()), "name")));
  line(fmt::format("{}/{}{}{}", run.engine, run.model, run.choice_why.empty() ? "" : " · ",
                   run.choice_why));
  if (run.operations == 0) line("no GPU work in this trace", table::Ink::warning);
  if (!run.inexact.empty()) line("times are not exact: " + run.inexact, table::Ink::warning);
  for (const trace::DroppedRecords& records : run.dropped)
    line(dropped_text(records), table::Ink::warning);
  return out;
}

class Overview {
 public:
  Overview(const tables::Source& source, const Report& report, TableOptions options)
      : source_(source), report_(report), options_(options) {
    int64_t longest = 0;
    for (const analyze::RunSummary* run : report.runs) {
      longest = std::max({longest, run->gpu_elapsed_ns, run->non_gpu_ns});
    }
    unit_ = table::unit_for(longest);
    for (const picture::LabelStyle& style : report.styles) {
      if (style.dimension == report.by) colors_[style.label] = style.color;
    }
  }

  std::string text() {
    if (!report_.title.empty())
      out_ += options_.ink(printable(report_.title), table::Ink::bold) + "\n\n";
    out_ += run_facts(report_.runs, options_);
    if (std::any_of(report_.runs.begin(), report_.runs.end(),
                    [](const analyze::RunSummary* run) { return run->operations > 0; })) {
      rows_ = folded(make_pivot(report_.runs, report_.by), most_labels);
      if (report_.runs.size() == 1) {
        one_run(*report_.runs[0]);
      } else {
        runs_side_by_side();
      }
      for (const analyze::RunSummary* run : report_.runs) devices(*run);
      ranks();
      for (const analyze::RunSummary* run : report_.runs) names(*run);
    }
    return std::move(out_);
  }

 private:
  using Align = table::TextGrid::Align;
  using Cell = table::TextGrid::Cell;

  std::string time(int64_t ns) const { return table::in_unit(ns, unit_); }
  bool several() const { return report_.runs.size() > 1; }

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

  void one_run(const analyze::RunSummary& run) {
    constexpr size_t bar_columns = 22;
    const bool bars = options_.columns() == 0 || options_.columns() >= 96;
    table::TextGrid grid;
    grid.column(report_.by, Align::text);
    grid.column(fmt::format("elapsed {}", unit_.name), Align::number);
    grid.column("%", Align::number);
    if (bars) grid.column("", Align::text, 1);
    grid.column(fmt::format("total {}", unit_.name), Align::number);
    grid.column("instances", Align::number);
    int64_t longest = 0;
    for (const PivotRow& row : rows_) longest = std::max(longest, row.runs[0].elapsed_ns);
    const auto add = [&](std::string_view label, const analyze::LabelSum& sum, std::string bar_text,
                         table::Ink row_ink) {
      std::vector<Cell> cells{{table::cut(label, widest_label), {}},
                              {time(sum.elapsed_ns), {}},
                              {table::share(sum.elapsed_ns, run.gpu_elapsed_ns), {}}};
      if (bars) cells.push_back({std::move(bar_text), color_of(label)});
      cells.push_back({time(sum.total_ns), {}});
      cells.push_back({table::grouped(sum.instances), {}});
      grid.row(std::move(cells), row_ink);
    };
    for (const PivotRow& row : rows_) {
      add(row.label, row.runs[0], bar(row.runs[0].elapsed_ns, longest, bar_columns),
          table::Ink::none);
    }
    grid.rule();
    add("GPU time", {{}, run.gpu_elapsed_ns, run.gpu_total_ns, run.operations}, {},
        table::Ink::bold);
    grid.row({{std::string(sema::reserved::non_gpu), {}}, {time(run.non_gpu_ns), {}}});
    grid.row({{"with CPU(non-GPU)", {}}, {time(run.gpu_elapsed_ns + run.non_gpu_ns), {}}});
    out_ += grid.text(2, options_.color) + '\n';
  }

  /// Columns of as many runs as fit the width; the others go below.
  void runs_side_by_side() {
    size_t from = 0;
    while (from < report_.runs.size()) {
      size_t to = report_.runs.size();
      table::TextGrid grid = runs_grid(from, to);
      while (options_.columns() > 0 && to > from + 1 && grid.width() + 2 > options_.columns()) {
        grid = runs_grid(from, --to);
      }
      run_heads(grid, from, to);
      out_ += grid.text(2, options_.color) + '\n';
      from = to;
    }
  }

  table::TextGrid runs_grid(size_t from, size_t to) const {
    table::TextGrid grid;
    grid.column(report_.by, Align::text);
    for (size_t i = from; i < to; ++i) {
      // The id is above time and share together, in a line of its own: see `run_heads`.
      const size_t id = table::columns_of(table::cut_middle(report_.runs[i]->id, longest_run_id));
      grid.column(fmt::format("{:>{}}", fmt::format("elapsed {}", unit_.name), id > 8 ? id - 8 : 0),
                  Align::number, 3);
      grid.column("%", Align::number);
    }
    const auto add = [&](std::string_view label, table::Ink row_ink, auto&& value, bool share) {
      std::vector<Cell> cells{{table::cut(label, widest_label), {}}};
      for (size_t i = from; i < to; ++i) {
        const int64_t ns = value(i);
        cells.push_back({time(ns), {}});
        cells.push_back({share ? table::share(ns, report_.runs[i]->gpu_elapsed_ns) : "", {}});
      }
      grid.row(std::move(cells), row_ink);
    };
    for (const PivotRow& row : rows_) {
      add(
          row.label, table::Ink::none, [&](size_t i) { return row.runs[i].elapsed_ns; }, true);
    }
    grid.rule();
    const auto gpu = [&](size_t i) { return report_.runs[i]->gpu_elapsed_ns; };
    const auto non_gpu = [&](size_t i) { return report_.runs[i]->non_gpu_ns; };
    add("GPU time", table::Ink::bold, gpu, true);
    add(sema::reserved::non_gpu, table::Ink::none, non_gpu, false);
    add(
        "with CPU(non-GPU)", table::Ink::none, [&](size_t i) { return gpu(i) + non_gpu(i); },
        false);
    return grid;
  }

  /// The runs' ids, each ending where its column of shares ends.
  void run_heads(const table::TextGrid& grid, size_t from, size_t to) {
    std::string heads;
    size_t at = 0;
    for (size_t i = from; i < to; ++i) {
      const std::string id = table::cut_middle(report_.runs[i]->id, longest_run_id);
      const size_t end = grid.end_of(2 * (i - from) + 2) + 2;
      const size_t size = table::columns_of(id);
      heads += std::string(end > at + size ? end - at - size : 1, ' ') + id;
      at = end;
    }
    out_ += options_.ink(heads, table::Ink::bold) + '\n';
  }

  void devices(const analyze::RunSummary& run) {
    if (run.devices.empty()) return;
    table::TextGrid grid = devices_grid(run, true, widest_label);
    if (options_.columns() > 0 && grid.width() + 2 > options_.columns()) {
      grid = devices_grid(run, false, 1);
      const size_t left = options_.columns() - std::min(options_.columns(), grid.width() + 2);
      grid = devices_grid(run, false, std::max(shortest_device, left));
    }
    if (several())
      out_ += "  " + options_.ink(table::cut_middle(run.id, options_.columns()), table::Ink::bold) +
              '\n';
    out_ += grid.text(2, options_.color) + '\n';
  }

  static table::TextGrid devices_grid(const analyze::RunSummary& run, bool wide,
                                      size_t name_columns) {
    int64_t longest = 0;
    for (const analyze::DeviceSum& device : run.devices)
      longest = std::max(longest, device.span_ns);
    const table::TimeUnit unit = table::unit_for(longest);
    table::TextGrid grid;
    grid.column("device", Align::text);
    grid.column(fmt::format("span {}", unit.name), Align::number);
    grid.column("= compute", Align::number);
    grid.column(wide ? "+ exposed comm." : "+ comm.", Align::number);
    grid.column(wide ? "+ exposed memory" : "+ memory", Align::number);
    grid.column("+ idle", Align::number);
    grid.column("idle %", Align::number);
    for (const analyze::DeviceSum& device : run.devices) {
      const std::string name = device.name.empty()
                                   ? fmt::format("{}", device.device)
                                   : fmt::format("{}  {}", device.device, device.name);
      const auto cell = [&](int64_t ns) { return Cell{table::in_unit(ns, unit), {}}; };
      grid.row({{table::cut(name, name_columns), {}},
                cell(device.span_ns),
                cell(device.compute_ns),
                cell(device.exposed_communication_ns),
                cell(device.exposed_memory_ns),
                cell(device.idle_ns),
                {table::share(device.idle_ns, device.span_ns), {}}});
    }
    return grid;
  }

  /// Tables of the registry, below each other; those that these runs do not have are left out.
  void tables(const std::vector<std::pair<const char*, Part>>& parts) {
    std::vector<table::Table> present;
    for (const auto& [id, part] : parts) {
      const tables::Definition& definition = *tables::find(id);
      if (!tables::absent(definition, source_).empty()) continue;
      present.push_back(part_of(tables::make(definition, source_), part));
    }
    std::string text;
    render::terminal(present, [&](std::string_view piece) { text += piece; },
                     {.color = options_.color,
                      .width = std::max(options_.width - indent, 0),
                      .most_rows = options_.all_rows ? 0 : top_names,
                      .several_runs = several()});
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at) + 1;
      out_.append(text[at] == '\n' ? 0 : indent, ' ').append(text, at, end - at);
      at = end;
    }
    if (!text.empty()) out_ += '\n';
  }

  /// How even the work is, if the runs are known to be ranks of one job.
  void ranks() {
    if (!analyze::shown_together(source_.ranks())) return;
    const std::string number = several() ? "max_rank" : "max_device";
    tables({{"label_balance",
             {.columns = {"label", "elapsed_ns", "mean_ns", "max_ns", "max_over_mean", "max_rank"},
              .title = "all ranks together, by " + report_.by,
              .where = "dimension",
              .value = report_.by}},
            {"rank_balance",
             {.columns = {"what", "mean_ns", "max_ns", "max_over_mean", number},
              .title = several() ? "all ranks together" : "all devices together",
              .not_zero = "max_ns"}}});
  }

  void names(const analyze::RunSummary& run) {
    if (run.names.empty()) return;
    const std::string by = tables::dimension_column(*tables::find("kernels"), report_.by);
    tables({{"kernels",
             {.columns = {"elapsed_ns", "share", "instances", by, "name"},
              .title =
                  several() ? "names of " + table::cut_middle(run.id, longest_titled_id) : "names",
              .where = "run",
              .value = run.id}}});
  }

  const tables::Source& source_;
  const Report& report_;
  TableOptions options_;
  table::TimeUnit unit_{};
  std::unordered_map<std::string_view, std::string_view> colors_;
  std::vector<PivotRow> rows_;
  std::string out_;
};

}  // namespace

std::string dropped_text(const trace::DroppedRecords& records) {
  return fmt::format("dropped records: {} × {} (first at {})", records.count, records.what,
                     records.first_offset);
}

std::string run_facts(const std::vector<const analyze::RunSummary*>& runs, TableOptions options) {
  std::string out;
  for (size_t i = 0; i < runs.size(); ++i) {
    out += facts_of(*runs[i], options);
    const bool noted = !runs[i]->dropped.empty() || !runs[i]->inexact.empty();
    if (i + 1 == runs.size() || noted) out += '\n';
  }
  return out;
}

std::string to_table(const tables::Source& source, const Report& report, TableOptions options) {
  std::string text = Overview(source, report, options).text();
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace kr::overview
