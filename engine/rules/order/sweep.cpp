#include "order/sweep.hpp"

#include <array>

namespace kr::order {

void Sweep::look(uint32_t scope) {
  if (scope_ == scope) return;
  scope_ = scope;
  visible_.clear();
  for (size_t i = 0; i < sequence_.size(); ++i) {
    if (block_.scopes[scope].sees(sequence_[i])) visible_.push_back(static_cast<uint32_t>(i));
  }
}

void Sweep::label(uint32_t rule, std::span<uint32_t> rule_of, const OnMatch& on_match) {
  const Chain& chain = *block_.rules[rule].chain;
  const size_t count = chain.steps.size();
  std::vector<Steps> takes_before;  // by letter
  std::vector<Steps> takes_behind;  // by letter: those in brackets, too; numbered backward
  for (Letter letter = 0; letter < block_.letters + 2; ++letter) {
    const Steps taken = takes(chain, block_, letter) & steps_below(count);
    takes_before.push_back(taken & steps_below(chain.first));
    takes_behind.push_back(reversed(taken & ~steps_below(chain.first), count));
  }
  const Brackets brackets(chain);
  look(chain.scope);

  completes_.resize(visible_.size());
  const Moves back = brackets.moves;
  const Steps back_always = back.skip(1);
  const std::array<Steps, 2> allowed{~Steps{0}, ~brackets.all};
  Steps active = back_always | back.next(back_always & takes_behind[block_.end()]);
  Steps any = 0;
  for (size_t i = visible_.size(); i-- > 0;) {
    const uint32_t place = visible_[i];
    completes_[i] =
        active & takes_behind[sequence_[place]] & allowed[rule_of[place] == no_rule ? 0 : 1];
    any |= completes_[i];
    active = back_always | back.next(completes_[i]);
  }
  if ((any & brackets.begins) == 0) return;

  const Moves moves = forward(chain);
  const Steps always = moves.skip(1);
  active = always | moves.next(always & takes_before[block_.start()]);
  size_t behind = 0;  // the first place behind the last match
  for (size_t i = 0; i < visible_.size(); ++i) {
    Steps took = completes_[i] & brackets.begins;
    if (took != 0 && ((active >> chain.first) & 1) != 0 && i >= behind) {
      for (behind = i; took != 0;) {
        rule_of[visible_[behind++]] = rule;
        if (behind == visible_.size()) break;
        took = brackets.behind(took) & completes_[behind];
      }
      if (on_match) on_match({rule, visible_[i], visible_[behind - 1]});
    }
    active = always | moves.next(active & takes_before[sequence_[visible_[i]]]);
  }
}

}  // namespace kr::order
