// Labels operations chain by chain: one pass backward and one forward for each. Slower than all
// chains at once, but no sequence is hard for it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "order/bits.hpp"
#include "order/matcher.hpp"

namespace kr::order {

class Sweep {
 public:
  Sweep(const Block& block, std::span<const Letter> sequence)
      : block_(block), sequence_(sequence) {}

  /// `rule` is a chain.
  void label(uint32_t rule, std::span<uint32_t> rule_of, const OnMatch& on_match);

 private:
  void look(uint32_t scope);

  const Block& block_;
  std::span<const Letter> sequence_;
  std::optional<uint32_t> scope_;
  std::vector<uint32_t> visible_;  // the operations that the scope sees
  /// By visible operation: the steps that can take it so that all further steps find their places
  /// behind it. Numbered backward.
  std::vector<Steps> completes_;
};

}  // namespace kr::order
