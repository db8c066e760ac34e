// Labels the operations of one sequence by order rules.
//
// Rules are tried in order. A chain goes over the sequence once: of the matches whose operations in
// brackets have no label yet it takes the one whose bracket begins first, of these the longest
// bracket, and continues behind that bracket. Operations outside the brackets may have any label or
// none. A chain sees only the operations that its scope neither passes over nor continues, between
// the two places `start` and `end`.
//
// After all rules, scope by scope: an operation that `continue` matches and that has no label gets
// the label of the last operation before it that the scope sees.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "order/chain.hpp"

namespace kr::order {

/// The operations that one match of a chain labelled: places in the sequence. Between `first` and
/// `last` there may be operations that the chain does not see; they are not labelled.
struct Match {
  uint32_t rule = no_rule;
  uint32_t first = 0;
  uint32_t last = 0;
  friend bool operator==(const Match&, const Match&) = default;
};
using OnMatch = std::function<void(const Match&)>;

/// Linear in operations: one pass backward and one forward for all chains together, as automata
/// whose states are made when a sequence first reaches them. A sequence that needs too many states
/// is labelled in two passes per chain. Chains that require what does not occur are skipped. Beside
/// the sequence and `rule_of` it uses 4 bytes per operation and 8 per operation that longer
/// brackets could contain, and 16 per operation of the longest stretch of those.
class Matcher {
 public:
  static constexpr size_t max_states = 1 << 14;

  /// The block must be consistent (see chain.hpp), and is copied.
  explicit Matcher(const Block& block, size_t max_states = Matcher::max_states);

  /// Sets `rule_of` to the rule of each operation, or `no_rule`. An operation that was continued
  /// gets the rule of the operation whose label it takes. `on_match` may be empty; it is called
  /// once for each match of a chain, and for those of one chain in the order of the sequence.
  /// Sequences have fewer than 2^32 - 1 operations. Several threads may call this at once.
  void label(std::span<const Letter> sequence, std::vector<uint32_t>& rule_of,
             const OnMatch& on_match = {}) const;

  /// The same without `continue`.
  void label_by_rules(std::span<const Letter> sequence, std::vector<uint32_t>& rule_of,
                      const OnMatch& on_match = {}) const;

 private:
  Block block_;
  size_t max_states_;
};

/// `continue` of one scope, after all rules.
void continue_labels(const Scope& scope, std::span<const Letter> sequence,
                     std::span<uint32_t> rule_of);

}  // namespace kr::order
