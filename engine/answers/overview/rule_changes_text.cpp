#include "overview/rule_changes_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/join.hpp"
#include "base/printable.hpp"
#include "tables/difference.hpp"
#include "text/numbers.hpp"

namespace kr::overview {
namespace {

/// What is shown unless all is.
constexpr size_t max_seen = 20;
constexpr size_t max_invented = 3;
constexpr size_t max_models = 3;
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
}

}  // namespace kr::overview
