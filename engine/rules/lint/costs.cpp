// KR322, KR323, KR324: formulas of costs that use what is not known, dimensions that no formula
// uses, and clauses that an earlier one always shadows.
#include <algorithm>
#include <map>
#include <set>

#include "base/nearest.hpp"
#include "lint/checks.hpp"
#include "match/evaluate.hpp"
#include "prove/lists.hpp"
#include "sema/phase_number.hpp"

namespace kr::lint {
namespace {

using sema::CostArgument;
using sema::CostClause;
using sema::CostDimension;
using sema::CostFormula;

/// The numbers that a phase may have: kr's own, and the named groups of the rules.
std::set<std::string> phase_numbers(const sema::Program& program) {
  std::set<std::string> names{"step", "layer", "batch", "tokens"};
  names.insert(sema::cost_number_names.begin(), sema::cost_number_names.end());
  for (const sema::Atom& atom : program.atoms) {
    for (const std::string& name : regex::group_names(atom.regex)) names.insert(name);
  }
  return names;
}

void check_numbers(const CostClause& clause, const std::set<std::string>& known, diag::Sink& sink) {
  for (const CostFormula& formula : clause.formulas) {
    if (formula.op != CostFormula::Op::phase || known.contains(formula.name)) continue;
    diag::Diagnostic& added = sink.add(diag::code::unknown_number, formula.span, formula.name);
    std::vector<std::string> names(clause.variables);
    names.insert(names.end(), known.begin(), known.end());
    if (const auto near = nearest(formula.name, names)) {
      added.help("did you mean `{}`?", *near);
    } else {
      added.help(
          "names are those of dimensions, of values after `with`, and of numbers that `phases` "
          "takes from a step");
    }
  }
}

void check_dimensions(const CostClause& clause, diag::Sink& sink) {
  std::vector<size_t> uses(clause.variables.size());
  std::vector<source::Span> places(clause.variables.size());
  for (const CostArgument& argument : clause.arguments) {
    for (const CostDimension& one : argument.dimensions) {
      if (one.kind != CostDimension::Kind::variable) continue;
      // The second time, it has to be equal.
      if (places[one.variable].valid()) ++uses[one.variable];
      places[one.variable] = one.span;
    }
  }
  for (const CostFormula& formula : clause.formulas) {
    if (formula.op == CostFormula::Op::variable) ++uses[static_cast<size_t>(formula.value)];
  }
  for (size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] > 0) continue;
    const bool value = i >= clause.dimensions;
    sink.add(diag::code::unused_dimension, value ? clause.name_span : places[i],
             clause.variables[i])
        .help_ = value ? "remove it from `with`" : "write `_`";
  }
}

/// Whether all tensors that fit `b` fit `a`; `equal` collects the values of variables of `a`.
class ShapeCover {
 public:
  bool covers(const CostArgument& a, const CostArgument& b) {
    if (a.kind == CostArgument::Kind::any) return true;
    if (a.kind != b.kind) return false;
    if (a.kind == CostArgument::Kind::values) return a.list == b.list && a.values == b.values;
    if (a.type != ElementType::unknown && a.type != b.type) return false;
    const bool a_rest = !a.dimensions.empty() && a.dimensions.front().rest;
    const bool b_rest = !b.dimensions.empty() && b.dimensions.front().rest;
    const size_t a_single = a.dimensions.size() - (a_rest ? 1 : 0);
    const size_t b_single = b.dimensions.size() - (b_rest ? 1 : 0);
    if (a_rest ? b_single < a_single : b_rest || a_single != b_single) return false;
    // `..` matches any number of dimensions only if its variable has no other value.
    if (a_rest && a.dimensions.front().kind != CostDimension::Kind::any &&
        !stands_for(a.dimensions.front(), 'r', -1)) {
      return false;
    }
    for (size_t i = 0; i < a_single; ++i) {
      const CostDimension& of_a = a.dimensions[a.dimensions.size() - 1 - i];
      const CostDimension& of_b = b.dimensions[b.dimensions.size() - 1 - i];
      const bool same_number = of_b.kind == CostDimension::Kind::number && of_b.value == of_a.value;
      switch (of_a.kind) {
        case CostDimension::Kind::any:
          break;
        case CostDimension::Kind::number:
          if (!same_number) return false;
          break;
        case CostDimension::Kind::variable: {
          const bool number = of_b.kind == CostDimension::Kind::number;
          const bool any = of_b.kind == CostDimension::Kind::any;
          const int64_t value = number ? of_b.value : any ? fresh_-- : of_b.variable;
          if (!stands_for(of_a, number ? 'n' : 'v', value)) return false;
          break;
        }
      }
    }
    return true;
  }

