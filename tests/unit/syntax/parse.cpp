#include <doctest/doctest.h>

#include "dump.hpp"

using namespace kr;
using namespace kr::syntax;

namespace {

/// The expression of a pattern, without any diagnostic.
std::string expr(const std::string& text) {
  const Parsed parsed("pattern a = " + text);
  CHECK(parsed.codes() == "");
  REQUIRE(parsed.file.patterns.size() == 1);
  return parsed.expr(parsed.file.patterns[0].expr);
}

std::string rules(const std::string& text) {
  const Parsed parsed("table t for d {\n" + text + "\n}");
  CHECK(parsed.codes() == "");
  REQUIRE(parsed.file.tables.size() == 1);
  return parsed.rules(parsed.file.tables[0].rules);
}

std::string whole(const std::string& text) {
  const Parsed parsed(text);
  CHECK(parsed.codes() == "");
  return parsed.dump();
}

}  // namespace

TEST_CASE("precedence") {
  CHECK(expr(R"("a" | "b" & "c")") == R"((or "a" (and "b" "c")))");
  CHECK(expr(R"("a" & "b" | "c" & "d" & "e")") == R"((or (and "a" "b") (and "c" "d" "e")))");
  CHECK(expr(R"(!"a" & "b")") == R"((and (not "a") "b"))");
  CHECK(expr(R"(!("a" & "b") | "c")") == R"((or (not (and "a" "b")) "c"))");
  CHECK(expr(R"(("a" | "b") & ("c" | "d"))") == R"((and (or "a" "b") (or "c" "d")))");
  CHECK(expr(R"(("a" | "b") | "c")") == R"((or (or "a" "b") "c"))");
  CHECK(expr(R"(within "a" & "b")") == R"((and (within "a") "b"))");
  CHECK(expr(R"(within ("a" & "b"))") == R"((within (and "a" "b")))");
  CHECK(expr(R"(!within !"a")") == R"((not (within (not "a"))))");
  CHECK(expr(R"(!!((("a"))))") == R"((not (not "a")))");
  CHECK(expr(R"(within within "a")") == R"((within (within "a")))");
}

TEST_CASE("atoms") {
  CHECK(expr(R"("a"i)") == R"("a"i)");
  CHECK(expr(R"(^"a")") == R"(^"a")");
  CHECK(expr(R"("a"$)") == R"("a"$)");
  CHECK(expr(R"(^"a"i$)") == R"(^"a"i$)");
}

