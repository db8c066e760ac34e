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
  std::string call_site = {};     // the same
  std::string op = {};            // the op that requested it, with its arguments; empty: not known
  std::optional<int64_t> flops = {};  // of one call of that op, by its clause
  std::optional<int64_t> bytes = {};
};

/// A command that looks closer at one operation.
struct NextTool {
  std::string tool;     // `ncu`, `nsys`, `pytorch`
  std::string command;  // for a POSIX shell; empty: there is none
  std::string note;     // what it counts on, or why there is none
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
  std::vector<NextTool> tools = {};  // of an operation of a trace
};

}  // namespace kr::tables
