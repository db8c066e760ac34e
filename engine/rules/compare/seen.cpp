#include "compare/seen.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "sema/load.hpp"

namespace kr::compare {
namespace {

/// With more names, Hyperscan is faster, although it takes seconds to compile.
constexpr size_t max_for_automata = 20'000;
/// With more pairs of a name and a formula, scanning the names takes less time.
constexpr size_t max_simulated = 200'000;
/// Shorter names are seldom whole names of kernels.
constexpr size_t min_bytes = 12;
constexpr size_t max_tried = 1000;

}  // namespace

std::string_view to_string(SeenIn place) noexcept {
  constexpr std::array<std::string_view, 4> words{"run", "list", "test", "shipped"};
  return words[static_cast<size_t>(place)];
}

std::vector<SeenName> names_in_tests(const sema::Program& program) {
  std::vector<SeenName> names;
  names.reserve(program.tests.size());
  for (const sema::Test& test : program.tests) {
    sema::each_operation(test, [&](const sema::Test& operation) {
      SeenName& one = names.emplace_back();
      one.name = operation.name;
      one.kind = operation.kind.value_or(operation_kind_of(operation.name));
      one.within = operation.within;
      one.seen_in = SeenIn::test;
    });
  }
  return names;
}

std::vector<SeenName> shipped_names(const source::Library& library) {
  std::vector<SeenName> names;
  for (auto& texts : {sema::names_in_tests(library), library.known_names()}) {
    for (const std::string& text : texts) {
      SeenName& one = names.emplace_back();
      one.name = text;
      one.kind = operation_kind_of(text);
      one.seen_in = SeenIn::shipped;
    }
  }
  return names;
}

Labeller::Scanned Labeller::scan(const std::string& name, OperationKind kind,
                                 const std::vector<std::string>& within) {
  if (!scanner_) {
    if (!rules_.database) {
      rules_.database = names_ > max_for_automata
                            ? match::Database::compile(*rules_.program, std::nullopt)
                            : match::Database::of_automata(*rules_.program);
    }
    scanner_.emplace(rules_.database);
  }
  Scanned scanned{match::AtomSet(), kind, {}};
  scanner_->scan(name, scanned.name);
  scanned.within.resize(within.size());
  for (size_t i = 0; i < within.size(); ++i) scanner_->scan(within[i], scanned.within[i]);
  return scanned;
}

Decision Labeller::decide(const sema::Table* table, const Scanned& scanned) {
  if (table == nullptr) return std::nullopt;
  const auto [at, added] = matchers_.try_emplace(table, *rules_.program, *table);
  return at->second.match(scanned.subject());
}

std::string_view Labeller::label(Decision decision) const {
  if (!decision) return sema::reserved::unclassified;
  return label_of(rules_.program->rules.get(*decision));
}

bool Labeller::holds(sema::RuleId rule, const Scanned& scanned) const {
  return match::holds(*rules_.program, rules_.program->rules.get(rule).expr, scanned.subject());
}

bool Labeller::has_expression(Decision decision) const {
  return decision && rules_.program->rules.get(*decision).expr.valid();
}

SeenNames::SeenNames(const ScannedProgram& before, const ScannedProgram& after,
                     std::vector<SeenName> names)
    : names_(std::move(names)),
      before_(before, names_.size()),
      after_(after, names_.size()),
      scanned_before_(names_.size()),
      scanned_after_(names_.size()) {
  by_length_.resize(names_.size());
  std::iota(by_length_.begin(), by_length_.end(), uint32_t{0});
  std::ranges::stable_sort(by_length_, {},
                           [this](uint32_t name) { return names_[name].name.size(); });
}

const Labeller::Scanned& SeenNames::scanned(Labeller& side, ScannedNames& names, uint32_t name) {
  const SeenName& one = names_[name];
  if (!names[name]) names[name] = side.scan(one.name, one.kind, one.within);
  return *names[name];
}

/// Whether a formula is true, by name. Tables share most of their formulas.
const std::vector<char>& SeenNames::matching(prove::FormulaId formula) {
  const auto [at, added] = matching_.try_emplace(formula, names_.size(), char{0});
  if (!added) return at->second;
  prove::Witness subject;
  for (size_t i = 0; i < names_.size(); ++i) {
    subject.name = names_[i].name;
    subject.kind = names_[i].kind;
    subject.within = names_[i].within;
    at->second[i] = prover_.holds(formula, subject) ? 1 : 0;
  }
  return at->second;
}

/// Where it was seen counts most, then the time; short names are easier to read.
bool SeenNames::is_better_example(uint32_t one, uint32_t other) const {
  const auto rank = [this](uint32_t index) {
    const SeenName& name = names_[index];
    return std::tuple(name.seen_in, -name.total_ns, name.within.size(), name.name.size(), index);
  };
  return rank(one) < rank(other);
}

const std::vector<SeenMove>& SeenNames::moves(TableOf before, TableOf after) {
  const auto [at, added] = moves_.try_emplace({rules_of(before), rules_of(after)});
  std::vector<SeenMove>& moves = at->second;
  if (!added) return moves;
  const std::vector<prove::FormulaId> differ = formulas_that_differ(formulas_, before, after);
  const bool simulates =
      !(before_.is_fast() && after_.is_fast()) && differ.size() * names_.size() <= max_simulated;
  std::vector<char> may_move(names_.size(), simulates ? 0 : 1);
  if (simulates) {
    for (const prove::FormulaId id : differ) {
      const std::vector<char>& matches = matching(id);
      for (size_t i = 0; i < may_move.size(); ++i) {
        if (matches[i] != 0) may_move[i] = 1;
      }
    }
  }
  for (uint32_t i = 0; i < names_.size(); ++i) {
    if (may_move[i] == 0) continue;
    const Decision old_rule = before_.decide(before.table, scanned(before_, scanned_before_, i));
    const Decision new_rule = after_.decide(after.table, scanned(after_, scanned_after_, i));
    if (before_.label(old_rule) == after_.label(new_rule)) continue;
    moves.push_back({i, old_rule, new_rule});
  }
  std::ranges::sort(moves, [this](const SeenMove& a, const SeenMove& b) {
    return is_better_example(a.name, b.name);
  });
  return moves;
}

std::vector<std::string> SeenNames::short_names(TableOf before, std::string_view label,
                                                OperationKind kind, size_t most) {
  std::vector<std::string> names;
  names.reserve(most);
  size_t tried = 0;
  for (const uint32_t name : by_length_) {
    const SeenName& one = names_[name];
    if (one.kind != kind || !one.within.empty() || one.name.size() < min_bytes) continue;
    if (names.size() == most || tried++ == max_tried) break;
    if (before_.label(before_.decide(before.table, scanned(before_, scanned_before_, name))) ==
        label) {
      names.push_back(one.name);
    }
  }
  return names;
}

}  // namespace kr::compare
