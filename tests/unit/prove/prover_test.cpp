#include "prove/prover.hpp"

#include <doctest/doctest.h>

#include "support/patterns.hpp"

using namespace kr;
using namespace kr::prove;

namespace {

struct Fixture {
  Formulas formulas;
  FormulaId text(std::string_view bytes, bool ignore_case = false) {
    return formulas.atom(regex::literal(bytes, ignore_case, false, false));
  }
  FormulaId regex(std::string_view pattern) { return formulas.atom(*test::parsed(pattern)); }
  Finding find(FormulaId wanted, std::vector<FormulaId> excluded = {}, Budget budget = {}) {
    return Prover(formulas, budget).find(wanted, excluded);
  }
};

}  // namespace

TEST_CASE("equal formulas are one") {
  Fixture f;
  const FormulaId a = f.text("a");
  const FormulaId b = f.text("b");
  CHECK(f.formulas.any({a, b}) == f.formulas.any({b, a, b}));
  CHECK(f.formulas.all({a, f.formulas.negation(a)}) == f.formulas.never());
  CHECK(f.formulas.any({a, f.formulas.negation(a)}) == f.formulas.always());
  CHECK(f.formulas.negation(f.formulas.negation(a)) == a);
  CHECK(f.regex(".*") == f.formulas.always());
  CHECK(f.regex("a") == a);
}

TEST_CASE("the shortest name, readable bytes first") {
  Fixture f;
  CHECK(f.find(f.text("gemm")).witness.name == "gemm");
  CHECK(f.find(f.text("gemm", true)).witness.name == "gemm");
  CHECK(f.find(f.formulas.all({f.text("ab"), f.text("bc")})).witness.name == "abc");
  CHECK(f.find(f.regex("^x.{3}$")).witness.name == "xaaa");
  CHECK(f.find(f.formulas.always()).witness.name == "a");
  CHECK(f.find(f.regex("^$")).witness.name.empty());
}

TEST_CASE("a text that contains an earlier one is never reached") {
  Fixture f;
  CHECK(f.find(f.text("group_gemm_starts"), {f.text("gemm")}).none());
  CHECK(f.find(f.text("gemm"), {f.text("group_gemm_starts")}).found());
  CHECK(f.find(f.text("gemm"), {f.text("GEMM", true)}).none());
  CHECK(f.find(f.regex("fused_moe_kernel(_gptq)?"), {f.text("moe")}).none());
}

TEST_CASE("earlier rules together cover names that no single rule covers") {
  Fixture f;
  const FormulaId digits = f.regex("^k[0-9]$");
  CHECK(f.find(digits, {f.regex("^k[0-4]"), f.regex("k[5-9]$")}).none());
  CHECK(f.find(digits, {f.regex("^k[0-4]"), f.regex("k[6-9]$")}).witness.name == "k5");
}

TEST_CASE("conjunctions and negations") {
  Fixture f;
  const FormulaId a = f.text("aa");
  const FormulaId b = f.text("bb");
  const FormulaId both = f.formulas.all({a, b});
  CHECK(f.find(both, {b}).none());
  CHECK(f.find(a, {both}).witness.name == "aa");
  CHECK(f.find(both, {f.formulas.all({a, f.formulas.negation(b)})}).found());
  CHECK(f.find(both, {f.formulas.all({a, f.formulas.negation(b)}), f.text("b")}).none());
}

TEST_CASE("types of operation, and enclosing names") {
  Fixture f;
  const FormulaId copy = f.formulas.operation(OperationKind::memcpy);
  const FormulaId x = f.text("x");
  const Finding kernel = f.find(x, {copy});
  CHECK(kernel.witness.kind == OperationKind::kernel);
  CHECK(kernel.witness.kind_matters);
  CHECK(f.find(copy).witness.kind == OperationKind::memcpy);
  CHECK(f.find(f.formulas.all({copy, x}), {copy}).none());
  const FormulaId in_mla = f.formulas.within(f.text("MLA"));
  const FormulaId in_layer = f.formulas.within(f.text("MLALayer"));
  CHECK(f.find(in_layer, {in_mla}).none());
  const Finding outside = f.find(in_mla, {in_layer});
  CHECK(outside.witness.within == std::vector<std::string>{"MLA"});
  CHECK(to_string(outside.witness) == "\"a\" within \"MLA\"");
  CHECK(f.find(x, {in_mla}).witness.within.empty());
}

TEST_CASE("past the budget nothing is claimed") {
  Fixture f;
  const FormulaId wanted = f.regex("^(a|b)*a(a|b){14}c$");
  const FormulaId excluded = f.regex("^[ab]*c$");
  CHECK(f.find(wanted, {excluded}).none());
  CHECK(f.find(wanted, {excluded}, {.states = 20, .within = 10}).answer == Answer::not_proven);
}
