// `kr why` of operations with their neighbours, for people.
#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "base/plural.hpp"
#include "overview/overview.hpp"
#include "overview/why_text.hpp"
#include "tables/explanation.hpp"
#include "text/names.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"

namespace kr::overview {
namespace {

using classify::WhySequence;
using order::Explanation;
using order::Outcome;

/// At most this many places in a row that one step took; the middle of more is left out.
constexpr size_t max_repeats = 4;
constexpr size_t max_alternatives = 3;
constexpr size_t max_labels = 4;
constexpr size_t max_name = 72;
constexpr size_t max_step = 32;

class SequenceText {
 public:
  SequenceText(const match::CompiledRules& rules, const WhySequence& sequence, bool color)
      : rules_(rules),
        program_(rules.program()),
        model_(program_.models.get(sequence.model)),
        sequence_(sequence),
        color_(color) {}

  /// All labels of an operation on one line.
  std::string labels(size_t at) const {
    std::vector<std::string> texts;
    const auto& labels = operation(at).labels;
    for (size_t i = 0; i < labels.size(); ++i) {
      const std::string& dimension = name_of(sequence_.dimensions[i]);
      if (!is_shown(labels[i], dimension)) continue;
      texts.push_back(fmt::format("{} {}", dimension, printable(labels[i].label)));
    }
    return join(texts, ", ");
  }

  /// The operations around one, each with the labels that order rules look at and give.
  std::string neighbours(const WhySequence::Explained& explained, size_t count) const {
    const size_t first = explained.at - std::min(count, explained.at);
    const size_t last = std::min(explained.at + count, sequence_.length - 1);
    std::vector<std::pair<std::string, std::string>> lines;
    for (size_t at = first; at <= last; ++at) lines.emplace_back(name(at), around(at));
    size_t width = 0;
    for (const auto& line : lines) width = std::max(width, text::columns_of(line.first));
    std::string text = first > 0 ? fmt::format("    … {} before\n", first) : "    start\n";
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string blanks(width - text::columns_of(lines[i].first), ' ');
      text += fmt::format("    {}{}   {}{}\n", lines[i].first, blanks, lines[i].second,
                          first + i == explained.at ? "   ← this" : "");
    }
    const size_t behind = sequence_.length - 1 - last;
    return text + (behind > 0 ? fmt::format("    … {} behind\n", behind) : "    end\n");
  }

  /// Each order dimension that has something to say of it.
  std::string dimensions(const WhySequence::Explained& explained, std::string_view indent) const {
    std::string text;
    for (size_t i = 0; i < model_.order_tables.size(); ++i) {
      const std::string one = dimension(explained, i);
      if (one.empty()) continue;
      text += '\n';
      for (size_t at = 0; at < one.size();) {
        const size_t end = one.find('\n', at) + 1;
        text += indent;
        text += one.substr(at, end - at);
        at = end;
      }
    }
    return text;
  }

  std::string name(size_t at) const {
    return text::cut_middle(text::short_name(operation(at).name), max_name);
  }

 private:
  const std::string& name_of(sema::DimensionId id) const {
    return program_.dimensions.get(id).name;
  }
  const WhySequence::Operation& operation(size_t at) const {
    return *sequence_.operation(static_cast<order::Place>(at));
  }
  /// Most operations have no exchange, and are no candidate.
  bool is_shown(const WhySequence::Label& label, const std::string& dimension) const {
    const bool rare = dimension == sema::exchange_dimension ||
                      std::ranges::find(sema::candidate_dimensions, dimension) !=
                          sema::candidate_dimensions.end();
    return !rare || (label.rule && !program_.rules.get(*label.rule).otherwise);
  }

  const WhySequence::Label& label(size_t at, sema::DimensionId dimension) const {
    const auto found = std::ranges::find(sequence_.dimensions, dimension);
    return operation(at).labels[static_cast<size_t>(found - sequence_.dimensions.begin())];
  }
  std::string over_label(const sema::OrderTable& table, order::Place place) const {
    if (place < 0) return "start";
    if (place >= static_cast<order::Place>(sequence_.length)) return "end";
    const WhySequence::Operation* one = sequence_.operation(place);
    return one == nullptr ? "it" : printable(label(static_cast<size_t>(place), table.over).label);
  }

  std::string around(size_t at) const {
    std::vector<std::string> texts;
    for (const sema::OrderTable& table : model_.order_tables) {
      const std::string over = printable(label(at, table.over).label);
      if (std::ranges::find(texts, over) == texts.end()) texts.push_back(over);
      const WhySequence::Label& own = label(at, table.dimension);
      if (!own.rule || program_.rules.get(*own.rule).otherwise) continue;
      texts.push_back(fmt::format("{} {}", name_of(table.dimension), printable(own.label)));
    }
    return join(texts, ", ");
  }

  std::string rule_line(sema::RuleId rule) const {
    return fmt::format("{}   {}\n", printable(classify::rule_place(rules_, rule)),
                       short_rule(rules_, rule));
  }

