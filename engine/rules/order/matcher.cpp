#include "order/matcher.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"
#include "order/bits.hpp"

namespace kr::order {

void check(const Block& block) {
  for (const Scope& scope : block.scopes) {
    KR_CHECK(scope.passes.size() == block.letters && scope.continues.size() == block.letters);
  }
  for (const OrderRule& rule : block.rules) {
    if (!rule.chain) {
      KR_CHECK(rule.letters.size() == block.letters);
      continue;
    }
    const Chain& chain = *rule.chain;
    KR_CHECK(!chain.steps.empty() && chain.steps.size() <= max_steps);
    KR_CHECK(chain.first <= chain.last && chain.last < chain.steps.size());
    KR_CHECK(chain.takes.size() == block.letters + 2 && chain.scope < block.scopes.size());
  }
}

namespace {

/// A chain, compiled. One pass backward finds, for each place, the steps that can take it so that
/// all further steps find their places behind it. One pass forward knows where the steps before the
/// brackets have found theirs; where both meet, the brackets begin.
struct Sweep {
  explicit Sweep(const Block& block, const Chain& chain)
      : scope(chain.scope), first(chain.first), left(forward(chain)), rest(backward(chain)) {
    const size_t count = chain.steps.size();
    const Steps all = steps_below(count);
    required = all & ~left.optional;
    for (Letter letter = 0; letter < block.letters + 2; ++letter) {
      const Steps taken = takes(chain, block, letter) & all;
      takes_left.push_back(taken & steps_below(first));
      takes_rest.push_back(reversed(taken & ~steps_below(first), count));
      takes_any.push_back(taken);
    }
    in_brackets = reversed(brackets(chain), count);
    begins = reversed(left.skip(bit(first)) & brackets(chain), count);
  }

  /// The steps in brackets that can take the place behind one that was taken by these, backward
  /// numbering.
  Steps next_in_brackets(Steps took) const {
    Steps next = took >> 1;
    for (Steps skipped = next & rest.optional; skipped != 0;) {
      skipped = (skipped >> 1) & ~next;
      next |= skipped;
      skipped &= rest.optional;
    }
    return ((took & rest.repeated) | next) & in_brackets;
  }

  uint32_t scope;
  uint32_t first;
  Moves left;  // forward numbering
  Moves rest;  // backward numbering
  Steps required = 0;
  Steps in_brackets = 0;
  Steps begins = 0;  // the steps that the brackets can begin with
  // By letter. Steps before the brackets, forward; the others, backward; all, forward.
  std::vector<Steps> takes_left;
  std::vector<Steps> takes_rest;
  std::vector<Steps> takes_any;
};

}  // namespace

struct Matcher::Impl {
  Block block;
  std::vector<std::optional<Sweep>> sweeps;  // by rule
  // Of the sequence in work:
  std::vector<uint8_t> occurs;    // by letter
  std::vector<uint32_t> visible;  // the operations that the scope below sees
  std::optional<uint32_t> visible_of;
  std::vector<Steps> completes;  // by visible operation: backward numbering

  void start(std::span<const Letter> sequence) {
    KR_CHECK(sequence.size() < no_rule);
    occurs.assign(block.letters, 0);
    for (const Letter letter : sequence) {
      KR_CHECK(letter < block.letters);
      occurs[letter] = 1;
    }
    visible_of.reset();
  }

  bool can_match(const Sweep& sweep) const {
    Steps taken = sweep.takes_any[block.start()] | sweep.takes_any[block.end()];
    for (Letter letter = 0; letter < block.letters; ++letter) {
      if (occurs[letter] != 0 && block.scopes[sweep.scope].sees(letter)) {
        taken |= sweep.takes_any[letter];
      }
    }
    return (sweep.required & ~taken) == 0;
  }

  void look(uint32_t scope, std::span<const Letter> sequence) {
    if (visible_of == scope) return;
    visible_of = scope;
    std::vector<uint8_t> seen(block.letters);
    for (Letter letter = 0; letter < block.letters; ++letter) {
      seen[letter] = block.scopes[scope].sees(letter) ? 1 : 0;
    }
    visible.resize(sequence.size());
    size_t count = 0;
    for (size_t i = 0; i < sequence.size(); ++i) {
      visible[count] = static_cast<uint32_t>(i);
      count += seen[sequence[i]];
    }
    visible.resize(count);
  }

