#include "compare/moves.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "sema/load.hpp"

using namespace kr;
using compare::SeenIn;
using compare::SeenName;

namespace {

std::unique_ptr<sema::LoadedRules> loaded(const std::string& text) {
  diag::Sink sink;
  auto rules = sema::load_rules({{"test.kr", text, true, {}}}, sink);
  REQUIRE(!sink.has_errors());
  return rules;
}

SeenName seen(std::string name, SeenIn place, int64_t total_ns = 0) {
  SeenName one{.name = std::move(name), .total_ns = total_ns};
  one.kind = operation_kind_of(one.name);
  one.seen_in = place;
  return one;
}

/// Two rulesets and what changes between them. The rules stay alive with it.
struct Compared {
  Compared(const std::string& old_text, const std::string& new_text, std::vector<SeenName> names)
      : before(loaded(old_text)),
        after(loaded(new_text)),
        changes(compare::compare_rules({&before->program, nullptr}, {&after->program, nullptr},
                                       std::move(names))) {}

  std::string rule_label(const sema::Program& program, compare::Decision decision) const {
    return decision ? std::string(compare::label_of(program.rules.get(*decision)))
                    : std::string(sema::reserved::unclassified);
  }
  std::string text() const {
    std::string text;
    for (const compare::CountedMove& one : changes.moves) {
      const compare::Change& change = one.change;
      CHECK(rule_label(before->program, one.before) == change.move.from);
      CHECK(rule_label(after->program, one.after) == change.move.to);
      text += fmt::format("{}/{} {}: {} -> {}: {} names {} known {} ns {} {}\n", change.engine,
                          change.model, change.dimension, change.move.from, change.move.to,
                          one.names, one.known_names, one.total_ns,
                          one.seen_in ? to_string(*one.seen_in) : "invented",
                          to_string(change.move.witness));
    }
    return text;
  }

  std::unique_ptr<sema::LoadedRules> before, after;
  compare::RuleChanges changes;
};

const std::string old_rules = "engine e { substage { gemm: \"gemm\" \n rest: otherwise } }";
const std::string new_rules =
    "engine e { substage { moe: \"moe\" \n gemm: \"gemm\" \n rest: otherwise } }";

}  // namespace

TEST_CASE("names that were seen are the examples: longest time, then where they were seen") {
  const Compared compared(
      old_rules, new_rules,
      {seen("shipped_moe", SeenIn::shipped), seen("list_moe_kernel", SeenIn::list),
       seen("run_moe_small", SeenIn::run, 10), seen("run_moe_large_kernel", SeenIn::run, 70),
       seen("moe_gemm_shipped", SeenIn::shipped), seen("relu", SeenIn::run, 1000)});
  CHECK(compared.text() ==
        "e/default substage: rest -> moe: 3 names 1 known 80 ns run \"run_moe_large_kernel\"\n"
        "e/default substage: gemm -> moe: 0 names 1 known 0 ns shipped \"moe_gemm_shipped\"\n");
}

TEST_CASE("names of the tests of both rulesets are examples, with their kind and context") {
  const Compared compared(
      "engine e { stage { rest: otherwise } } test e { \"nothing\" => stage rest }",
      "engine e { stage { in: within \"Attention\" \n copy: @memcpy \n rest: otherwise } }\n"
      "test e { \"softmax\" within \"model.Attention\" => stage in\n"
      "  @memcpy \"dma\" => stage copy }",
      {});
  CHECK(compared.text() ==
        "e/default stage: rest -> copy: 0 names 1 known 0 ns test @memcpy \"dma\"\n"
        "e/default stage: rest -> in: 0 names 1 known 0 ns test \"softmax\" within "
        "\"model.Attention\"\n");
}

TEST_CASE("an invented example is a seen name of the label with the missing words") {
  const Compared compared(old_rules, new_rules,
                          {seen("void ns::gemm_kernel<float>(float*)", SeenIn::shipped),
                           seen("my_private_kernel", SeenIn::shipped)});
  CHECK(compared.text() ==
        "e/default substage: gemm -> moe: 0 names 0 known 0 ns invented \"void "
        "ns::gemm_kernel_moe<float>(float*)\"\n"
        "e/default substage: rest -> moe: 0 names 0 known 0 ns invented "
        "\"my_private_kernel_moe\"\n");
}

TEST_CASE("without a seen name, an invented example is made of the words of the rules") {
  CHECK(Compared(old_rules, new_rules, {}).text() ==
        "e/default substage: gemm -> moe: 0 names 0 known 0 ns invented \"gemm_moe_kernel\"\n"
        "e/default substage: rest -> moe: 0 names 0 known 0 ns invented \"moe_kernel\"\n");
}

