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
#include <memory>
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

/// Linear in operations and rules: one pass backward and one forward per chain. A chain whose
/// required steps take no operation of the sequence is skipped. Uses 12 bytes per operation beside
/// the sequence and `rule_of`.
class Matcher {
 public:
  /// The block must be consistent (see chain.hpp), and is copied.
  explicit Matcher(const Block& block);
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  /// Sets `rule_of` to the rule of each operation, or `no_rule`. An operation that was continued
  /// gets the rule of the operation whose label it takes. `on_match` may be empty; it is called for
  /// matches of chains, rule by rule, in the order of the sequence. Sequences have fewer than 2^32
  /// - 1 operations. One thread at a time may call this.
  void label(std::span<const Letter> sequence, std::vector<uint32_t>& rule_of,
             const OnMatch& on_match = {});

  /// The same without `continue`.
  void label_by_rules(std::span<const Letter> sequence, std::vector<uint32_t>& rule_of,
                      const OnMatch& on_match = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kr::order
