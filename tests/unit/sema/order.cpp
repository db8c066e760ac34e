// LANGUAGE “Effective order”, a sentence a case.
#include "unit/sema/support.hpp"

using namespace kr;
using namespace kr::test;

TEST_CASE("model, bases, engine, in this order") {
  const Loaded loaded = load(R"(engine e {
  model a extends b { substage { x: "a" } }
  model b extends c { substage { x: "b" } }
  model c { substage { x: "c" } }
  substage { x: "engine" }
})");
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/a", "substage") == "x@2 x@3 x@4 x@5");
  CHECK(rules_of(loaded, "e/c", "substage") == "x@4 x@5");
  CHECK(rules_of(loaded, "e/default", "substage") == "x@5");
}

TEST_CASE("otherwise has no place: the most specific, tried last") {
  const Loaded loaded = load(R"(table t for substage {
  x: "t"
  from_t: otherwise
}
engine e {
  substage { x: "engine"
    from_e: otherwise }
  model a { substage { x: "a" } }
  model b extends a { substage { x: "b"
    from_b: otherwise } }
  model c extends b { substage { x: "c" } }
  model d extends b { substage { include t } }
  model f { substage { include t
    from_f: otherwise } }
})");
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/a", "substage") == "x@8 x@6 | from_e@7");
  CHECK(rules_of(loaded, "e/b", "substage") == "x@9 x@8 x@6 | from_b@10");
  CHECK(rules_of(loaded, "e/c", "substage") == "x@11 x@9 x@8 x@6 | from_b@10");
  CHECK(rules_of(loaded, "e/d", "substage") == "x@2 x@9 x@8 x@6 | from_t@3");
  // The block's own before an included table's.
  CHECK(rules_of(loaded, "e/f", "substage") == "x@2 x@6 | from_f@14");
}

TEST_CASE("otherwise keep leaves a name its own") {
  const Loaded loaded = load(R"(engine e {
  operation { x: "x"
    otherwise keep }
})");
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/default", "operation") == "x@2 | keep@3");
  const sema::Table* table =
      model(loaded, "e/default").table(*loaded.program().dimension("operation"));
  CHECK(loaded.program().rules.get(*table->otherwise).otherwise);
}

TEST_CASE("include puts the rules in at that point") {
  const Loaded loaded = load({{"test.kr", R"(use "./b.kr"
engine e { substage {
  x: "1"
  include b.t
  x: "2"
} })"},
                              {"b.kr", R"(table t for substage {
  y: "y"
  include u
  z: "z"
}
table u for substage { w: "w" })"}});
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/default", "substage") == "x@3 y@b.kr:2 w@b.kr:6 z@b.kr:4 x@5");
}

TEST_CASE("refinements come first, those of refined labels before the others") {
  const Loaded loaded = load(R"(engine e {
  substage {
    a: "1"
    b: "2"
    a: "3"
    refine a { c: "4"
      d: "5" }
    refine c { f: "6" }
  }
  model m { substage {
    b: "7"
    refine a { d: "8" }
  } }
})");
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/default", "substage") == "f@8 c@6 d@7 a@3 b@4 a@5");
  // Nearest first: the model's refinement of `a` before that of the engine.
  CHECK(rules_of(loaded, "e/m", "substage") == "f@8 d@12 c@6 d@7 b@11 a@3 b@4 a@5");
  const sema::Table& table = *model(loaded, "e/m").table(*loaded.program().dimension("substage"));
  CHECK(table.refinements == 4);
  CHECK(loaded.program().rules.get(table.rules[0]).refines == "c");
}

TEST_CASE("a table's refinements are included") {
  const Loaded loaded = load(R"(table t for substage { refine a { b: "2" } }
engine e { substage { a: "1"
  include t } })");
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/default", "substage") == "b@1 a@2");
}