TEST_CASE("where nothing can be added, a shortest name stays the example") {
  CHECK(Compared("engine e { stage { a: /^x$/ \n b: otherwise } }",
                 "engine e { stage { b: otherwise } }", {seen("some_long_kernel", SeenIn::run)})
            .text() == "e/default stage: a -> b: 0 names 0 known 0 ns invented \"x\"\n");
}

TEST_CASE("the same name in several places counts once, with the sum of its times") {
  const Compared compared(old_rules, new_rules,
                          {seen("moe_x", SeenIn::shipped), seen("moe_x", SeenIn::run, 3),
                           seen("moe_x", SeenIn::list), seen("moe_x", SeenIn::run, 4)});
  CHECK(compared.changes.names.size() == 1);
  CHECK(compared.text().starts_with(
      "e/default substage: rest -> moe: 1 names 0 known 7 ns run \"moe_x\"\n"));
}

TEST_CASE("a sum of times that is too large is an error") {
  CHECK_THROWS_AS(Compared(old_rules, new_rules,
                           {seen("moe_x", SeenIn::run, INT64_MAX), seen("moe_y", SeenIn::run, 1)}),
                  Error);
}

TEST_CASE("a run of one model counts only there") {
  SeenName own = seen("run_moe_kernel", SeenIn::run, 5);
  own.engine = "e";
  own.model = "m";
  const std::string models = " } model m { } model n { } }";
  const Compared compared("engine e { substage { rest: otherwise" + models,
                          "engine e { substage { moe: \"moe\" \n rest: otherwise" + models, {own});
  CHECK(compared.text() ==
        "e/m substage: rest -> moe: 1 names 0 known 5 ns run \"run_moe_kernel\"\n"
        "e/default substage: rest -> moe: 0 names 0 known 0 ns run \"run_moe_kernel\"\n"
        "e/n substage: rest -> moe: 0 names 0 known 0 ns run \"run_moe_kernel\"\n");
}

TEST_CASE("models with the same change are one group, whose names count once") {
  const std::string models = " } model m { } model n { substage { own: \"_y\" } } }";
  const Compared compared("engine e { substage { rest: otherwise" + models,
                          "engine e { substage { moe: \"moe\" \n rest: otherwise" + models,
                          {seen("moe_x", SeenIn::run, 5), seen("moe_y", SeenIn::list)});
  CHECK(compared.changes.models == 3);
  CHECK(compared.text() ==
        "e/default substage: rest -> moe: 2 names 0 known 5 ns run \"moe_x\"\n"
        "e/m substage: rest -> moe: 2 names 0 known 5 ns run \"moe_x\"\n"
        "e/n substage: rest -> moe: 1 names 0 known 5 ns run \"moe_x\"\n");
  const auto groups = compared.changes.groups();
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].moves.size() == 3);
  CHECK(groups[0].names == 2);
  CHECK(groups[0].total_ns == 5);
}

TEST_CASE("groups that names show come first; of the others, those that extend a seen name") {
  const Compared compared(
      "engine e { substage { a: \"aa\" \n c: otherwise } }",
      "engine e { substage { z: /^b$/ \n y: \"yy\" \n b: \"aa\" \n c: otherwise } }",
      {seen("kernel_with_aa", SeenIn::shipped), seen("some_long_kernel", SeenIn::run, 5)});
  std::string text;
  for (const compare::MoveGroup& group : compared.changes.groups()) {
    const compare::CountedMove& one = compared.changes.moves[group.moves.front()];
    text += fmt::format("{} -> {} {} {}\n", one.change.move.from, one.change.move.to,
                        one.is_seen() ? "seen" : "invented", to_string(one.change.move.witness));
  }
  CHECK(text ==
        "a -> b seen \"kernel_with_aa\"\n"
        "a -> y invented \"kernel_with_aa_yy\"\n"
        "c -> y invented \"some_long_kernel_yy\"\n"
        "c -> z invented \"b\"\n");
}

TEST_CASE("rulesets that share nothing, and equal ones") {
  const Compared nothing("engine a { stage { x: otherwise } } engine c { }",
                         "engine b { stage { y: otherwise } } engine d { }",
                         {seen("name", SeenIn::run, 1)});
  CHECK(nothing.changes.moves.empty());
  CHECK(nothing.changes.only_before == std::vector<std::string>{"a/default", "c/default"});
  CHECK(nothing.changes.only_after == std::vector<std::string>{"b/default", "d/default"});
  CHECK(!nothing.changes.same());
  const Compared equal(old_rules, old_rules, {seen("moe_gemm", SeenIn::run, 1)});
  CHECK(equal.changes.same());
}
