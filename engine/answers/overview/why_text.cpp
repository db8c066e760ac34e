// `kr why` for people.
#include "overview/why_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/join.hpp"
#include "base/plural.hpp"
#include "cost/costed_run.hpp"
#include "overview/overview.hpp"
#include "tables/explanation.hpp"
#include "text/names.hpp"
#include "text/text_grid.hpp"

namespace kr::overview {
namespace {

/// Parts of the name that a rule's texts match, between marks; parts far from them are omitted.
std::string marked(const std::string& name, const classify::WhyOutcome& outcome, bool color) {
  constexpr size_t around = 24;
  std::string text;
  size_t at = 0;
  for (size_t i = 0; i < outcome.spans.size() && i < 8; ++i) {
    const auto [begin, end] = outcome.spans[i];
    if (begin > at + 2 * around || (i == 0 && begin > around)) {
      text += "…";
      at = begin - around;
    }
    text += printable(std::string_view(name).substr(at, begin - at));
    const std::string inside = printable(std::string_view(name).substr(begin, end - begin));
    text += color ? fmt::format("\x1b[1;4m{}\x1b[0m", inside) : fmt::format("[{}]", inside);
    at = end;
    const size_t next = i + 1 < outcome.spans.size() ? outcome.spans[i + 1].first : name.size();
    if (next > at + 2 * around || i + 1 == outcome.spans.size()) {
      const size_t stop = std::min({next, at + around, name.size()});
      text += printable(std::string_view(name).substr(at, stop - at));
      at = stop;
    }
  }
  if (at < name.size()) text += "…";
  return text;
}

/// The clauses of an op's cost: the first whose arguments fit gives it.
std::string costs_text(const match::CompiledRules& rules, const tables::Explanation& report) {
  std::string text;
  for (const sema::CostId id : report.costs) {
    const sema::CostClause& clause = rules.program().costs.get(id);
    text += fmt::format("    {}  {}   {}\n", text.empty() ? "by  " : "else",
                        printable(rules.sources().place(clause.span)),
                        printable(classify::on_one_line(rules, clause.span)));
  }
  return text.empty() ? text : "\ncost: of the first clause that fits its arguments\n" + text;
}

const std::string& from_dimension(const match::CompiledRules& rules, sema::RuleId rule) {
  return rules.program().dimensions.get(rules.program().rules.get(rule).dimension).name;
}

std::string outcome_text(const match::CompiledRules& rules, const tables::Explanation& report,
                         const classify::WhyOutcome& outcome, bool color) {
  std::string text =
      color ? fmt::format("\x1b[1m{}\x1b[0m", printable(outcome.label)) : printable(outcome.label);
  if (!outcome.conditions.empty()) {
    text += fmt::format("   when {}", join(outcome.conditions, " and "));
  }
  text += '\n';
  if (outcome.rule) {
    text +=
        fmt::format("    by    {}   {}\n", printable(classify::rule_place(rules, *outcome.rule)),
                    short_rule(rules, *outcome.rule));
  } else {
    text += "    by    no rule\n";
  }
  if (!outcome.spans.empty()) {
    text += fmt::format("    in    {}\n", marked(report.name, outcome, color));
  }
  for (const classify::WhyRule& one : outcome.refined) {
    text += fmt::format("    from  {}   {}\n", printable(classify::rule_place(rules, one.rule)),
                        short_rule(rules, one.rule));
  }
  for (const classify::WhyRule& one : outcome.image) {
    text += fmt::format("    as    {} is `{}`\n", from_dimension(rules, one.rule),
                        printable(one.label));
  }
  for (const classify::WhyRule& also : outcome.also) {
    text += fmt::format("    also  {}   {}\n", printable(classify::rule_place(rules, also.rule)),
                        short_rule(rules, also.rule));
  }
  return text;
}

/// Of order rules: in whose brackets the name can stand, and what else it can get.
std::string neighbours_text(const match::CompiledRules& rules,
                            const classify::WhyDimension& dimension, bool color) {
  std::string text = "depends on neighbours";
  if (dimension.chains > 0) text += ": " + plural(dimension.chains, "rule");
  text += '\n';
  std::string last;
  for (const classify::WhyOutcome& outcome : dimension.outcomes) {
    const bool other = !outcome.rule || rules.program().rules.get(*outcome.rule).otherwise;
    if (!other) {
      text += fmt::format("    {}  {}   {}\n", outcome.conditions.empty() ? "by  " : "if  ",
                          printable(classify::rule_place(rules, *outcome.rule)),
                          short_rule(rules, *outcome.rule));
      continue;
    }
    last += fmt::format("    else  {}\n",
                        text::inked(printable(outcome.label), text::Ink::bold, color));
  }
  if (dimension.continues) text += "    else  the label of the operation before it (continue)\n";
  return text + last;
}

}  // namespace

std::string short_rule(const match::CompiledRules& rules, sema::RuleId rule) {
  constexpr size_t longest = 160;
  std::string text = classify::rule_on_one_line(rules, rule);
  if (text.size() > longest) text = text.substr(0, longest) + " …";
  return printable(text);
}

std::string why_text(const match::CompiledRules& rules, const tables::Explanation& report,
                     TableOptions options) {
  if (report.sequence) return why_sequence_text(rules, report, options.color);
  std::string text = printable(report.name) + '\n';
  const std::string shown = text::short_name(report.name);
  if (shown != printable(report.name)) text += fmt::format("shown as {}\n", shown);
  text += fmt::format("as {}{}\n", report.model,
                      report.choice_why.empty() ? "" : ": " + report.choice_why);
  for (const classify::WhyDimension& dimension : report.dimensions) {
    const std::string& name = rules.program().dimensions.get(dimension.dimension).name;
    if (dimension.chains > 0 || dimension.continues) {
      text += fmt::format("\n{}: {}", name, neighbours_text(rules, dimension, options.color));
      continue;
    }
    for (const classify::WhyOutcome& outcome : dimension.outcomes) {
      text += fmt::format("\n{}: {}", name, outcome_text(rules, report, outcome, options.color));
    }
  }
  return text + costs_text(rules, report);
}

}  // namespace kr::overview
