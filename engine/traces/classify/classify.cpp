#include "classify/classify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "classify/order.hpp"
#include "sema/about_some.hpp"

namespace kr::classify {

const DimensionLabels* Labelled::find(sema::DimensionId dimension) const {
  for (const DimensionLabels& labels : dimensions) {
    if (labels.dimension == dimension) return &labels;
  }
  for (const DimensionLabels& labels : candidates) {
    if (labels.dimension == dimension) return &labels;
  }
  return nullptr;
}

namespace {

bool has_candidates(std::string_view dimension) {
  return std::ranges::find(sema::candidate_dimensions, dimension) !=
         sema::candidate_dimensions.end();
}

}  // namespace

sema::DimensionId named_dimension(const sema::Program& program, const std::string& name) {
  if (has_candidates(name)) {
    throw Error("", fmt::format("`{}` has candidates, and no labels of operations", name),
                fmt::format("see the table `{}s`", name));
  }
  if (const auto dimension = program.dimension(name)) return *dimension;
  std::vector<std::string> known;
  for (const sema::Dimension& dimension : program.dimensions) {
    if (!has_candidates(dimension.name)) known.push_back(dimension.name);
  }
  std::string remedy = near_or_all(name, known);
  // Then the rules have the misspelling, not the user.
  const auto near = nearest(name, known);
  if (near && std::ranges::find(sema::usual_dimensions, name) != sema::usual_dimensions.end()) {
    remedy = fmt::format("their dimension `{}` looks like a misspelling of it: correct the rules",
                         *near);
  }
  throw Error("", fmt::format("the rules have no dimension `{}`", name), std::move(remedy));
}

std::optional<sema::DimensionId> order_dimension(const sema::Program& program,
                                                 std::string_view name) {
  const auto dimension = program.dimension(name);
  const bool any = dimension && !has_candidates(name) &&
                   std::ranges::any_of(program.models, [&](const sema::Model& model) {
                     return model.order_table(*dimension) != nullptr;
                   });
  return any ? dimension : std::nullopt;
}

sema::DimensionId named_name_dimension(const sema::Program& program, const std::string& name) {
  const sema::DimensionId dimension = named_dimension(program, name);
  if (!order_dimension(program, name)) return dimension;
  throw Error(
      "", fmt::format("`{}` has labels from neighbours, which a name alone does not have", name),
      "name a dimension of names; `kr report --tables order_kernels,order_coverage` has "
      "what is known of this one");
}

LabelResult label_result(const sema::Program& program, std::optional<sema::RuleId> rule_id,
                         std::string_view name) {
  if (!rule_id) return {sema::reserved::unclassified, rule_id, false};
  const sema::Rule& rule = program.rules.get(*rule_id);
  return {rule.keep ? name : std::string_view(rule.label), rule_id, !rule.otherwise};
}

namespace {

/// Subjects with one name whose labels all come from the same rules are one row.
class Rows {
 public:
  Rows(size_t names, size_t subjects) : of_name_(names) { of_subject_.reserve(subjects); }

  /// Adds the next subject. `fresh`: its row is new.
  void add(trace::NameId name, const std::vector<std::optional<sema::RuleId>>& rules, bool& fresh) {
    std::vector<uint32_t>& known = of_name_[name.index];
    const auto same = std::find_if(known.begin(), known.end(),
                                   [&](uint32_t row) { return rules_[row] == rules; });
    fresh = same == known.end();
    if (fresh) {
      known.push_back(static_cast<uint32_t>(rules_.size()));
      rules_.push_back(rules);
      of_subject_.push_back(known.back());
    } else {
      of_subject_.push_back(*same);
    }
  }
  const std::vector<uint32_t>& of_subject() const { return of_subject_; }

