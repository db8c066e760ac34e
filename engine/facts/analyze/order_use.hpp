// What order rules explain of a run, and the candidates of catalogues (std.fusion, std.overlap).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/run.hpp"
#include "facts/fact.hpp"

namespace kr::analyze {

/// How much a rule of an order dimension labels.
struct OrderRuleUse {
  std::string dimension;
  std::string label;
  std::string place;       // `file:line`
  int64_t matches = 0;     // of a chain; of another rule: operations
  int64_t operations = 0;  // that have their label from it
  int64_t total_ns = 0;
};

/// How many of the operations with a label of the dimension that is looked at have a label.
struct OrderCoverage {
  std::string dimension;
  std::string label;  // of the other dimension
  int64_t instances = 0;
  int64_t labelled = 0;
  int64_t total_ns = 0;
  int64_t labelled_ns = 0;
};

struct OrderUse {
  static facts::Computed<OrderUse> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::vector<OrderRuleUse> rules;  // by dimension, in the order in which they are tried
  std::vector<OrderCoverage> coverage;
};

/// One place in a run where a catalogue's entry matches.
struct CandidatePlace {
  classify::OrderMatch match;
  int64_t operations = 0;
  int64_t total_ns = 0;  // of the operations in brackets
  /// The time that the stream is idle between them, and beside them on the sides on which the chain
  /// has neighbours.
  int64_t gap_ns = 0;
  /// The part of their time in which no other stream of the device computes.
  int64_t exposed_ns = 0;
};
/// Of one dimension of a run, by first operation. Empty: the run has none.
std::vector<CandidatePlace> candidate_places(const match::CompiledRules& rules,
                                             const LabelledTrace& run, sema::DimensionId dimension);

struct CandidateSum {
  std::string dimension;
  int32_t device = 0;
  std::string label;
  int64_t candidates = 0;
  int64_t operations = 0;
  int64_t total_ns = 0;
  int64_t gap_ns = 0;
  int64_t exposed_ns = 0;
  // The place with the most time: the names of its operations, and when it is, from the start of
  // the run's first operation on.
  std::string example;
  int64_t example_start_ns = 0;
  int64_t example_end_ns = 0;
};

struct Candidates {
  static facts::Computed<Candidates> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::vector<CandidateSum> sums;  // by dimension, device, descending total
};

}  // namespace kr::analyze
