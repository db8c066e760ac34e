// The rows of tables about how the place of operations is known.
#pragma once

#include <string_view>

#include "classify/attribution.hpp"

namespace kr::tables {

/// Calls `row(evidence, part)` in the order of tables. What no operation has is left out, but for
/// `launch`, `layer` and `none`, which every run has.
template <class Row>
void each_evidence(const classify::AttributionSums& sums, const Row& row) {
  using classify::PlaceEvidence;
  for (size_t i = 1; i <= classify::place_evidences; ++i) {
    const auto evidence = static_cast<PlaceEvidence>(i % classify::place_evidences);
    const bool always = evidence == PlaceEvidence::launch || evidence == PlaceEvidence::layer ||
                        evidence == PlaceEvidence::none;
    if (!always && sums[evidence].operations == 0) continue;
    const std::string_view text = classify::to_string(evidence);
    row(text.empty() ? std::string_view("none") : text, sums[evidence]);
  }
}

}  // namespace kr::tables