 private:
  std::vector<std::vector<uint32_t>> of_name_;
  std::vector<std::vector<std::optional<sema::RuleId>>> rules_;  // by row
  std::vector<uint32_t> of_subject_;
};

/// If every name has one row, rows are numbered like names, and `row_of` is not needed.
void drop_rows(size_t names, Labelled& labelled) {
  if (labelled.names.size() != names) return;
  std::vector<uint32_t> row_of_name(names, UINT32_MAX);
  for (uint32_t row = 0; row < names; ++row) row_of_name[labelled.names[row].index] = row;
  if (std::count(row_of_name.begin(), row_of_name.end(), UINT32_MAX) != 0) return;
  for (DimensionLabels& labels : labelled.dimensions) {
    std::vector<LabelResult> by_name;
    by_name.reserve(names);
    for (const uint32_t row : row_of_name) by_name.push_back(labels.by_row[row]);
    labels.by_row = std::move(by_name);
  }
  for (uint32_t i = 0; i < names; ++i) labelled.names[i] = trace::NameId{i};
  labelled.row_of = {};
}

/// A dimension about some operations says nothing of a trace that has none of them.
void drop_empty(const sema::Program& program, Labelled& labelled) {
  for (const sema::Table& table : program.models.get(labelled.model).tables) {
    if (!sema::is_about_some(program, table)) continue;
    std::erase_if(labelled.dimensions, [&](const DimensionLabels& one) {
      return one.dimension == table.dimension &&
             std::ranges::all_of(one.by_row, [](const LabelResult& label) {
               return label.label == sema::none_label;
             });
    });
  }
}

/// The rules of a table that are tried for a subject, up to the first that matches, and depend on
/// the context.
class ContextNeed {
 public:
  ContextNeed(const sema::Program& program, const sema::Table& table)
      : table_(table), matcher_(program, table) {
    if (!matcher_.uses_within()) return;
    for (size_t i = 0; i < table.rules.size(); ++i) {
      exprs_.push_back(table.expr(program, i));
      conditions_.emplace_back(program, exprs_.back());
    }
    needed_.resize(conditions_.size());
  }
  void add(const match::Subject& subject) {
    if (conditions_.empty()) return;
    const std::optional<sema::RuleId> winner = matcher_.match(subject);
    for (size_t i = 0; i < conditions_.size(); ++i) {
      if (!needed_[i] && conditions_[i].uses_within() &&
          conditions_[i].evaluate({.name = subject.name, .kind = subject.kind, .within = {}}) ==
              match::Truth::unknown) {
        needed_[i] = true;
      }
      if (winner == table_.rules[i]) return;
    }
  }
  void append_to(std::vector<sema::ExprId>& exprs) const {
    for (size_t i = 0; i < exprs_.size(); ++i) {
      if (needed_[i]) exprs.push_back(exprs_[i]);
    }
  }

 private:
  const sema::Table& table_;
  match::TableMatcher matcher_;
  std::vector<sema::ExprId> exprs_;  // by rule; none: the table has no `within`
  std::vector<match::Condition> conditions_;
  std::vector<bool> needed_;
};

}  // namespace

std::vector<sema::ExprId> needed_context(const TraceSubjects& subjects, sema::ModelId model) {
  std::vector<ContextNeed> needs;
  for (const sema::Table& table : subjects.program().models.get(model).tables) {
    needs.emplace_back(subjects.program(), table);
  }
  subjects.each_class([&](uint32_t, const match::Subject& subject) {
    for (ContextNeed& need : needs) need.add(subject);
  });
  std::vector<sema::ExprId> exprs;
  for (const ContextNeed& need : needs) need.append_to(exprs);
  return exprs;
}

Labelled classify(const TraceSubjects& subjects, sema::ModelId model, bool ordered) {
  const sema::Program& program = subjects.program();
  const trace::Trace& trace = subjects.trace();
  Labelled labelled;
  labelled.model = model;
  std::vector<match::TableMatcher> matchers;
  for (const sema::Table& table : program.models.get(model).tables) {
    matchers.emplace_back(program, table);
    labelled.dimensions.push_back({table.dimension, {}});
    labelled.dimensions.back().by_row.reserve(trace.names.size());
  }
  labelled.names.reserve(trace.names.size());
  const bool one_per_name = subjects.of_operation().empty();
  Rows rows(one_per_name ? 0 : trace.names.size(), one_per_name ? 0 : subjects.size());
  std::vector<std::vector<std::optional<sema::RuleId>>> rules_of(subjects.classes());
  subjects.each_class([&](uint32_t number, const match::Subject& subject) {
    for (const match::TableMatcher& matcher : matchers) {
      rules_of[number].push_back(matcher.match(subject));
    }
  });
  for (uint32_t number = 0; number < subjects.size(); ++number) {
    const std::vector<std::optional<sema::RuleId>>& rules = rules_of[subjects.class_of(number)];
    const trace::NameId name = subjects.name(number);
    bool fresh = true;
    if (!one_per_name) rows.add(name, rules, fresh);
    if (!fresh) continue;
    labelled.names.push_back(name);
    for (size_t d = 0; d < matchers.size(); ++d) {
      labelled.dimensions[d].by_row.push_back(
          label_result(program, rules[d], trace.names.get(name).text));
    }
  }
  labelled.row_of.reserve(subjects.of_operation().size());
  for (const uint32_t subject : subjects.of_operation()) {
    labelled.row_of.push_back(rows.of_subject()[subject]);
  }
  if (!one_per_name) drop_rows(trace.names.size(), labelled);
  drop_empty(program, labelled);
  if (ordered) add_order_labels(subjects, labelled);
  return labelled;
}

}  // namespace kr::classify
