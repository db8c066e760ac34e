// The names of one clause of a `cost` block, and of a test of a cost.
#include <algorithm>
#include <array>

#include "sema/costs.hpp"

namespace kr::sema {
namespace {

using Op = CostFormula::Op;

/// A function of formulas.
struct CostFunction {
  std::string_view name;
  Op op;
  enum class Takes : uint8_t { argument, arguments, two, several } takes;
  std::string_view what;  // it takes, for a message
};

constexpr std::array cost_functions{
    CostFunction{"size", Op::size, CostFunction::Takes::argument, "the place of an argument"},
    CostFunction{"elements", Op::elements, CostFunction::Takes::argument,
                 "the place of an argument"},
    CostFunction{"bytes", Op::bytes, CostFunction::Takes::argument, "the place of an argument"},
    CostFunction{"arg", Op::scalar, CostFunction::Takes::argument, "the place of an argument"},
    CostFunction{"broadcast", Op::broadcast, CostFunction::Takes::arguments,
                 "the places of arguments"},
    CostFunction{"ceil_div", Op::ceil_div, CostFunction::Takes::two, "two values"},
    CostFunction{"min", Op::min, CostFunction::Takes::several, "two or more values"},
    CostFunction{"max", Op::max, CostFunction::Takes::several, "two or more values"},
    CostFunction{"product", Op::multiply, CostFunction::Takes::several,
                 "values, or a list: `product(arg(3))`"},
};

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  names.reserve(cost_functions.size());
  for (const CostFunction& one : cost_functions) names.emplace_back(one.name);
  return names;
}

ElementType cost_type(const syntax::Word& word, diag::Sink& sink) {
  const ElementType type = element_type_of_word(word.text);
  if (type == ElementType::unknown) {
    sink.add(diag::code::unknown_type, word.span, word.text)
        .help("types are fp64, fp32, fp16, bf16, fp8, fp4, int64, int32, int16, int8 and bool");
  }
  return type;
}

/// The value of `true` or `false`.
std::optional<int64_t> truth_of(const syntax::CostArgument& written, diag::Sink& sink) {
  if (written.word.text == "true") return 1;
  if (written.word.text == "false") return 0;
  sink.add(diag::code::wrong_argument, written.span, written.word.text)
      .help("write a shape `[M, K]`, `_`, a number, `true`, `false` or a list `(1, 1)`");
  return std::nullopt;
}

class FormulaReader {
 public:
  FormulaReader(const syntax::File& tree, CostClause& clause, diag::Sink& sink)
      : tree_(tree), clause_(clause), sink_(sink) {}

  /// The place of the node in the clause's formulas.
  uint32_t read(syntax::FormulaId id) {
    const syntax::Formula& written = tree_.formulas.get(id);
    CostFormula made;
    made.span = written.span;
    switch (written.kind) {
      case syntax::FormulaKind::number:
        made.value = written.value;
        break;
      case syntax::FormulaKind::name:
        name(written, made);
        break;
      case syntax::FormulaKind::call:
        call(written, made);
        break;
      case syntax::FormulaKind::index:
        index(written, made);
        break;
      case syntax::FormulaKind::add:
      case syntax::FormulaKind::subtract:
      case syntax::FormulaKind::multiply:
      case syntax::FormulaKind::divide:
        made.op = written.kind == syntax::FormulaKind::add        ? Op::add
                  : written.kind == syntax::FormulaKind::subtract ? Op::subtract
                  : written.kind == syntax::FormulaKind::multiply ? Op::multiply
                                                                  : Op::divide;
        for (const syntax::FormulaId operand : written.operands) {
          made.operands.push_back(read(operand));
        }
        break;
    }
    clause_.formulas.push_back(std::move(made));
    return static_cast<uint32_t>(clause_.formulas.size() - 1);
  }

 private:
  void name(const syntax::Formula& written, CostFormula& made) {
    if (written.name == "size") {
      made.op = Op::size;
      made.argument = CostFormula::first_tensor;
      return;
    }
    const auto variable = std::ranges::find(clause_.variables, written.name);
    if (variable != clause_.variables.end()) {
      made.op = Op::variable;
      made.value = variable - clause_.variables.begin();
      return;
    }
    made.op = Op::phase;
    made.name = written.name;
  }

