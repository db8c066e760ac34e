// `kr tree` for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "analyze/run.hpp"
#include "analyze/steps.hpp"
#include "base/printable.hpp"
#include "overview/overview.hpp"
#include "overview/part.hpp"
#include "render/render.hpp"
#include "tables/registry.hpp"
#include "tables/tree.hpp"
#include "text/names.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"
#include "trees/names.hpp"

namespace kr::overview {
namespace {

using Align = text::TextGrid::Align;
using Cell = text::TextGrid::Cell;

constexpr size_t shortest_name = 24;
constexpr size_t longest_label = 28;
constexpr size_t levels_indented = 40;  // deeper ones have the same indent
constexpr size_t max_evidence = 6;

/// A node may be named as kr's own rows are: then it is in quotes.
std::string node_text(const std::string& name) {
  const auto is = [&](std::string_view own) {
    const std::string_view text = name;
    if (!text.starts_with(own)) return false;
    const std::string_view rest = text.substr(own.size());
    return rest.empty() || rest.starts_with(" (") || rest.starts_with(" #") ||
           rest.starts_with(" <- ");
  };
  return is(sema::reserved::others) || is(sema::reserved::self) ? '"' + name + '"' : name;
}

/// One line of a tree.
struct Line {
  std::string name;
  std::string label;
  uint32_t depth = 0;
  int64_t invocations = 0;
  int64_t total_ns = 0;
  bool shown = false;  // else it is only above what is shown
  uint64_t siblings = 1;
  trace::PathId path{};  // of a node, if it is one
};

/// The names of lines as shown.
class LineNames {
 public:
  LineNames(const std::vector<Line>& lines, bool are_short) {
    std::vector<std::string_view> names;
    for (const Line& line : lines) {
      if (places_.try_emplace(line.name, names.size()).second) names.push_back(line.name);
    }
    if (are_short) {
      texts_ = text::short_names(names);
    } else {
      texts_.reserve(names.size());
      for (const std::string_view name : names) texts_.push_back(text::cut(name, 0));
    }
  }

  /// In `width` columns; 0: whole.
  const std::string& text(const std::string& name, size_t width) {
    const auto [cut, fresh] = cuts_.try_emplace(width);
    if (fresh) cut->second = text::cut_names(texts_, width);
    return cut->second[places_.at(name)];
  }

 private:
  std::unordered_map<std::string_view, size_t> places_;
  std::vector<std::string> texts_;
  std::map<size_t, std::vector<std::string>> cuts_;
};

/// Which columns about merged siblings there is room for.
enum class Spread : uint8_t { none, times, times_and_numbers };

class TreeText {
 public:
  TreeText(const trees::TreeView& view, const trees::TreeRun& run, trees::Metric metric,
           TableOptions options, const Write& write)
      : view_(view), run_(run), metric_(metric), options_(options), write_(write) {
    text::ColumnUnit times;
    for (const size_t i : view.shown()) {
      const trees::ViewStep& step = view.step(i);
      // Most nodes have a small part of it.
      const int64_t total_ns = step.total_ns / static_cast<int64_t>(step.of.size());
      times.add(std::max<int64_t>(total_ns / 10, std::min<int64_t>(total_ns, 1)));
    }
    unit_ = times.unit();
  }

  void print() {
    facts();
    for (const size_t i : view_.shown()) step(i);
    trends();
    flush();
  }

 private:
  /// Per step.
  int64_t mean(int64_t sum) const { return sum / steps_ + (sum % steps_ * 2 >= steps_ ? 1 : 0); }
  std::string time(int64_t ns) const { return text::in_unit(mean(ns), unit_); }
  std::string calls(int64_t sum) const {
    if (sum % steps_ == 0) return text::grouped(sum / steps_);
    return text::grouped(static_cast<double>(sum) / static_cast<double>(steps_), 1);
  }
  void line(const std::string& text, text::Ink ink = text::Ink::none) {
    out_ += options_.ink(text::wrapped(text, options_.columns(), 0), ink);
  }
  void flush() {
    write_(out_);
    out_.clear();
  }

