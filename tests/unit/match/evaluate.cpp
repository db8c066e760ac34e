#include "match/evaluate.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/program.hpp"

using namespace kr;
using test::ProgramBuilder;

namespace {

/// `1 if @memcpy, within "MLA"; otherwise`
std::string said(const ProgramBuilder& rules, const sema::Table& table,
                 const match::OpenSubject& subject) {
  std::string text;
  for (const match::Outcome& outcome :
       match::outcomes(rules.program, rules.sources, table, subject)) {
    if (!text.empty()) text += "; ";
    text += !outcome.rule                     ? "unclassified"
            : outcome.rule == table.otherwise ? "otherwise"
                                              : std::to_string(outcome.rule->index);
    for (size_t i = 0; i < outcome.conditions.size(); ++i) {
      text += i == 0 ? " if " : ", ";
      text += outcome.conditions[i];
    }
  }
  return text;
}

struct Rules : ProgramBuilder {
  sema::AtomId gemm = text("gemm");
  sema::AtomId mla = text("MLA");
  sema::ExprId has_gemm = atom(gemm, "\"gemm\"");
  sema::ExprId has_mla = atom(mla, "\"MLA\"");
  sema::ExprId is_memcpy = operation(OperationKind::memcpy);
  sema::ExprId is_memset = operation(OperationKind::memset);
  sema::ExprId is_kernel = operation(OperationKind::kernel);
  sema::ExprId in_mla = join(sema::ExprOp::within, {has_mla}, "within \"MLA\"");
  sema::Table table;

  match::AtomSet name_with(std::vector<sema::AtomId> atoms) const {
    match::AtomSet set(program.atoms.size());
    for (const sema::AtomId atom : atoms) set.add(atom);
    return set;
  }
  void add(sema::ExprId expr) { table.rules.push_back(rule(expr)); }
  sema::ExprId both(sema::ExprId a, sema::ExprId b) {
    return join(sema::ExprOp::conjunction, {a, b}, "a & b");
  }
  sema::ExprId either(sema::ExprId a, sema::ExprId b) {
    return join(sema::ExprOp::disjunction, {a, b}, "a | b");
  }
  sema::ExprId no(sema::ExprId a) { return join(sema::ExprOp::negation, {a}, "!a"); }
};

}  // namespace

TEST_CASE("outcomes show their conditions") {
  Rules rules;
  const match::AtomSet gemm = rules.name_with({rules.gemm});
  const match::AtomSet none = rules.name_with({});
  const match::OpenSubject open{.name = &gemm, .kind = std::nullopt, .within = std::nullopt};
  SUBCASE("on nothing") {
    rules.add(rules.has_mla);
    rules.add(rules.has_gemm);
    rules.add(rules.is_memcpy);
    CHECK(said(rules, rules.table, open) == "1");
  }
  SUBCASE("on the kind") {
    rules.add(rules.both(rules.is_memcpy, rules.has_gemm));
    rules.add(rules.either(rules.is_memcpy, rules.is_memset));
    CHECK(said(rules, rules.table, open) == "0 if @memcpy; 1 if @memset; unclassified if @kernel");
    rules.table.otherwise = rules.rule({});
    CHECK(said(rules, rules.table, {.name = &none, .kind = std::nullopt, .within = std::nullopt}) ==
          "1 if not @kernel; otherwise if @kernel");
    CHECK(said(rules, rules.table,
               {.name = &none, .kind = OperationKind::kernel, .within = std::nullopt}) ==
          "otherwise");
  }
  SUBCASE("on no kind when all are named") {
    rules.add(rules.either(rules.is_kernel, rules.either(rules.is_memcpy, rules.is_memset)));
    CHECK(said(rules, rules.table, open) == "0");
  }
  SUBCASE("on the context") {
    rules.add(rules.both(rules.has_gemm, rules.in_mla));
    rules.add(rules.has_gemm);
    CHECK(said(rules, rules.table, open) == "0 if within \"MLA\"; 1");
    const match::AtomSet mla = rules.name_with({rules.mla});
    const std::vector<match::AtomSet> within{none, mla};
    CHECK(said(rules, rules.table, {.name = &gemm, .kind = std::nullopt, .within = within}) == "0");
    CHECK(
        said(rules, rules.table,
             {.name = &gemm, .kind = std::nullopt, .within = std::span<const match::AtomSet>()}) ==
        "1");
  }
  SUBCASE("on the context not being so") {
    rules.add(rules.no(rules.in_mla));
    rules.add(rules.no(rules.both(rules.in_mla, rules.is_memcpy)));
    CHECK(said(rules, rules.table,
               {.name = &none, .kind = OperationKind::memcpy, .within = std::nullopt}) ==
          "0 if not within \"MLA\"; 1 if not within \"MLA\"; unclassified");
  }
  SUBCASE("on one or the other") {
    const sema::ExprId in_gemm =
        rules.join(sema::ExprOp::within, {rules.has_gemm}, "within \"gemm\"");
    rules.add(rules.either(rules.in_mla, in_gemm));
    rules.add(rules.both(rules.in_mla, rules.both(in_gemm, rules.is_memset)));
    CHECK(said(rules, rules.table, {.name = &none, .kind = std::nullopt, .within = std::nullopt}) ==
          "0 if (within \"MLA\" or within \"gemm\"); "
          "1 if @memset, within \"MLA\", within \"gemm\"; unclassified");
  }
  SUBCASE("on something joined inside within") {
    const sema::ExprId inner = rules.either(rules.has_mla, rules.has_gemm);
    rules.add(rules.join(sema::ExprOp::within, {inner}, "within (…)"));
    CHECK(said(rules, rules.table, open) == "0 if within (a | b); unclassified");
  }
}

TEST_CASE("inside within there is no type of operation and no further context") {
  Rules rules;
  const match::AtomSet mla = rules.name_with({rules.mla});
  const std::vector<match::AtomSet> within{mla};
  const match::Subject subject{.name = &mla, .kind = OperationKind::memcpy, .within = within};
  const auto inside = [&](sema::ExprId expr) {
    const sema::ExprId whole = rules.join(sema::ExprOp::within, {expr}, "within");
    return match::holds(rules.program, whole, subject);
  };
  CHECK(inside(rules.has_mla));
  CHECK_FALSE(inside(rules.has_gemm));
  CHECK(inside(rules.no(rules.has_gemm)));
  CHECK_FALSE(inside(rules.is_memcpy));
  CHECK_FALSE(inside(rules.in_mla));
}

TEST_CASE("the time for patterns of patterns is linear") {
  Rules rules;
  sema::ExprId expr = rules.both(rules.has_gemm, rules.in_mla);
  for (int i = 0; i < 1500; ++i) expr = rules.both(expr, expr);
  for (int i = 0; i < 400; ++i) expr = rules.either(expr, expr);
  rules.add(expr);
  const match::AtomSet gemm = rules.name_with({rules.gemm});
  const match::TableMatcher matcher(rules.program, rules.table);
  CHECK_FALSE(matcher.match({.name = &gemm}).has_value());
  CHECK(matcher.uses_within());
  const auto open = match::outcomes(rules.program, rules.sources, rules.table,
                                    {.name = &gemm, .kind = std::nullopt, .within = std::nullopt});
  REQUIRE(open.size() == 2);
  CHECK(open[0].conditions.size() >= 1);
}
