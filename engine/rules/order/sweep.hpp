// Labels operations by one chain: one pass backward and one forward. Slower than a Group, but no
// sequence is hard for it.
#pragma once

#include <span>
#include <vector>

#include "order/matcher.hpp"

namespace kr::order {

/// `visible`: the operations that the chain sees.
void sweep(const Block& block, uint32_t rule, std::span<const Letter> sequence,
           std::span<const uint32_t> visible, std::span<uint32_t> rule_of, const OnMatch& on_match);

}  // namespace kr::order
