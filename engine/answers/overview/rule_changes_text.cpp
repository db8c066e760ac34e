#include "overview/rule_changes_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/join.hpp"
#include "base/printable.hpp"
#include "render/shown_table.hpp"
#include "tables/difference.hpp"
#include "text/numbers.hpp"

namespace kr::overview {
namespace {

/// What is shown unless all is.
constexpr size_t max_seen = 20;
constexpr size_t max_invented = 3;
constexpr size_t max_models = 3;
constexpr size_t max_settings = 20;
constexpr size_t max_listed = 50;  // names in Markdown
constexpr size_t rule_bytes = 80;

/// `names given: 2 of 3 change a label`, and the same of the other known names.
std::string counts_text(const compare::RuleChanges& changes) {
  std::set<uint32_t> moved;
  for (const compare::CountedMove& one : changes.moves) {
    moved.insert(one.moved.begin(), one.moved.end());
  }
  int64_t given = 0, known = 0, given_moved = 0, known_moved = 0;
  for (const compare::SeenName& name : changes.names) ++(name.is_callers() ? given : known);
  for (const uint32_t i : moved) {
    ++(changes.names[i].is_callers() ? given_moved : known_moved);
  }
  std::string text;
  const auto add = [&text](const char* what, int64_t count, int64_t all) {
    text += fmt::format("{}: {} of {} change a label\n", what, text::grouped(count),
                        text::grouped(all));
  };
  if (given > 0) add("names given", given_moved, given);
  if (known > 0) add(given > 0 ? "other known names" : "known names", known_moved, known);
  return text;
}

/// The models of a group: `in vllm/ds, vllm/llama`, `in all 12 models`.
std::string models_text(const compare::RuleChanges& changes, const compare::MoveGroup& group,
                        bool all) {
  if (group.moves.size() == changes.models && changes.models > 1 && !all) {
    return fmt::format("in all {} models", changes.models);
  }
  const size_t shown = all || group.moves.size() <= max_models ? group.moves.size() : size_t{1};
  std::vector<std::string> models;
  models.reserve(shown);
  for (size_t i = 0; i < shown; ++i) {
    const compare::Change& change = changes.moves[group.moves[i]].change;
    models.push_back(change.engine + "/" + change.model);
  }
  std::string text = fmt::format("in {}", join(models, ", "));
  if (const size_t others = group.moves.size() - shown; others > 0) {
    text += fmt::format(" and {} other models", others);
  }
  return text;
}

std::string rule_text(char side, const tables::RulesDifference::Rule& rule) {
  if (rule.place.empty()) return fmt::format("  {} no rule matches\n", side);
  return fmt::format("  {} {}: {}\n", side, printable(rule.place), excerpt(rule.text, rule_bytes));
}

std::string place_or_none(const tables::RulesDifference::Rule& rule) {
  return rule.place.empty() ? "no rule" : printable(rule.place);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string group_text(const tables::RulesDifference& difference, const compare::MoveGroup& group,
                       bool all) {
  const compare::CountedMove& example = difference.changes.moves[group.moves.front()];
  const compare::Change& change = example.change;
  std::string text = fmt::format("{}: {} -> {}", printable(change.dimension),
                                 printable(change.move.from), printable(change.move.to));
  if (group.names > 0) text += "  " + text::counted(group.names, "name");
  if (group.total_ns > 0) text += "  " + text::human_time(group.total_ns);
  if (group.known_names > 0) {
    text += fmt::format("  {}{}", group.names > 0 ? "+ " : "",
                        text::counted(group.known_names, "known name"));
  }
  text += fmt::format(
      "  {}\n  {}: {}\n", models_text(difference.changes, group, all),
      change.move.order ? "sequence"
      : example.seen_in ? to_string(*example.seen_in)
                        : "invented",
      change.move.order ? printable(change.move.order->sequence) : to_string(change.move.witness));
  const auto& [old_rule, new_rule] = difference.rules[group.moves.front()];
  return text + rule_text('-', old_rule) + rule_text('+', new_rule);
}

/// `vllm`, `vllm/a, vllm/b`, `vllm/a and 4 other models`.
std::string models_text(const std::vector<std::string>& models, bool all) {
  if (all || models.size() <= max_models) return join(models, ", ");
  return fmt::format("{} and {} other models", models.front(), models.size() - 1);
}

/// `detect of vllm/llama`, `cost "aten::mm" in vllm/default`.
std::string setting_head(const compare::SettingChange& one, bool all) {
  std::string text(to_string(one.what));
  const std::string models = printable(models_text(one.models, all));
  if (one.subject.empty()) return fmt::format("{} of {}", text, models);
  return fmt::format("{} {} in {}", text, printable(one.subject), models);
}

std::string setting_text(const tables::RulesDifference& difference, size_t i, bool all) {
  const compare::SettingChange& one = difference.changes.settings[i];
  std::string text = setting_head(one, all) + '\n';
  if (!one.example.empty()) text += fmt::format("  example: {}\n", printable(one.example));
  const auto& [before, after] = difference.said[i];
  for (const auto& [sign, side] : {std::pair('-', &before), std::pair('+', &after)}) {
    if (side->text.empty()) continue;
    text +=
        fmt::format("  {} {}{}\n", sign, side->place.empty() ? "" : printable(side->place) + ": ",
                    excerpt(side->text, rule_bytes));
  }
  return text;
}

std::string pairs(size_t count, bool more) {
  return fmt::format(
      "{}{} of labels {}", count,
      count == 1 ? (more ? " more pair" : " pair") : (more ? " more pairs" : " pairs"),
      count == 1 ? "changes" : "change");
}

}  // namespace

void rule_changes_text(const tables::RulesDifference& difference, const RuleChangesOptions& options,
                       const std::function<void(std::string_view)>& out) {
  const compare::RuleChanges& changes = difference.changes;
  if (!changes.moves.empty()) out(counts_text(changes));
  for (const std::string& model : changes.only_before) out("- " + printable(model) + '\n');
  for (const std::string& model : changes.only_after) out("+ " + printable(model) + '\n');
  std::vector<compare::MoveGroup> groups = changes.groups();
  const auto invented =
      std::stable_partition(groups.begin(), groups.end(), [&](const compare::MoveGroup& group) {
        const compare::CountedMove& example = changes.moves[group.moves.front()];
        return example.is_seen() || example.change.move.order;
      });
  const auto show = [&](auto begin, auto end, size_t most, const char* what, const char* then) {
    const auto count = static_cast<size_t>(end - begin);
    const size_t shown = options.all ? count : std::min(count, most);
    if (count > shown && *then != 0) {
      out(fmt::format("{} only for {} (--all shows them){}\n",
                      pairs(count, begin != groups.begin()), what, then));
    }
    for (size_t i = 0; i < shown; ++i) {
      out(group_text(difference, begin[static_cast<ptrdiff_t>(i)], options.all));
    }
    if (count > shown && *then == 0) {
      out(fmt::format("{} for {} (--all shows them)\n", pairs(count - shown, true), what));
    }
  };
  show(groups.begin(), invented, max_seen, "names that were seen", "");
  show(invented, groups.end(), max_invented, "invented names", ", such as");
  const size_t settings = changes.settings.size();
  const size_t shown = options.all ? settings : std::min(settings, max_settings);
  for (size_t i = 0; i < shown; ++i) out(setting_text(difference, i, options.all));
  if (settings > shown) {
    out(fmt::format("{} more changes besides labels of names (--all shows them)\n",
                    settings - shown));
  }
  if (options.all && !difference.names.empty()) {
    out("known names whose label changes:\n");
    for (const tables::RulesDifference::Name& one : difference.names) {
      out(fmt::format("  {}: {} -> {}  {}  ({}; {})\n", printable(one.dimension),
                      printable(one.from), printable(one.to),
                      printable(changes.names[one.name].name), place_or_none(one.before),
                      place_or_none(one.after)));
    }
  }
  if (!changes.same()) out("compared: " + difference.compared() + '\n');
}

void rule_changes_markdown(const tables::RulesDifference& difference,
                           const std::function<void(std::string_view)>& out) {
  const compare::RuleChanges& changes = difference.changes;
  const auto cell = [](const std::string& text) { return render::markdown_text(text); };
  const auto shortened = [&](const std::string& text) {
    return text.empty() ? std::string() : cell(excerpt(text, rule_bytes));
  };
  std::string text;
  for (std::string line : lines_of(counts_text(changes))) text += "- " + std::move(line) + '\n';
  for (const std::string& model : changes.only_before) {
    text += "- only in the old ruleset: " + cell(printable(model)) + '\n';
  }
  for (const std::string& model : changes.only_after) {
    text += "- only in the new ruleset: " + cell(printable(model)) + '\n';
  }
  if (changes.same()) text += "- no difference\n";
  text += "- compared: " + cell(difference.compared()) + "\n\n";
  const std::vector<compare::MoveGroup> groups = changes.groups();
  if (!groups.empty()) {
    text +=
        "### changes of labels\n\n| dimension | from | to | names | known names | time | models | "
        "example | old rule | new rule |\n| --- | --- | --- | ---: | ---: | ---: | --- | --- | "
        "--- | --- |\n";
  }
  for (const compare::MoveGroup& group : groups) {
    const compare::Change& change = changes.moves[group.moves.front()].change;
    const auto& [old_rule, new_rule] = difference.rules[group.moves.front()];
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", cell(printable(change.dimension)),
        cell(printable(change.move.from)), cell(printable(change.move.to)), group.names,
        group.known_names, group.total_ns > 0 ? text::human_time(group.total_ns) : "",
        cell(models_text(changes, group, false).substr(3)),
        shortened(change.move.order ? change.move.order->sequence : to_string(change.move.witness)),
        cell(printable(old_rule.place)), cell(printable(new_rule.place)));
  }
  if (!groups.empty()) text += '\n';
  if (!changes.settings.empty()) {
    text +=
        "### changes besides labels of names\n\n| what | old | new | old place | new place |\n"
        "| --- | --- | --- | --- | --- |\n";
    for (size_t i = 0; i < changes.settings.size(); ++i) {
      const auto& [before, after] = difference.said[i];
      text += fmt::format("| {} | {} | {} | {} | {} |\n",
                          cell(setting_head(changes.settings[i], false)), shortened(before.text),
                          shortened(after.text), cell(printable(before.place)),
                          cell(printable(after.place)));
    }
    text += '\n';
  }
  if (!difference.names.empty()) {
    text +=
        "### known names whose label changes\n\n| dimension | name | from | to | old rule | new "
        "rule |\n| --- | --- | --- | --- | --- | --- |\n";
    const size_t shown = std::min(difference.names.size(), max_listed);
    for (size_t i = 0; i < shown; ++i) {
      const tables::RulesDifference::Name& one = difference.names[i];
      text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", cell(printable(one.dimension)),
                          shortened(changes.names[one.name].name), cell(printable(one.from)),
                          cell(printable(one.to)), cell(printable(one.before.place)),
                          cell(printable(one.after.place)));
    }
    if (difference.names.size() > shown) {
      text += fmt::format("\n{} more names: `--tables changed_names --format csv`\n",
                          text::grouped(static_cast<int64_t>(difference.names.size() - shown)));
    }
    text += '\n';
  }
  out(text);
}

}  // namespace kr::overview
