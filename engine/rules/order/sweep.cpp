#include "order/sweep.hpp"

#include <array>

#include "order/bits.hpp"

namespace kr::order {

void sweep(const Block& block, uint32_t rule, std::span<const Letter> sequence,
           std::span<uint32_t> rule_of, const OnMatch& on_match) {
  const Chain& chain = *block.rules[rule].chain;
  const size_t count = chain.steps.size();
  std::vector<Steps> takes_before;  // by letter
  std::vector<Steps> takes_behind;  // by letter: those in brackets, too; numbered backward
  for (Letter letter = 0; letter < block.letters + 2; ++letter) {
    const Steps taken = takes(chain, block, letter) & steps_below(count);
    takes_before.push_back(taken & steps_below(chain.first));
    takes_behind.push_back(reversed(taken & ~steps_below(chain.first), count));
  }
  const Brackets brackets(chain);
  std::vector<uint32_t> visible;
  for (size_t i = 0; i < sequence.size(); ++i) {
    if (block.scopes[chain.scope].sees(sequence[i])) visible.push_back(static_cast<uint32_t>(i));
  }

  // By visible operation: the steps that can take it so that all further steps find their places
  // behind it.
  std::vector<Steps> completes(visible.size());
  const Moves back = brackets.moves;
  const Steps back_always = back.skip(1);
  const std::array<Steps, 2> allowed{~Steps{0}, ~brackets.all};
  Steps active = back_always | back.next(back_always & takes_behind[block.end()]);
  Steps any = 0;
  for (size_t i = visible.size(); i-- > 0;) {
    const uint32_t place = visible[i];
    completes[i] =
        active & takes_behind[sequence[place]] & allowed[rule_of[place] == no_rule ? 0 : 1];
    any |= completes[i];
    active = back_always | back.next(completes[i]);
  }
  if ((any & brackets.begins) == 0) return;

  const Moves moves = forward(chain);
  const Steps always = moves.skip(1);
  active = always | moves.next(always & takes_before[block.start()]);
  size_t behind = 0;  // the first place behind the last match
  for (size_t i = 0; i < visible.size(); ++i) {
    Steps took = completes[i] & brackets.begins;
    if (took != 0 && ((active >> chain.first) & 1) != 0 && i >= behind) {
      for (behind = i; took != 0;) {
        rule_of[visible[behind++]] = rule;
        if (behind == visible.size()) break;
        took = brackets.behind(took) & completes[behind];
      }
      if (on_match) on_match({rule, visible[i], visible[behind - 1]});
    }
    active = always | moves.next(active & takes_before[sequence[visible[i]]]);
  }
}

}  // namespace kr::order
