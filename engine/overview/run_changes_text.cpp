#include "overview/run_changes_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/plural.hpp"
#include "base/printable.hpp"
#include "overview/part.hpp"
#include "render/render.hpp"
#include "table/numbers.hpp"
#include "table/text_grid.hpp"
#include "tables/difference.hpp"
#include "tables/run_names.hpp"

namespace kr::overview {
namespace {

using changes::Unit;

std::string signed_time(int64_t ns) {
  return (ns > 0 ? "+" : "") + table::human_time(ns);
}

std::string signed_percent(double percent) {
  return (percent > 0 ? "+" : "") + table::short_percent(percent) + " %";
}

std::string side_text(const std::string& name, const std::string& run,
                      const changes::Amount& amount) {
  return fmt::format("{}: {} · {} in {}", name, printable(run), table::human_time(amount.total_ns),
                     table::counted(amount.instances, "operation"));
}

std::string one_of(const Unit& unit) {
  switch (unit.kind) {
    case Unit::Kind::steps:
      return unit.phase == "step" ? "step" : "step of " + unit.phase;
    case Unit::Kind::layers:
      return "layer";
    case Unit::Kind::operations:
      return "operation of a common name";
    case Unit::Kind::runs:
      return "run";
  }
  return {};
}

int64_t per_unit(int64_t ns, int64_t units) {
  return std::llround(static_cast<double>(ns) / static_cast<double>(units));
}

std::string change_text(int64_t a_ns, int64_t b_ns, std::optional<double> percent) {
  std::string text = fmt::format("{} -> {}", table::human_time(a_ns), table::human_time(b_ns));
  if (percent) text += fmt::format(" ({})", signed_percent(*percent));
  return text;
}

/// `mean per step of decode (10 and 12): 1.2 ms -> 1.3 ms (+8.3 %)`.
std::string per_unit_text(const changes::Comparison& comparison) {
  const Unit& unit = comparison.unit;
  const changes::Pair& time = comparison.total.time;
  const std::string counts = table::grouped(unit.a) + " and " + table::grouped(unit.b);
  const auto percent = unit.change_percent(time);
  if (unit.kind == Unit::Kind::operations) {
    // They only say how much longer one run is: a quotient of all time and these operations is the
    // duration of nothing.
    return fmt::format("for equal numbers of operations of common names ({}): {}", counts,
                       percent ? signed_percent(*percent) : "no time in A");
  }
  return fmt::format(
      "mean per {} ({}): {}", one_of(unit), counts,
      change_text(per_unit(time.a.total_ns, unit.a), per_unit(time.b.total_ns, unit.b), percent));
}

/// The change of the median with its interval: the first thing to read. Empty if there is none.
std::string median_text(const changes::Comparison& comparison) {
  const auto& median = comparison.total.median;
  if (!median || !median->percent) return {};
  const bool steps = comparison.unit.kind == Unit::Kind::steps;
  return fmt::format(
      "median {}: {}, 95 % interval from {} to {}{}", steps ? one_of(comparison.unit) : "run",
      change_text(std::llround(median->a_ns), std::llround(median->a_ns + median->change_ns),
                  100 * median->change_ns / median->a_ns),
      signed_percent(median->percent->first), signed_percent(median->percent->second),
      median->within_noise() ? ": within noise" : "");
}

std::string total_text(const changes::Comparison& comparison) {
  const changes::Pair& time = comparison.total.time;
  const changes::Parts& parts = comparison.total.parts;
  std::string text = "in total: " + signed_time(time.change_ns());
  if (time.a.total_ns != 0) {
    text += fmt::format(" ({})", signed_percent(100 * static_cast<double>(time.change_ns()) /
                                                static_cast<double>(time.a.total_ns)));
  }
  return text + fmt::format(" = {} calls, {} time per call, {} other names",
                            signed_time(parts.calls_ns), signed_time(parts.time_per_call_ns),
                            signed_time(parts.mix_ns));
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
    const size_t columns = table::columns_of(printable(part));
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
  if (std::string median = median_text(comparison); !median.empty()) {
    lines.push_back(std::move(median));
  }
  lines.push_back(per_unit_text(comparison));
  lines.push_back(total_text(comparison));
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
                                    "change_ns", "calls_ns", "time_per_call_ns", "mix_ns",
                                    "per_unit_percent", "median_percent", "verdict"},
                        .title = "changes by " + by,
                        .where = "dimension",
                        .value = by,
                        .prefixes = prefixes}));
    } else if (one.id() == "substitutions") {
      shown.push_back(part_of(
          one, {.columns = {"group", "label", "confidence", "a_instances", "b_instances", "a_ns",
                            "b_ns", "change_ns", "per_unit_percent", "a_name", "b_name"},
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
  for (const std::string& line : head_of(pair)) out(table::wrapped(line, width, 0));
  const bool comparable = pair.comparison.comparable;
  out(table::inked(table::wrapped(comparable_text(pair.comparison), width, 0),
                   comparable ? table::Ink::none : table::Ink::warning, options.color) +
      '\n');
  render::terminal(
      parts_of(pair, tables, options.by, true), out,
      {.color = options.color, .width = options.width, .most_rows = options.most_rows});
}

void run_changes_markdown(const tables::RunPair& pair, std::span<const table::Table> tables,
                          const RunChangesOptions& options, const Bytes& out) {
  std::string text;
  for (const std::string& line : head_of(pair)) text += "- " + line + '\n';
  out(text + "- " + comparable_text(pair.comparison) + "\n\n");
  render::markdown(parts_of(pair, tables, options.by, false), out);
}

}  // namespace kr::overview