  std::string dimension(const WhySequence::Explained& explained, size_t number) const {
    const sema::OrderTable& table = model_.order_tables[number];
    const order::OperationExplained& one = explained.dimensions[number];
    const std::vector<Explanation>& all = one.rules;
    const bool stopped = std::ranges::any_of(
        all, [](const Explanation& rule) { return rule.outcome == Outcome::stopped; });
    const WhySequence::Label& own = label(explained.at, table.dimension);
    if (one.rule == order::no_rule && (!stopped || !is_shown(own, name_of(table.dimension)))) {
      return not_seen(table, all);
    }
    const std::string shown = printable(own.label);
    std::string text = fmt::format("{}: {}\n", name_of(table.dimension),
                                   text::inked(shown, text::Ink::bold, color_));
    if (one.continued_from) {
      return text + fmt::format("    by    continue: the label of {}\n", name(*one.continued_from));
    }
    if (one.rule == order::no_rule) {
      text += "    by    no order rule\n";
    } else {
      text += "    by    " + rule_line(table.rules[one.rule]);
      text += match(table, table.rules[one.rule], all[one.rule], explained.at);
    }
    return text + others(table, one);
  }

  /// That chains do not see the operation.
  std::string not_seen(const sema::OrderTable& table, const std::vector<Explanation>& all) const {
    if (!is_shown({.label = {}, .rule = table.otherwise}, name_of(table.dimension))) return "";
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].outcome != Outcome::not_seen) continue;
      const sema::OrderScope& scope =
          program_.order_scopes.get(program_.rules.get(table.rules[i]).scope);
      return fmt::format("{}: chains pass over it: {}\n", name_of(table.dimension),
                         printable(rules_.sources().place(scope.span)));
    }
    return "";
  }

  /// A step as written, without brackets.
  std::string step_text(sema::RuleId rule, uint32_t step) const {
    std::string text =
        classify::on_one_line(rules_, program_.rules.get(rule).chain->steps[step].span);
    if (text.starts_with('[')) text.erase(0, 1);
    if (const size_t close = text.rfind(']'); close != text.npos && close + 2 >= text.size()) {
      text.erase(close, 1);
    }
    const size_t begin = text.find_first_not_of(' ');
    const size_t end = text.find_last_not_of(' ');
    return printable(text.substr(begin, end + 1 - begin));
  }

  std::string match(const sema::OrderTable& table, sema::RuleId rule, const Explanation& found,
                    size_t at) const {
    std::vector<std::pair<std::string, std::string>> lines;
    for (size_t i = 0; i < found.taken.size(); ++i) {
      const auto& [place, step] = found.taken[i];
      if (i > 0) add_passed(table, found.taken[i - 1].place, place, lines);
      if (const size_t skipped = add_repeats(found.taken, i, at); skipped > 0) {
        lines.emplace_back("", fmt::format("… {} more", skipped));
        i += skipped - 1;
        continue;
      }
      std::string what = place < 0                                              ? "start"
                         : place >= static_cast<order::Place>(sequence_.length) ? "end"
                         : sequence_.operation(place) == nullptr                ? "…"
                                                                 : name(static_cast<size_t>(place));
      if (place == static_cast<order::Place>(at)) what += "   ← this";
      lines.emplace_back(text::cut(step_text(rule, step), max_step), std::move(what));
    }
    size_t width = 0;
    for (const auto& line : lines) width = std::max(width, text::columns_of(line.first));
    std::string text;
    for (const auto& [step, what] : lines) {
      text += fmt::format("          {}{}   {}\n", step,
                          std::string(width - text::columns_of(step), ' '), what);
    }
    return text;
  }

  /// How many places from `i` on are in the middle of those that one step took.
  size_t add_repeats(const std::vector<order::Taken>& taken, size_t i, size_t at) const {
    size_t first = i;
    size_t last = i;
    const auto same = [&](size_t other) {
      return taken[other].step == taken[i].step &&
             taken[other].place != static_cast<order::Place>(at);
    };
    if (!same(i)) return 0;
    while (first > 0 && same(first - 1)) --first;
    while (last + 1 < taken.size() && same(last + 1)) ++last;
    if (last - first < max_repeats || i != first + 2) return 0;
    return last - i;
  }

  /// What is between two places of a match, which the chain does not see.
  void add_passed(const sema::OrderTable& table, order::Place before, order::Place behind,
                  std::vector<std::pair<std::string, std::string>>& lines) const {
    std::vector<std::string> labels;
    order::Place count = 0;
    for (order::Place place = before + 1; place < behind; ++place) {
      if (place >= static_cast<order::Place>(sequence_.length)) break;
      ++count;
      const std::string label = over_label(table, place);
      if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    }
    if (count == 0) return;
    if (labels.size() > max_labels) {
      labels.resize(max_labels);
      labels.emplace_back("…");
    }
    lines.emplace_back("", fmt::format("({} {} passed over)", count, join(labels, ", ")));
  }

  /// Rules that match, too, and those that nearly do.
  std::string others(const sema::OrderTable& table, const order::OperationExplained& one) const {
    std::string text;
    std::vector<std::pair<size_t, size_t>> near;  // sides that do not match, and the rule
    size_t also = 0;
    for (size_t i = 0; i < one.rules.size(); ++i) {
      const Explanation& rule = one.rules[i];
      if (rule.outcome == Outcome::also_matches && also++ < max_alternatives) {
        text += "    also  " + rule_line(table.rules[i]);
      }
      // Later rules would not have been asked.
      if (rule.outcome == Outcome::stopped && i < one.rule) {
        near.emplace_back(size_t{rule.left.has_value()} + size_t{rule.right.has_value()}, i);
      }
    }
    if (also > max_alternatives) {
      text += fmt::format("          and {}\n", plural(also - max_alternatives, "more rule"));
    }
    std::ranges::sort(near);
    if (near.size() > max_alternatives) near.resize(max_alternatives);
    for (const auto& [sides, i] : near) {
      text += "    not   " + rule_line(table.rules[i]);
      for (const auto& stop : {one.rules[i].left, one.rules[i].right}) {
        if (stop) text += "          " + stopped(table, table.rules[i], *stop) + '\n';
      }
    }
    return text;
  }

  std::string stopped(const sema::OrderTable& table, sema::RuleId rule,
                      const order::Stop& stop) const {
    std::string text = fmt::format("fails at step {}: ", stop.step + 1);
    const std::string step = step_text(rule, stop.step);
    if (stop.place < -1 || stop.place > static_cast<order::Place>(sequence_.length)) {
      return text + fmt::format("nothing is {} the {} of the stream for {}",
                                stop.place < 0 ? "before" : "behind",
                                stop.place < 0 ? "start" : "end", step);
    }
    if (stop.labelled_by != order::no_rule) {
      const sema::RuleId by = table.rules[stop.labelled_by];
      return text + fmt::format("{} has the label {} already ({})", over_label(table, stop.place),
                                printable(program_.rules.get(by).label),
                                printable(classify::rule_place(rules_, by)));
    }
    return text + fmt::format("{} is not {}", over_label(table, stop.place), step);
  }

  const match::CompiledRules& rules_;
  const sema::Program& program_;
  const sema::Model& model_;
  const WhySequence& sequence_;
  bool color_;
};

