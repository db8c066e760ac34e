#include "sema/block.hpp"

#include <algorithm>
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
    join_order(result);
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
  /// What the order rules look at has to be one dimension.
  void join_order(RuleList& result) {
    if (block_.over) take_over(*block_.over);
    for (const Step& step : block_.steps) {
      if (step.included != nullptr && step.included->over) take_over(*step.included->over);
    }
    if (inherited_.over) take_over(*inherited_.over);
    result.over = over_;
    if (block_.scope.valid()) result.scopes.push_back(block_.scope);
    for (const Step& step : block_.steps) {
      if (step.included != nullptr) add_scopes(step.included->scopes, result.scopes);
    }
    add_scopes(inherited_.scopes, result.scopes);
  }
  static void add_scopes(const std::vector<OrderScopeId>& from, std::vector<OrderScopeId>& to) {
    for (const OrderScopeId scope : from) {
      if (std::ranges::find(to, scope) == to.end()) to.push_back(scope);
    }
  }
  void take_over(uint32_t over) {
    if (!over_) over_ = over;
    if (over == *over_ || options_.sink == nullptr || over_reported_) return;
    over_reported_ = true;
    const DistinctTexts& dimensions = *options_.dimensions;
    options_.sink
        ->add(diag::code::other_over, (block_.over_name ? block_.over_name : block_.name)->span,
              "a part of `" + block_.name->text + "`", std::string(dimensions.text(over)),
              std::string(dimensions.text(*over_)))
        .help("the rules of one dimension look at the labels of one other");
  }

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
  std::optional<uint32_t> over_;
  bool over_reported_ = false;
  bool incomplete_ = false;
};

}  // namespace

RuleList apply_block(const Block& block, RuleList inherited, const ApplyOptions& options) {
  return ListBuilder(block, std::move(inherited), options).build();
}

}  // namespace kr::sema
