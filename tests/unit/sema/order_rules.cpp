// LANGUAGE “Order rules”: what they refer to, and mistakes.
#include "unit/sema/support.hpp"

using namespace kr;
using namespace kr::test;

namespace {

/// Messages of rules of `part over substage`.
std::string of_rules(const std::string& rules) {
  return messages(
      load("labels substage { gemm norm unknown }\nengine e { substage { gemm: \"gemm\" "
           "norm: \"norm\" unknown: otherwise } part over substage {\n" +
           rules + "\n} }"));
}

}  // namespace

TEST_CASE("words of order rules are labels and patterns") {
  CHECK(of_rules("a: norm > [gemm] > _ > end") == "");
  CHECK(of_rules("a: start > [gemm & \"x\"]") == "");
  CHECK(of_rules("a: norm > [gem]") ==
        "KR204 3:12 `gem` is not a label of `substage` (did you mean `gemm`?)\n");
  const Loaded both = load(R"(labels substage { gemm x }
pattern gemm over substage = x
pattern plain = "p"
engine e {
  substage { gemm: "gemm" x: otherwise }
  part over substage { a: plain > [gemm] }
})");
  CHECK(messages(both) ==
        "KR244 6:36 `gemm` is both a pattern and a label of `substage` (give the pattern another "
        "name)\n");
  const Loaded outside = load(R"(pattern p over substage = gemm
engine e {
  substage { gemm: p x: otherwise }
})");
  CHECK(messages(outside) ==
        "KR248 3:20 pattern `p` is for order rules over `substage`, not for an expression over "
        "names (use it in a block or pattern with `over`)\n");
  const Loaded other = load(R"(pattern p over stage = gemm
engine e {
  stage { gemm: "x" } substage { gemm: "y" }
  part over substage { a: [p] > gemm }
})");
  CHECK(messages(other) ==
        "KR245 4:28 pattern `p` looks at labels of `stage`, not of `substage`\n");
}

TEST_CASE("brackets of chains") {
  CHECK(of_rules("a: norm > gemm") ==
        "KR240 3:1 no step of this chain is in brackets, so it labels no operation (write `[` and "
        "`]` around the step whose operations get the label)\n");
  CHECK(of_rules("a: [norm] > [gemm]") ==
        "KR241 3:13 `[`: a chain has one pair of brackets, around the steps that get the label\n");
  CHECK(of_rules("a: norm ] > gemm") ==
        "KR241 3:9 `]`: a chain has one pair of brackets, around the steps that get the label\n");
  CHECK(of_rules("a: [norm > gemm") ==
        "KR241 3:4 `[`: a chain has one pair of brackets, around the steps that get the label (add "
        "`]`)\n");
  CHECK(of_rules("a: norm > [gemm?]") ==
        "KR242 3:11 a step that may be absent cannot get the label (remove the `?` or `*` of one "
        "step "
        "in brackets)\n");
  CHECK(of_rules("a: norm > [end]") ==
        "KR242 3:11 a place before or after all operations cannot get the label\n");
  std::string many = "a: [gemm]";
  for (int i = 0; i < 64; ++i) many += " > gemm";
  CHECK(of_rules(many) == "KR243 3:1 a chain of more than 64 steps\n");
}

TEST_CASE("over") {
  CHECK(messages(load("engine e { part { a: x > [y] } }")) ==
        "KR239 1:19 a chain in a block without `over`: `part over substage { … }` (the words of a "
        "chain are labels of another dimension)\n");
  CHECK(messages(load("engine e { part { ignore \"x\" a: \"y\" } }")) ==
        "KR239 1:19 `ignore` in a block without `over`: `part over substage { … }`\n");
  CHECK(messages(load("engine e { part over substage { a: [x] > y } }")) ==
        "KR247 1:8 `e/default` has no dimension `substage`, whose labels `part` looks at\n");
  CHECK(messages(load("engine e { a over b { x: [y] > z } b over a { z: [x] > y } }")) ==
        "KR246 1:8 a dimension looks at its own labels: a → b → a\n");
  const Loaded two = load(R"(engine e {
  stage { x: otherwise } substage { x: otherwise }
  part over substage { a: [x] > x }
  model m { part over stage { a: [x] > x } }
})");
  CHECK(
      messages(two) ==
      "KR245 4:23 a part of `part` looks at labels of `substage`, not of `stage` (the rules of one "
      "dimension look at the labels of one other)\n");
}

TEST_CASE("order dimensions come after those they look at, and keep their labels") {
  const Loaded loaded = load(R"(labels substage { gemm "GEMM" norm }
labels part { o "Output" }
table t for part over substage {
  ignore norm
  o: gemm > [gemm]
}
engine e {
  a over part { x: [o] > o }
  part over substage { include t otherwise keep }
  substage { gemm: "gemm" norm: otherwise }
})");
  CHECK(messages(loaded) == "");
  const sema::Model& made = model(loaded, "e/default");
  REQUIRE(made.order_tables.size() == 2);
  const auto name = [&](sema::DimensionId id) { return loaded.program().dimensions.get(id).name; };
  CHECK(name(made.order_tables[0].dimension) == "part");
  CHECK(name(made.order_tables[1].dimension) == "a");
  CHECK(made.order_tables[0].find("gemm")->title == "GEMM");
  CHECK(made.order_tables[0].scopes.size() == 1);
  CHECK(made.table(made.order_tables[0].dimension) == nullptr);
}
