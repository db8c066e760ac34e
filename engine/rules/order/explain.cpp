#include "order/explain.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "order/bits.hpp"
#include "order/matcher.hpp"

namespace kr::order {
namespace {

/// How far one side of a chain went from the brackets outwards.
struct Walk {
  bool found = false;
  size_t at = 0;       // the last place that was taken, or where it stopped
  Steps expected = 0;  // if it stopped: the steps of which none takes that place
  size_t length = 0;   // the number of places taken
};

/// One chain on the places that it sees: `start`, operations, `end`. Sets of steps are numbered
/// forward.
class ChainExplainer {
 public:
  ChainExplainer(const Block& block, uint32_t rule, std::span<const Letter> sequence,
                 std::span<const Place> places, std::span<const uint32_t> rule_of)
      : block_(block),
        chain_(*block.rules[rule].chain),
        rule_(rule),
        sequence_(sequence),
        places_(places),
        rule_of_(rule_of),
        moves_(forward(chain_)) {
    const size_t count = chain_.steps.size();
    all_ = steps_below(count);
    initials_ = moves_.skip(1) & all_;
    finals_ = reversed(backward(chain_).skip(1) & all_, count);
  }

  /// A match with the brackets from `first` to `last`.
  std::vector<Taken> match(size_t first, size_t last) const {
    const Steps outside_left = steps_below(chain_.first);
    const Steps outside_right = all_ & ~steps_below(chain_.last + size_t{1});
    const Walk left = walk(bit(chain_.first), first, true, outside_left);
    const Walk right = walk(bit(chain_.last), last, false, outside_right);
    KR_CHECK(left.found && right.found);
    return path(left.at, right.at, [&](size_t at) {
      return at < first ? outside_left : at > last ? outside_right : brackets(chain_);
    });
  }

  /// What the chain made of an operation that it did not label.
  Explanation explain(size_t operation) const {
    Explanation explanation;
    std::optional<std::pair<size_t, size_t>> furthest;
    std::optional<std::pair<size_t, size_t>> shortest;
    for (Steps left_over = takes_at(operation) & brackets(chain_); left_over != 0;
         left_over &= left_over - 1) {
      const Steps own = left_over & -left_over;
      const Walk left = walk(own, operation, true, all_);
      const Walk right = walk(own, operation, false, all_);
      if (left.found && right.found) {
        const std::pair<size_t, size_t> lengths{left.length, right.length};
        if (shortest && *shortest <= lengths) continue;
        shortest = lengths;
        explanation.taken = path(left.at, right.at, [&](size_t at) {
          return at == operation ? own : is_free(at) ? all_ : all_ & ~brackets(chain_);
        });
        continue;
      }
      const std::pair<size_t, size_t> reached{size_t{left.found} + size_t{right.found},
                                              left.length + right.length};
      if (furthest && *furthest >= reached) continue;
      furthest = reached;
      explanation.left.reset();
      explanation.right.reset();
      if (!left.found) explanation.left = stop(left, true);
      if (!right.found) explanation.right = stop(right, false);
    }
    if (shortest) {
      explanation.outcome = Outcome::also_matches;
      explanation.left.reset();
      explanation.right.reset();
    } else if (furthest) {
      explanation.outcome = Outcome::stopped;
    }
    return explanation;
  }

 private:
  Steps takes_at(size_t at) const {
    const Place place = places_[at];
    if (place < 0) return takes(chain_, block_, block_.start()) & all_;
    if (at + 1 == places_.size()) return takes(chain_, block_, block_.end()) & all_;
    return takes(chain_, block_, sequence_[static_cast<size_t>(place)]) & all_;
  }
  uint32_t labelled_by(size_t at) const {
    const Place place = places_[at];
    if (place < 0 || at + 1 == places_.size()) return no_rule;
    const uint32_t rule = rule_of_[static_cast<size_t>(place)];
    return rule < rule_ ? rule : no_rule;
  }
  bool is_free(size_t at) const { return labelled_by(at) == no_rule; }

  Steps behind(Steps took) const { return moves_.next(took) & all_; }
  Steps before(Steps took) const {
    Steps previous = took >> 1;
    for (Steps skipped = previous & moves_.optional; skipped != 0; skipped &= moves_.optional) {
      skipped = (skipped >> 1) & ~previous;
      previous |= skipped;
    }
    return (took & moves_.repeated) | previous;
  }

  /// From a step at a place outwards, with as few places as possible. Only the steps of `side` take
  /// places.
  Walk walk(Steps from, size_t place, bool to_left, Steps side) const {
    const Steps goal = to_left ? initials_ : finals_;
    Walk walk;
    walk.at = place;
    for (Steps took = from;; ++walk.length) {
      if ((took & goal) != 0) {
        walk.found = true;
        return walk;
      }
      walk.expected = (to_left ? before(took) : behind(took)) & side;
      const bool is_last = to_left ? walk.at == 0 : walk.at + 1 == places_.size();
      to_left ? --walk.at : ++walk.at;
      if (is_last) return walk;
      took = walk.expected & takes_at(walk.at);
      if (!is_free(walk.at)) took &= ~brackets(chain_);
      if (took == 0) return walk;
    }
  }