  void facts() {
    const trace::ModuleTrace& trace = view_.modules().trace;
    const trees::LabelledModules& modules = view_.modules();
    out_ += options_.ink(text::cut_middle(run_.id, options_.columns()), text::Ink::bold) + '\n';
    const size_t steps = annotated_steps();
    line(fmt::format("{} · {}{}", printable(trace.source), trace.format,
                     steps > 0 || modules.step_ids.empty()
                         ? " · " + text::counted(static_cast<int64_t>(steps), "step")
                         : ""));
    line(fmt::format("{}/{}{}{}", run_.engine, run_.model, modules.choice.why.empty() ? "" : " · ",
                     modules.choice.why));
    const std::string compat = view_.options().compat ? ", as in plots of vLLM" : "";
    line(fmt::format("level {}{} · labels: {}", trees::to_string(view_.options().level), compat,
                     view_.options().dimension));
    if (trace.steps.empty()) line("no steps in this file", text::Ink::warning);
    if (view_.without_layers()) {
      line("no layers in some steps: no module there repeats, so they are shown by their roots",
           text::Ink::warning);
    }
    if (view_.options().compat) {
      line(fmt::format("--compat omits {} of {}", text::human_time(view_.lost_ns()),
                       text::human_time(steps_total())),
           view_.lost_ns() > 0 ? text::Ink::warning : text::Ink::none);
    }
    if (modules.attribution) placed(*modules.attribution);
    if (modules.attribution && view_.options().level.kind == trees::Level::Kind::layer) evidence();
    for (const trace::DroppedRecords& records : trace.dropped)
      line(dropped_text(records), text::Ink::warning);
  }

  /// How the time of a trace's operations was placed, all steps together.
  void placed(const classify::AttributionSums& sums) {
    using kr::classify::PlaceEvidence;
    const int64_t layer_ns = sums[PlaceEvidence::layer].total_ns;
    const int64_t abstain_ns = sums[PlaceEvidence::abstain].total_ns;
    const int64_t none_ns = sums[PlaceEvidence::none].total_ns;
    const int64_t outside = layer_ns + abstain_ns + none_ns;
    const int64_t all = sums.total_ns();
    if (const int64_t range_ns = sums[PlaceEvidence::range].total_ns; range_ns > 0) {
      line(
          fmt::format("no modules: the ranges of the program stand for them, with {} % of the time",
                      text::share(range_ns, all)));
      return;
    }
    if (outside == 0) {
      line(all > 0 ? "all time is in modules" : "no time to place in modules");
      return;
    }
    const auto share = [&](int64_t part) { return text::share(part, all) + " %"; };
    const std::string abstained =
        abstain_ns > 0 ? fmt::format("{} where references differ, ", share(abstain_ns)) : "";
    line(fmt::format("not in any module: {} of the time ({} in layers found by their period, {}{} "
                     "in neither)",
                     share(outside), share(layer_ns), abstained, share(none_ns)),
         text::Ink::warning);
  }

  /// How layers that are in no module were found.
  void evidence() {
    const std::vector<classify::LayerEvidence>& all = view_.modules().layer_evidence;
    if (all.empty()) {
      line("no period: no graph launch, step or stream has kernels that repeat as layers do",
           text::Ink::warning);
    }
    for (size_t i = 0; i < std::min(all.size(), max_evidence); ++i) {
      const classify::LayerEvidence& one = all[i];
      const std::string more = one.units > 1
                                   ? fmt::format(", and so in {} of them",
                                                 text::grouped(static_cast<int64_t>(one.units)))
                                   : "";
      line(fmt::format("evidence of layers{}: {}{}", one.block.level > 0 ? " within layers" : "",
                       kr::classify::evidence(one.block), more));
    }
    if (all.size() > max_evidence) {
      line(fmt::format("and {} more (kr analyze --only layers shows all)",
                       all.size() - max_evidence));
    }
  }

  /// Those of a trace, without the tree of what is outside of them.
  size_t annotated_steps() const {
    const trees::LabelledModules& modules = view_.modules();
    const size_t trees = modules.trace.steps.size();
    return modules.step_ids.empty() ? trees : std::min(trees, modules.step_ids.size() - 1);
  }

  int64_t steps_total() const {
    int64_t total = 0;
    for (const trees::ViewStep& step : view_.steps()) total += step.total_ns;
    return total;
  }

  /// A mean says little about steps that are very different.
  std::string range_of(const trees::ViewStep& phase) const {
    const std::unordered_set<size_t> of(phase.of.begin(), phase.of.end());
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (const trees::ViewStep& step : view_.steps()) {
      if (!of.contains(step.of[0])) continue;
      least = std::min(least, step.total_ns);
      most = std::max(most, step.total_ns);
    }
    return fmt::format("{} to {}", text::human_time(least), text::human_time(most));
  }

