#include "compare/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/join.hpp"
#include "regex/regex.hpp"

namespace kr::compare {
namespace {

using prove::FormulaId;
using sema::Program;

/// What a clause means, without the names of its variables and without places.
std::string meaning(prove::Formulas& formulas, const Program& program,
                    const sema::CostClause& clause) {
  std::string text;
  const auto add = [&text](const auto&... parts) { ((text += fmt::format("{} ", parts)), ...); };
  if (clause.expr.valid()) {
    add("expr", formulas.of(program, clause.expr).index);
  } else {
    add("name", clause.name.size(), clause.name);
  }
  for (const sema::CostArgument& one : clause.arguments) {
    add("arg", static_cast<int>(one.kind), static_cast<int>(one.type), one.list, one.values.size());
    for (const int64_t value : one.values) add(value);
    for (const sema::CostDimension& dimension : one.dimensions) {
      add("dim", static_cast<int>(dimension.kind), dimension.rest, dimension.value,
          dimension.variable);
    }
  }
  for (const auto& [variable, formula] : clause.values) add("with", variable, formula);
  for (const sema::CostFormula& one : clause.formulas) {
    add("op", static_cast<int>(one.op), one.value, one.argument, one.name);
    for (const uint32_t argument : one.arguments) add(argument);
    add("of");
    for (const uint32_t operand : one.operands) add(operand);
  }
  for (const auto* amount : {&clause.flops, &clause.bytes}) {
    if (!*amount) {
      add("none");
    } else if ((*amount)->formula) {
      add("amount", *(*amount)->formula);
    } else {
      add("unknown");
    }
  }
  add("as", static_cast<int>(clause.type));
  return text;
}

class Settings {
 public:
  Settings(prove::Prover& prover, const Program& before, const Program& after)
      : prover_(prover), formulas_(prover.formulas()), before_(before), after_(after) {}

  SettingsCompared compare(const ModelPairs& pairs) && {
    std::set<std::pair<sema::EngineId, sema::EngineId>> engines;
    for (const ModelPair& pair : pairs.pairs) {
      const sema::Model& a = before_.models.get(pair.before);
      const sema::Model& b = after_.models.get(pair.after);
      if (engines.emplace(a.engine, b.engine).second) {
        const sema::Engine& one = before_.engines.get(a.engine);
        const sema::Engine& other = after_.engines.get(b.engine);
        where_ = one.name;
        titles(one.title, one.span, other.title, other.span);
        detects(one.detect, other.detect);
      }
      where_ = before_.title(pair.before);
      titles(a.title, a.span, b.title, b.span);
      detects(a.detect, b.detect);
      phase_numbers(a, b);
      folds(a, b);
      abbreviations(a, b);
      costs(a, b);
      labels(a, b);
    }
    std::ranges::stable_sort(made_.changes, {}, [](const SettingChange& one) { return one.what; });
    return std::move(made_);
  }

 private:
  using Side = SettingChange::Side;

  void add(Setting what, std::string subject, Side before, Side after, std::string example = {}) {
    const auto place = [](const Side& side) {
      return std::tuple(side.text, side.span.valid() ? side.span.file.index : UINT32_MAX,
                        side.span.begin);
    };
    const auto [at, added] =
        places_.try_emplace({what, subject, place(before), place(after)}, made_.changes.size());
    if (added) {
      made_.changes.push_back(
          {what, std::move(subject), std::move(before), std::move(after), {}, std::move(example)});
    }
    made_.changes[at->second].models.push_back(where_);
  }

  void titles(const std::string& a, source::Span a_span, const std::string& b,
              source::Span b_span) {
    if (a == b) return;
    add(Setting::title, {}, a.empty() ? Side{} : Side{a, a_span},
        b.empty() ? Side{} : Side{b, b_span});
  }

  static Side written(const Program& program, sema::ExprId expr) {
    return expr.valid() ? Side{{}, program.exprs.get(expr).span} : Side{};
  }

  /// A name that matches the first and none of the others; none: there is none, or it is not known.
  std::optional<std::string> only_in(FormulaId one, const std::vector<FormulaId>& others) {
    const prove::Finding finding = prover_.find(one, others);
    if (finding.found()) return to_string(finding.witness);
    if (!finding.none()) made_.proven = false;
    return std::nullopt;
  }

  /// A name that one of two expressions matches and not the other; an invalid one matches none.
  std::optional<std::string> difference(sema::ExprId a, sema::ExprId b) {
    const FormulaId one = a.valid() ? formulas_.of(before_, a) : formulas_.never();
    const FormulaId other = b.valid() ? formulas_.of(after_, b) : formulas_.never();
    if (one == other) return std::nullopt;
    if (auto found = only_in(one, {other})) return found;
    return only_in(other, {one});
  }

  void detects(sema::ExprId a, sema::ExprId b) {
    if (auto example = difference(a, b)) {
      add(Setting::detect, {}, written(before_, a), written(after_, b), std::move(*example));
    }
  }

