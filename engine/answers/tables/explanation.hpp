// What the tables of `kr why` are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "classify/why.hpp"
#include "classify/why_sequence.hpp"
#include "sema/program.hpp"

namespace kr::tables {

/// Where an operation of a trace ran.
struct OperationPlace {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  int32_t device = 0;
  std::optional<int64_t> stream;  // none: streams are lost
  std::string module;             // as in `operations`; empty: not known
};

/// `kr why` of one name, or of operations with their neighbours.
struct Explanation {
  std::string name;        // empty of several operations
  std::string model;       // engine/model
  std::string choice_why;  // empty: the user named it
  std::vector<classify::WhyDimension> dimensions;
  /// Clauses of costs for an op of this name, in the order tried.
  std::vector<sema::CostId> costs = {};
  /// Of operations with their neighbours, instead of `dimensions` and `costs`.
  std::optional<classify::WhySequence> sequence = {};
  std::optional<OperationPlace> place = {};
};

}  // namespace kr::tables
