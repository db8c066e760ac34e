// KR406: texts that match known names of other labels: short ones by accident, and longer ones that
// take more names from other labels than they have of their own.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/join.hpp"
#include "lint/checks.hpp"
#include "match/evaluate.hpp"

namespace kr::lint {
namespace {

constexpr size_t short_bytes = 4;
/// A longer text is reported if it takes as many names and most of those that it decides.
constexpr size_t many_names = 5;
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
  bool is_short = false;
  size_t own = 0;  // names that no later rule would label otherwise, by table
  size_t others = 0;
  std::set<std::string> names;
  std::set<std::string> labels;  // that the names would get without the text
};

class BroadTexts {
 public:
  explicit BroadTexts(const Context& context) : context_(context), program_(context.program()) {
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

  /// Finds texts that label known names which a later rule would label otherwise.
  void look(const sema::Table& table) {
    std::vector<const match::Condition*> conditions;
    conditions.reserve(table.rules.size());
    for (size_t i = 0; i < table.rules.size(); ++i) {
      conditions.push_back(&condition(table.expr(program_, i)));
    }
    for (const Known& known : names_) {
      const match::Subject subject = known.subject();
      size_t first = 0;
      while (first < conditions.size() && !conditions[first]->holds(subject)) ++first;
      if (first == conditions.size()) continue;
      const auto lone = lone_text(table.rules[first], subject);
      if (!lone) continue;
      const source::Span place = lone->place;
      Taken& taken = taken_[{place.file, place.begin}];
      taken.span = place;
      taken.is_short = lone->is_short;
      size_t next = first + 1;
      while (next < conditions.size() && !conditions[next]->holds(subject)) ++next;
      const std::string& own = program_.rules.get(table.rules[first]).label;
      if (next == conditions.size() || program_.rules.get(table.rules[next]).label == own) {
        ++taken.own;
        continue;
      }
      const std::string& other = program_.rules.get(table.rules[next]).label;
      ++taken.others;
      taken.names.insert(*known.name);
      taken.labels.insert(other);
    }
  }

  void report(diag::Sink& sink) const {
    for (const auto& [place, taken] : taken_) {
      if (taken.names.empty()) continue;
      const bool broad = taken.names.size() >= many_names && taken.others > taken.own;
      if (!taken.is_short && !broad) continue;
      const source::Span span = taken.span;
      diag::Diagnostic& added = sink.add(
          diag::code::broad_text, span, context_.sources().text(span), taken.names.size(),
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
  struct Lone {
    source::Span place;
    bool is_short = false;
  };
  /// The text that alone makes a rule match, through alternatives and patterns, if it is in a root
  /// file, or used there by a rule or pattern.
  std::optional<Lone> lone_text(sema::RuleId rule, const match::Subject& subject) {
    sema::ExprId at = program_.rules.get(rule).expr;
    source::Span place = program_.exprs.get(at).span;
    while (program_.exprs.get(at).op == sema::ExprOp::disjunction) {
      const sema::Expr& all = program_.exprs.get(at);
      std::optional<size_t> only;
      for (size_t i = 0; i < all.operands.size(); ++i) {
        if (!condition(all.operands[i]).holds(subject)) continue;
        if (only) return std::nullopt;
        only = i;
      }
      if (!only) return std::nullopt;
      at = all.operands[*only];
      // The text itself if it is written in a root file; else where its pattern is used.
      const source::Span own = program_.exprs.get(at).span;
      const source::Span used = *only < all.places.size() ? all.places[*only] : own;
      if (context_.is_root(used.file)) place = used;
      if (context_.is_root(own.file)) place = own;
    }
    const sema::Expr& expr = program_.exprs.get(at);
    if (!context_.is_root(place.file) || expr.op != sema::ExprOp::atom) return std::nullopt;
    // Of texts in used files, only what is written here can be corrected here.
    if (!context_.is_root(expr.span.file) && place.size() == 0) return std::nullopt;
    return Lone{place, is_short(program_.atoms.get(expr.atom).regex)};
  }

  const match::Condition& condition(sema::ExprId id) {
    return conditions_.try_emplace(id, program_, id).first->second;
  }

  const Context& context_;
  const sema::Program& program_;
  std::vector<Known> names_;
  std::unordered_map<sema::ExprId, match::Condition> conditions_;
  std::map<std::pair<source::FileId, uint32_t>, Taken> taken_;
};

}  // namespace

void check_broad_texts(const Context& context, diag::Sink& sink) {
  const sema::Program& program = context.program();
  if (program.models.empty()) return;
  BroadTexts texts(context);
  std::set<std::vector<sema::RuleId>> seen;
  for (const sema::Model& model : program.models) {
    for (const sema::Table& table : model.tables) {
      if (seen.insert(table.rules).second) texts.look(table);
    }
  }
  texts.report(sink);
}

}  // namespace kr::lint
