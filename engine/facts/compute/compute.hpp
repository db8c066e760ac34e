// Computes the facts of a run that are in demand (facts/facts.def).
#pragma once

#include <vector>

#include "base/warning.hpp"
#include "facts/fact.hpp"

namespace kr::facts {

/// With all that they use.
Set closed(Set demand) noexcept;
/// What is read of a trace for them. They are closed.
Reads reads_of(Set demand) noexcept;

/// With those that are made of these facts alone.
Set with_made_of(Set known) noexcept;
/// Computes those of `demand` that are made of other facts alone, and whose facts are there.
void compute_made_of(Set demand, const analyze::RunSummary& summary, Facts& facts);

/// Computes those of `input.demand`, which is closed, that have a `compute` and are not in `facts`,
/// which is `input.facts`. Two threads take the next in the order of facts.def whose facts are
/// there.
void compute(const Input& input, Facts& facts);
/// What they say of the run, in that order.
std::vector<Warning> notes_of(const Input& input);

}  // namespace kr::facts