  /// The wall time of the step, or of the steps of a phase; empty if it is not known.
  std::string wall_of(const trees::ViewStep& shown) const {
    const std::vector<std::optional<int64_t>>& walls = view_.modules().wall_ns;
    std::vector<int64_t> times;
    times.reserve(shown.of.size());
    for (const size_t step : shown.of) {
      if (step < walls.size() && walls[step]) times.push_back(*walls[step]);
    }
    const auto wall = analyze::wall_times_of(std::move(times));
    if (!wall) return {};
    if (steps_ == 1) return fmt::format("wall {}", text::human_time(wall->max_ns));
    return fmt::format("wall per step: median {}, p95 {}, max {}",
                       text::human_time(std::llround(wall->median_ns)),
                       text::human_time(wall->p95_ns), text::human_time(wall->max_ns));
  }

  void step(size_t index) {
    const trees::ViewStep& step = view_.step(index);
    steps_ = static_cast<int64_t>(step.of.size());
    siblings_ = view_.siblings(index);
    counts_ = view_.counts(index);
    std::string head = step.key;
    const std::string plain = step.step ? fmt::format("{}_{}", step.phase, *step.step) : step.phase;
    if (steps_ > 1) head += fmt::format(" · {} steps", text::grouped(steps_));
    if (plain != step.key) head += fmt::format(" · {}", plain);
    if (step.layer) head += fmt::format(" · layer {}", *step.layer);
    if (step.running_seqs) {
      head += fmt::format(" · {}", text::counted(*step.running_seqs, "sequence"));
    }
    if (step.batch) head += fmt::format(" · batch {}", *step.batch);
    if (step.tokens) {
      head += fmt::format(" · {}", text::counted(*step.tokens, "token"));
    }
    out_ += '\n' + options_.ink(text::cut_middle(head, options_.columns()), text::Ink::bold) +
            "  " + times_of(step) + '\n';
    const bool list = view_.options().by_label || view_.options().compat;
    const std::vector<Line> lines = list ? list_of(index) : tree_of(index);
    print_lines(lines, step);
    if (out_.size() > (size_t{1} << 16)) flush();
  }

  std::string times_of(const trees::ViewStep& step) const {
    const std::string work = text::human_time(mean(step.total_ns));
    const std::string wall = wall_of(step);
    const std::string of_wall = wall.empty() ? "" : " · " + wall;
    if (steps_ == 1) return fmt::format("work {}{}", work, of_wall);
    return fmt::format("work per step: mean {}, {}{}", work, range_of(step), of_wall);
  }

  std::vector<Line> list_of(size_t index) {
    view_.rows(index, nodes_, rows_);
    std::stable_sort(
        rows_.begin(), rows_.end(), [&](const trees::ViewRow& a, const trees::ViewRow& b) {
          if (metric_ == trees::Metric::invocations && a.invocations != b.invocations) {
            return a.invocations > b.invocations;
          }
          return a.total_ns > b.total_ns;
        });
    std::vector<Line> lines;
    for (const trees::ViewRow& row : rows_) {
      const trees::ViewEntry& entry = view_.entries()[row.entry];
      std::string name = entry.others ? entry.name : row_text(row);
      if (entry.others)
        name += fmt::format(" ({})", text::grouped(static_cast<int64_t>(row.nodes)));
      const bool one = row.path.valid() && !view_.options().by_label;
      lines.push_back({std::move(name), view_.options().by_label ? "" : entry.label, 0,
                       row.invocations, row.total_ns, true, one ? row.nodes : 1, row.path});
    }
    return lines;
  }

