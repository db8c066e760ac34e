// The times of operations at the roof of their GPU.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyze/run.hpp"
#include "cost/costed_run.hpp"
#include "ncu/joined.hpp"

namespace kr::what_if {

/// What a roof is known by; both may be null.
struct Roofs {
  const cost::CostedRun* costs = nullptr;
  std::string unknown_gpu = {};  // why costs have no peaks; empty: they have
  const ncu::Joined* ncu = nullptr;
};

/// The part of its time that an operation would take at the roof.
struct KnownRoof {
  double ratio = 1;  // at most 1
  /// By peaks that were measured on the GPU; else by the data sheet, or by pages of ncu.
  bool of_measured = false;
};

/// All that it is made of has to outlive it.
class RoofRatios {
 public:
  RoofRatios(const analyze::LabelledTrace& run, const analyze::RunSummary& summary,
             const Roofs& roofs);

  /// Nothing: the roof is not known, or the call is above it: then its cost is wrong.
  std::optional<KnownRoof> of(uint32_t operation) const;
  /// Why costs give none.
  std::string without() const;

 private:
  std::optional<KnownRoof> by_cost(uint32_t operation) const;

  const analyze::LabelledTrace& run_;
  Roofs roofs_;
  std::map<std::string_view, double> by_name_;
};

}  // namespace kr::what_if