  Stop stop(const Walk& walk, bool to_left) const {
    Stop stop;
    Steps steps = walk.expected;
    if (walk.at < places_.size()) {
      stop.place = places_[walk.at];
      if ((steps & takes_at(walk.at)) != 0) {
        steps &= takes_at(walk.at);
        stop.labelled_by = labelled_by(walk.at);
      }
    } else {
      stop.place = to_left ? -2 : places_.back() + 1;
    }
    stop.step =
        static_cast<uint32_t>(to_left ? std::countr_zero(steps) : 63 - std::countl_zero(steps));
    return stop;
  }

  /// All places from `first` to `last`, each with a step that `allowed(place)` has. Takes the
  /// furthest step that it can, so that earlier steps take as few places as possible.
  template <class Allowed>
  std::vector<Taken> path(size_t first, size_t last, const Allowed& allowed) const {
    std::vector<Steps> completes(last - first + 1);
    Steps next = finals_;
    for (size_t at = last + 1; at-- > first;) {
      completes[at - first] = takes_at(at) & allowed(at) & next;
      next = before(completes[at - first]);
    }
    std::vector<Taken> taken;
    next = initials_;
    for (size_t at = first; at <= last; ++at) {
      const Steps steps = next & completes[at - first];
      KR_CHECK(steps != 0);
      const auto step = static_cast<uint32_t>(63 - std::countl_zero(steps));
      taken.push_back({places_[at], step});
      next = behind(bit(step));
    }
    return taken;
  }

  const Block& block_;
  const Chain& chain_;
  uint32_t rule_;
  std::span<const Letter> sequence_;
  std::span<const Place> places_;
  std::span<const uint32_t> rule_of_;
  Moves moves_;
  Steps all_ = 0;
  Steps initials_ = 0;  // the steps that a match can begin with
  Steps finals_ = 0;    // the steps that it can end with
};

std::vector<Place> places_of(const Scope& scope, std::span<const Letter> sequence) {
  std::vector<Place> places{-1};
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (scope.sees(sequence[i])) places.push_back(static_cast<Place>(i));
  }
  places.push_back(static_cast<Place>(sequence.size()));
  return places;
}

size_t index_of(const std::vector<Place>& places, Place place) {
  return static_cast<size_t>(std::ranges::lower_bound(places, place) - places.begin());
}

}  // namespace

OperationExplained explain(const Block& block, std::span<const Letter> sequence,
                           uint32_t operation) {
  KR_CHECK(operation < sequence.size());
  OperationExplained result;
  std::vector<uint32_t> rule_of;
  std::vector<Match> matches;
  Matcher(block).label_by_rules(sequence, rule_of, [&](const Match& match) {
    if (match.first <= operation && operation <= match.last) matches.push_back(match);
  });
  result.rule = rule_of[operation];

  const Letter letter = sequence[operation];
  std::vector<Place> places;
  std::optional<uint32_t> places_in;
  for (uint32_t rule = 0; rule < block.rules.size(); ++rule) {
    Explanation& explanation = result.rules.emplace_back();
    const std::optional<Chain>& chain = block.rules[rule].chain;
    if (!chain) {
      if (block.rules[rule].letters[letter] == 0) continue;
      explanation.outcome = result.rule == rule ? Outcome::labelled : Outcome::also_matches;
      continue;
    }
    if (!block.scopes[chain->scope].sees(letter)) {
      explanation.outcome = Outcome::not_seen;
      continue;
    }
    if ((chain->takes[letter] & brackets(*chain)) == 0) continue;
    if (places_in != chain->scope) places = places_of(block.scopes[chain->scope], sequence);
    places_in = chain->scope;
    const ChainExplainer explainer(block, rule, sequence, places, rule_of);
    if (result.rule != rule) {
      explanation = explainer.explain(index_of(places, operation));
      continue;
    }
    const auto match = std::ranges::find(matches, rule, &Match::rule);
    KR_CHECK(match != matches.end());
    explanation.outcome = Outcome::labelled;
    explanation.taken =
        explainer.match(index_of(places, match->first), index_of(places, match->last));
  }

  if (result.rule == no_rule) {
    for (const Scope& scope : block.scopes) {
      continue_labels(scope, sequence, rule_of);
      if (rule_of[operation] == no_rule) continue;
      result.rule = rule_of[operation];
      uint32_t from = operation;
      while (!scope.sees(sequence[--from])) {
      }
      result.continued_from = from;
      break;
    }
  }
  return result;
}

}  // namespace kr::order
