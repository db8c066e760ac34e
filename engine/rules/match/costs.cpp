#include "match/costs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "match/evaluate.hpp"

namespace kr::match {
namespace {

using Op = sema::CostFormula::Op;
using Wide = __int128;

/// A fraction in lowest terms; sizes of four-bit elements are halves. Or unknown.
struct CostNumber {
  int64_t above = 0;
  int64_t below = 1;
  bool known = false;

  static CostNumber of(int64_t value) { return {value, 1, true}; }
  static CostNumber of(const std::optional<int64_t>& value) {
    return value ? of(*value) : CostNumber{};
  }
  static CostNumber ratio(Wide above, Wide below) {
    if (below < 0) {
      above = -above;
      below = -below;
    }
    Wide a = above < 0 ? -above : above;
    Wide b = below;
    while (b != 0) a = std::exchange(b, a % b);
    if (a > 1) {
      above /= a;
      below /= a;
    }
    constexpr Wide most = std::numeric_limits<int64_t>::max();
    if (above > most || above < -most || below > most) return {};
    return {static_cast<int64_t>(above), static_cast<int64_t>(below), true};
  }
  std::optional<int64_t> whole() const {
    return known && below == 1 ? std::optional(above) : std::nullopt;
  }
};

/// What a tensor reads: elements that a stride of 0 repeats count once.
std::optional<int64_t> elements_of(const OpArgument& tensor) {
  CostNumber product = CostNumber::of(1);
  for (size_t i = 0; i < tensor.dims.size(); ++i) {
    if (i < tensor.strides.size() && tensor.strides[i] == 0 && tensor.dims[i] > 0) continue;
    product = CostNumber::ratio(Wide{product.above} * tensor.dims[i], 1);
    if (!product.known) return std::nullopt;
  }
  return product.above;
}

class ClauseValues {
 public:
  ClauseValues(const sema::CostClause& clause, const OpArguments& arguments,
               const PhaseNumbers& numbers)
      : clause_(clause),
        arguments_(arguments),
        numbers_(numbers),
        variables_(clause.variables.size()) {}

  std::optional<OpCost> cost() {
    if (!fits()) return std::nullopt;
    values_.reserve(clause_.formulas.size());
    for (const sema::CostFormula& formula : clause_.formulas) {
      values_.push_back(value(formula));
      if (!fits_) return std::nullopt;
      const auto place = static_cast<uint32_t>(values_.size() - 1);
      for (const auto& [variable, of] : clause_.values) {
        if (of == place) variables_[variable] = values_[place];
      }
    }
    OpCost cost;
    cost.flops = amount(clause_.flops);
    cost.bytes = amount(clause_.bytes);
    cost.type = clause_.type != ElementType::unknown ? clause_.type : type();
    return cost;
  }

 private:
  bool fits() {
    for (size_t i = 0; i < clause_.arguments.size(); ++i) {
      const sema::CostArgument& wanted = clause_.arguments[i];
      if (wanted.kind == sema::CostArgument::Kind::any) continue;
      if (i >= arguments_.size() || !fits(wanted, arguments_[i])) return false;
    }
    return true;
  }

  bool fits(const sema::CostArgument& wanted, const OpArgument& argument) {
    if (wanted.kind == sema::CostArgument::Kind::values) {
      const auto kind = wanted.list ? OpArgument::Kind::list : OpArgument::Kind::scalar;
      return argument.kind == kind && argument.values == wanted.values;
    }
    if (argument.kind != OpArgument::Kind::tensor) return false;
    if (wanted.type != ElementType::unknown && wanted.type != argument.type) return false;
    const auto& shape = wanted.dimensions;
    const bool rest = !shape.empty() && shape.front().rest;
    const size_t single = shape.size() - (rest ? 1 : 0);
    const size_t rank = argument.dims.size();
    if (rest ? rank < single : rank != single) return false;
    const size_t leading = rank - single;
    if (rest) {
      CostNumber product = CostNumber::of(1);
      for (size_t i = 0; i < leading && product.known; ++i) {
        product = CostNumber::ratio(Wide{product.above} * argument.dims[i], 1);
      }
      if (!fits(shape.front(), product)) return false;
    }
    for (size_t i = 0; i < single; ++i) {
      const sema::CostDimension& one = shape[shape.size() - single + i];
      if (!fits(one, CostNumber::of(argument.dims[leading + i]))) return false;
    }
    return true;
  }

