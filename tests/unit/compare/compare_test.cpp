#include "compare/compare.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sema/load.hpp"

using namespace kr;

namespace {

std::unique_ptr<sema::LoadedRules> load(const std::string& text) {
  diag::Sink sink;
  auto rules = sema::load_rules({{"test.kr", text, true, {}}}, sink);
  REQUIRE(!sink.has_errors());
  return rules;
}

std::string changes(const std::string& before, const std::string& after) {
  const auto old_rules = load(before);
  const auto new_rules = load(after);
  const compare::Comparison comparison =
      compare::compare_programs(old_rules->program, new_rules->program);
  CHECK(comparison.proven);
  std::string text;
  for (const std::string& model : comparison.only_before) text += "- " + model + "\n";
  for (const std::string& model : comparison.only_after) text += "+ " + model + "\n";
  for (const compare::Change& change : comparison.changes) {
    text += fmt::format("{}/{} {}: {} -> {}: {}\n", change.engine, change.model, change.dimension,
                        change.move.from, change.move.to, to_string(change.move.witness));
  }
  return text;
}

}  // namespace

TEST_CASE("the same meaning in another form is not a change") {
  CHECK(changes("engine e { stage { a: \"x\" | \"y\" \n b: otherwise } }",
                "engine e { stage { a: /y|x/ \n a: \"xy\" \n b: !\"x\" } }")
            .empty());
}

TEST_CASE("a new rule takes names from those below it") {
  CHECK(changes("engine e { stage { a: \"gemm\" \n b: otherwise } }",
                "engine e { stage { c: \"moe\" \n a: \"gemm\" \n b: otherwise } }") ==
        "e/default stage: a -> c: \"gemmoe\"\n"
        "e/default stage: b -> c: \"moe\"\n");
}

TEST_CASE("kinds and contexts are shown if they matter") {
  CHECK(changes("engine e { stage { a: \"x\" \n b: otherwise } }",
                "engine e { stage { d: within \"M\" \n a: \"x\" & !@memcpy \n b: otherwise } }") ==
        "e/default stage: a -> d: \"x\" within \"M\"\n"
        "e/default stage: a -> b: @memcpy \"x\"\n"
        "e/default stage: b -> d: \"a\" within \"M\"\n");
}

TEST_CASE("models of only one side are reported") {
  CHECK(changes("engine e { stage { a: \"x\" } model m { } }",
                "engine e { substage { a: otherwise } model n { } }") ==
        "- e/m\n+ e/n\n"
        "e/default stage: a -> unclassified: \"x\"\n"
        "e/default substage: unclassified -> a: \"a\"\n");
}

TEST_CASE("refined labels, and a dimension made of another") {
  const std::string head =
      "engine e { substage { gemm: \"gemm\" \n attn: \"attn\" \n rest: otherwise } ";
  const std::string rules =
      head + "format { none: !\"gemm\" \n fp8: \"fp8\" \n unknown: otherwise } }";
  const auto image = [&](const std::string& refined) {
    return head + "format from substage { unknown: gemm \n none: otherwise \n refine unknown { " +
           refined + " } } }";
  };
  CHECK(changes(rules, image("fp8: \"fp8\"")).empty());
  CHECK(changes(image("fp8: \"fp8\""), image("fp8: \"fp8\" & !\"x\"")) ==
        "e/default format: fp8 -> unknown: \"fp8gemmx\"\n");
  // What an image leaves out has no label.
  CHECK(changes(rules, head + "format from substage { unknown: gemm } }") ==
        "e/default format: none -> unclassified: \"a\"\n"
        "e/default format: fp8 -> unknown: \"fp8gemm\"\n");
}

TEST_CASE("kept names") {
  CHECK(changes("engine e { stage { a: \"x\" \n otherwise keep } }",
                "engine e { stage { a: \"x\" \n b: otherwise } }") ==
        "e/default stage: (its own name) -> b: \"a\"\n");
}

