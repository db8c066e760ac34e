// Other items of engines and models: detect, fold, abbreviate, docs; and tests.
#include "unit/sema/support.hpp"

using namespace kr;
using namespace kr::test;

TEST_CASE("detect is joined by |, and is not inherited") {
  const Loaded loaded = load(R"(engine e {
  detect: "vllm"
  detect: /flash/ & !"x"
  model m { detect: "llama"i }
  model n extends m { }
})");
  CHECK(messages(loaded) == "");
  const sema::Program& program = loaded.program();
  CHECK(text(program, program.engines.get({0}).detect) == "(\"vllm\" | (/flash/ & !\"x\"))");
  CHECK(text(program, model(loaded, "e/m").detect) == "\"llama\"i");
  CHECK_FALSE(model(loaded, "e/n").detect.valid());
  CHECK_FALSE(model(loaded, "e/default").detect.valid());
}

TEST_CASE("fold adds up; abbreviate runs model, bases, engine") {
  const Loaded loaded = load(R"(engine e {
  fold Sampler, "Logits"
  abbreviate "a" as "1", "b" as "2"
  model m { fold ("Mlp" | "x")
    abbreviate "c" as "3" }
  model n extends m { fold Norm
    abbreviate "d" as "4" }
})");
  CHECK(messages(loaded) == "");
  const sema::Model& n = model(loaded, "e/n");
  std::string folds;
  for (const sema::Fold& fold : n.folds) folds += text(loaded.program(), fold.expr) + " ";
  CHECK(folds == "^\"Norm\"$ (\"Mlp\" | \"x\") ^\"Sampler\"$ ^\"Logits\"$ ");
  std::string short_names;
  for (const sema::Abbreviation& one : n.abbreviations)
    short_names += one.from + ">" + one.to + " ";
  CHECK(short_names == "d>4 c>3 a>1 b>2 ");
  CHECK(model(loaded, "e/default").folds.size() == 2);
}

TEST_CASE("titles, docs and models of an engine") {
  const Loaded loaded = load(R"(
## About e.
engine e "The E" {
  ## About m.
  model m "The M" extends n { }
  model n { substage {
    ## About a.
    a: "x" } }
})");
  CHECK(messages(loaded) == "");
  const sema::Program& program = loaded.program();
  const sema::Engine& e = program.engines.get(*program.engine("e"));
  CHECK(e.title == "The E");
  CHECK(e.doc == "About e.");
  REQUIRE(e.models.size() == 3);
  CHECK(program.title(e.models[0]) == "e/default");
  CHECK_FALSE(program.models.get(e.models[0]).span.valid());
  CHECK(model(loaded, "e/m").title == "The M");
  CHECK(model(loaded, "e/m").doc == "About m.");
  CHECK(model(loaded, "e/m").base == program.model(*program.engine("e"), "n"));
  CHECK(program.rules.get(model(loaded, "e/n").tables[0].rules[0]).doc == "About a.");
  CHECK_FALSE(program.engine("f"));
  CHECK_FALSE(program.model(*program.engine("e"), "o"));
}

TEST_CASE("tests: models, kinds, contexts and labels") {
  const Loaded loaded = load(R"kr(engine e {
  substage { a: "x" b: otherwise }
  model m { stage { layer: otherwise } }
}
test e/m {
  "kernel" => substage a, stage layer
  @memcpy "copy" => kind memory
  "Memcpy HtoD (Pageable -> Device)" within "outer", "inner" => substage unclassified
}
test e { "y" => substage b })kr");
  CHECK(messages(loaded) == "");
  const std::vector<sema::Test>& tests = loaded.program().tests;
  REQUIRE(tests.size() == 4);
  CHECK(tests[0].kind == OperationKind::kernel);
  CHECK(tests[0].models.size() == 1);
  CHECK(tests[0].expected.size() == 2);
  CHECK(tests[1].kind == OperationKind::memcpy);
  CHECK(tests[2].kind == OperationKind::memcpy);
  CHECK(tests[2].within == std::vector<std::string>{"outer", "inner"});
  CHECK(tests[3].models.size() == 2);
}

TEST_CASE("tests with unknown names") {
  CHECK(messages(load(R"(labels substage { a b declared }
engine vllm {
  substage { a: "x" b: otherwise }
  stage { layer: otherwise }
  name { otherwise keep }
  model llama { }
}
test vlm { "x" => substage a }
test vllm/lama { "x" => substage a }
test vllm {
  "x" => subtage a
  "x" => substage c1, stage laier
  "x" => substage a, substage b
  "x" => name anything, substage declared
  "x" => kind memry
})")) == "KR210 8:6 unknown engine `vlm` (did you mean `vllm`?)\n"
         "KR209 9:11 unknown model `vllm/lama` (did you mean `llama`?)\n"
         "KR211 11:10 `vllm` has no dimension `subtage` (did you mean `substage`?)\n"
         "KR204 12:19 `c1` is not a label of `substage` (available: `a`, `b`, `declared`)\n"
         "KR204 12:29 `laier` is not a label of `stage` (did you mean `layer`?)\n"
         "KR213 13:22 the label of `substage` is declared twice\n"
         "KR204 15:15 `memry` is not a label of `kind` (did you mean `memory`?)\n");
}

TEST_CASE("one run shows all errors of a file, syntax among them") {
  const Loaded loaded = load(R"(use std.nothing
pattern p = q
engine e {
  substage { a: "x" & /(/
    b: r
    include t }
  model m extends n { detect: s }
}
test f { "x" => substage a })");
  std::string codes;
  for (const diag::Diagnostic& one : loaded.sink.sorted()) codes += std::string(one.code->id) + " ";
  CHECK(codes == "KR201 KR206 KR189 KR206 KR207 KR209 KR206 KR210 ");
}
