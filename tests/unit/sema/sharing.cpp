// Modules, patterns and `extends`: found, not found, and cyclic.
#include "unit/sema/support.hpp"

using namespace kr;
using namespace kr::test;

TEST_CASE("patterns by name, through a module, shared") {
  const Loaded loaded = load({{"test.kr", R"(use std.gemm
use "./b.kr" as bee
pattern mine = gemm.any | "x"
engine e { substage {
  a: mine & !bee.p
  b: mine
} })"},
                              {"stdlib/gemm.kr", "pattern any = /gemm/ | \"cutlass\"i"},
                              {"b.kr", "pattern p = \"b\" "}});
  CHECK(messages(loaded) == "");
  const sema::Program& program = loaded.program();
  const sema::Table* table = model(loaded, "e/default").table(*program.dimension("substage"));
  const sema::ExprId a = program.rules.get(table->rules[0]).expr;
  const sema::ExprId b = program.rules.get(table->rules[1]).expr;
  CHECK(text(program, a) == "(((/gemm/ | \"cutlass\"i) | \"x\") & !\"b\")");
  CHECK(program.exprs.get(a).operands[0] == b);
}

TEST_CASE("equal atoms are one") {
  const Loaded loaded = load(R"(engine e { substage {
  a: "gemm" | /gemm/ | /g[e]mm/
  b: ^"gemm"i$ | /^gemm$/i
  c: "g.mm" | /g\.mm/ | /g.mm/
} })");
  CHECK(messages(loaded) == "");
  std::string sources;
  for (const sema::Atom& atom : loaded.program().atoms) sources += atom.source + " ";
  CHECK(sources.starts_with("\"gemm\" ^\"gemm\"i$ \"g.mm\" /g.mm/ "));
}

TEST_CASE("atoms with named groups stay apart: phases read them") {
  const Loaded loaded = load(R"(engine e {
  substage { a: /step_(\d+)/ }
  phases { p: /step_(?<step>\d+)/ }
})");
  CHECK(messages(loaded) == "");
  CHECK(loaded.program().atoms.size() == 2);
}

TEST_CASE("parts that neither models nor root files use are not in the Program") {
  const Loaded loaded =
      load({{"test.kr", R"(use "./b.kr" as b
pattern unused = "nobody"
table unused for other { x: "nothing" }
engine e { substage { a: b.p } })"},
            {"b.kr", "pattern p = \"b\" pattern q = \"q\" engine f { s { x: \"y\" } }"}});
  CHECK(messages(loaded) == "");
  CHECK(loaded.program().atoms.size() == 3);
  REQUIRE(loaded.program().patterns.size() == 1);
  CHECK(loaded.program().patterns[0].name == "unused");
  CHECK(loaded.program().patterns[0].expr.valid());
  REQUIRE(loaded.program().shared_tables.size() == 1);
  CHECK(loaded.program().shared_tables[0].dimension == "other");
  CHECK(loaded.program().shared_tables[0].rules.size() == 1);
  CHECK(loaded.program().engines.size() == 1);
  CHECK(loaded.program().dimensions.size() == 2);
}

TEST_CASE("unknown names, with the near ones") {
  const Loaded loaded = load({{"test.kr", R"(use std.gemm
use "./c.kr"
use std.gem
pattern grouped = groped2 | "x"
engine e { substage {
  a: group
  b: gemm.anny
  c: gem.any
  d: any
  f: gemm
  include tables
  include gemm.t2
  g: a.b.c
} })"},
                              {"stdlib/gemm.kr", "pattern any = \"g\" table t1 for substage { }"}});
  CHECK(messages(loaded) ==
        "KR201 2:5 unknown module `./c.kr`\n"
        "KR201 3:5 unknown module `std.gem` (did you mean `std.gemm`?)\n"
        "KR206 4:19 unknown pattern `groped2` (did you mean `grouped`?)\n"
        "KR206 6:6 unknown pattern `group` (a text of a name is written in quotes: `\"group\"`)\n"
        "KR206 7:11 unknown pattern `gemm.anny` (did you mean `gemm.any`?)\n"
        "KR206 9:6 unknown pattern `any` (pattern `any` is in a module: write `gemm.any`)\n"
        "KR206 10:6 unknown pattern `gemm` (`gemm` is a module: write `gemm.NAME`)\n"
        "KR207 11:11 unknown table `tables`\n"
        "KR207 12:16 unknown table `gemm.t2` (did you mean `gemm.t1`?)\n"
        "KR206 13:6 unknown pattern `a.b.c` (write `use a.b` at the top of the file, and `b.c` "
        "here)\n");
}

