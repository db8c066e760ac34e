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

TEST_CASE("replace takes the place of the first rule and removes the others") {
  const Loaded loaded = load(R"(engine e {
  substage {
    a: "1"
    b: "2"
    c: "3"
    b: "4"
    b: "5"
  }
  model m { substage {
    d: "6"
    replace b: "7"
    b: "8"
  } }
  model n extends m { substage { replace b: "9" } }
})");
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/m", "substage") == "d@10 b@12 a@3 b@11 c@5");
  // It edits the list of the base.
  CHECK(rules_of(loaded, "e/n", "substage") == "d@10 b@14 a@3 c@5");
}

TEST_CASE("drop removes them all") {
  const Loaded loaded = load(R"(engine e {
  substage {
    a: "1"
    b: "2"
    a: "3"
  }
  model m { substage {
    drop a
    a: "4"
  } }
  model n extends m { substage { drop a } }
  model o extends n { substage { drop b } }
})");
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/m", "substage") == "a@9 b@4");
  CHECK(rules_of(loaded, "e/n", "substage") == "b@4");
  CHECK(rules_of(loaded, "e/o", "substage") == "");
}

TEST_CASE("edits change rules included earlier, and all inherited rules") {
  const std::string tables = "table t for substage { a: \"t1\"\n b: \"t2\"\n a: \"t3\" }\n";
  CHECK(rules_of(load(tables + R"(engine e { substage {
  include t
  replace a: "r"
} })"),
                 "e/default", "substage") == "a@6 b@2");
  const Loaded late = load(tables + R"(engine e { substage { a: "e" }
  model m { substage {
    replace a: "r"
    include t
  } } })");
  CHECK(rules_of(late, "e/m", "substage") == "a@1 b@2 a@3 a@6");
  const Loaded both = load(tables + R"(engine e { substage { a: "e" }
  model m { substage {
    include t
    replace a: "r"
    include t
    drop b
  } } })");
  CHECK(messages(both) == "");
  CHECK(rules_of(both, "e/m", "substage") == "a@7 a@1 a@3");
  const Loaded written = load(tables + R"(engine e { substage {
  a: "own"
  include t
  drop a
} })");
  CHECK(rules_of(written, "e/default", "substage") == "a@5 b@2");
}

TEST_CASE("a table edits its included rules") {
  const Loaded loaded = load(R"(table t for substage { a: "1"
  b: "2" }
table u for substage { include t
  drop a
  replace b: "3" }
engine e { substage { include u } })");
  CHECK(messages(loaded) == "");
  CHECK(rules_of(loaded, "e/default", "substage") == "b@5");
}

TEST_CASE("a second replace is an error, as is one that finds nothing") {
  CHECK(
      messages(load(R"(engine e { substage { a: "1" }
  model m { substage {
    replace a: "2"
    replace a: "3"
    replace b: "4"
    drop a
    drop c
  } } })")) ==
      "KR222 4:5 the rules of `a` are edited twice in one block (join them into one `replace`)\n"
      "KR220 5:13 no inherited rule gives `b`, so there is nothing to replace (write `b:` without "
      "`replace` to add a rule)\n"
      "KR222 6:5 the rules of `a` are edited twice in one block (join them into one `replace`)\n"
      "KR221 7:10 no inherited rule gives `c`, so there is nothing to drop\n");
  // What only `otherwise` gives is at no place.
  CHECK(messages(load(R"(engine e { substage { a: otherwise }
  model m { substage { replace a: "2" } } })"))
            .starts_with("KR220 2:32"));
  // Rules of the same block are not inherited.
  CHECK(messages(load(R"(engine e { substage { a: "1"
 replace a: "2" } })"))
            .starts_with("KR220 2:10"));
}

TEST_CASE("a dimension without rules anywhere is absent; one that lost them is not") {
  const Loaded loaded = load(R"(engine e {
  substage { a: "1" }
  layer { }
  model m { substage { drop a } }
})");
  CHECK(rules_of(loaded, "e/m", "layer") == "-");
  CHECK(rules_of(loaded, "e/m", "substage") == "");
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
  model m { kind { replace communication: "all"
    memory: "copy" } }
  model n { kind { memory: otherwise } }
})"},
                              {"stdlib/kind.kr", kind}});
  CHECK(messages(loaded) == "");
  const std::string last = " | compute@stdlib/kind.kr:5";
  CHECK(rules_of(loaded, "e/default", "kind") ==
        "communication@2 memory@stdlib/kind.kr:3 communication@stdlib/kind.kr:4" + last);
  CHECK(rules_of(loaded, "e/m", "kind") ==
        "memory@4 communication@3 memory@stdlib/kind.kr:3" + last);
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
  model base { substage { x: "base"
    drop y } }
})";
  const Loaded loaded = load({{"test.kr", R"(use "./o.kr" as o
engine e {
  substage { x: "e"
    y: "e" }
  model m extends o.base { substage { x: "m" } }
  model n extends o.f.base { substage { replace x: "n" } }
  model q extends o.default { }
})"},
                              {"o.kr", other}});
  CHECK(messages(loaded) == "");
  // The base's `drop` reaches its own engine, not that of the model that extends it.
  CHECK(rules_of(loaded, "e/m", "substage") == "x@5 x@o.kr:4 x@3 y@4 x@o.kr:2");
  CHECK(rules_of(loaded, "e/n", "substage") == "x@6 y@4");
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
    replace decode: "dd" } }
})");
  CHECK(messages(loaded) == "");
  CHECK(phases_of(loaded, "e/m") == "prefill@4 decode@5 rest@3");
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