  /// The named groups of the rules of `phases`, by label.
  static std::map<std::string, std::string> groups(const Program& program, const sema::Model& model,
                                                   std::map<std::string, source::Span>& spans) {
    std::map<std::string, std::string> by_label;
    for (const sema::RuleId id : model.phases) {
      const sema::Rule& rule = program.rules.get(id);
      sema::each_part(program, {rule.expr}, [&](const sema::Expr& expr) {
        if (expr.op == sema::ExprOp::atom) {
          const regex::Regex& regex = program.atoms.get(expr.atom).regex;
          if (!regex::group_names(regex).empty()) {
            by_label[rule.label] += regex::to_re2(regex) + '\n';
            spans.try_emplace(rule.label, rule.span);
          }
        }
        return true;
      });
    }
    return by_label;
  }

  void phase_numbers(const sema::Model& a, const sema::Model& b) {
    std::map<std::string, source::Span> a_spans, b_spans;
    const auto one = groups(before_, a, a_spans);
    const auto other = groups(after_, b, b_spans);
    std::set<std::string> labels;
    for (const auto* side : {&one, &other}) {
      for (const auto& [label, text] : *side) labels.insert(label);
    }
    for (const std::string& label : labels) {
      const auto in = [&](const auto& side) {
        const auto at = side.find(label);
        return at == side.end() ? std::string() : at->second;
      };
      if (in(one) == in(other)) continue;
      const auto side_of = [&](const std::map<std::string, source::Span>& spans) {
        const auto at = spans.find(label);
        return at == spans.end() ? Side{} : Side{{}, at->second};
      };
      add(Setting::phase_numbers, label, side_of(a_spans), side_of(b_spans));
    }
  }

  void folds(const sema::Model& a, const sema::Model& b) {
    const auto all = [this](const Program& program, const sema::Model& model) {
      std::vector<FormulaId> ids;
      for (const sema::Fold& fold : model.folds) ids.push_back(formulas_.of(program, fold.expr));
      return ids;
    };
    const std::vector<FormulaId> ones = all(before_, a);
    const std::vector<FormulaId> others = all(after_, b);
    for (size_t i = 0; i < ones.size(); ++i) {
      if (auto name = only_in(ones[i], others)) {
        add(Setting::fold, {}, {{}, a.folds[i].span}, {}, std::move(*name));
      }
    }
    for (size_t i = 0; i < others.size(); ++i) {
      if (auto name = only_in(others[i], ones)) {
        add(Setting::fold, {}, {}, {{}, b.folds[i].span}, std::move(*name));
      }
    }
  }

  /// Those of one list that the other lacks, and common ones that change their order, by keys.
  /// `at(i, j)` is called with a place on each side; nothing: not there.
  template <class At>
  static void sequence_changes(const std::vector<std::string>& a, const std::vector<std::string>& b,
                               const At& at) {
    const size_t width = b.size() + 1;
    std::vector<uint32_t> common((a.size() + 1) * width, 0);
    for (size_t i = a.size(); i-- > 0;) {
      for (size_t j = b.size(); j-- > 0;) {
        common[i * width + j] =
            a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                         : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
      }
    }
    std::vector<size_t> only_a, only_b;
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      if (i < a.size() && j < b.size() && a[i] == b[j]) {
        ++i;
        ++j;
      } else if (j == b.size() ||
                 (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
        only_a.push_back(i++);
      } else {
        only_b.push_back(j++);
      }
    }
    for (const size_t one : only_a) {
      const auto moved =
          std::ranges::find_if(only_b, [&](size_t other) { return b[other] == a[one]; });
      if (moved == only_b.end()) {
        at(std::optional(one), std::optional<size_t>());
      } else {
        at(std::optional(one), std::optional(*moved));
        only_b.erase(moved);
      }
    }
    for (const size_t other : only_b) at(std::optional<size_t>(), std::optional(other));
  }

  void abbreviations(const sema::Model& a, const sema::Model& b) {
    const auto keys = [](const sema::Model& model) {
      std::vector<std::string> all;
      for (const sema::Abbreviation& one : model.abbreviations) {
        all.push_back(fmt::format("{} {} {}", one.from.size(), one.from, one.to));
      }
      return all;
    };
    sequence_changes(keys(a), keys(b), [&](std::optional<size_t> i, std::optional<size_t> j) {
      add(Setting::abbreviation, i && j ? "order" : "",
          i ? Side{{}, a.abbreviations[*i].span} : Side{},
          j ? Side{{}, b.abbreviations[*j].span} : Side{});
    });
  }