TEST_CASE("mistakes of refine") {
  CHECK(messages(load(R"(labels s { gemm misc }
engine e { s { gemm: "1"
  misc: otherwise
  refine gem { gemm: "2" } } })")) ==
        "KR204 4:10 `gem` is not a label of `s` (did you mean `gemm`?)\n");
  // One model that gives it is enough.
  CHECK(messages(load(R"(engine e { s { a: "1"
  refine b { c: "2" } }
  model m { s { b: "3" } } })")) == "");
  CHECK(messages(load(R"(engine e { s { a: "1"
  refine a { b: "2" }
  refine b { a: "3" } } })")) == "KR251 2:10 labels are refined in a circle: a → b → a\n");
  CHECK(
      messages(load(R"(engine e { s { a: "1"
  refine a { b: otherwise } } })")) ==
      "KR223 2:14 `otherwise` must be the whole expression of a rule (remove it: what no rule of a "
      "`refine` matches keeps its label)\n");
  CHECK(messages(load(R"(engine e { phases { a: "1"
  refine a { b: "2" } } })")) ==
        "KR252 2:10 `refine` splits labels that rules over names give, not phases\n");
  CHECK(
      messages(load(R"(engine e { s { a: "1" }
  model m { s { replace a: "2"
    drop a } } })")) ==
      "KR127 2:17 `replace` is no longer part of the language (write `a: …` without it; for "
      "another label of some of them `refine a { … }`)\n"
      "KR127 3:5 `drop` is no longer part of the language (give the names another label by a rule "
      "above, or `refine a { LABEL: … }`)\n");
}

TEST_CASE("a dimension made of another has its rules with other labels") {
  const Loaded loaded = load(R"(table t for stage from substage { x: a }
engine e {
  substage { a: "1"
    b: "2"
    c: otherwise
    refine a { d: "3" } }
  stage from substage { include t
    y: b d
    z: otherwise }
  model m { stage from substage { v: d c } }
  model n { substage { a: "4" } stage { refine x { w: "5" } } }
})");
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/default", "stage") == "y@6 x@3 y@4 | z@5");
  CHECK(rules_of(loaded, "e/m", "stage") == "v@6 x@3 y@4 | v@5");
  CHECK(rules_of(loaded, "e/n", "stage") == "w@11 y@6 x@11 x@3 y@4 | z@5");
}

TEST_CASE("mistakes of a dimension made of another") {
  CHECK(messages(load(R"(labels s { a b }
engine e { s { a: "1"
  b: otherwise }
  t from s { x: aa b
    y: b } })")) ==
        "KR204 4:17 `aa` is not a label of `s` (did you mean `a`?)\n"
        "KR213 5:8 the image of `b` is declared twice (remove one of the two)\n");
  CHECK(messages(load(R"(engine e { s { a: "1" }
  t from s { x: a
    y: otherwise }
  model m { t { z: "2" } } })")) ==
        "KR253 4:13 `t` is made of the labels of `s`, so no rule can give it another one (give "
        "the names another label of `s`, list more labels of `s` in the block with `from`, or "
        "split a label with `refine LABEL { … }`)\n");
  CHECK(messages(load(R"(engine e { t from s { x: a } })")) ==
        "KR247 1:8 `e/default` has no dimension `s`, whose labels `t` looks at\n");
}

TEST_CASE("a dimension without rules anywhere is absent") {
  const Loaded loaded = load(R"(engine e {
  substage { a: "1" }
  layer { }
  model m { substage { } }
})");
  CHECK(rules_of(loaded, "e/m", "layer") == "-");
  CHECK(rules_of(loaded, "e/m", "substage") == "a@2");
  CHECK(rules_of(loaded, "e/m", "stage") == "-");
  CHECK_FALSE(loaded.program().dimension("layer"));
}