  bool fits(const sema::CostDimension& wanted, const CostNumber& found) {
    switch (wanted.kind) {
      case sema::CostDimension::Kind::any:
        return true;
      case sema::CostDimension::Kind::number:
        return found.known && found.above == wanted.value;
      case sema::CostDimension::Kind::variable:
        break;
    }
    CostNumber& variable = variables_[wanted.variable];
    if (bound_.insert(wanted.variable).second) {
      variable = found;
      return true;
    }
    return variable.known && found.known && variable.above == found.above;
  }

  const OpArgument* tensor(uint32_t place) const {
    if (place == sema::CostFormula::first_tensor) {
      const auto first = std::ranges::find(arguments_, OpArgument::Kind::tensor, &OpArgument::kind);
      return first == arguments_.end() ? nullptr : &*first;
    }
    if (place >= arguments_.size()) return nullptr;
    return arguments_[place].kind == OpArgument::Kind::tensor ? &arguments_[place] : nullptr;
  }

  CostNumber size_of(const OpArgument* of) const {
    constexpr int bits_of_byte = 8;
    const int bits = of == nullptr ? 0 : bits_of(of->type);
    return bits == 0 ? CostNumber{} : CostNumber::ratio(bits, bits_of_byte);
  }

  /// An integer of the arguments; none: it is not known.
  std::optional<int64_t> concrete(const sema::CostFormula& formula) const {
    if (formula.argument >= arguments_.size()) return std::nullopt;
    const OpArgument& of = arguments_[formula.argument];
    if (formula.op == Op::scalar) {
      if (of.kind != OpArgument::Kind::scalar || of.values.empty()) return std::nullopt;
      return of.values.front();
    }
    const auto place = static_cast<size_t>(formula.value);
    if (of.kind != OpArgument::Kind::list || of.values.empty()) return std::nullopt;
    // A list of one element applies to all dimensions.
    if (of.values.size() == 1) return of.values.front();
    return place < of.values.size() ? std::optional(of.values[place]) : std::nullopt;
  }

  CostNumber list_product(uint32_t place) const {
    if (place >= arguments_.size() || arguments_[place].kind != OpArgument::Kind::list) return {};
    CostNumber product = CostNumber::of(1);
    for (const int64_t value : arguments_[place].values) {
      if (product.known) product = CostNumber::ratio(Wide{product.above} * value, 1);
    }
    return product;
  }

  /// Shapes are aligned at their last dimension.
  CostNumber broadcast(const std::vector<uint32_t>& places) const {
    std::vector<int64_t> shape;  // the last dimension first
    for (const uint32_t place : places) {
      const OpArgument* const one = tensor(place);
      if (one == nullptr) return {};
      for (size_t i = 0; i < one->dims.size(); ++i) {
        const int64_t dim = one->dims[one->dims.size() - 1 - i];
        if (i == shape.size()) {
          shape.push_back(dim);
        } else if (shape[i] == 1) {
          shape[i] = dim;
        } else if (dim != 1 && dim != shape[i]) {
          return {};
        }
      }
    }
    CostNumber product = CostNumber::of(1);
    for (const int64_t dim : shape) {
      if (product.known) product = CostNumber::ratio(Wide{product.above} * dim, 1);
    }
    return product;
  }

  CostNumber times(const CostNumber& a, const CostNumber& b) const {
    if (!a.known || !b.known) return {};
    return CostNumber::ratio(Wide{a.above} * b.above, Wide{a.below} * b.below);
  }

