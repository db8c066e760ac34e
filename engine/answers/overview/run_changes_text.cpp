#include "overview/run_changes_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/plural.hpp"
#include "base/printable.hpp"
#include "overview/part.hpp"
#include "render/render.hpp"
#include "tables/difference.hpp"
#include "tables/run_names.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"

namespace kr::overview {
namespace {

using changes::Unit;

std::string signed_time(int64_t ns) {
  return (ns > 0 ? "+" : "") + text::human_time(ns);
}

std::string signed_percent(double percent) {
  return (percent > 0 ? "+" : "") + text::short_percent(percent) + " %";
}

std::string side_text(const std::string& name, const std::string& run,
                      const changes::Amount& amount) {
  return fmt::format("{}: {} · {} in {}", name, printable(run), text::human_time(amount.total_ns),
                     text::counted(amount.instances, "operation"));
}

std::string step_of(const std::string& phase) {
  return phase == "step" ? "step" : "step of " + phase;
}

std::string change_text(int64_t a_ns, int64_t b_ns, std::optional<double> percent) {
  std::string text = fmt::format("{} -> {}", text::human_time(a_ns), text::human_time(b_ns));
  if (percent) text += fmt::format(" ({})", signed_percent(*percent));
  return text;
}

std::string change_text(const changes::StepChange& change) {
  return change_text(std::llround(change.a_ns), std::llround(change.b_ns), change.percent());
}

std::string_view judged_text(const changes::Comparison& comparison,
                             const changes::MedianChange& median) {
  if (!comparison.not_judged.empty()) return "not judged";
  const bool one_run = comparison.earlier_runs > 0;
  switch (changes::verdict_of(median)) {
    case changes::Verdict::within_noise:
      return one_run ? "within what the earlier runs show, or less than 1 %" : "within noise";
    case changes::Verdict::more:
      return one_run ? "slower, outside of what the earlier runs show" : "slower";
    case changes::Verdict::less:
      return one_run ? "faster, outside of what the earlier runs show" : "faster";
  }
  return {};
}

/// How one new run is judged; empty: the runs are not of that kind.
std::string one_run_text(const changes::Comparison& comparison) {
  if (comparison.earlier_runs == 0) return {};
  return fmt::format(
      "one new run, compared with what {} earlier runs show: of 100 equal runs, 95 are within "
      "noise",
      text::grouped(static_cast<int64_t>(comparison.earlier_runs)));
}

/// `step of decode (23 and 23), median wall time: 1.9 ms -> 2.1 ms (+8.1 %), 95 % interval from
/// +7.9 % to +8.3 %: slower`, then what it consists of.
void add_phase(const changes::Comparison& comparison, const changes::PhaseChange& phase,
               std::vector<std::string>& lines) {
  if (!phase.wall) return;
  std::string text = fmt::format(
      "{} ({} and {}), median wall time: {}", phase.of_repeats ? phase.phase : step_of(phase.phase),
      text::grouped(phase.a_steps), text::grouped(phase.b_steps), change_text(*phase.wall));
  if (const auto& median = phase.wall->median; median && median->percent) {
    text += fmt::format(", 95 % interval from {} to {}: {}", signed_percent(median->percent->first),
                        signed_percent(median->percent->second), judged_text(comparison, *median));
  }
  lines.push_back(std::move(text));
  const std::string idle = change_text(*phase.idle), busy = change_text(*phase.busy);
  // Beside a block, other streams of its device may be busy.
  lines.push_back(
      phase.of_repeats
          ? fmt::format("  of which none of its kernels runs {}, some run {}", idle, busy)
          : fmt::format("  of which idle {}, busy {}", idle, busy));
}

int64_t rounded(double ns) {
  return std::llround(ns);
}

/// Of runs without steps: what grew for equal work.
std::string equal_work_text(const changes::Comparison& comparison) {
  const Unit& unit = comparison.unit;
  const auto percent = [](std::optional<double> change) {
    return change ? signed_percent(*change) : std::string("no time in A");
  };
  const changes::Pair& time = comparison.total.time;
  const std::string counts =
      fmt::format("{} ({} and {})", unit.text(), text::grouped(unit.a), text::grouped(unit.b));
  std::string text =
      unit.kind == Unit::Kind::runs ? "run against run: " : "for equal numbers of " + counts + ": ";
  if (comparison.a_span_ns > 0) {
    text +=
        fmt::format("time from first to last operation {}, ", percent(comparison.span_percent()));
  }
  return text +
         fmt::format("work {}", percent(unit.change_percent(time.a.total_ns, time.b.total_ns)));
}

std::string work_text(const changes::Comparison& comparison) {
  const changes::PerUnit& mean = comparison.total.per_unit;
  return fmt::format("mean work per {}: {}", step_of(comparison.unit.phase),
                     change_text(rounded(mean.a_ns), rounded(mean.b_ns), mean.percent()));
}

std::string total_text(const changes::Comparison& comparison) {
  const changes::Pair& time = comparison.total.time;
  const changes::Parts& parts = comparison.total.parts;
  std::string text = "all work: " + signed_time(time.change_ns());
  if (time.a.total_ns != 0) {
    text += fmt::format(" ({})", signed_percent(100 * static_cast<double>(time.change_ns()) /
                                                static_cast<double>(time.a.total_ns)));
  }
  return text + fmt::format(" = {} more or fewer calls, {} time per call, {} names of one run only",
                            signed_time(parts.calls_ns), signed_time(parts.time_per_call_ns),
                            signed_time(parts.names_ns));
}

/// Empty if no name of one run replaces one of the other.
std::string substitutions_text(const changes::Comparison& comparison) {
  size_t a = 0, b = 0;
  for (const changes::Substitution& one : comparison.substitutions) {
    a += one.a_names.size();
    b += one.b_names.size();
  }
  if (a == 0) return {};
  return fmt::format("{} only in A replaced by {} only in B (substituted names)", plural(a, "name"),
                     plural(b, "name"));
}

std::string comparable_text(const changes::Comparison& comparison) {
  return (comparison.comparable ? "comparable: " : "not comparable: ") + comparison.why;
}

struct SideNames {
  std::string a = "A";
  std::string b = "B";
};

/// What differs between their paths, if it is short enough for a heading.
SideNames side_names(const tables::RunPair& pair) {
  constexpr size_t longest = 16;
  const std::vector<std::string> parts =
      tables::distinct_parts(std::vector<std::string>{pair.a, pair.b});
  const auto fits = [](const std::string& part) {
    const size_t columns = text::columns_of(printable(part));
    return columns > 0 && columns <= longest;
  };
  if (!fits(parts[0]) || !fits(parts[1])) return {};
  return {printable(parts[0]), printable(parts[1])};
}

std::vector<std::string> head_of(const tables::RunPair& pair) {
  const changes::Comparison& comparison = pair.comparison;
  const SideNames sides = side_names(pair);
  const auto side = [](const std::string& letter, const std::string& name) {
    return name == letter ? letter : letter + " = " + name;
  };
  std::vector<std::string> lines{side_text(side("A", sides.a), pair.a, comparison.total.time.a),
                                 side_text(side("B", sides.b), pair.b, comparison.total.time.b)};
  for (const changes::PhaseChange& phase : comparison.phases) add_phase(comparison, phase, lines);
  lines.push_back(comparison.unit.kind == Unit::Kind::steps ? work_text(comparison)
                                                            : equal_work_text(comparison));
  lines.push_back(total_text(comparison));
  if (!comparison.not_judged.empty()) {
    lines.push_back("no verdict: " + comparison.not_judged);
  } else if (std::string one_run = one_run_text(comparison); !one_run.empty()) {
    lines.push_back(std::move(one_run));
  }
  if (std::string names = substitutions_text(comparison); !names.empty()) {
    lines.push_back(std::move(names));
  }
  return lines;
}

std::vector<table::Table> parts_of(const tables::RunPair& pair,
                                   std::span<const table::Table> tables, const std::string& by,
                                   bool with_names) {
  const SideNames names = side_names(pair);
  const std::vector<std::pair<std::string, std::string>> prefixes{{"a_", names.a + "_"},
                                                                  {"b_", names.b + "_"}};
  std::vector<table::Table> shown;
  for (const table::Table& one : tables) {
    if (one.id() == "conditions") {
      shown.push_back(part_of(one, {.columns = {"condition", "label", "outcome", "change_percent",
                                                "low_percent", "high_percent"}}));
    } else if (one.id() == "label_changes") {
      shown.push_back(
          part_of(one, {.columns = {"label", "a_instances", "b_instances", "a_ns", "b_ns",
                                    "change_ns", "calls_ns", "time_per_call_ns", "names_ns",
                                    "per_unit_percent", "median_percent", "verdict"},
                        .title = "changes by " + by,
                        .where = "dimension",
                        .value = by,
                        .prefixes = prefixes}));
    } else if (one.id() == "substitutions") {
      shown.push_back(
          part_of(one, {.columns = {"group", "label", "confidence", "a_instances", "b_instances",
                                    "a_ns", "b_ns", "change_ns", "a_name", "b_name"},
                        .prefixes = prefixes}));
    } else if (one.id() == "name_changes" && with_names) {
      shown.push_back(part_of(one, {.columns = {"name", "a_instances", "b_instances", "a_ns",
                                                "b_ns", "change_ns", "per_unit_percent"},
                                    .not_zero = "change_ns",
                                    .prefixes = prefixes}));
    }
  }
  return shown;
}

}  // namespace

void run_changes_text(const tables::RunPair& pair, std::span<const table::Table> tables,
                      const RunChangesOptions& options, const Bytes& out) {
  const auto width = static_cast<size_t>(std::max(options.width, 0));
  for (const std::string& line : head_of(pair)) out(text::wrapped(line, width, 0));
  const bool comparable = pair.comparison.comparable;
  out(text::inked(text::wrapped(comparable_text(pair.comparison), width, 0),
                  comparable ? text::Ink::none : text::Ink::warning, options.color) +
      '\n');
  render::terminal(parts_of(pair, tables, options.by, true), out,
                   {.color = options.color, .width = options.width, .max_rows = options.max_rows});
}

void run_changes_markdown(const tables::RunPair& pair, std::span<const table::Table> tables,
                          const RunChangesOptions& options, const Bytes& out) {
  std::string text;
  for (const std::string& line : head_of(pair)) text += "- " + line + '\n';
  out(text + "- " + comparable_text(pair.comparison) + "\n\n");
  render::markdown(parts_of(pair, tables, options.by, false), out);
}

}  // namespace kr::overview
