#include "sema/block.hpp"

#include <set>

namespace kr::sema {
namespace {

/// Builds a list: the block's own rules, then the inherited ones. Removed rules stay as invalid
/// entries until the end, so that places do not change.
class ListBuilder {
 public:
  ListBuilder(const Block& block, RuleList inherited, const ApplyOptions& options)
      : block_(block), inherited_(std::move(inherited)), options_(options) {}

  RuleList build() && {
    for (const Step& step : block_.steps) apply(step);
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

  void apply(const Step& step) {
    if (step.kind == syntax::RuleKind::include) {
      include(step);
    } else if (step.kind != syntax::RuleKind::rule) {
      edit(step);
    } else if (step.rule.valid()) {
      own_.push_back({{step.rule, step.label, options_.body}, false});
    }
  }

  void include(const Step& step) {
    if (step.included == nullptr) {
      incomplete_ = true;
      return;
    }
    incomplete_ |= step.included->incomplete;
    for (Placed placed : step.included->rules) {
      placed.body = options_.body;
      own_.push_back({placed, true});
    }
    if (!included_otherwise_) included_otherwise_ = step.included->otherwise;
  }

  void edit(const Step& step) {
    bool found = false;
    const auto change = [&](Placed& placed) {
      if (!placed.rule.valid() || placed.label != step.label) return;
      placed.rule = found ? RuleId{} : step.rule;  // invalid for `drop`
      found = true;
    };
    for (Own& own : own_) {
      if (own.included) change(own.placed);
    }
    for (Placed& placed : inherited_.rules) {
      if (!options_.may_edit || options_.may_edit(placed.body)) change(placed);
    }
    if (found || options_.sink == nullptr || step.unknown_label) return;
    if (!incomplete_ && !inherited_.incomplete) report(step);
  }

  void report(const Step& step) {
    const syntax::Word& label = step.written->label;
    diag::Sink& sink = *options_.sink;
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
    if (const auto near = near_name(label.text, editable_labels(), sink)) {
      added.help("did you mean `{}`?", *near);
    } else if (replace) {
      added.help("write `{}:` without `replace` to add a rule", label.text);
    }
  }

  /// The labels that an edit could name at this point.
  std::vector<std::string> editable_labels() const {
    std::set<uint32_t> numbers;
    for (const Own& own : own_) {
      if (own.included && own.placed.rule.valid()) numbers.insert(own.placed.label);
    }
    for (const Placed& placed : inherited_.rules) {
      if (placed.rule.valid() && (!options_.may_edit || options_.may_edit(placed.body))) {
        numbers.insert(placed.label);
      }
    }
    std::vector<std::string> names;
    names.reserve(numbers.size());
    for (const uint32_t number : numbers) names.emplace_back(options_.labels->text(number));
    return names;
  }

  const Block& block_;
  RuleList inherited_;
  const ApplyOptions& options_;
  std::vector<Own> own_;
  std::optional<RuleId> included_otherwise_;
  bool incomplete_ = false;
};

}  // namespace

RuleList apply_block(const Block& block, RuleList inherited, const ApplyOptions& options) {
  return ListBuilder(block, std::move(inherited), options).build();
}

}  // namespace kr::sema