  CostNumber value(const sema::CostFormula& formula) {
    const auto operand = [&](size_t i) -> const CostNumber& {
      return values_[formula.operands[i]];
    };
    switch (formula.op) {
      case Op::number:
        return CostNumber::of(formula.value);
      case Op::variable:
        return variables_[static_cast<size_t>(formula.value)];
      case Op::phase:
        return CostNumber::of(numbers_ ? numbers_(formula.name) : std::nullopt);
      case Op::size:
        return size_of(tensor(formula.argument));
      case Op::elements:
      case Op::bytes: {
        const OpArgument* const of = tensor(formula.argument);
        if (of == nullptr) return {};
        const CostNumber elements = CostNumber::of(elements_of(*of));
        return formula.op == Op::elements ? elements : times(elements, size_of(of));
      }
      case Op::scalar:
      case Op::entry:
        return CostNumber::of(concrete(formula));
      case Op::list:
        return list_product(formula.argument);
      case Op::broadcast:
        return broadcast(formula.arguments);
      case Op::multiply: {
        CostNumber product = CostNumber::of(1);
        for (size_t i = 0; i < formula.operands.size(); ++i) product = times(product, operand(i));
        return product;
      }
      case Op::add:
      case Op::subtract: {
        const CostNumber& a = operand(0);
        const CostNumber& b = operand(1);
        if (!a.known || !b.known) return {};
        const Wide right = Wide{b.above} * a.below;
        return CostNumber::ratio(Wide{a.above} * b.below + (formula.op == Op::add ? right : -right),
                                 Wide{a.below} * b.below);
      }
      case Op::divide: {
        const CostNumber& a = operand(0);
        const CostNumber& b = operand(1);
        if (!a.known || !b.known || b.above == 0) return {};
        const CostNumber result =
            CostNumber::ratio(Wide{a.above} * b.below, Wide{a.below} * b.above);
        fits_ = fits_ && (!result.known || result.below == 1);
        return result;
      }
      case Op::ceil_div: {
        const auto a = operand(0).whole();
        const auto b = operand(1).whole();
        if (!a || !b || *b <= 0 || *a < 0) return {};
        return CostNumber::of(*a / *b + (*a % *b != 0 ? 1 : 0));
      }
      case Op::min:
      case Op::max: {
        CostNumber best = operand(0);
        for (size_t i = 0; i < formula.operands.size(); ++i) {
          const CostNumber& one = operand(i);
          if (!one.known || !best.known) return {};
          const Wide left = Wide{one.above} * best.below;
          const Wide right = Wide{best.above} * one.below;
          if (formula.op == Op::min ? left < right : left > right) best = one;
        }
        return best;
      }
    }
    return {};
  }

  /// An odd number of four-bit elements fills its last byte.
  std::optional<int64_t> amount(const std::optional<sema::CostAmount>& of) const {
    if (!of || !of->formula) return std::nullopt;
    const CostNumber& value = values_[*of->formula];
    if (!value.known || value.above < 0) return std::nullopt;
    return value.above / value.below + (value.above % value.below != 0 ? 1 : 0);
  }

  static bool is_float(ElementType type) {
    return type >= ElementType::fp64 && type <= ElementType::fp4;
  }

  ElementType type() const {
    for (const OpArgument& one : arguments_) {
      if (one.kind == OpArgument::Kind::tensor && is_float(one.type)) return one.type;
    }
    const OpArgument* const first = tensor(sema::CostFormula::first_tensor);
    return first == nullptr ? ElementType::unknown : first->type;
  }

  const sema::CostClause& clause_;
  const OpArguments& arguments_;
  const PhaseNumbers& numbers_;
  std::vector<CostNumber> variables_;
  std::unordered_set<uint32_t> bound_;
  std::vector<CostNumber> values_;  // by formula; those computed so far
  bool fits_ = true;
};

}  // namespace

std::optional<OpCost> cost_of(const sema::CostClause& clause, const OpArguments& arguments,
                              const PhaseNumbers& numbers) {
  return ClauseValues(clause, arguments, numbers).cost();
}

CostTable::CostTable(const sema::Program& program, const std::shared_ptr<const Database>& database,
                     sema::ModelId model)
    : program_(program), model_(model), scanner_(database), atoms_(program.atoms.size()) {}

const std::vector<sema::CostId>& CostTable::named(std::string_view op) {
  const auto [at, added] = by_name_.try_emplace(std::string(op));
  if (!added) return at->second;
  bool scanned = false;
  for (const sema::CostId id : program_.models.get(model_).costs) {
    const sema::CostClause& clause = program_.costs.get(id);
    if (!clause.expr.valid()) {
      if (clause.name == op) at->second.push_back(id);
      continue;
    }
    if (!std::exchange(scanned, true)) scanner_.scan(op, atoms_);
    if (holds(program_, clause.expr, {.name = &atoms_})) at->second.push_back(id);
  }
  return at->second;
}

std::optional<CostTable::Found> CostTable::find(std::string_view op, const OpArguments& arguments,
                                                const PhaseNumbers& numbers) {
  for (const sema::CostId id : named(op)) {
    if (auto cost = cost_of(program_.costs.get(id), arguments, numbers)) return Found{id, *cost};
  }
  return std::nullopt;
}

}  // namespace kr::match
