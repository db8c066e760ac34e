#include "prove/memo.hpp"

#include <doctest/doctest.h>

#include "prove/formula.hpp"

using namespace kr;
using namespace kr::prove;

namespace {

Hash128 number(uint64_t value) {
  return {0, value};
}

FormulaId text(Formulas& formulas, std::string_view what) {
  return formulas.atom(regex::literal(what, false, false, false));
}

}  // namespace

TEST_CASE("an answer is recalled with the steps it took") {
  ProofMemo memo;
  memo.keep(number(1), {Answer::found, "gemm"}, 1000, 100);
  Steps budget = 500;
  const auto known = memo.recall(number(1), budget);
  REQUIRE(known.has_value());
  CHECK(known->answer == Answer::found);
  CHECK(known->name == "gemm");
  CHECK(budget == 400);
  CHECK(!memo.recall(number(2), budget).has_value());
  CHECK(budget == 400);
}

TEST_CASE("an answer is not recalled if the steps might run out") {
  ProofMemo memo;
  memo.keep(number(1), {Answer::none, {}}, 1000, 100);
  Steps budget = 100 + reserve - 1;
  CHECK(!memo.recall(number(1), budget).has_value());
  budget = Steps(budget.search + 1);
  CHECK(memo.recall(number(1), budget).has_value());
}

TEST_CASE("an answer of not_proven is recalled only for the same steps") {
  ProofMemo memo;
  memo.keep(number(1), {Answer::not_proven, {}}, 1000, 1000);
  Steps more = 2000;
  CHECK(!memo.recall(number(1), more).has_value());
  Steps fewer = 999;
  CHECK(!memo.recall(number(1), fewer).has_value());
  Steps as_many = 1000;
  REQUIRE(memo.recall(number(1), as_many).has_value());
  CHECK(as_many == 0);
}

TEST_CASE("proofs are kept as bytes, whole or not at all") {
  Proofs proofs;
  for (uint64_t i = 0; i < 50; ++i) {
    const auto answer = static_cast<Answer>(i % 3);
    proofs.emplace(number(i),
                   Proof{{answer, std::string(i % 7, '\0')}, {5000 + i, 6000 + i}, {i + 2, i * i}});
  }
  const std::string bytes = to_bytes(proofs);
  CHECK(to_bytes(*proofs_from(bytes)) == bytes);
  CHECK(proofs_from(to_bytes({}))->empty());
  for (size_t i = 0; i < bytes.size(); ++i) {
    CHECK_FALSE(proofs_from(bytes.substr(0, i)).has_value());
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    CHECK_FALSE(proofs_from(damaged).has_value());
  }
  CHECK_FALSE(proofs_from(bytes + "x").has_value());
  const auto known = std::make_shared<const Proofs>(*proofs_from(bytes));
  ProofMemo memo(known);
  Steps budget = 100000;
  REQUIRE(memo.recall(number(4), budget).has_value());
  CHECK(budget == Steps(100000 - 6, 100000 - 16));
  CHECK(memo.kept().empty());
}

TEST_CASE("unused proofs are dropped when new ones are added") {
  ProofMemo memo;
  Steps budget = 1000;
  memo.keep(number(0), {}, budget, 0);
  memo.keep(number(1), {}, budget, 0);
  for (uint64_t i = 2; i < 2 * ProofMemo::max_kept + 2; ++i) {
    memo.keep(number(i), {}, budget, 0);
    if (i == ProofMemo::max_kept + 2) {
      CHECK(memo.recall(number(1), budget).has_value());
    }
  }
  CHECK(!memo.recall(number(0), budget).has_value());
  CHECK(memo.recall(number(1), budget).has_value());
}

TEST_CASE("digests depend on the formula, not on the arena") {
  Formulas one;
  const FormulaId gemm = text(one, "gemm");
  const FormulaId moe = text(one, "moe");
  const FormulaId either = one.any({gemm, moe});
  Formulas other;
  text(other, "attention");
  text(other, "gemm");
  CHECK(one.get(either).digest ==
        other.get(other.any({text(other, "gemm"), text(other, "moe")})).digest);
  const auto differs = [&](FormulaId id) { return one.get(id).digest != one.get(either).digest; };
  CHECK(differs(one.all({gemm, moe})));
  CHECK(differs(one.negation(either)));
  CHECK(differs(one.within(either)));
  CHECK(differs(gemm));
  CHECK(differs(one.any({gemm, text(one, "mo")})));
  CHECK(differs(one.any({gemm, moe, one.operation(OperationKind::memcpy)})));
  CHECK(one.get(gemm).digest != one.get(moe).digest);
  CHECK(one.get(one.operation(OperationKind::memcpy)).digest !=
        one.get(one.operation(OperationKind::memset)).digest);
}
