// What labels and names say of operations to the finder of phases.
#pragma once

#include <vector>

#include "classify/classify.hpp"
#include "sema/program.hpp"

namespace kr::analyze {

/// What the labels and the name of an operation say. Labels are those of the dimensions `substage`,
/// `stage` and `part`.
struct OperationTraits {
  bool kernel = false;
  bool whole_graph = false;  // a graph that was traced as one operation; also a kernel
  bool attention = false;
  bool edge = false;       // sampling or embedding
  bool generates = false;  // KV cache or sampling
  bool training = false;
  bool head = false;       // by its neighbours: the product that makes logits
  bool mlp = false;        // by its neighbours: the first product of an MLP that is not of experts
  bool from_host = false;  // a copy from the host to the device
  bool to_host = false;
};

/// By row of the labels.
std::vector<OperationTraits> operation_traits(const sema::Program& program,
                                              const trace::Trace& trace,
                                              const classify::Labelled& labelled);

}  // namespace kr::analyze