TEST_CASE("a removed or changed rule below many others needs only a proof about that rule") {
  // Texts in both polarities: pair by pair this would take long.
  std::string rules;
  for (char c = 'a'; c <= 'z'; ++c) {
    rules += fmt::format("l{0}: \"{0}{0}\" & !(\"x{0}\" | \"{0}y\") | \"z{0}\" & \"{0}z\"\n", c);
  }
  const std::string head = "engine e { stage { own: \"kernel\"\n";
  const std::string rest = rules + "rest: otherwise } }";
  CHECK(changes(head + "own: \"kernel_v2\"\n" + rest, head + rest).empty());
  CHECK(changes(head + rest, head + "own: \"kernel_v2\"\n" + rest).empty());
  CHECK(changes(head + "own: \"kernel_v2\" | \"kern\"\n" + rest, head + "own: \"kern\"\n" + rest)
            .empty());
}

TEST_CASE("tables that models share are compared once, and reported for each") {
  const std::string models = " } model m { } model n { substage { c: \"own\" } } }";
  CHECK(changes("engine e { substage { a: \"x\"" + models,
                "engine e { substage { b: \"x\"" + models) ==
        "e/default substage: a -> b: \"x\"\n"
        "e/m substage: a -> b: \"x\"\n"
        "e/n substage: a -> b: \"x\"\n");
}

namespace {

/// An engine with order rules over labels that are short names.
std::string with_order(const std::string& rules, const std::string& substage = "") {
  return "engine e { substage { " + substage +
         " gemm: \"gemm\" \n norm: \"rms\" \n attn: \"flash\" \n other: otherwise }\n"
         "part over substage {\n" +
         rules + "\n} }";
}

/// `e part: from -> to: sequence` of each change of order rules.
std::string order_changes(const std::string& before, const std::string& after) {
  const auto old_rules = load(before);
  const auto new_rules = load(after);
  const compare::Comparison comparison =
      compare::compare_programs(old_rules->program, new_rules->program);
  CHECK(comparison.proven);
  std::string text;
  for (const compare::Change& change : comparison.changes) {
    if (!change.move.order) continue;
    text += fmt::format("{} {}: {} -> {}: {}\n", change.engine, change.dimension, change.move.from,
                        change.move.to, change.move.order->sequence);
  }
  return text;
}

}  // namespace

TEST_CASE("order rules with the same meaning are no change") {
  CHECK(order_changes(with_order("a: norm > [gemm] \n otherwise keep"),
                      with_order("a: \"rms\" & norm > [gemm] \n a: norm > [gemm] > end \n"
                                 "otherwise keep"))
            .empty());
}

TEST_CASE("a change of order rules is shown by a shortest sequence") {
  CHECK(order_changes(with_order("a: norm > [gemm] \n otherwise keep"),
                      with_order("a: norm > attn? > [gemm] \n otherwise keep")) ==
        "e part: (its substage) -> a: \"rms\" > \"flash\" > [\"gemm\"]\n");
  CHECK(order_changes(with_order("a: norm > [gemm] \n o: otherwise"),
                      with_order("b: norm > [gemm] > end \n a: norm > [gemm] \n o: otherwise")) ==
        "e part: a -> b: \"rms\" > [\"gemm\"]\n");
}

TEST_CASE("a change of otherwise and a dimension of one side only are changes of order rules") {
  CHECK(order_changes(with_order("a: norm > [gemm] \n o: otherwise"),
                      with_order("a: norm > [gemm] \n p: otherwise")) ==
        "e part: o -> p: [\"gemm\"]\n");
  CHECK(order_changes("engine e { substage { gemm: \"gemm\" \n norm: \"rms\" \n attn: \"flash\" \n"
                      "other: otherwise } }",
                      with_order("a: norm > [gemm]")) ==
        "e part: unclassified -> a: \"rms\" > [\"gemm\"]\n");
}

TEST_CASE("order rules are compared by the labels that names have on each side") {
  // Names that were `gemm` are `product`, and the rules know it.
  CHECK(order_changes(with_order("a: norm > [gemm] \n otherwise keep"),
                      with_order("a: norm > [gemm | product] \n otherwise keep",
                                 "product: \"nvjet_gemm\" \n"))
            .empty());
  CHECK(order_changes(with_order("a: norm > [gemm] \n otherwise keep"),
                      with_order("a: norm > [gemm] \n a: norm > [gemm & \"x\"] \n otherwise keep",
                                 "product: \"nvjet_gemm\" \n")) ==
        "e part: a -> (its substage): \"rms\" > [\"nvjet_gemm\"]\n");
}