TEST_CASE("atoms of other kinds") {
  CHECK(expr("/a\\/b[^c]/i") == "/a\\/b[^c]/i");
  CHECK(expr("@kernel | @memcpy|@memset") == "(or @kernel @memcpy @memset)");
  CHECK(expr("grouped | c.collective&!a.b.c") == "(or grouped (and c.collective (not a.b.c)))");
  CHECK(expr(R"("\"\\\x41\xff")") == R"(""\A\xff")");
  CHECK(expr("\"a#b\" | /#/ # a comment\n# another\n & \"c\"") == "(or \"a#b\" (and /#/ \"c\"))");
}

TEST_CASE("operators that are words, and patterns of their names") {
  CHECK(expr("own \"a\" | own (b & !\"c\")") == "(or (own \"a\") (own (and b (not \"c\"))))");
  CHECK(expr("word \"a\"i & word \"b\"$ | !word \"c\"") ==
        "(or (and word \"a\"i word \"b\"$) (not word \"c\"))");
  CHECK(expr("within op \"aten::mm\" | within op a.b") ==
        "(or (within-op \"aten::mm\") (within-op a.b))");
  CHECK(expr("op \"aten::mm\" ([_, K], [K, 6144], 1) & \"x\"") ==
        "(and (op/3 \"aten::mm\") \"x\")");
  CHECK(expr("!op (\"a\" | b) ([M])") == "(not (op/1 (or \"a\" b)))");
  CHECK(expr("phase prefill | phase (decode | \"long one\")") ==
        "(or (phase prefill) (phase decode \"long one\"))");
  CHECK(expr("own | word & op | phase") == "(or own (and word op) phase)");
  CHECK(rules("a: own\nb: \"x\"\nc: op\n\"d e\": phase\nf: word") ==
        "  a: own\n  b: \"x\"\n  c: op\n  \"d e\": phase\n  f: word\n");
}

TEST_CASE("a word and a colon is always a rule") {
  CHECK(rules("replace: \"a\" drop: \"b\" include: \"c\" otherwise: \"d\" within: \"e\" "
              "keep: \"f\" i: \"g\" model: \"h\"") ==
        "  replace: \"a\"\n  drop: \"b\"\n  include: \"c\"\n  otherwise: \"d\"\n"
        "  within: \"e\"\n  keep: \"f\"\n  i: \"g\"\n  model: \"h\"\n");
  CHECK(rules("a: x\nb : y\n\"c d\": z \"e\" : w\nf # comment\n: v") ==
        "  a: x\n  b: y\n  \"c d\": z\n  \"e\": w\n  f: v\n");
}

TEST_CASE("kinds of rules") {
  CHECK(rules("refine a { b: \"x\" | \"y\" \"c d\": z }\ninclude llm.substage include t\n"
              "misc: otherwise\notherwise keep") ==
        "  refine a\n  b: (or \"x\" \"y\")\n  \"c d\": z\n  end\n  include llm.substage\n"
        "  include t\n  misc: otherwise\n  otherwise keep\n");
  CHECK(rules("refine refine { refine: refine } refine: \"x\"") ==
        "  refine refine\n  refine: refine\n  end\n  refine: \"x\"\n");
  CHECK(rules("").empty());
}

TEST_CASE("what ends the labels of an image") {
  const auto ends = [](const std::string& text, const std::string& dump) {
    CAPTURE(text);
    CHECK(whole("table t for d from e { " + text + " }").find(dump) != std::string::npos);
  };
  const std::string refine = "  a: b c\n  refine a\n  x: \"y\"\n  end\n";
  ends("a: b c\nrefine a { x: \"y\" }", refine);
  ends("a: b c refine a { x: \"y\" }", refine);
  ends("a: refine b refine: c", "  a: refine b\n  refine: c\n");
  ends("a: b include m.t c: d", "  a: b\n  include m.t\n  c: d\n");
  ends("a: b otherwise keep", "  a: b\n  otherwise keep\n");
  ends("a: b \"include\" \"otherwise\" c", "  a: b \"include\" \"otherwise\" c\n");
  ends("a: b include: c otherwise: d", "  a: b\n  include: c\n  otherwise: d\n");
}

TEST_CASE("requirements and metadata") {
  CHECK(whole(R"(## The file.
requires kr >= 0.0.9 author "A" link "https://a" # comment
requires kr>=# comment
0.1

## An engine.
engine e { since "2026-11" detect: "x" link "https://e"
  model m { author "M" } }
## A table.
table t for d { link "https://t" a: link since: "x" author: "y" }
pattern link = "a" author "B"
)") == R"(#! The file.
requires 0.0.9
requires 0.1.0
author "A"
link "https://a"
author "B"
pattern link = "a"
## A table.
table t for d
  a: link
  since: "x"
  author: "y"

link "https://t"
## An engine.
engine e
since "2026-11"
link "https://e"
detect "x"
model m
author "M"
)");
}

TEST_CASE("documentation around the head of a file") {
  const auto docs = [](const std::string& text) {
    const Parsed parsed(text);
    CHECK(parsed.codes() == "");
    const Doc own = parsed.file.patterns.empty() ? Doc() : parsed.file.patterns[0].doc;
    return parsed.file.doc + "|" + own;
  };
  CHECK(docs("## f\nrequires kr 0.1\npattern a = \"a\"") == "f|");
  CHECK(docs("## f\n\nrequires kr 0.1\n## p\npattern a = \"a\"") == "f|p");
  CHECK(docs("## f\nlink \"l\"\n\n## p\n\npattern a = \"a\"") == "f|p");
  CHECK(docs("requires kr 0.1\n## f\n\npattern a = \"a\"") == "f|");
  CHECK(docs("requires kr 0.1\n## p\npattern a = \"a\"") == "|p");
  CHECK(docs("requires kr 0.1\n## f\nuse std.a") == "f|");
  CHECK(docs("author\n## not a doc\n\"a\"\n## f\nlink \"l\"\n# c\n") == "f|");
}

TEST_CASE("words of requirements and metadata stay names") {
  CHECK(whole(R"(use std.link as since
pattern author = "a" | link
pattern requires = author & since.any
labels link { author "Author" since "Since" link color "#4e79a7" requires }
engine author "Author" { fold link, since
  link { author: requires since: otherwise }
  model since extends author { link { refine link { own: author } include link } } }
test author/since { "a" => link since }
)")
            .find("engine author") != std::string::npos);
}

TEST_CASE("a whole file") {
  CHECK(whole(R"(## The file.
use std.gemm
use rulesets.vllm as v
use "./common.kr" as common

## A pattern.
pattern grouped = "a"
labels substage extends llm.substage {
  ## Dense.
  gemm "Dense GEMM" color "#4e79a7"
  moe color "#f28e2b"
  "a b" "Title"
  plain other "Other"
}
table t for operation { a: "x" otherwise keep }
## An engine.
engine vllm "vLLM" {
  phases { prefill: ^"prefill" }
  fold LogitsProcessor, "A", ("B"), "C"i, x.y, "D" | E
  abbreviate "a" as "b", "c" as "d"
  detect: "vllm"
  ## A block.
  stage { layer: otherwise }
  model llama "Llama" { detect: "llama"i substage { ## not a doc
    ## A rule.
    gemm: grouped } }
  model ds extends v.vllm.llama { }
}
test vllm/llama {
  "a" => substage attn
  @memcpy "b" within "c", "d" => substage "a b", stage layer
}
test vllm { "e" => kind compute }
engine bare { }
)") == R"(#! The file.
use std.gemm
use rulesets.vllm as v
use "./common.kr" as common
## A pattern.
pattern grouped = "a"
labels substage extends llm.substage
## Dense.
  gemm "Dense GEMM" color "#4e79a7"
  moe color "#f28e2b"
  "a b" "Title"
  plain
  other "Other"
table t for operation
  a: "x"
  otherwise keep

## An engine.
engine vllm "vLLM"
phases
  prefill: ^"prefill"

fold ^"LogitsProcessor"$
fold ^"A"$
fold "B"
fold "C"i
fold x.y
fold (or "D" E)
abbreviate "a" as "b"
abbreviate "c" as "d"
detect "vllm"
## A block.
stage
  layer: otherwise

model llama "Llama"
detect "llama"i
substage
  ## A rule.
  gemm: grouped

model ds extends v.vllm.llama
engine bare
test vllm/llama
  "a" => substage attn
  @memcpy "b" in "c" in "d" => substage "a b" => stage layer
test vllm
  "e" => kind compute
)");
}

TEST_CASE("documentation") {
  CHECK(Parsed("## one\n## two\npattern a = b").file.patterns[0].doc == "one\ntwo");
  CHECK(Parsed("## one\n## two\npattern a = b").file.doc == "");
  CHECK(Parsed("## file\n\npattern a = b").file.doc == "file");
  CHECK(Parsed("## file\n\npattern a = b").file.patterns[0].doc == "");
  CHECK(Parsed("# licence\n\n## file\n\n## own\npattern a = b").file.doc == "file");
  CHECK(Parsed("# licence\n\n## file\n\n## own\npattern a = b").file.patterns[0].doc == "own");
  CHECK(Parsed("## file\nuse a.b\n## own\n\npattern a = b").file.doc == "file");
  CHECK(Parsed("## file\nuse a.b\n## own\n\npattern a = b").file.patterns[0].doc == "own");
  CHECK(Parsed("## own\n# kr: allow(x) why\npattern a = b").file.patterns[0].doc == "own");
  CHECK(Parsed("pattern a = b ## trailing\npattern c = d").file.patterns[1].doc == "");
  CHECK(Parsed("## nothing else").file.doc == "nothing else");
  CHECK(Parsed("##\n##  indented\n##x\npattern a = b").file.patterns[0].doc == "\n indented\nx");
  CHECK(Parsed("use a.b\n## lost\npattern a = b |\n## inside\nc").file.patterns[0].doc == "lost");
}

TEST_CASE("comments are kept, in order and once") {
  const Parsed parsed("# a\r\nuse std.x # b  \n## c\npattern a # d\n = # e\n \"x\" # f\n | y # g");
  std::string seen;
  for (const Comment& comment : parsed.file.comments) {
    seen += std::string(parsed.text(comment.span)) + (comment.doc ? "! " : "; ");
  }
  CHECK(seen == "# a; # b; ## c! # d; # e; # f; # g; ");
}

TEST_CASE("spans") {
  const std::string text =
      "## doc\nengine e \"E\" {\n  substage {\n    a: !(\"x\"i | b.c) & ^\"y\\\"\"$ # end\n  "
      "}\n}\n";
  const Parsed parsed(text);
  REQUIRE(parsed.codes() == "");
  const Engine& engine = parsed.file.engines.at(0);
  CHECK(parsed.text(engine.span) == text.substr(7, text.size() - 8));
  CHECK(parsed.text(engine.name.span) == "e");
  CHECK(parsed.text(engine.title->span) == "\"E\"");
  const Block& block = engine.body.dimensions.at(0);
  CHECK(parsed.text(block.dimension.span) == "substage");
  const Rule& rule = block.rules.at(0);
  CHECK(parsed.text(rule.span) == "a: !(\"x\"i | b.c) & ^\"y\\\"\"$");
  const Expr& both = parsed.file.exprs.get(rule.expr);
  CHECK(parsed.text(both.span) == "!(\"x\"i | b.c) & ^\"y\\\"\"$");
  const Expr& negation = parsed.file.exprs.get(both.operands.at(0));
  CHECK(parsed.text(negation.span) == "!(\"x\"i | b.c)");
  const Expr& group = parsed.file.exprs.get(negation.operands.at(0));
  CHECK(group.grouped);
  CHECK(parsed.text(group.span) == "(\"x\"i | b.c)");
  CHECK(parsed.text(parsed.file.exprs.get(group.operands.at(0)).span) == "\"x\"i");
  CHECK(parsed.text(parsed.file.exprs.get(group.operands.at(1)).name.span) == "b.c");
  const Expr& anchored = parsed.file.exprs.get(both.operands.at(1));
  CHECK(parsed.text(anchored.span) == "^\"y\\\"\"$");
  CHECK(parsed.text(anchored.text_span) == "y\\\"");
}

TEST_CASE("bytes at the edges of a file") {
  CHECK(whole("").empty());
  CHECK(whole("\xef\xbb\xbfpattern a = b") == "pattern a = b\n");
  CHECK(whole("pattern a =\r\n  \"x\"\r\n | \"y\"\r\n") == "pattern a = (or \"x\" \"y\")\n");
  CHECK(whole("pattern a = \"\xc3\xa9\"") == "pattern a = \"\xc3\xa9\"\n");
  CHECK(Parsed(std::string("a\0b", 3)).codes() == "KR102@1:2");
  CHECK(Parsed("pattern \xff\xfe = \"x\"").codes() == "KR102@1:9");
}

TEST_CASE("nesting") {
  const auto nested = [](const std::string& open, size_t depth, const std::string& close) {
    std::string text = "pattern a = ";
    for (size_t i = 0; i < depth; ++i) text += open;
    text += "\"x\"";
    for (size_t i = 0; i < depth; ++i) text += close;
    return text + "\npattern b = \"y\" |\n";
  };
  for (const auto& [open, close] :
       {std::pair<std::string, std::string>{"!", ""}, {"(", ")"}, {"within ", ""}, {"!(", ")"}}) {
    const size_t weight = open.size() == 2 ? 2 : 1;
    CHECK(Parsed(nested(open, 256 / weight, close)).codes() == "KR101@2:18");
    const Parsed deeper(nested(open, 256 / weight + 1, close));
    CHECK(deeper.sink.all().size() == 2);
    CHECK(deeper.sink.all()[0].code->id == "KR108");
    CHECK(deeper.file.patterns.size() == 2);
    CHECK(Parsed(nested(open, 100000, close)).sink.all().size() == 2);
  }
}

TEST_CASE("chains of order rules") {
  CHECK(rules("a: x > [y]") == "  a: x > [y]\n");
  CHECK(rules("a: [x+ > \"t\"i | y] > (z & !w)*") ==
        "  a: [x+ > (or \"t\"i y)] > (and z (not w))*\n");
  CHECK(rules("a: x\n  > [y]  # c\n  > z?\nb: [x]") == "  a: x > [y] > z?\n  b: [x]\n");
  CHECK(rules("ignore x | y continue \"z\" ignore: \"w\"") ==
        "  ignore (or x y)\n  continue \"z\"\n  ignore: \"w\"\n");
  const Parsed over(
      "pattern p over d = x table t for e over d { } engine f { e over d { a: x > [p] } }");
  CHECK(over.codes() == "");
  CHECK(over.file.patterns[0].over->text == "d");
  CHECK(over.file.tables[0].over->text == "d");
  CHECK(over.file.engines[0].body.dimensions[0].over->text == "d");
  CHECK(!Parsed("pattern over = \"x\"").file.patterns[0].over);
}

TEST_CASE("mistakes in chains") {
  CHECK(Parsed("table t for d { a: x | y* > [z] }").codes() == "KR124@1:25");
  CHECK(Parsed("table t for d { a: x > > [z] }").codes() == "KR101@1:24");
  CHECK(Parsed("table t for d { a: x > }").codes() == "KR101@1:24");
  CHECK(Parsed("table t for d { a: x ] > y }").codes() == "");  // brackets are a matter of meaning
}

TEST_CASE("tests of several operations") {
  const Parsed parsed(
      "test e { \"a\" > \"b\" within \"m\" => part x, stage y > @memcpy \"c\"\n\"d\" => part z }");
  CHECK(parsed.codes() == "");
  REQUIRE(parsed.file.tests[0].cases.size() == 2);
  const TestCase& first = parsed.file.tests[0].cases[0];
  REQUIRE(first.later.size() == 2);
  CHECK(first.name.text == "a");
  CHECK(first.expected.empty());
  CHECK(first.later[0].within[0].text == "m");
  CHECK(first.later[0].expected.size() == 2);
  CHECK(first.later[1].kind == OperationKind::memcpy);
  CHECK(parsed.file.tests[0].cases[1].later.empty());
  CHECK(Parsed("test e { \"a\" > \"b\" }").codes() == "KR101@1:10");
}
