// Labels operations by one chain: one pass backward and one forward. Slower than all chains
// at once, but no sequence is hard for it.
#pragma once

#include <span>

#include "order/matcher.hpp"

namespace kr::order {

void sweep(const Block& block, uint32_t rule, std::span<const Letter> sequence,
           std::span<uint32_t> rule_of, const OnMatch& on_match);

}  // namespace kr::order
