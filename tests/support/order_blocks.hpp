// Order rules for tests: a matcher made from the definition, and random blocks.
#pragma once

#include <functional>
#include <random>
#include <set>
#include <tuple>

#include "order/matcher.hpp"

namespace kr::test {

/// Tries every way to match, as docs/language.md defines it.
class SlowMatcher {
 public:
  explicit SlowMatcher(const order::Block& block) : block_(block) {}

  bool continues = true;

  /// Whether a chain could have an operation in its brackets, were it free: others have the labels
  /// of the rules before this one.
  bool could_label(uint32_t rule, const std::vector<order::Letter>& sequence, uint32_t operation,
                   std::vector<uint32_t> rule_of) {
    for (uint32_t& by : rule_of) by = by < rule ? by : order::no_rule;
    rule_of[operation] = order::no_rule;
    rule_of_ = std::move(rule_of);
    const order::Chain& chain = *block_.rules[rule].chain;
    find(chain, sequence, 0);
    for (const auto& [begin, end] : found_) {
      for (size_t place = begin; place <= end; ++place) {
        if (places_[place].operation == operation) return true;
      }
    }
    return false;
  }

  std::vector<uint32_t> label(const std::vector<order::Letter>& sequence,
                              std::vector<order::Match>* matches = nullptr) {
    rule_of_.assign(sequence.size(), order::no_rule);
    for (uint32_t rule = 0; rule < block_.rules.size(); ++rule) {
      const order::OrderRule& tried = block_.rules[rule];
      if (tried.chain) {
        apply(rule, *tried.chain, sequence, matches);
        continue;
      }
      for (size_t i = 0; i < sequence.size(); ++i) {
        if (tried.letters[sequence[i]] != 0 && rule_of_[i] == order::no_rule) rule_of_[i] = rule;
      }
    }
    for (const order::Scope& scope : block_.scopes) {
      for (size_t i = continues ? 0 : sequence.size(); i < sequence.size(); ++i) {
        if (scope.continues[sequence[i]] == 0 || rule_of_[i] != order::no_rule) continue;
        for (size_t before = i; before-- > 0;) {
          if (!scope.sees(sequence[before])) continue;
          rule_of_[i] = rule_of_[before];
          break;
        }
      }
    }
    return rule_of_;
  }

 private:
  // Places are the operations that the chain sees, between `start` and `end`.
  struct Place {
    order::Letter letter;
    size_t operation;
  };
  using State = std::tuple<size_t, size_t, size_t, size_t>;

  void apply(uint32_t rule, const order::Chain& chain, const std::vector<order::Letter>& sequence,
             std::vector<order::Match>* matches) {
    size_t behind = 0;
    while (true) {
      find(chain, sequence, behind);
      if (found_.empty()) return;
      const size_t first = found_.begin()->first;
      size_t last = first;
      for (const auto& [begin, end] : found_) {
        if (begin == first) last = std::max(last, end);
      }
      for (size_t place = first; place <= last; ++place) {
        rule_of_[places_[place].operation] = rule;
      }
      if (matches != nullptr) {
        matches->push_back({rule, static_cast<uint32_t>(places_[first].operation),
                            static_cast<uint32_t>(places_[last].operation)});
      }
      behind = last + 1;
    }
  }

  // The places of the brackets of all matches.
  void find(const order::Chain& chain, const std::vector<order::Letter>& sequence, size_t behind) {
    places_ = {{block_.start(), 0}};
    for (size_t i = 0; i < sequence.size(); ++i) {
      if (block_.scopes[chain.scope].sees(sequence[i])) places_.push_back({sequence[i], i});
    }
    places_.push_back({block_.end(), 0});
    found_.clear();
    tried_.clear();
    for (size_t from = 0; from < places_.size(); ++from) go(chain, {0, from, 0, 0}, behind);
  }

  // Tries every number of places for a step. The places in brackets so far are begin to end, or
  // none if they are 0: `start` is in no brackets.
  void go(const order::Chain& chain, State state, size_t behind) {
    if (!tried_.insert(state).second) return;
    auto [step, place, begin, end] = state;
    if (step == chain.steps.size()) {
      if (begin != 0) found_.insert({begin, end});
      return;
    }
    const bool inside = chain.first <= step && step <= chain.last;
    const order::Step how = chain.steps[step];
    if (how.optional) go(chain, {step + 1, place, begin, end}, behind);
    for (size_t count = 0; place < places_.size() && (count == 0 || how.repeated); ++count) {
      if ((chain.takes[places_[place].letter] >> step & 1) == 0) return;
      if (inside) {
        if (places_[place].letter >= block_.letters || place < behind ||
            rule_of_[places_[place].operation] != order::no_rule) {
          return;
        }
        if (begin == 0) begin = place;
        end = place;
      }
      go(chain, {step + 1, ++place, begin, end}, behind);
    }
  }

  const order::Block& block_;
  std::vector<uint32_t> rule_of_;
  std::vector<Place> places_;
  std::set<std::pair<size_t, size_t>> found_;
  std::set<State> tried_;
};

struct RandomBlocks {
  std::mt19937& random;
  size_t letters = 4;
  size_t rules = 5;
  size_t steps = 5;
  size_t scopes = 2;
  bool one_step_brackets = false;

  size_t below(size_t n) const { return random() % n; }
  uint8_t one_in(size_t n) const { return below(n) == 0 ? 1 : 0; }

  order::Chain chain(const order::Block& block) const {
    order::Chain made;
    made.steps.resize(1 + below(steps));
    for (order::Step& step : made.steps) step = {one_in(4) != 0, one_in(4) != 0};
    made.first = made.last = static_cast<uint32_t>(below(made.steps.size()));
    if (one_step_brackets) {
      made.steps[made.first] = {};
    } else {
      made.last += static_cast<uint32_t>(below(made.steps.size() - made.first));
    }
    made.takes.resize(block.letters + 2);
    for (uint64_t& taken : made.takes) {
      for (size_t s = 0; s < made.steps.size(); ++s) taken |= uint64_t{one_in(2)} << s;
    }
    made.scope = static_cast<uint32_t>(below(block.scopes.size()));
    return made;
  }

  order::Block make() const {
    order::Block block;
    block.letters = 1 + below(letters);
    block.scopes.resize(1 + below(scopes));
    for (order::Scope& scope : block.scopes) {
      for (size_t i = 0; i < block.letters; ++i) {
        scope.passes.push_back(one_in(5));
        scope.continues.push_back(one_in(6));
      }
    }
    for (size_t i = 1 + below(rules); i > 0; --i) {
      order::OrderRule& rule = block.rules.emplace_back();
      if (one_in(6) == 0) {
        rule.chain = chain(block);
      } else {
        for (size_t letter = 0; letter < block.letters; ++letter) rule.letters.push_back(one_in(4));
      }
    }
    return block;
  }

  std::vector<order::Letter> sequence(const order::Block& block, size_t most) const {
    std::vector<order::Letter> made(below(most + 1));
    for (order::Letter& letter : made) letter = static_cast<order::Letter>(below(block.letters));
    return made;
  }
};

/// Calls for each sequence up to a length, until `each` returns false.
inline bool each_sequence(size_t letters, size_t most,
                          const std::function<bool(const std::vector<order::Letter>&)>& each) {
  std::vector<order::Letter> sequence;
  for (size_t length = 0; length <= most; ++length) {
    sequence.assign(length, 0);
    while (true) {
      if (!each(sequence)) return false;
      size_t at = 0;
      while (at < length && ++sequence[at] == letters) sequence[at++] = 0;
      if (at == length) break;
    }
  }
  return true;
}

}  // namespace kr::test
