#include "classify/phases.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/integer.hpp"
#include "classify/matched_names.hpp"
#include "match/evaluate.hpp"
#include "sema/phase_number.hpp"

namespace kr::classify {
namespace {

/// A number whose parts are added.
struct Parts {
  std::optional<int64_t> sum;
  bool broken = false;  // a part is not a number, or the sum overflows

  void add(std::string_view digits) {
    const auto part = integer_from(digits);
    int64_t all = sum.value_or(0);
    broken = broken || !part || __builtin_add_overflow(all, *part, &all);
    sum = broken ? std::nullopt : std::optional(all);
  }
};

/// The numbers of a rule, while its expression is traversed.
struct Extracted {
  /// Visited expressions: one that patterns share gives its numbers once.
  std::unordered_set<sema::ExprId> visited;
  std::optional<int64_t> step;
  std::optional<int64_t> layer;
  Parts batch;
  Parts tokens;
  std::vector<std::pair<std::string, int64_t>> others;
};

/// An atom with named groups, which extract numbers.
class Numbers {
 public:
  explicit Numbers(const sema::Atom& atom)
      : re2_(regex::to_re2(atom.regex), options()), groups_(re2_.CapturingGroupNames()) {}

  void take(std::string_view text, Extracted& extracted) const {
    std::vector<re2::StringPiece> found(static_cast<size_t>(re2_.NumberOfCapturingGroups()) + 1);
    const re2::StringPiece subject(text.data(), text.size());
    if (!re2_.ok() || !re2_.Match(subject, 0, text.size(), RE2::UNANCHORED, found.data(),
                                  static_cast<int>(found.size()))) {
      return;
    }
    for (const auto& [place, name] : groups_) {
      const re2::StringPiece& piece = found[static_cast<size_t>(place)];
      const auto which = sema::phase_number(name);
      if (piece.data() == nullptr) continue;  // not in the match
      if (!which) {
        give(name, {piece.data(), piece.size()}, extracted);
        continue;
      }
      give(*which, {piece.data(), piece.size()}, extracted);
    }
  }

 private:
  static void give(const std::string& name, std::string_view digits, Extracted& extracted) {
    const auto value = integer_from(digits);
    if (!value) return;
    const auto known = std::find_if(extracted.others.begin(), extracted.others.end(),
                                    [&](const auto& one) { return one.first == name; });
    if (known != extracted.others.end()) {
      known->second = *value;
    } else {
      extracted.others.emplace_back(name, *value);
    }
  }

  static void give(sema::PhaseNumber which, std::string_view digits, Extracted& extracted) {
    switch (which) {
      case sema::PhaseNumber::step:
        if (const auto value = integer_from(digits)) extracted.step = value;
        return;
      case sema::PhaseNumber::layer:
        if (const auto value = integer_from(digits)) extracted.layer = value;
        return;
      case sema::PhaseNumber::batch:
        return extracted.batch.add(digits);
      case sema::PhaseNumber::tokens:
        return extracted.tokens.add(digits);
    }
  }

  static RE2::Options options() {
    RE2::Options options(RE2::Latin1);
    options.set_dot_nl(true);
    options.set_log_errors(false);
    return options;
  }
  RE2 re2_;
  std::map<int, std::string> groups_;
};

}  // namespace

struct PhaseReader::Impl {
  const sema::Program& program;
  const sema::Model& model;
  match::Scanner scanner;
  match::AtomSet set;
  std::unordered_map<sema::AtomId, std::unique_ptr<Numbers>>
      numbers;  // null: the atom has no groups
  // A trace may have as many texts as ranges. They have few sets of atoms, which decide the rule.
  AtomSets sets;
  std::vector<const sema::Rule*> rule_of_set;  // null: none matches

  Impl(const sema::Program& of, const std::shared_ptr<const match::Database>& database,
       sema::ModelId id)
      : program(of), model(of.models.get(id)), scanner(database) {}

  /// The first rule that matches `set`; null: none.
  const sema::Rule* rule() {
    const uint32_t number = sets.add(set);
    if (number < rule_of_set.size()) return rule_of_set[number];
    const match::Subject subject{.name = &set};
    const auto matches = [&](sema::RuleId id) {
      const sema::Rule& one = program.rules.get(id);
      return one.otherwise || match::holds(program, one.expr, subject);
    };
    const auto found = std::find_if(model.phases.begin(), model.phases.end(), matches);
    rule_of_set.push_back(found == model.phases.end() ? nullptr : &program.rules.get(*found));
    return rule_of_set.back();
  }

  /// Extracts the numbers of an expression that matches.
  void take(sema::ExprId id, const match::Subject& subject, std::string_view text,
            Extracted& extracted) {
    if (!extracted.visited.insert(id).second) return;
    const sema::Expr& expr = program.exprs.get(id);
    switch (expr.op) {
      case sema::ExprOp::atom:
        take(expr.atom, text, extracted);
        return;
      case sema::ExprOp::disjunction:
        for (const sema::ExprId operand : expr.operands) {
          if (match::holds(program, operand, subject))
            return take(operand, subject, text, extracted);
        }
        return;
      case sema::ExprOp::conjunction:
        for (const sema::ExprId operand : expr.operands) take(operand, subject, text, extracted);
        return;
      case sema::ExprOp::operation:
      case sema::ExprOp::label:
      case sema::ExprOp::within:
      case sema::ExprOp::within_op:
      case sema::ExprOp::op:
      case sema::ExprOp::phase:
      case sema::ExprOp::own:
      case sema::ExprOp::negation:
        return;  // they have no matched text
    }
  }

  void take(sema::AtomId id, std::string_view text, Extracted& extracted) {
    auto [known, added] = numbers.try_emplace(id);
    if (added) {
      const sema::Atom& atom = program.atoms.get(id);
      if (!regex::group_names(atom.regex).empty()) known->second = std::make_unique<Numbers>(atom);
    }
    if (known->second) known->second->take(text, extracted);
  }
};

PhaseReader::PhaseReader(const sema::Program& program,
                         const std::shared_ptr<const match::Database>& database,
                         sema::ModelId model)
    : impl_(std::make_unique<Impl>(program, database, model)) {}
PhaseReader::~PhaseReader() = default;
PhaseReader::PhaseReader(PhaseReader&&) noexcept = default;

Phase PhaseReader::read(std::string_view text) {
  impl_->scanner.scan(text, impl_->set);
  const sema::Rule* const rule = impl_->rule();
  Phase phase;
  if (rule == nullptr || rule->keep) return phase;
  phase.label = rule->label;
  if (rule->otherwise) return phase;
  Extracted extracted;
  impl_->take(rule->expr, {.name = &impl_->set}, text, extracted);
  phase.step = extracted.step;
  phase.layer = extracted.layer;
  phase.batch = extracted.batch.sum;
  phase.tokens = extracted.tokens.sum;
  phase.others = std::move(extracted.others);
  return phase;
}

std::optional<int64_t> Phase::number(std::string_view name) const noexcept {
  if (name == "step") return step;
  if (name == "layer") return layer;
  if (name == "batch") return batch;
  if (name == "tokens") return tokens;
  for (const auto& [other, value] : others) {
    if (other == name) return value;
  }
  return std::nullopt;
}

}  // namespace kr::classify