TEST_CASE("a module exports its declarations, not the modules that it uses") {
  const Loaded loaded =
      load({{"test.kr", "use \"./b.kr\"\nengine e { s { x: b.p } y { z: gemm.any } }"},
            {"b.kr", "use std.gemm pattern q = gemm.any"},
            {"stdlib/gemm.kr", "pattern any = \"g\""}});
  CHECK(messages(loaded) ==
        "KR206 2:21 unknown pattern `b.p` (available: `b.q`)\n"
        "KR205 2:32 `gemm` is not a module that this file uses (add a `use` at the top of the "
        "file: `use std.gemm`)\n");
}

TEST_CASE("circles are printed") {
  CHECK(messages(load(R"(pattern a = b | "x"
pattern b = !(c)
pattern c = a & "y"
pattern d = a
pattern s = s
engine e { substage { x: d } })")) ==
        "KR214 1:9 a pattern refers to itself: a → b → c → a\n"
        "KR214 5:9 a pattern refers to itself: s → s\n");
  CHECK(messages(load(R"(table a for s { include b }
table b for s { include a
  x: "1" }
engine e { s { include a } })")) == "KR215 1:7 a table includes itself: a → b → a\n");
  CHECK(messages(load(R"(engine e { s { x: "1" }
  model a extends b { s { y: "2" } }
  model b extends c { }
  model c extends a { }
  model d extends d { }
})")) == "KR216 2:19 cyclic `extends`: a → b → c → a\n"
         "KR216 5:19 cyclic `extends`: d → d\n");
  const Loaded files =
      load({{"a.kr", "use \"./b.kr\""}, {"b.kr", "\n use \"./c.kr\""}, {"c.kr", "use \"./a.kr\""}});
  CHECK(messages(files) == "c.kr KR203 1:5 cyclic `use`: a.kr → b.kr → c.kr → a.kr\n");
  CHECK(files.sink.all()[0].related_.size() == 2);
  CHECK(messages(load({{"a.kr", "use \"./a.kr\" as me"}})) ==
        "KR203 1:5 cyclic `use`: a.kr → a.kr\n");
}

TEST_CASE("duplicate declarations show both places") {
  const Loaded loaded = load({{"test.kr", R"(use std.gemm
use "./gemm.kr"
use "./2 b.kr"

pattern p = "1"
pattern p = "2"
labels s { a a }
labels s { b }
table t for s { }
table t for s { }
engine e {
  s { a: "1" }
  s { a: "2" }
  model m { }
  model m { }
  model default { }
}
engine e { })"},
                              {"stdlib/gemm.kr", ""},
                              {"gemm.kr", ""},
                              {"2 b.kr", ""}});
  CHECK(messages(loaded) ==
        "KR213 2:5 module `gemm` is declared twice (give one of them another name with `as`)\n"
        "KR232 3:5 `./2 b.kr` cannot be the name of a module (give it a name: `use \"./2 b.kr\" as "
        "NAME`)\n"
        "KR213 6:9 pattern `p` is declared twice\n"
        "KR213 7:14 label `a` is declared twice\n"
        "KR213 8:8 vocabulary `s` is declared twice\n"
        "KR213 10:7 table `t` is declared twice\n"
        "KR213 13:3 dimension `s` is declared twice (merge the rules of both into one block)\n"
        "KR213 15:9 model `m` is declared twice\n"
        "KR218 16:9 `default` is the model that every engine has (put what all models share into "
        "the engine itself)\n"
        "KR213 18:8 engine `e` is declared twice\n");
  for (const diag::Diagnostic& one : loaded.sink.all()) {
    if (one.code->id == "KR213") CHECK(one.related_.size() == 1);
  }
}

TEST_CASE("a table is for one dimension") {
  const Loaded loaded = load("table t for stage { a: \"1\" }\nengine e { substage { include t } }");
  CHECK(messages(loaded) == "KR219 2:31 table `t` is for `stage`, not for `substage`\n");
}

TEST_CASE("extends looks in the own engine, or in a module's engines") {
  const Loaded loaded =
      load({{"test.kr", R"(use "./o.kr" as o
engine e {
  model llama { }
  model a extends lama { }
  model b extends o.twice { }
  model c extends o.once { }
  model d extends o.onze { }
  model f extends o.g.onze { }
  model h extends o.gg.once { }
  model i extends p.once { }
  model j extends o.f.twice { }
})"},
            {"o.kr", "engine f { model twice {} } engine g { model twice {} model once {} }"}});
  CHECK(messages(loaded) ==
        "KR209 4:19 unknown model `lama` (did you mean `llama`?)\n"
        "KR212 5:19 `o.twice` is a model of more than one engine: `f`, `g` (name the engine too: "
        "`o.f.twice`)\n"
        "KR209 7:21 unknown model `o.onze` (did you mean `o.once`?)\n"
        "KR209 8:23 unknown model `o.g.onze` (did you mean `o.g.once`?)\n"
        "KR210 9:21 unknown engine `gg` (did you mean `o.g`?)\n"
        "KR205 10:19 `p` is not a module that this file uses (add a `use` at the top of the "
        "file: `use std.p`)\n");
}

TEST_CASE("within and types of operation where they have a meaning") {
  CHECK(messages(load(R"(pattern w = within "a"
pattern k = @memcpy | "x"
engine e {
  substage {
    a: within w
    b: within ("x" | within "y")
    c: within (k & "z")
    d: within !@memset
    f: within "a" & !within ("b" | "c") & k
  }
  phases { p: k }
  fold (@kernel | "x")
  detect: k
})")) ==
        "KR226 5:15 `within` inside `within`: enclosing names are matched one by one (to match two "
        "enclosing names, write `within A & within B`)\n"
        "KR226 6:22 `within` inside `within`: enclosing names are matched one by one (to match two "
        "enclosing names, write `within A & within B`)\n"
        "KR227 7:16 `k` matches a type of operation, which an enclosing module or range does not "
        "have\n"
        "KR227 8:16 `@memset` matches a type of operation, which an enclosing module or range does "
        "not have\n"
        "KR227 11:15 `k` matches a type of operation, which a range or step does not have\n"
        "KR227 12:9 `@kernel` matches a type of operation, which a module does not have\n");
}

TEST_CASE("otherwise is a whole expression, once, at the end") {
  CHECK(messages(load(R"(engine e {
  substage {
    a: otherwise
    b: "1"
    c: otherwise
  }
  stage { a: "1"
    otherwise keep }
})")) == "KR225 3:5 `otherwise` is evaluated last, but rules follow it (move it to the end of "
         "the block)\n"
         "KR224 5:5 this block has a second `otherwise`\n");
}

TEST_CASE("chains of any length neither recurse nor hang") {
  std::string chain = "pattern p0 = \"x\"\n";
  for (int i = 1; i < 100'000; ++i) chain += fmt::format("pattern p{} = p{}\n", i, i - 1);
  const Loaded same = load(chain + "engine e { s { a: p99999 } }");
  CHECK(messages(same) == "");
  CHECK(same.program().exprs.size() == 1 + 3);  // three are of kind
  std::string deep = "pattern p0 = \"x\"\n";
  for (int i = 1; i < 100'000; ++i)
    deep += fmt::format("pattern p{} = p{} | \"{}\"\n", i, i - 1, i);
  const Loaded too_deep = load(deep + "engine e { s { a: p99999 } }");
  CHECK(too_deep.sink.errors() == 1);
  CHECK(
      messages(too_deep).starts_with("KR230 2001:9 pattern `p2000` is nested more than 2000 deep"));
  std::string circle = "pattern p0 = p99999\n";
  for (int i = 1; i < 100'000; ++i) circle += fmt::format("pattern p{} = p{}\n", i, i - 1);
  CHECK(messages(load(circle)) ==
        "KR214 1:9 a pattern refers to itself: p0 → p99999 → p99998 → p99997 → p99996 → p99995 → "
        "p99994 → p99993 → … → p2 → p1 → p0\n");
  std::string models = "engine e { model m0 { s { a: \"x\" } }\n";
  for (int i = 1; i < 20'000; ++i) models += fmt::format("model m{} extends m{} {{ }}\n", i, i - 1);
  CHECK(
      messages(load(models + "}")).starts_with("KR230 258:7 model `m257` is nested more than 256"));
}

TEST_CASE("tables that double themselves are refused") {
  std::string tables = "table t0 for s { a: \"x\" }\n";
  for (int i = 1; i < 60; ++i) {
    tables += fmt::format("table t{0} for s {{ include t{1} include t{1} }}\n", i, i - 1);
  }
  const Loaded loaded = load(tables + "engine e { s { include t59 } }");
  CHECK(loaded.sink.errors() == 1);
  CHECK(messages(loaded).find("KR231") != std::string::npos);
}

TEST_CASE("ten thousand errors are all there, soon") {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += fmt::format("pattern p{0} = unknown_name_{0}\n", i);
  std::string labels = "labels s {";
  for (int i = 0; i < 2'000; ++i) labels += fmt::format(" label_{}", i);
  text += labels + " }\nengine e { s {\n";
  for (int i = 0; i < 5'000; ++i) text += fmt::format("  lable_{}: \"x\"\n", i);
  const Loaded loaded = load(text + "} }");
  CHECK(loaded.sink.errors() == 15'000);
}
