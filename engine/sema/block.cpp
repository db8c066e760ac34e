#include "sema/block.hpp"

#include <set>

namespace kr::sema {
namespace {

/// The list as it grows: the block's own part, then what it inherits. Rules that an edit takes out
/// stay as holes until the end, so that places hold.
class Growing {
 public:
  Growing(const Block& block, RuleList inherited, const Putting& putting)
      : block_(block), inherited_(std::move(inherited)), putting_(putting) {}

  RuleList grow() && {
    for (const Step& step : block_.steps) take(step);
    RuleList result;
    result.any = inherited_.any || block_.otherwise || !own_.empty();
    result.incomplete = incomplete_ || inherited_.incomplete;
    result.otherwise = block_.otherwise      ? block_.otherwise
                       : included_otherwise_ ? included_otherwise_
                                             : inherited_.otherwise;
    result.any |= result.otherwise.has_value();
    result.rules.reserve(own_.size() + inherited_.rules.size());
    for (const Own& own : own_) {
      if (own.placed.rule.valid()) result.rules.push_back(own.placed);
    }
    for (const Placed& placed : inherited_.rules) {
      if (placed.rule.valid()) result.rules.push_back(placed);
    }
    return result;
  }

 private:
  struct Own {
    Placed placed;
    bool included;
  };

  void take(const Step& step) {
    switch (step.kind) {
      case syntax::RuleKind::rule:
        if (step.rule.valid()) own_.push_back({{step.rule, step.label, putting_.body}, false});
        break;
      case syntax::RuleKind::include:
        include(step);
        break;
      case syntax::RuleKind::replace:
      case syntax::RuleKind::drop:
        edit(step);
        break;
      case syntax::RuleKind::otherwise_keep:
        break;
    }
  }

  void include(const Step& step) {
    if (step.included == nullptr) {
      incomplete_ = true;
      return;
    }
    incomplete_ |= step.included->incomplete;
    for (Placed placed : step.included->rules) {
      placed.body = putting_.body;
      own_.push_back({placed, true});
    }
    if (!included_otherwise_) included_otherwise_ = step.included->otherwise;
  }

  void edit(const Step& step) {
    bool found = false;
    const auto touch = [&](Placed& placed) {
      if (!placed.rule.valid() || placed.label != step.label) return;
      placed.rule = found ? RuleId{} : step.rule;  // of a drop it is invalid
      found = true;
    };
    for (Own& own : own_) {
      if (own.included) touch(own.placed);
    }
    for (Placed& placed : inherited_.rules) {
      if (!putting_.touches || putting_.touches(placed.body)) touch(placed);
    }
    if (found || putting_.sink == nullptr || step.unknown_label) return;
    if (!incomplete_ && !inherited_.incomplete) report(step);
  }

  void report(const Step& step) {
    const syntax::Word& label = step.written->label;
    diag::Sink& sink = *putting_.sink;
    const bool replace = step.kind == syntax::RuleKind::replace;
    diag::Diagnostic& added =
        replace ? sink.add(diag::code::replace_finds_nothing, label.span, label.text)
                : sink.add(diag::code::drop_finds_nothing, label.span, label.text);
    if (!worth_suggesting(sink)) return;
    for (const Step& other : block_.steps) {
      if (other.label != step.label || !other.rule.valid() ||
          other.kind != syntax::RuleKind::rule) {
        continue;
      }
      added.related(other.written->label.span, "this rule is in the same block");
      break;
    }
    if (const auto near = near_name(label.text, touchable(), sink)) {
      added.help("did you mean `{}`?", *near);
    } else if (replace) {
      added.help("write `{}:` without `replace` to add a rule", label.text);
    }
  }

  /// The labels that an edit at this point could name.
  std::vector<std::string> touchable() const {
    std::set<uint32_t> numbers;
    for (const Own& own : own_) {
      if (own.included && own.placed.rule.valid()) numbers.insert(own.placed.label);
    }
    for (const Placed& placed : inherited_.rules) {
      if (placed.rule.valid() && (!putting_.touches || putting_.touches(placed.body))) {
        numbers.insert(placed.label);
      }
    }
    std::vector<std::string> names;
    names.reserve(numbers.size());
    for (const uint32_t number : numbers) names.emplace_back(putting_.labels->text(number));
    return names;
  }

  const Block& block_;
  RuleList inherited_;
  const Putting& putting_;
  std::vector<Own> own_;
  std::optional<RuleId> included_otherwise_;
  bool incomplete_ = false;
};

}  // namespace

RuleList put(const Block& block, RuleList inherited, const Putting& putting) {
  return Growing(block, std::move(inherited), putting).grow();
}

}  // namespace kr::sema