  std::optional<uint32_t> place(syntax::FormulaId id) const {
    constexpr int64_t most = 1000;
    const syntax::Formula& written = tree_.formulas.get(id);
    if (written.kind != syntax::FormulaKind::number || written.value > most) return std::nullopt;
    return static_cast<uint32_t>(written.value);
  }

  void call(const syntax::Formula& written, CostFormula& made) {
    const auto function = std::ranges::find(cost_functions, written.name, &CostFunction::name);
    if (function == cost_functions.end()) {
      diag::Diagnostic& added = sink_.add(diag::code::unknown_function, written.span, written.name);
      suggest(added, written.name, function_names(), "", sink_);
      return;
    }
    made.op = function->op;
    const std::vector<syntax::FormulaId>& operands = written.operands;
    if (whole_list(written)) {
      made.op = Op::list;
      made.argument = place(tree_.formulas.get(operands[0]).operands[0]).value_or(0);
      return;
    }
    using Takes = CostFunction::Takes;
    bool right = operands.size() >= (function->takes == Takes::arguments ? 1 : 2);
    if (function->takes == Takes::argument) right = operands.size() == 1;
    if (function->takes == Takes::two) right = operands.size() == 2;
    if (function->takes == Takes::argument || function->takes == Takes::arguments) {
      for (const syntax::FormulaId operand : operands) {
        const auto argument = place(operand);
        right = right && argument.has_value();
        made.argument = argument.value_or(0);
        made.arguments.push_back(made.argument);
      }
    } else {
      for (const syntax::FormulaId operand : operands) made.operands.push_back(read(operand));
    }
    if (!right) {
      sink_.add(diag::code::wrong_call, written.span, written.name, function->what)
          .help("places of arguments are counted from 0");
    }
  }

  /// `product(arg(3))`.
  bool whole_list(const syntax::Formula& written) const {
    if (written.name != "product" || written.operands.size() != 1) return false;
    const syntax::Formula& only = tree_.formulas.get(written.operands[0]);
    return only.kind == syntax::FormulaKind::call && only.name == "arg" &&
           only.operands.size() == 1 && place(only.operands[0]).has_value();
  }

  void index(const syntax::Formula& written, CostFormula& made) {
    const syntax::Formula& of = tree_.formulas.get(written.operands[0]);
    made.op = Op::entry;
    made.value = written.value;
    if (of.kind == syntax::FormulaKind::call && of.name == "arg" && of.operands.size() == 1) {
      if (const auto argument = place(of.operands[0])) {
        made.argument = *argument;
        return;
      }
    }
    sink_.add(diag::code::wrong_call, written.span, "[…]", "a list: `arg(3)[0]`");
  }

  const syntax::File& tree_;
  CostClause& clause_;
  diag::Sink& sink_;
};

CostArgument resolve_argument(const syntax::CostArgument& written, CostClause& clause,
                              diag::Sink& sink) {
  CostArgument made;
  switch (written.kind) {
    case syntax::CostArgument::Kind::any:
      break;
    case syntax::CostArgument::Kind::number:
    case syntax::CostArgument::Kind::list:
      made.kind = CostArgument::Kind::values;
      made.list = written.kind == syntax::CostArgument::Kind::list;
      made.values = written.values;
      break;
    case syntax::CostArgument::Kind::word:
      made.kind = CostArgument::Kind::values;
      made.values = {truth_of(written, sink).value_or(0)};
      break;
    case syntax::CostArgument::Kind::tensor:
      made.kind = CostArgument::Kind::tensor;
      if (written.type) made.type = cost_type(*written.type, sink);
      for (const syntax::ShapeDimension& one : written.dimensions) {
        CostDimension dimension{.rest = one.rest, .value = one.value, .span = one.span};
        if (one.kind == syntax::ShapeDimension::Kind::number) {
          dimension.kind = CostDimension::Kind::number;
        } else if (one.kind == syntax::ShapeDimension::Kind::name) {
          dimension.kind = CostDimension::Kind::variable;
          auto known = std::ranges::find(clause.variables, one.name.text);
          if (known == clause.variables.end()) {
            clause.variables.push_back(one.name.text);
            known = clause.variables.end() - 1;
          }
          dimension.variable = static_cast<uint32_t>(known - clause.variables.begin());
          if (one.name.text == "size") {
            sink.add(diag::code::keyword_as_name, one.span, "size", "a dimension")
                .help("choose another name");
          }
        }
        made.dimensions.push_back(dimension);
      }
      break;
  }
  return made;
}

}  // namespace