/// What one call of the op costs.
std::string cost_text(const tables::OperationPlace& place) {
  std::string text;
  if (place.flops) text += fmt::format("{} FLOPs", text::grouped(*place.flops));
  if (place.bytes) {
    text += fmt::format("{}{} bytes", text.empty() ? "" : ", ", text::grouped(*place.bytes));
  }
  return text.empty() ? text : ": " + text;
}

std::string tools_text(const std::vector<tables::NextTool>& tools) {
  std::string text;
  for (const tables::NextTool& one : tools) {
    text += fmt::format("\n{}: {}\n", one.tool, one.note);
    if (!one.command.empty()) text += fmt::format("    {}\n", printable(one.command));
  }
  return text;
}

}  // namespace

std::string why_sequence_text(const match::CompiledRules& rules, const tables::Explanation& report,
                              bool color) {
  const WhySequence& sequence = *report.sequence;
  const SequenceText one(rules, sequence, color);
  const std::string as =
      fmt::format("as {}{}\n", report.model,
                  report.choice_why.empty() ? "" : ": " + printable(report.choice_why));
  if (report.place) {
    const tables::OperationPlace& place = *report.place;
    const WhySequence::Explained& explained = sequence.explained.front();
    std::string text = printable(report.name) + '\n';
    text += fmt::format("at {} ns, {} ns long, on device {}{} (operation {} of {})\n",
                        place.start_ns, place.duration_ns, place.device,
                        place.stream ? fmt::format(", stream {}", *place.stream) : "",
                        explained.at + 1, sequence.length);
    if (!place.module.empty()) text += fmt::format("in {}\n", printable(place.module));
    if (!place.op.empty()) text += fmt::format("op {}{}\n", printable(place.op), cost_text(place));
    if (!place.call_site.empty()) {
      text += fmt::format("called at {}\n", printable(place.call_site));
    }
    return text + as + '\n' + one.labels(explained.at) + "\n\n" + one.neighbours(explained, 3) +
           one.dimensions(explained, "") + tools_text(report.tools);
  }
  std::string text = plural(sequence.length, "operation") + " of a stream\n" + as;
  for (const WhySequence::Explained& explained : sequence.explained) {
    text += fmt::format("\n{} {}\n    {}\n", explained.at + 1, one.name(explained.at),
                        one.labels(explained.at));
    text += one.dimensions(explained, "    ");
  }
  return text;
}

}  // namespace kr::overview
