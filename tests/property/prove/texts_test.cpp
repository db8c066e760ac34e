// Compares the answers about texts without a search with the search.
#include <doctest/doctest.h>

#include <random>

#include "prove/prover.hpp"
#include "support/rounds.hpp"

using namespace kr;
using namespace kr::prove;

namespace {

class TextMaker {
 public:
  TextMaker(unsigned seed, Formulas& formulas) : random_(seed), formulas_(formulas) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  FormulaId text(unsigned shortest) {
    static constexpr char letters[] = "abcdAB_";
    std::string bytes;
    for (unsigned i = shortest + below(3); i > 0; --i) bytes += letters[below(7)];
    return formulas_.atom(regex::literal(bytes, below(3) == 0, below(8) == 0, below(8) == 0));
  }

 private:
  std::mt19937 random_;
  Formulas& formulas_;
};

}  // namespace

TEST_CASE("texts compared with many texts give the answers of the search") {
  size_t none = 0;
  size_t found = 0;
  // A text of any case contains what is written: found in round 28.
  const uint64_t rounds = test::rounds(600, 28);
  for (unsigned round = 0; round < rounds; ++round) {
    CAPTURE(round);
    Formulas formulas;
    TextMaker maker(round, formulas);
    const FormulaId wanted = maker.text(1 + maker.below(4));
    std::vector<FormulaId> excluded;
    // The list also has formulas that are not texts, and `never`.
    for (unsigned i = maker.below(2) == 0 ? 3 : 100; i > 0; --i) {
      const unsigned what = maker.below(20);
      excluded.push_back(what == 0   ? formulas.never()
                         : what == 1 ? formulas.all({maker.text(2), maker.text(2)})
                                     : maker.text(3));
    }
    Prover prover(formulas);
    const Finding said = prover.find(wanted, excluded);
    const FormulaId together[] = {formulas.any(excluded)};
    const Finding of_one = prover.find(wanted, together);
    CHECK(of_one.answer == said.answer);
    CHECK(of_one.witness.name.size() == said.witness.name.size());
    // As one formula, which is not a text.
    const Finding searched =
        prover.find(formulas.all({wanted, formulas.negation(formulas.any(excluded))}));
    REQUIRE(searched.answer != Answer::not_proven);
    REQUIRE(said.answer == searched.answer);
    if (said.found()) {
      CHECK(said.witness.name.size() == searched.witness.name.size());
      CHECK(prover.holds(wanted, said.witness));
      for (const FormulaId id : excluded) CHECK(!prover.holds(id, said.witness));
    }
    none += said.none() ? 1 : 0;
    found += said.found() ? 1 : 0;
  }
  CHECK(none > rounds / 30);
  CHECK(found > rounds / 20);
}

TEST_CASE("the shortest of some texts is the name that the search finds first") {
  // Of equally short texts the first is taken: found in round 4.
  for (unsigned round = 0; round < test::rounds(600, 4); ++round) {
    CAPTURE(round);
    Formulas formulas;
    TextMaker maker(round, formulas);
    std::vector<FormulaId> texts;
    for (unsigned i = 1 + maker.below(6); i > 0; --i) texts.push_back(maker.text(2));
    const FormulaId wanted = formulas.any(texts);
    const FormulaId beside = formulas.atom(regex::literal("z", false, false, false));
    Prover prover(formulas);
    const Finding said = prover.find(wanted);
    const Finding searched = prover.find(formulas.all({wanted, formulas.negation(beside)}));
    REQUIRE(said.found());
    CHECK(said.witness.name == searched.witness.name);
  }
}
