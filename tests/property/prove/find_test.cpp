// The search for a name against trying all short names.
#include <doctest/doctest.h>

#include "prove/prover.hpp"
#include "support/patterns.hpp"
#include "support/rounds.hpp"

using namespace kr;
using namespace kr::prove;

namespace {

struct Case {
  FormulaId wanted;
  std::vector<FormulaId> excluded;
};

class Maker {
 public:
  Maker(std::mt19937& random, Formulas& formulas) : random_(random), formulas_(formulas) {
    for (int i = 0; i < 5; ++i) {
      atoms_.push_back(atom());
      inner_.push_back(formulas_.within(below(2) == 0 ? atom() : formulas_.negation(atom())));
    }
  }

  /// With own names in place of enclosing ones.
  Case make_own() {
    for (FormulaId& one : inner_) one = formulas_.own(formula(1, false));
    return make(true);
  }

  Case make(bool around) {
    Case made{formula(2, around), {}};
    for (unsigned i = below(4); i > 0; --i) made.excluded.push_back(formula(2, around));
    return made;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  FormulaId atom() {
    while (true) {
      const auto regex = test::parsed(test::random_pattern(random_, static_cast<int>(below(3))));
      if (regex) return formulas_.atom(*regex);
    }
  }

  FormulaId formula(int depth, bool around) {
    if (depth == 0 || below(4) == 0) {
      if (around && below(4) == 0) return inner_[below(3)];
      if (around && below(6) == 0) return formulas_.operation(static_cast<OperationKind>(below(3)));
      return atoms_[below(static_cast<unsigned>(atoms_.size()))];
    }
    switch (below(3)) {
      case 0:
        return formulas_.negation(formula(depth - 1, around));
      case 1:
        return formulas_.all({formula(depth - 1, around), formula(depth - 1, around)});
      default:
        return formulas_.any({formula(depth - 1, around), formula(depth - 1, around)});
    }
  }

  std::mt19937& random_;
  Formulas& formulas_;
  std::vector<FormulaId> atoms_;
  std::vector<FormulaId> inner_;
};

std::string shown(const Formulas& formulas, FormulaId id) {
  const Formula& formula = formulas.get(id);
  std::string text;
  switch (formula.op) {
    case Op::never:
      return "never";
    case Op::always:
      return "always";
    case Op::atom:
      return "/" + regex::to_hyperscan(formulas.language(formula.language)) + "/";
    case Op::operation:
      return "@" + std::string(to_string(formula.operation));
    case Op::within:
      return "within(" + shown(formulas, formula.operands[0]) + ")";
    case Op::own:
      return "own(" + shown(formulas, formula.operands[0]) + ")";
    case Op::negation:
      return "!(" + shown(formulas, formula.operands[0]) + ")";
    default:
      for (const FormulaId operand : formula.operands) {
        text += (text.empty()                    ? ""
                 : formula.op == Op::conjunction ? " & "
                                                 : " | ") +
                shown(formulas, operand);
      }
      return "(" + text + ")";
  }
}

bool answers(const Prover& prover, const Case& one, const Witness& subject) {
  return prover.holds(one.wanted, subject) &&
         std::none_of(one.excluded.begin(), one.excluded.end(),
                      [&](FormulaId id) { return prover.holds(id, subject); });
}

void check(Prover& prover, const Case& one, const std::vector<Witness>& subjects) {
  const Finding finding = prover.find(one.wanted, one.excluded);
  CAPTURE(shown(prover.formulas(), one.wanted));
  std::string excluded;
  for (const FormulaId id : one.excluded) excluded += shown(prover.formulas(), id) + "; ";
  CAPTURE(excluded);
  REQUIRE(finding.answer != Answer::not_proven);
  if (finding.found()) {
    CAPTURE(to_string(finding.witness));
    REQUIRE(answers(prover, one, finding.witness));
  }
  for (const Witness& subject : subjects) {
    if (!answers(prover, one, subject)) continue;
    CAPTURE(to_string(subject));
    REQUIRE(finding.found());
    // The empty name is given only if there is no other, and the first possible kind.
    if (!subject.name.empty() && subject.kind == finding.witness.kind && subject.within.empty() &&
        finding.witness.within.empty()) {
      REQUIRE(finding.witness.name.size() <= subject.name.size());
    }
  }
}

}  // namespace

TEST_CASE("a shortest name is found if there is one") {
  std::mt19937 random(7);
  std::vector<Witness> subjects;
  for (const std::string& name : test::small_names(4)) {
    Witness subject;
    subject.name = name;
    subjects.push_back(subject);
  }
  // Word boundaries of excluded patterns are not minded: found in round 19.
  for (uint64_t round = 0; round < test::rounds(1000, 19); ++round) {
    CAPTURE(round);
    Formulas formulas;
    Maker maker(random, formulas);
    std::vector<Case> cases;
    for (int i = 0; i < 4; ++i) cases.push_back(maker.make(false));
    Prover prover(formulas);
    for (const Case& one : cases) check(prover, one, subjects);
  }
}

TEST_CASE("kinds of operation and enclosing names are part of the search") {
  std::mt19937 random(8);
  const std::vector<std::string> names = test::small_names(2);
  // An enclosing name may match what must be absent: found in round 16.
  for (uint64_t round = 0; round < test::rounds(1000, 16); ++round) {
    CAPTURE(round);
    std::vector<Witness> subjects;
    for (int i = 0; i < 2000; ++i) {
      Witness subject;
      subject.name = names[random() % names.size()];
      subject.kind = static_cast<OperationKind>(random() % 3);
      for (unsigned j = static_cast<unsigned>(random() % 3); j > 0; --j) {
        subject.within.push_back(names[random() % names.size()]);
      }
      subjects.push_back(subject);
    }
    Formulas formulas;
    Maker maker(random, formulas);
    std::vector<Case> cases;
    for (int i = 0; i < 4; ++i) cases.push_back(maker.make(true));
    Prover prover(formulas);
    for (const Case& one : cases) check(prover, one, subjects);
  }
}

TEST_CASE("own names are part of the search") {
  std::mt19937 random(9);
  const std::vector<std::string> names = test::small_names(2);
  size_t found = 0;
  size_t none = 0;
  for (uint64_t round = 0; round < test::rounds(1000, 1); ++round) {
    CAPTURE(round);
    Formulas formulas;
    Maker maker(random, formulas);
    const Case one = maker.make_own();
    CAPTURE(shown(formulas, one.wanted));
    Prover prover(formulas);
    const Finding finding = prover.find(one.wanted, one.excluded);
    if (finding.found()) {
      CAPTURE(to_string(finding.witness));
      REQUIRE(answers(prover, one, finding.witness));
      ++found;
    }
    none += finding.none() ? 1 : 0;
    for (int i = 0; i < 300; ++i) {
      const std::string& own = names[random() % names.size()];
      const std::string& other = names[random() % names.size()];
      Witness subject;
      subject.kind = static_cast<OperationKind>(random() % 3);
      const std::string forms[] = {own, own + "<" + other + ">", "void " + own + "(" + other + ")"};
      subject.name = forms[random() % 3];
      CAPTURE(to_string(subject));
      REQUIRE((!finding.none() || !answers(prover, one, subject)));
    }
  }
  CHECK(found > test::rounds(1000, 1) / 10);
  CHECK(none > test::rounds(1000, 1) / 100);
}
