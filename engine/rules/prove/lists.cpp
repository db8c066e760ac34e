#include "prove/lists.hpp"

#include <map>

namespace kr::prove {
namespace {

/// Whether only blanks and `|` are between two places.
bool only_bar_between(const source::SourceMap& sources, source::Span first, source::Span second) {
  if (first.end > second.begin) return false;
  const std::string_view between = sources.text({first.file, first.end, second.begin});
  return between.find_first_not_of(" \t\r\n|") == std::string_view::npos;
}

class Collector {
 public:
  Collector(Formulas& formulas, const sema::Program& program, const source::SourceMap& sources)
      : formulas_(formulas), program_(program), sources_(sources) {}

  void collect(sema::ExprId id, source::Span place) {
    const sema::Expr& expr = program_.exprs.get(id);
    if (expr.op == sema::ExprOp::disjunction && expr.places.size() == expr.operands.size() &&
        lies_in(expr.span, place)) {
      collect_operands(expr);
      return;
    }
    if (expr.op == sema::ExprOp::atom && collect_regex(program_.atoms.get(expr.atom), place))
      return;
    found_.push_back({formulas_.of(program_, id), place, std::nullopt});
  }

  std::vector<Alternative> take() && { return std::move(found_); }

 private:
  void collect_operands(const sema::Expr& expr) {
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      const size_t first = found_.size();
      collect(expr.operands[i], expr.places[i]);
      if (found_.size() == first + 1) found_[first].cut = cut(expr.places, i);
    }
  }

  std::optional<diag::Edit> cut(const std::vector<source::Span>& places, size_t i) const {
    const source::Span own = places[i];
    if (i > 0 && only_bar_between(sources_, places[i - 1], own)) {
      return diag::Edit{{own.file, places[i - 1].end, own.end}, ""};
    }
    if (i == 0 && places.size() > 1 && only_bar_between(sources_, own, places[1])) {
      return diag::Edit{{own.file, own.begin, places[1].begin}, ""};
    }
    return std::nullopt;
  }

  bool collect_regex(const sema::Atom& atom, source::Span place) {
    const regex::Node& root = atom.regex.nodes.get(atom.regex.root);
    if (root.kind != regex::NodeKind::alternation) return false;
    std::vector<source::Span> places;
    for (const regex::NodeId operand : root.operands) {
      places.push_back(atom.regex.nodes.get(operand).span);
      // An atom that is written more than once has only the places of its first occurrence.
      if (!places.back().valid() || !lies_in(places.back(), place)) return false;
    }
    for (size_t i = 0; i < places.size(); ++i) {
      // Copy only the part: copies of the whole would be quadratic in the alternatives.
      regex::Regex one;
      one.root = one.add_copy(atom.regex, root.operands[i]);
      found_.push_back({formulas_.atom(std::move(one)), places[i], cut(places, i)});
    }
    return true;
  }

  Formulas& formulas_;
  const sema::Program& program_;
  const source::SourceMap& sources_;
  std::vector<Alternative> found_;
};

}  // namespace

std::vector<EffectiveList> effective_lists(const sema::Program& program, Formulas& formulas) {
  std::vector<EffectiveList> lists;
  std::map<std::pair<std::vector<sema::RuleId>, std::optional<sema::RuleId>>, size_t> known;
  const auto add = [&](std::string whose, std::optional<sema::ModelId> model,
                       const std::vector<sema::RuleId>& rules,
                       std::optional<sema::RuleId> otherwise) {
    const auto [at, added] = known.emplace(std::pair{rules, otherwise}, lists.size());
    if (!added) {
      EffectiveList& same = lists[at->second];
      same.whose += ", " + whose;
      if (!same.model) same.model = model;
      return;
    }
    EffectiveList list{std::move(whose), model, {}, otherwise};
    for (const sema::RuleId id : rules) {
      const sema::Rule& rule = program.rules.get(id);
      if (rule.otherwise) {
        list.otherwise = id;  // in `phases` it is among the rules
      } else {
        list.rules.push_back({id, formulas.of(program, rule.expr)});
      }
    }
    lists.push_back(std::move(list));
  };
  // Models that share rules have other expressions for where a `refine` applies: the same formula.
  std::map<std::pair<std::vector<sema::RuleId>, FormulaId>, size_t> known_refinements;
  const auto add_refinements = [&](const std::string& whose, sema::ModelId model,
                                   const sema::Table& table) {
    for (size_t first = 0; first < table.refinements;) {
      const sema::ExprId where = table.refined[first].where;
      EffectiveList list{whose, model, {}, std::nullopt};
      list.where = where;
      std::vector<sema::RuleId> rules;
      for (; first < table.refinements && table.refined[first].where == where; ++first) {
        const sema::RuleId rule = table.rules[first];
        rules.push_back(rule);
        list.rules.push_back({rule, formulas.of(program, program.rules.get(rule).expr)});
      }
      list.outside = formulas.negation(formulas.of(program, where));
      const auto [at, added] =
          known_refinements.emplace(std::pair{std::move(rules), list.outside}, lists.size());
      if (added) {
        lists.push_back(std::move(list));
      } else {
        lists[at->second].whose += ", " + whose;
      }
    }
  };
  for (const sema::SharedTable& table : program.shared_tables) {
    add("table " + table.name, std::nullopt, table.rules, table.otherwise);
  }
  for (const sema::Engine& engine : program.engines) {
    for (const sema::ModelId id : engine.models) {
      const sema::Model& model = program.models.get(id);
      for (const sema::Table& table : model.tables) {
        add_refinements(program.title(id), id, table);
        if (table.from.valid()) continue;  // its rules are those of another table
        add(program.title(id), id, {table.rules.begin() + table.refinements, table.rules.end()},
            table.otherwise);
      }
      if (!model.phases.empty()) add(program.title(id), id, model.phases, std::nullopt);
    }
  }
  return lists;
}

bool lies_in(source::Span inner, source::Span outer) {
  return inner.valid() && inner.file == outer.file && inner.begin >= outer.begin &&
         inner.end <= outer.end;
}

std::vector<Alternative> alternatives_of(Formulas& formulas, const sema::Program& program,
                                         const source::SourceMap& sources, sema::ExprId expr,
                                         source::Span place) {
  Collector collector(formulas, program, sources);
  collector.collect(expr, place);
  return std::move(collector).take();
}

}  // namespace kr::prove