 private:
  bool stands_for(const CostDimension& of_a, char kind, int64_t value) {
    const std::pair<char, int64_t> what(kind, kind == 'r' ? fresh_-- : value);
    return known_.emplace(of_a.variable, what).first->second == what;
  }
  std::map<uint32_t, std::pair<char, int64_t>> known_;
  int64_t fresh_ = -2;  // a dimension that nothing else has to equal
};

bool covers_arguments(const CostClause& a, const CostClause& b) {
  ShapeCover cover;
  for (size_t i = 0; i < a.arguments.size(); ++i) {
    const CostArgument any;
    if (!cover.covers(a.arguments[i], i < b.arguments.size() ? b.arguments[i] : any)) return false;
  }
  return std::ranges::none_of(a.formulas, [](const CostFormula& formula) {
    return formula.op ==
           CostFormula::Op::divide;  // where it leaves a rest, the clause does not fit
  });
}

class Shadows {
 public:
  Shadows(const Context& context, diag::Sink& sink)
      : context_(context),
        program_(context.program()),
        sink_(sink),
        scanner_(context.compiled.database),
        prover_(formulas_, {}, context.options.proofs, &context.allowance) {}

  void check(const std::vector<sema::CostId>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      const CostClause& clause = program_.costs.get(list[i]);
      if (!context_.is_root(clause.span.file)) continue;
      for (size_t j = 0; j < i && !reported_.contains(list[i]); ++j) {
        const CostClause& above = program_.costs.get(list[j]);
        if (list[i] == list[j] || !covers_arguments(above, clause)) continue;
        if (covers_name(above, clause)) report(list[i], clause, above);
      }
    }
  }

 private:
  bool covers_name(const CostClause& a, const CostClause& b) {
    if (!a.expr.valid()) return !b.expr.valid() && a.name == b.name;
    if (!b.expr.valid()) {
      match::AtomSet set(program_.atoms.size());
      scanner_.scan(b.name, set);
      return match::holds(program_, a.expr, {.name = &set});
    }
    if (a.expr == b.expr) return true;
    const prove::FormulaId excluded[] = {formula(a.expr)};
    return prover_.find(formula(b.expr), excluded).none();
  }

  prove::FormulaId formula(sema::ExprId expr) { return formulas_.of(program_, expr); }

  void report(sema::CostId id, const CostClause& clause, const CostClause& above) {
    reported_.insert(id);
    sink_
        .add(diag::code::shadowed_clause, clause.name_span,
             context_.sources().text(clause.name_span))
        .related(above.span, "this clause fits first")
        .help("move it above the other clause, or remove it");
  }

  const Context& context_;
  const sema::Program& program_;
  diag::Sink& sink_;
  match::Scanner scanner_;
  prove::Formulas formulas_;
  prove::Prover prover_;
  std::set<sema::CostId> reported_;
};

}  // namespace

void check_costs(const Context& context, diag::Sink& sink) {
  const sema::Program& program = context.program();
  if (program.root_costs.empty()) return;
  const std::set<std::string> known = phase_numbers(program);
  for (const sema::CostId id : program.root_costs) {
    check_numbers(program.costs.get(id), known, sink);
    check_dimensions(program.costs.get(id), sink);
  }
  Shadows shadows(context, sink);
  for (const sema::Model& model : program.models) shadows.check(model.costs);
  for (const sema::LoadedFile* file : context.roots) {
    for (const syntax::CostBlock& block : file->tree.costs) {
      std::vector<sema::CostId> list;
      for (const sema::CostId id : program.root_costs) {
        const source::Span span = program.costs.get(id).span;
        if (span.file == block.span.file && span.begin >= block.span.begin &&
            span.end <= block.span.end) {
          list.push_back(id);
        }
      }
      shadows.check(list);
    }
  }
}

}  // namespace kr::lint