  /// The nodes shown below those that enclose them; those of `others` are one line below the node
  /// that has them and something else.
  std::vector<Line> tree_of(size_t index) {
    view_.rows_apart(index, nodes_, rows_);
    const size_t none = nodes_.size();
    std::vector<size_t> row_of(nodes_.size(), rows_.size());
    std::vector<bool> has_own(nodes_.size(), false);  // something that is not among others
    for (size_t i = 0; i < rows_.size(); ++i) {
      row_of[rows_[i].node] = i;
      has_own[rows_[i].node] = !view_.entries()[rows_[i].entry].others;
    }
    std::vector<size_t> parents(nodes_.size(), none);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      for (uint32_t child = static_cast<uint32_t>(i) + 1; child < nodes_[i].end;
           child = nodes_[child].end) {
        parents[child] = i;
      }
    }
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (has_own[i] && parents[i] != none) has_own[parents[i]] = true;
    }
    std::vector<Line> lines;
    std::vector<Rest> open;  // nodes whose children are being listed, and what is left of them
    Rest roots;
    for (uint32_t i = 0; i < nodes_.size();) {
      while (!open.empty() && i >= open.back().end) close(open, lines);
      Rest& rest = open.empty() ? roots : open.back();
      if (row_of[i] < rows_.size() && has_own[i]) {
        const trees::ViewRow& row = rows_[row_of[i]];
        lines.push_back({row_text(row),
                         view_.labelled(row.path) ? std::string(view_.label(row.path)) : "",
                         depth_of(i), row.invocations, row.total_ns, true, row.nodes, row.path});
        i = nodes_[i].end;
      } else if (has_own[i]) {
        lines.push_back({node_text(std::string(view_.trace().name(nodes_[i].path))), "",
                         depth_of(i), nodes_[i].invocations, nodes_[i].total_ns, false,
                         counts_.empty() ? 1 : counts_[i], nodes_[i].path});
        open.push_back({nodes_[i].end, depth_of(i) + 1});
        ++i;
      } else {
        rest.total_ns += nodes_[i].total_ns;
        for (uint32_t below = i; below < nodes_[i].end; ++below) {
          if (row_of[below] == rows_.size()) continue;
          rest.nodes += rows_[row_of[below]].nodes;
          rest.invocations += rows_[row_of[below]].invocations;
        }
        i = nodes_[i].end;
      }
    }
    while (!open.empty()) close(open, lines);
    add_rest(roots, lines);
    return lines;
  }

  /// A node's own time is not a call of anything.
  std::string row_text(const trees::ViewRow& row) const {
    const trees::ViewEntry& entry = view_.entries()[row.entry];
    const bool node = row.path.valid() && row.invocations > 0;
    return node ? node_text(entry.name) : entry_text(entry);
  }
  /// Of several nodes named `(self)` most are kr's own.
  static std::string entry_text(const trees::ViewEntry& entry) {
    const bool own = entry.others || entry.name.starts_with(sema::reserved::self);
    return own ? entry.name : node_text(entry.name);
  }

  struct Rest {
    uint32_t end = 0;
    uint32_t depth = 0;
    uint64_t nodes = 0;
    int64_t invocations = 0;
    int64_t total_ns = 0;
  };
  static void add_rest(const Rest& rest, std::vector<Line>& lines) {
    if (rest.nodes == 0) return;
    lines.push_back({fmt::format("{} ({})", sema::reserved::others, rest.nodes), "", rest.depth,
                     rest.invocations, rest.total_ns, true});
  }
  static void close(std::vector<Rest>& open, std::vector<Line>& lines) {
    add_rest(open.back(), lines);
    open.pop_back();
  }
  uint32_t depth_of(uint32_t node) const { return view_.trace().paths.depth(nodes_[node].path); }

  const trees::Siblings* siblings_of(const Line& line) const {
    const bool several = line.siblings > 1 && line.path.valid() && !siblings_.empty();
    return several ? &siblings_[line.path.index] : nullptr;
  }

  void add_spread(const Line& line, Spread spread, std::vector<Cell>& cells) const {
    const trees::Siblings* const of = siblings_of(line);
    const auto add = [&](const auto& text) { cells.push_back({of ? text() : std::string(), {}}); };
    const bool numbers = spread == Spread::times_and_numbers;
    add([&] { return time(of->min_ns); });
    if (numbers) add([&] { return view_.number_text(of->least); });
    add([&] { return time(static_cast<int64_t>(of->median_ns)); });
    add([&] { return time(of->max_ns); });
    if (numbers) add([&] { return view_.number_text(of->most); });
  }

  /// No wider than `--width` says; 0: no limit.
  size_t widest_name(size_t room) const {
    const size_t width = view_.options().width;
    return width == 0 || room == 0 ? std::max(width, room) : std::min(width, room);
  }