CostClause resolve_clause(source::FileId module, const syntax::File& tree,
                          const syntax::CostClause& written, Expressions& expressions,
                          diag::Sink& sink) {
  CostClause made;
  made.span = written.span;
  made.doc = written.doc;
  const syntax::Expr& name = tree.exprs.get(written.name);
  made.name_span = name.span;
  if (written.lone) {
    made.name = name.text;
  } else {
    made.expr = expressions.resolve(module, written.name, SubjectKind::node);
  }
  for (const syntax::CostArgument& one : written.arguments) {
    made.arguments.push_back(resolve_argument(one, made, sink));
  }
  made.dimensions = made.variables.size();
  FormulaReader reader(tree, made, sink);
  for (const syntax::CostValue& one : written.values) {
    const uint32_t formula = reader.read(one.formula);
    if (std::ranges::find(made.variables, one.name.text) != made.variables.end()) {
      sink.add(diag::code::redefinition, one.name.span, "value", one.name.text)
          .help("a dimension or value of this clause has this name");
      continue;
    }
    made.values.emplace_back(static_cast<uint32_t>(made.variables.size()), formula);
    made.variables.push_back(one.name.text);
  }
  const auto amount = [&](const std::optional<syntax::CostAmount>& one) {
    std::optional<CostAmount> of;
    if (!one) return of;
    of.emplace();
    if (!one->unknown) of->formula = reader.read(one->formula);
    return of;
  };
  made.flops = amount(written.flops);
  made.bytes = amount(written.bytes);
  if (written.type) made.type = cost_type(*written.type, sink);
  return made;
}

CostClause resolve_arguments(const std::vector<syntax::CostArgument>& written, diag::Sink& sink) {
  CostClause made;
  // `(M, K)` is one mistake.
  bool refused = false;
  for (const syntax::CostArgument& one : written) {
    if (refused && one.kind == syntax::CostArgument::Kind::word) continue;
    const size_t errors = sink.errors();
    made.arguments.push_back(resolve_argument(one, made, sink));
    refused |= sink.errors() > errors && one.kind == syntax::CostArgument::Kind::word;
  }
  made.dimensions = made.variables.size();
  return made;
}

Test::Call resolve_call(const syntax::File& tree, const syntax::TestCase::Call& written,
                        diag::Sink& sink) {
  Test::Call made;
  const ElementType usual = written.type ? cost_type(*written.type, sink) : ElementType::unknown;
  const auto refuse = [&](source::Span span, std::string_view what, std::string_view help) {
    sink.add(diag::code::wrong_argument, span, what).help_ = help;
  };
  for (const syntax::CostArgument& one : written.arguments) {
    OpArgument& argument = made.arguments.emplace_back();
    switch (one.kind) {
      case syntax::CostArgument::Kind::any:
        break;
      case syntax::CostArgument::Kind::number:
      case syntax::CostArgument::Kind::list:
        argument.kind = one.kind == syntax::CostArgument::Kind::list ? OpArgument::Kind::list
                                                                     : OpArgument::Kind::scalar;
        argument.values = one.values;
        break;
      case syntax::CostArgument::Kind::word:
        argument.kind = OpArgument::Kind::scalar;
        argument.values = {truth_of(one, sink).value_or(0)};
        break;
      case syntax::CostArgument::Kind::tensor:
        argument.kind = OpArgument::Kind::tensor;
        argument.type = one.type ? cost_type(*one.type, sink) : usual;
        for (const syntax::ShapeDimension& dimension : one.dimensions) {
          if (dimension.kind != syntax::ShapeDimension::Kind::number || dimension.rest) {
            const bool any = dimension.kind == syntax::ShapeDimension::Kind::any;
            refuse(dimension.span,
                   dimension.rest ? ".."
                   : any          ? "_"
                                  : std::string_view(dimension.name.text),
                   "a test states every dimension as a number");
          }
          argument.dims.push_back(dimension.value);
        }
        break;
    }
  }
  for (const syntax::CostValue& one : written.values) {
    const syntax::Formula& formula = tree.formulas.get(one.formula);
    if (formula.kind != syntax::FormulaKind::number) {
      refuse(formula.span, one.name.text + " = …",
             "a test states every number of its phase as a number");
    }
    made.numbers.emplace_back(one.name.text, formula.value);
  }
  return made;
}

}  // namespace kr::sema