  void costs(const sema::Model& a, const sema::Model& b) {
    const auto keys = [this](const Program& program, const sema::Model& model) {
      std::vector<std::string> all;
      for (const sema::CostId id : model.costs) {
        all.push_back(meaning(formulas_, program, program.costs.get(id)));
      }
      return all;
    };
    // A clause that another one of the same ops replaces is one change.
    struct Only {
      std::optional<size_t> before;
      std::optional<size_t> after;
    };
    std::vector<Only> only;
    sequence_changes(keys(before_, a), keys(after_, b),
                     [&](std::optional<size_t> i, std::optional<size_t> j) {
                       only.push_back({i, j});
                     });
    const auto op_of = [](const Program& program, sema::CostId id) {
      const sema::CostClause& clause = program.costs.get(id);
      return clause.expr.valid() ? std::string() : clause.name;
    };
    for (size_t i = 0; i < only.size(); ++i) {
      if (!only[i].before || only[i].after) continue;
      const std::string op = op_of(before_, a.costs[*only[i].before]);
      for (size_t j = i + 1; j < only.size() && !op.empty(); ++j) {
        if (only[j].before || op_of(after_, b.costs[*only[j].after]) != op) continue;
        only[i].after = only[j].after;
        only.erase(only.begin() + static_cast<std::ptrdiff_t>(j));
        break;
      }
    }
    for (const Only& one : only) {
      if (one.before && one.after && only_moved(a, *one.before, b, *one.after)) continue;
      const auto side = [](const Program& program, const sema::Model& model,
                           std::optional<size_t> at) {
        return at ? Side{{}, program.costs.get(model.costs[*at]).span} : Side{};
      };
      add(Setting::cost,
          one.before ? op_of(before_, a.costs[*one.before]) : op_of(after_, b.costs[*one.after]),
          side(before_, a, one.before), side(after_, b, one.after));
    }
  }

  /// Whether a clause has the same meaning on both sides, and no other one can fit its op: then its
  /// place has no effect.
  bool only_moved(const sema::Model& a, size_t i, const sema::Model& b, size_t j) {
    const sema::CostClause& one = before_.costs.get(a.costs[i]);
    const sema::CostClause& other = after_.costs.get(b.costs[j]);
    if (one.expr.valid() || meaning(formulas_, before_, one) != meaning(formulas_, after_, other)) {
      return false;
    }
    const auto alone = [&](const Program& program, const sema::Model& model) {
      return std::ranges::count_if(model.costs, [&](sema::CostId id) {
               const sema::CostClause& clause = program.costs.get(id);
               return clause.expr.valid() || clause.name == one.name;
             }) == 1;
    };
    return alone(before_, a) && alone(after_, b);
  }

  static std::string declared(const sema::Label& label) {
    std::string text = label.name;
    if (!label.title.empty()) text += fmt::format(" \"{}\"", label.title);
    if (!label.color.empty()) text += " color " + label.color;
    return text;
  }

  void labels(const sema::Model& a, const sema::Model& b) {
    std::set<std::string> dimensions;
    const auto collect = [&](const Program& program, const sema::Model& model) {
      for (const sema::Table& one : model.tables) {
        dimensions.insert(program.dimensions.get(one.dimension).name);
      }
      for (const sema::OrderTable& one : model.order_tables) {
        dimensions.insert(program.dimensions.get(one.dimension).name);
      }
    };
    collect(before_, a);
    collect(after_, b);
    const auto table_of = [](const Program& program, const sema::Model& model,
                             const std::string& name) -> const sema::Table* {
      const auto id = program.dimension(name);
      return id ? model.any_table(*id) : nullptr;
    };
    static const std::vector<sema::Label> none;
    for (const std::string& dimension : dimensions) {
      const sema::Table* one = table_of(before_, a, dimension);
      const sema::Table* other = table_of(after_, b, dimension);
      const auto side = [](const sema::Label* label) {
        return label != nullptr ? Side{declared(*label), label->span} : Side{};
      };
      for (const sema::Label& label : one != nullptr ? one->vocabulary : none) {
        const sema::Label* same = other != nullptr ? other->find(label.name) : nullptr;
        if (same != nullptr && declared(*same) == declared(label)) continue;
        add(Setting::label, dimension + ' ' + label.name, side(&label), side(same));
      }
      for (const sema::Label& label : other != nullptr ? other->vocabulary : none) {
        if (one != nullptr && one->find(label.name) != nullptr) continue;
        add(Setting::label, dimension + ' ' + label.name, {}, side(&label));
      }
    }
  }

  prove::Prover& prover_;
  prove::Formulas& formulas_;
  const Program& before_;
  const Program& after_;
  std::string where_;
  SettingsCompared made_;
  using Place = std::tuple<std::string, uint32_t, uint32_t>;
  std::map<std::tuple<Setting, std::string, Place, Place>, size_t> places_;
};

}  // namespace

std::string_view to_string(Setting what) noexcept {
  constexpr std::array<std::string_view, 7> words{
      "title", "detect", "numbers of a phase", "fold", "abbreviation", "cost", "label"};
  return words[static_cast<size_t>(what)];
}

SettingsCompared compare_settings(prove::Prover& prover, const Program& before,
                                  const Program& after, const ModelPairs& pairs) {
  return Settings(prover, before, after).compare(pairs);
}

}  // namespace kr::compare