TEST_CASE("kind: the standard table is always the last ancestor") {
  const std::string kind = R"(labels kind { compute communication memory }
table kind for kind {
  memory: @memcpy
  communication: "nccl"
  compute: otherwise
})";
  const Loaded loaded = load({{"test.kr", R"(engine e {
  kind { communication: "mine" }
  model m { kind { communication: "all"
    memory: "copy" } }
  model n { kind { memory: otherwise } }
})"},
                              {"stdlib/kind.kr", kind}});
  CHECK(messages(loaded) == "");
  const std::string last = " | compute@stdlib/kind.kr:5";
  CHECK(rules_of(loaded, "e/default", "kind") ==
        "communication@2 memory@stdlib/kind.kr:3 communication@stdlib/kind.kr:4" + last);
  CHECK(rules_of(loaded, "e/m", "kind") ==
        "communication@3 memory@4 communication@2 memory@stdlib/kind.kr:3 "
        "communication@stdlib/kind.kr:4" +
            last);
  CHECK(rules_of(loaded, "e/n", "kind") ==
        "communication@2 memory@stdlib/kind.kr:3 communication@stdlib/kind.kr:4 | memory@5");
  // Without it a minimal one is used.
  const Loaded alone = load("engine e { }");
  CHECK(rules_of(alone, "e/default", "kind") ==
        "memory@stdlib/kind.kr:9 | compute@stdlib/kind.kr:10");
  CHECK(load("").program().dimensions.get(load("").program().kind()).name == "kind");
}

TEST_CASE("kind has three labels and no others") {
  CHECK(messages(load(R"(labels kind { compute idle }
engine e { kind { comunication: "nccl"
  otherwise keep } })")) ==
        "KR204 1:23 `idle` is not a label of `kind` (`kind` has exactly `compute`, `communication` "
        "and `memory`)\n"
        "KR204 2:19 `comunication` is not a label of `kind` (did you mean `communication`?)\n"
        "KR229 3:3 `otherwise keep` in `kind`, which has exactly three labels (end the block with "
        "`compute: otherwise`, or remove it: std.kind has it)\n");
}

TEST_CASE("a base of another engine: own engine before the bases' engines") {
  const std::string other = R"(engine f {
  substage { x: "f"
    y: "f" }
  model base { substage { x: "base" } }
})";
  const Loaded loaded = load({{"test.kr", R"(use "./o.kr" as o
engine e {
  substage { x: "e"
    y: "e" }
  model m extends o.base { substage { x: "m" } }
  model n extends o.f.base { substage { x: "n" } }
  model q extends o.default { }
})"},
                              {"o.kr", other}});
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/m", "substage") == "x@5 x@o.kr:4 x@3 y@4 x@o.kr:2 y@o.kr:3");
  CHECK(rules_of(loaded, "e/n", "substage") == "x@6 x@o.kr:4 x@3 y@4 x@o.kr:2 y@o.kr:3");
  CHECK(rules_of(loaded, "e/q", "substage") == "x@3 y@4 x@o.kr:2 y@o.kr:3");
  // Engines of files that are only used are not offered.
  CHECK(loaded.program().engines.size() == 1);
  CHECK_FALSE(model(loaded, "e/m").base);
  const Loaded both = load(
      {{"test.kr", "use \"./o.kr\" as o\nengine e { model m extends o.base {} }"}, {"o.kr", other}},
      2);
  CHECK(both.program().engines.size() == 2);
  REQUIRE(model(both, "e/m").base);
  CHECK(both.program().title(*model(both, "e/m").base) == "f/base");
}

TEST_CASE("phases inherit like a dimension and need no otherwise") {
  const Loaded loaded = load(R"(engine e {
  phases { decode: "d"
    rest: otherwise }
  model m { phases { prefill: "p"
    decode: "dd" } }
})");
  CHECK(messages(loaded) == "");
  CHECK(phases_of(loaded, "e/m") == "prefill@4 decode@5 decode@2 rest@3");
  CHECK_FALSE(loaded.program().rules.get(model(loaded, "e/m").phases[0]).dimension.valid());
}

TEST_CASE("dimensions: stage, substage, others by name, kind") {
  const Loaded loaded = load(R"(engine e {
  zeta { a: "1" }  kind { memory: "x" }  substage { a: "1" }  alpha { a: "1" }
  model m { stage { a: "1" } }
})");
  std::string names;
  for (const sema::Dimension& one : loaded.program().dimensions) names += one.name + " ";
  CHECK(names == "stage substage alpha zeta kind ");
  names.clear();
  for (const sema::Table& table : model(loaded, "e/m").tables) {
    names += loaded.program().dimensions.get(table.dimension).name + " ";
  }
  CHECK(names == "stage substage alpha zeta kind ");
}
