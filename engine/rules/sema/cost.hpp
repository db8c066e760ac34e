// Costs of ops: what a clause of a `cost` block fits, and its formulas with their names resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "base/op_arguments.hpp"
#include "source/source_map.hpp"

namespace kr::sema {

struct ExprTag;
struct CostTag;
using CostId = Id<CostTag>;

/// One dimension of a tensor.
struct CostDimension {
  enum class Kind : uint8_t {
    any,
    number,    // must be `value`
    variable,  // gives a variable its value, or must be equal to it
  };
  Kind kind = Kind::any;
  bool rest = false;  // the product of all leading dimensions; only the first can be this
  int64_t value = 0;
  uint32_t variable = 0;  // in CostClause::variables
  source::Span span = {};
};

/// What one argument has to be.
struct CostArgument {
  enum class Kind : uint8_t { any, tensor, values };
  Kind kind = Kind::any;
  std::vector<CostDimension> dimensions = {};  // tensor
  ElementType type = ElementType::unknown;     // tensor; unknown: any
  bool list = false;                           // values: a list, else a scalar
  std::vector<int64_t> values = {};
};

/// A node of a formula. Operands are before it in CostClause::formulas.
struct CostFormula {
  enum class Op : uint8_t {
    number,     // value
    variable,   // value: in CostClause::variables
    phase,      // name: a number that `phases` takes from the enclosing annotation
    size,       // bytes per element of a tensor. argument; first_tensor: of the first one
    elements,   // elements of a tensor that are read: those of a dimension of stride 0 count once
    bytes,      // elements × size
    scalar,     // argument: a concrete scalar
    entry,      // argument, value: an element of a concrete list
    list,       // argument: the product of a concrete list
    broadcast,  // arguments: elements of the shape that they are broadcast to
    add,
    subtract,
    multiply,  // of two or more
    divide,    // exact, or the clause does not fit
    min,
    max,
    ceil_div,
  };
  static constexpr uint32_t first_tensor = UINT32_MAX;

  Op op = Op::number;
  int64_t value = 0;
  uint32_t argument = 0;
  std::vector<uint32_t> arguments = {};
  std::string name = {};
  std::vector<uint32_t> operands = {};
  source::Span span = {};
};

/// FLOPs or bytes.
struct CostAmount {
  /// The last node of the formula in CostClause::formulas; none: unknown on purpose.
  std::optional<uint32_t> formula;
};

struct CostClause {
  std::string name;                     // the whole name of the op; empty: `expr` has to match
  Id<ExprTag> expr;                     // invalid if there is a name
  std::vector<CostArgument> arguments;  // of the leading ones
  std::vector<std::string> variables;   // dimensions, then values
  size_t dimensions = 0;                // how many variables are dimensions
  /// Variables and the formulas of their values, in the order written.
  std::vector<std::pair<uint32_t, uint32_t>> values;
  std::vector<CostFormula> formulas;
  std::optional<CostAmount> flops;
  std::optional<CostAmount> bytes;
  ElementType type = ElementType::unknown;  // after `as`; unknown: that of the operands
  source::Span span;
  source::Span name_span;
  std::string doc;
};

}  // namespace kr::sema
