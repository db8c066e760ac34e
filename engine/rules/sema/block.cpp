#include "sema/block.hpp"

#include <algorithm>
#include <iterator>

namespace kr::sema {
namespace {

/// Builds a list: the block's own rules, then the inherited ones.
class ListBuilder {
 public:
  ListBuilder(const Block& block, RuleList inherited, diag::Sink* sink,
              const DistinctTexts* dimensions)
      : block_(block), inherited_(std::move(inherited)), sink_(sink), dimensions_(dimensions) {}

  RuleList build() && {
    for (const Step& step : block_.steps) apply(step);
    if (inherited_.image) add_image(*inherited_.image);
    append(list_.rules, inherited_.rules);
    append(list_.refinements, inherited_.refinements);
    list_.incomplete |= inherited_.incomplete;
    list_.otherwise = block_.otherwise      ? block_.otherwise
                      : included_otherwise_ ? included_otherwise_
                                            : inherited_.otherwise;
    list_.any = !list_.rules.empty() || list_.otherwise || list_.image;
    join_order();
    check_image();
    return std::move(list_);
  }

 private:
  template <class T>
  static void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  void apply(const Step& step) {
    switch (step.kind) {
      case syntax::RuleKind::include:
        return include(step);
      case syntax::RuleKind::refine:
        list_.refinements.push_back({step.label, step.refined, step.written});
        return;
      case syntax::RuleKind::image:
        if (!list_.image) list_.image.emplace(own_image());
        for (const uint32_t label : step.images) list_.image->rules.emplace(label, step.rule);
        return;
      default:
        if (step.rule.valid()) list_.rules.push_back({step.rule, step.label});
    }
  }

  Image own_image() const { return {*block_.from, {}, block_.from_name}; }

  void include(const Step& step) {
    if (step.included == nullptr) {
      list_.incomplete = true;
      return;
    }
    const RuleList& table = *step.included;
    list_.incomplete |= table.incomplete;
    append(list_.rules, table.rules);
    append(list_.refinements, table.refinements);
    if (table.image) add_image(*table.image);
    if (!included_otherwise_) included_otherwise_ = table.otherwise;
  }

  /// What is farther does not change what is nearer.
  void add_image(const Image& farther) {
    if (!list_.image) {
      list_.image = farther;
      return;
    }
    if (list_.image->from != farther.from) mixed_ = true;
    list_.image->rules.insert(farther.rules.begin(), farther.rules.end());
  }

  void check_image() {
    if (block_.from_name != nullptr && !list_.image) list_.image = own_image();
    list_.any |= list_.image.has_value();
    if (!list_.image || (list_.rules.empty() && !list_.over && !mixed_)) return;
    if (sink_ != nullptr) {
      sink_
          ->add(diag::code::mixed_image, (block_.from_name ? block_.from_name : block_.name)->span,
                block_.name->text, std::string(dimensions_->text(list_.image->from)))
          .help(
              "give the names another label of `{0}`, list more labels of `{0}` in the block with "
              "`from`, or split a label with `refine LABEL {{ … }}`",
              std::string(dimensions_->text(list_.image->from)));
    }
    list_.rules.clear();
    list_.over.reset();
  }

  /// What the order rules look at has to be one dimension.
  void join_order() {
    if (block_.over) take_over(*block_.over);
    for (const Step& step : block_.steps) {
      if (step.included != nullptr && step.included->over) take_over(*step.included->over);
    }
    if (inherited_.over) take_over(*inherited_.over);
    if (block_.scope.valid()) list_.scopes.push_back(block_.scope);
    for (const Step& step : block_.steps) {
      if (step.included != nullptr) add_scopes(step.included->scopes);
    }
    add_scopes(inherited_.scopes);
  }
  void add_scopes(const std::vector<OrderScopeId>& from) {
    for (const OrderScopeId scope : from) {
      if (std::ranges::find(list_.scopes, scope) == list_.scopes.end()) {
        list_.scopes.push_back(scope);
      }
    }
  }
  void take_over(uint32_t over) {
    if (!list_.over) list_.over = over;
    if (over == *list_.over || sink_ == nullptr || over_reported_) return;
    over_reported_ = true;
    sink_
        ->add(diag::code::other_over, (block_.over_name ? block_.over_name : block_.name)->span,
              "a part of `" + block_.name->text + "`", std::string(dimensions_->text(over)),
              std::string(dimensions_->text(*list_.over)))
        .help("the rules of one dimension look at the labels of one other");
  }

  const Block& block_;
  RuleList inherited_;
  diag::Sink* sink_;
  const DistinctTexts* dimensions_;
  RuleList list_;
  std::optional<RuleId> included_otherwise_;
  bool over_reported_ = false;
  bool mixed_ = false;  // images of different dimensions
};

}  // namespace

RuleList apply_block(const Block& block, RuleList inherited, diag::Sink* sink,
                     const DistinctTexts* dimensions) {
  return ListBuilder(block, std::move(inherited), sink, dimensions).build();
}

}  // namespace kr::sema
