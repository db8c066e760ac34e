// Costs of ops: which clause fits a call, and what its formulas give. See docs/cost.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/op_arguments.hpp"
#include "match/scanner.hpp"

namespace kr::match {

/// What one call costs. Nothing of what is not known.
struct OpCost {
  std::optional<int64_t> flops;  // floating-point operations
  std::optional<int64_t> bytes;  // read and written, each operand once
  /// That of the operands, or of `as`. Unknown if the call does not contain it.
  ElementType type = ElementType::unknown;

  friend bool operator==(const OpCost&, const OpCost&) = default;
};

/// The numbers that `phases` takes from what encloses the call, by name; none: not known.
using PhaseNumbers = std::function<std::optional<int64_t>(std::string_view name)>;

/// The cost of a call whose name the clause matches; none: the clause does not fit its arguments. A
/// formula that overflows, is negative, or needs what is not known gives nothing.
std::optional<OpCost> cost_of(const sema::CostClause& clause, const OpArguments& arguments,
                              const PhaseNumbers& numbers);

/// The clauses of a model. For one thread. The Program must outlive it.
class CostTable {
 public:
  CostTable(const sema::Program& program, const std::shared_ptr<const Database>& database,
            sema::ModelId model);

  struct Found {
    sema::CostId clause;
    OpCost cost;
  };
  /// By the first clause that fits; none: no clause does.
  std::optional<Found> find(std::string_view op, const OpArguments& arguments,
                            const PhaseNumbers& numbers);
  /// The clauses whose names match an op, in the order tried. Until the next call.
  const std::vector<sema::CostId>& named(std::string_view op);
  bool empty() const { return program_.models.get(model_).costs.empty(); }

 private:
  const sema::Program& program_;
  sema::ModelId model_;
  Scanner scanner_;
  AtomSet atoms_;
  std::unordered_map<std::string, std::vector<sema::CostId>> by_name_;
};

}  // namespace kr::match
