// KR406: short texts that match names of other labels by accident.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/join.hpp"
#include "lint/checks.hpp"
#include "match/evaluate.hpp"

namespace kr::lint {
namespace {

constexpr size_t short_bytes = 4;
constexpr size_t names_shown = 3;

/// An unanchored text of few bytes.
bool is_short(const regex::Regex& regex) {
  const regex::Node& root = regex.nodes.get(regex.root);
  const auto is_bytes = [&](regex::NodeId id) {
    return regex.nodes.get(id).kind == regex::NodeKind::bytes &&
           regex.nodes.get(id).set.count() <= 2;
  };
  if (root.kind == regex::NodeKind::bytes) return root.set.count() <= 2;
  return root.kind == regex::NodeKind::sequence && root.operands.size() <= short_bytes &&
         std::ranges::all_of(root.operands, is_bytes);
}

struct Known {
  const std::string* name;
  match::AtomSet atoms;
  OperationKind kind;
  match::Subject subject() const { return {.name = &atoms, .kind = kind, .within = {}}; }
};

struct Taken {
  source::Span span;
  std::set<std::string> names;
  std::set<std::string> labels;  // that the names would get without the text
};

class ShortTexts {
 public:
  explicit ShortTexts(const Context& context) : context_(context), program_(context.program()) {
    match::Scanner scanner(context.compiled.database);
    const auto add = [&](const std::string& name) {
      Known known{&name, match::AtomSet(), operation_kind_of(name)};
      scanner.scan(name, known.atoms);
      names_.push_back(std::move(known));
    };
    for (const std::string& name : context.options.known_names) add(name);
    for (const sema::Test& test : program_.tests) {
      sema::each_operation(test, [&](const sema::Test& operation) { add(operation.name); });
    }
  }

  /// Finds short texts that label known names which a later rule would label otherwise.
  void look(const sema::Table& table) {
    std::vector<match::Condition> conditions;
    conditions.reserve(table.rules.size());
    for (const sema::RuleId id : table.rules)
      conditions.emplace_back(program_, program_.rules.get(id).expr);
    for (const Known& known : names_) {
      const match::Subject subject = known.subject();
      size_t first = 0;
      while (first < conditions.size() && !conditions[first].holds(subject)) ++first;
      if (first == conditions.size()) continue;
      const auto place = lone_short(table.rules[first], subject);
      if (!place) continue;
      size_t next = first + 1;
      while (next < conditions.size() && !conditions[next].holds(subject)) ++next;
      if (next == conditions.size()) continue;
      const std::string& own = program_.rules.get(table.rules[first]).label;
      const std::string& other = program_.rules.get(table.rules[next]).label;
      if (own == other) continue;
      Taken& taken = taken_[{place->file, place->begin}];
      taken.span = *place;
      taken.names.insert(*known.name);
      taken.labels.insert(other);
    }
  }

  void report(diag::Sink& sink) const {
    for (const auto& [place, taken] : taken_) {
      const source::Span span = taken.span;
      diag::Diagnostic& added = sink.add(
          diag::code::short_text, span, context_.sources().text(span), taken.names.size(),
          taken.names.size() == 1 ? "" : "s", fmt::format("`{}`", join(taken.labels, "`, `")));
      added.witness = *taken.names.begin();
      std::string shown;
      size_t count = 0;
      for (const std::string& name : taken.names) {
        if (count++ == names_shown) break;
        shown += fmt::format("{}`{}`", shown.empty() ? "" : ", ", name);
      }
      added.help("check whether this is intended: {}", shown);
    }
  }

 private:
  /// The place of the only matching alternative of a rule, if it is short and in a root file.
  std::optional<source::Span> lone_short(sema::RuleId rule, const match::Subject& subject) const {
    const sema::ExprId whole = program_.rules.get(rule).expr;
    const sema::Expr& top = program_.exprs.get(whole);
    const bool one_of_many = top.op == sema::ExprOp::disjunction;
    const auto alternatives =
        one_of_many ? std::span(top.operands) : std::span<const sema::ExprId>(&whole, 1);
    std::optional<size_t> only;
    for (size_t i = 0; i < alternatives.size(); ++i) {
      if (!match::holds(program_, alternatives[i], subject)) continue;
      if (only) return std::nullopt;
      only = i;
    }
    if (!only) return std::nullopt;
    const sema::Expr& expr = program_.exprs.get(alternatives[*only]);
    const bool own_place = one_of_many && *only < top.places.size();
    const source::Span place = own_place ? top.places[*only] : expr.span;
    if (!context_.is_root(place.file) || expr.op != sema::ExprOp::atom ||
        !is_short(program_.atoms.get(expr.atom).regex)) {
      return std::nullopt;
    }
    return place;
  }

  const Context& context_;
  const sema::Program& program_;
  std::vector<Known> names_;
  std::map<std::pair<source::FileId, uint32_t>, Taken> taken_;
};

}  // namespace

void check_short_texts(const Context& context, diag::Sink& sink) {
  const sema::Program& program = context.program();
  if (program.models.empty()) return;
  ShortTexts texts(context);
  std::set<std::vector<sema::RuleId>> seen;
  for (const sema::Model& model : program.models) {
    for (const sema::Table& table : model.tables) {
      if (seen.insert(table.rules).second) texts.look(table);
    }
  }
  texts.report(sink);
}

}  // namespace kr::lint