  void fill(text::TextGrid& grid, const std::vector<Line>& lines, LineNames& names,
            const trees::ViewStep& step, size_t name_columns, Spread spread) const {
    grid.column(fmt::format("work {}", unit_.name), Align::number);
    grid.column("%", Align::number);
    grid.column("calls", Align::number);
    if (spread != Spread::none) {
      const bool numbers = spread == Spread::times_and_numbers;
      grid.column(fmt::format("least {}", unit_.name), Align::number);
      if (numbers) grid.column("no.", Align::text);
      grid.column(fmt::format("median {}", unit_.name), Align::number);
      grid.column(fmt::format("most {}", unit_.name), Align::number);
      if (numbers) grid.column("no.", Align::text);
    }
    grid.column("node", Align::text);
    const bool classes = !view_.trace().classes.empty();
    if (classes) grid.column("class", Align::text);
    grid.column("label", Align::text);
    for (const Line& line : lines) {
      const std::string indent(2 * std::min<size_t>(line.depth, levels_indented), ' ');
      const size_t room = name_columns > indent.size() + shortest_name
                              ? name_columns - indent.size()
                              : std::min(name_columns, shortest_name);
      const size_t mark = line.siblings > 1 ? fmt::format(" x{}", line.siblings).size() : 0;
      const std::string& name =
          names.text(line.name, widest_name(room > mark ? room - mark : room));
      std::vector<Cell> cells{{time(line.total_ns), {}},
                              {text::share(line.total_ns, step.total_ns), {}},
                              {calls(line.invocations), {}}};
      if (spread != Spread::none) add_spread(line, spread, cells);
      cells.push_back({indent + trees::with_count(name, line.siblings), {}});
      if (classes) {
        const std::string_view of = line.path.valid() ? view_.trace().class_of(line.path) : "";
        cells.push_back({text::cut(of, longest_label), {}});
      }
      cells.push_back({text::cut(line.label, longest_label), {}});
      grid.row(std::move(cells), line.shown ? text::Ink::none : text::Ink::faint);
    }
  }

  void print_lines(const std::vector<Line>& lines, const trees::ViewStep& step) {
    LineNames names(lines, view_.options().short_names);
    const bool several = std::any_of(
        lines.begin(), lines.end(), [&](const Line& line) { return siblings_of(line) != nullptr; });
    Spread spread = several ? Spread::times_and_numbers : Spread::none;
    size_t name_columns = 0;
    if (const size_t columns = options_.columns(); columns > 0) {
      const auto without_names = [&] {
        text::TextGrid grid;
        fill(grid, lines, names, step, 1, spread);
        return grid.width() + 2;
      };
      size_t others = without_names();
      while (spread != Spread::none && others + shortest_name > columns) {
        spread = spread == Spread::times_and_numbers ? Spread::times : Spread::none;
        others = without_names();
      }
      name_columns = std::max(shortest_name, columns - std::min(columns, others));
    }
    text::TextGrid grid;
    fill(grid, lines, names, step, name_columns, spread);
    out_ += grid.text(0, options_.color);
  }

  /// Phases side by side, and what changes from their first step to their last.
  void trends() {
    if (view_.steps().size() < 2) return;
    const tables::Tree tree{run_.id, run_.engine, run_.model, &view_};
    tables::Source source;
    source.tree = &tree;
    const table::Table table = part_of(
        tables::make(*tables::find("tree_trends"), source),
        {.columns = {"phase", "steps", "mean_ns", "first_ns", "last_ns", "slope_ns", "name"},
         .title = "steps compared: work per step",
         .not_zero = "total_ns"});
    out_ += '\n';
    render::terminal(
        std::span(&table, 1), [&](std::string_view piece) { out_ += piece; },
        {.color = options_.color, .width = std::max(options_.width, 0), .max_rows = 0});
  }

  const trees::TreeView& view_;
  const trees::TreeRun& run_;
  trees::Metric metric_;
  TableOptions options_;
  const Write& write_;
  text::TimeUnit unit_{};
  std::string out_;
  std::vector<trace::ModuleNode> nodes_;
  std::vector<trees::ViewRow> rows_;
  // Of the tree that is being printed.
  int64_t steps_ = 1;
  std::vector<trees::Siblings> siblings_;
  std::span<const uint32_t> counts_;
};

}  // namespace

void write_tree_text(const trees::TreeView& view, const trees::TreeRun& run, trees::Metric metric,
                     TableOptions options, const Write& write) {
  TreeText(view, run, metric, options, write).print();
}

}  // namespace kr::overview
