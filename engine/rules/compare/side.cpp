#include "compare/side.hpp"

#include <map>
#include <utility>

namespace kr::compare {
namespace {

using prove::FormulaId;

class SideBuilder {
 public:
  SideBuilder(prove::Formulas& formulas, const sema::Program& program, const sema::Table& table)
      : formulas_(formulas), program_(program), table_(table) {
    for (size_t place = 0; place < table.refined.size(); ++place) {
      const sema::Rule& rule = rule_at(place);
      if (place < table.refinements) {
        refines_[rule.refines].push_back(place);
      } else {
        refines_from_[program.rules.get(rule.image_of).refines].push_back(place);
      }
    }
  }

  Side build() && {
    // What an image leaves out, and refinements of it, are known by its rule only.
    const bool expand = refines_from_.empty() || table_.otherwise;
    const size_t begin = expand ? table_.refined.size() : 0;
    for (size_t place = begin; place < table_.rules.size(); ++place) {
      const FormulaId formula = formulas_.of(program_, table_.expr(program_, place));
      expand ? add_from(formula, rule_at(place)) : add(formula, label_at(place));
    }
    if (!table_.otherwise) {
      add(formulas_.always(), sema::reserved::unclassified);
    } else if (const sema::Rule& rest = program_.rules.get(*table_.otherwise); expand) {
      add_from(formulas_.always(), rest);
    } else {
      add(formulas_.always(), label_of_list(rest));
    }
    finish();
    return std::move(side_);
  }

 private:
  /// The places of refined rules, by the label that they split.
  using Refinements = std::map<std::string_view, std::vector<size_t>>;

  const sema::Rule& rule_at(size_t place) const { return program_.rules.get(table_.rules[place]); }
  static std::string_view label_of_list(const sema::Rule& rule) {
    const bool none = rule.label.empty() && !rule.keep;
    return none ? sema::reserved::unclassified : label_of(rule);
  }
  std::string_view label_at(size_t place) const { return label_of_list(rule_at(place)); }
  FormulaId both(FormulaId formula, const sema::Rule& rule) {
    return formulas_.all({formula, formulas_.of(program_, rule.expr)});
  }

  /// The names of a formula, whose rule in the dimension that this one is made of is known.
  void add_from(FormulaId formula, const sema::Rule& rule) {
    if (rule.image_of.valid()) {
      const std::string& label = program_.rules.get(rule.image_of).label;
      if (const auto at = refines_from_.find(label); at != refines_from_.end()) {
        for (const size_t place : at->second) {
          const sema::Rule& refined = rule_at(place);
          const FormulaId some = both(formula, refined);
          if (program_.rules.get(refined.image_of).label == label) {
            add_refined(some, label_at(place));
          } else {
            add_from(some, refined);
          }
        }
      }
    }
    add_refined(formula, label_of_list(rule));
  }

  /// The names of a formula that have a label before it is refined.
  void add_refined(FormulaId formula, std::string_view label) {
    if (const auto at = refines_.find(label); at != refines_.end()) {
      for (const size_t place : at->second) {
        const FormulaId some = both(formula, rule_at(place));
        if (label_at(place) == label) {
          add(some, label);
        } else {
          add_refined(some, label_at(place));
        }
      }
    }
    add(formula, label);
  }

  void add(FormulaId formula, std::string_view label) {
    // What is made of another dimension gives one label many times in a row.
    if (table_.from.valid() && !side_.labels.empty() && side_.labels.back() == label) {
      same_.push_back(formula);
      return;
    }
    end_row();
    same_ = {formula};
    side_.labels.push_back(label);
  }
  void end_row() {
    if (!same_.empty()) side_.formulas.push_back(formulas_.any(std::exchange(same_, {})));
  }
  void finish() {
    end_row();
    for (size_t i = 0; i < side_.formulas.size(); ++i) side_.first.emplace(side_.formulas[i], i);
  }

  prove::Formulas& formulas_;
  const sema::Program& program_;
  const sema::Table& table_;
  Refinements refines_;
  Refinements refines_from_;
  Side side_;
  std::vector<FormulaId> same_;  // of the last label, which are one formula
};

}  // namespace

Side side_of(prove::Formulas& formulas, TableOf of) {
  static const sema::Table none;
  return SideBuilder(formulas, *of.program, of.table != nullptr ? *of.table : none).build();
}

}  // namespace kr::compare