  /// Whether the brackets can begin anywhere, as far as what is behind that place decides it.
  bool backward_pass(const Sweep& sweep, std::span<const Letter> sequence,
                     std::span<const uint32_t> rule_of) {
    const Moves moves = sweep.rest;
    const Steps always = moves.skip(1);
    const std::array<Steps, 2> allowed{~Steps{0}, ~sweep.in_brackets};
    const Steps* takes = sweep.takes_rest.data();
    completes.resize(visible.size());
    Steps active = always | moves.next(always & takes[block.end()]);
    Steps any = 0;
    for (size_t i = visible.size(); i-- > 0;) {
      const uint32_t place = visible[i];
      const Steps took =
          active & takes[sequence[place]] & allowed[rule_of[place] == no_rule ? 0 : 1];
      completes[i] = took;
      any |= took;
      active = always | moves.next(took);
    }
    return (any & sweep.begins) != 0;
  }

  void forward_pass(uint32_t rule, const Sweep& sweep, std::span<const Letter> sequence,
                    std::span<uint32_t> rule_of, const OnMatch& on_match) const {
    const Moves moves = sweep.left;
    const Steps always = moves.skip(1);
    const Steps* takes = sweep.takes_left.data();
    Steps active = always | moves.next(always & takes[block.start()]);
    size_t behind = 0;  // the first place behind the last match
    for (size_t i = 0; i < visible.size(); ++i) {
      if ((completes[i] & sweep.begins) != 0 && ((active >> sweep.first) & 1) != 0 && i >= behind) {
        behind = i;
        for (Steps took = completes[i] & sweep.begins; took != 0;) {
          rule_of[visible[behind++]] = rule;
          if (behind == visible.size()) break;
          took = sweep.next_in_brackets(took) & completes[behind];
        }
        if (on_match) on_match({rule, visible[i], visible[behind - 1]});
      }
      active = always | moves.next(active & takes[sequence[visible[i]]]);
    }
  }

  void ordinary(uint32_t rule, std::span<const Letter> sequence,
                std::span<uint32_t> rule_of) const {
    const std::vector<uint8_t>& labels = block.rules[rule].letters;
    for (size_t i = 0; i < sequence.size(); ++i) {
      if (labels[sequence[i]] != 0 && rule_of[i] == no_rule) rule_of[i] = rule;
    }
  }

  void continue_labels(const Scope& scope, std::span<const Letter> sequence,
                       std::span<uint32_t> rule_of) const {
    uint32_t last = no_rule;
    for (size_t i = 0; i < sequence.size(); ++i) {
      if (scope.sees(sequence[i])) {
        last = rule_of[i];
      } else if (scope.continues[sequence[i]] != 0 && rule_of[i] == no_rule) {
        rule_of[i] = last;
      }
    }
  }

  bool occurs_any(const std::vector<uint8_t>& letters) const {
    for (Letter letter = 0; letter < block.letters; ++letter) {
      if (letters[letter] != 0 && occurs[letter] != 0) return true;
    }
    return false;
  }
};

Matcher::Matcher(const Block& block) : impl_(std::make_unique<Impl>()) {
  check(block);
  impl_->block = block;
  for (const OrderRule& rule : block.rules) {
    std::optional<Sweep>& sweep = impl_->sweeps.emplace_back();
    if (rule.chain) sweep.emplace(block, *rule.chain);
  }
}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

void Matcher::label_by_rules(std::span<const Letter> sequence, std::vector<uint32_t>& rule_of,
                             const OnMatch& on_match) {
  impl_->start(sequence);
  rule_of.assign(sequence.size(), no_rule);
  for (uint32_t rule = 0; rule < impl_->sweeps.size(); ++rule) {
    const std::optional<Sweep>& sweep = impl_->sweeps[rule];
    if (!sweep) {
      if (impl_->occurs_any(impl_->block.rules[rule].letters)) {
        impl_->ordinary(rule, sequence, rule_of);
      }
    } else if (impl_->can_match(*sweep)) {
      impl_->look(sweep->scope, sequence);
      if (impl_->backward_pass(*sweep, sequence, rule_of)) {
        impl_->forward_pass(rule, *sweep, sequence, rule_of, on_match);
      }
    }
  }
}

void Matcher::label(std::span<const Letter> sequence, std::vector<uint32_t>& rule_of,
                    const OnMatch& on_match) {
  label_by_rules(sequence, rule_of, on_match);
  for (const Scope& scope : impl_->block.scopes) {
    if (impl_->occurs_any(scope.continues)) impl_->continue_labels(scope, sequence, rule_of);
  }
}

}  // namespace kr::order
