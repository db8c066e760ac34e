// Recovery after mistakes: each is reported once, and the text around it is parsed.
#include <doctest/doctest.h>

#include "dump.hpp"

using namespace kr;
using namespace kr::syntax;

TEST_CASE("the rules around a mistake are parsed") {
  const Parsed parsed(
      "engine e {\n substage {\n  a: \"x\"\n  b: \"y\" $\n  c: (\"z\"\n  d \"w\"\n  e: \"v\"\n }\n"
      " model m { stage { f: \"u\" } }\n}\npattern p = \"t\"\n");
  CHECK(parsed.codes() == "KR111@4:10 KR117@5:10 KR109@6:3");
  CHECK(parsed.dump() ==
        "pattern p = \"t\"\nengine e\nsubstage\n  a: \"x\"\n  b: \"y\"$\n  c: \"z\"\n  d: \"w\"\n"
        "  e: \"v\"\n\nmodel m\nstage\n  f: \"u\"\n\n");
}

TEST_CASE("an unclosed block ends at the next outer declaration") {
  const Parsed parsed(
      "engine e {\n  model a {\n    substage {\n      x: \"x\"\n  model b {\n    stage { y: \"y\" "
      "}\n"
      "  }\n}\nengine f {\n  substage { z: \"z\" }\n");
  CHECK(parsed.codes() == "KR115@4:13 KR115@10:22");
  CHECK(parsed.file.engines.size() == 2);
  CHECK(parsed.file.engines.at(0).models.size() == 2);
}

TEST_CASE("words for operators are read as the operators") {
  const Parsed parsed("pattern p = \"a\" and not \"b\" or not (\"c\" and \"d\")\n");
  CHECK(parsed.codes() == "KR110@1:17 KR101@1:21 KR110@1:29 KR101@1:32 KR110@1:41");
  CHECK(parsed.dump() == Parsed("pattern p = \"a\" & !\"b\" | !(\"c\" & \"d\")\n").dump());
  CHECK(parsed.sink.all().at(1).help_ == "write `!`");
  // A pattern and a label may be called so.
  CHECK(Parsed("pattern not = \"x\"\npattern q = not | \"y\"\nengine e { stage { not: not } }\n")
            .codes()
            .empty());
}

TEST_CASE("a declaration with a misspelt keyword is read") {
  const Parsed parsed("patern p = \"x\"\negnine e { modl m { substage { incude a } } }");
  CHECK(parsed.codes() == "KR114@1:1 KR114@2:1 KR114@2:12 KR114@2:32");
  CHECK(parsed.dump() == "pattern p = \"x\"\nengine e\nmodel m\nsubstage\n  include a\n\n");
  CHECK(parsed.sink.all().at(0).help_ == "did you mean `pattern`?");
}

TEST_CASE("patterns and rules keep their names when their expression is lost") {
  const Parsed parsed("pattern a =\npattern b = \"x\" & $\ntable t for d { c: | d: \"y\" }");
  CHECK(parsed.sink.errors() == 3);
  CHECK(parsed.file.patterns.size() == 2);
  CHECK(parsed.file.tables.at(0).rules.size() == 2);
}

TEST_CASE("declarations inside an engine are reported and parsed") {
  const Parsed parsed("engine e {\n  pattern p = \"x\"\n  substage { a: p }\n}");
  CHECK(parsed.codes() == "KR120@2:3");
  CHECK(parsed.file.patterns.size() == 1);
  CHECK(parsed.file.engines.at(0).body.dimensions.size() == 1);
}

TEST_CASE("one mistake, one diagnostic") {
  const std::vector<std::string> texts{
      "pattern a = \"x\" | | \"y\"",
      "pattern a = \"gemm | \"flash\"",
      "pattern a = (\"x\"",
      "pattern a = \"x\")))",
      "pattern a = //comment with words and \"quotes\"",
      "pattern a \"x\"",
      "pattern = \"x\"",
      "engine e { } }",
      "engine e {",
      "engine e { model m {",
      "engine e { substage { a: \"x\" }",
      "engine e \"E\" substage { a: \"x\" } }",
      "engine \"E\" { substage { a: \"x\" } }",
      "engine e { gemm: \"x\" attn: \"y\" }",
      "test e { \"x\" substage a }",
      "test e { \"x\" = substage a }",
      "test e { \"x\" => substage }",
      "test e { @cpy \"x\" => substage a }",
      "labels d { a: \"A\" }",
      "labels d { model \"A\" }",
      "table t for { a: \"x\" }",
      "table t substage { a: \"x\" }",
      "use std.",
      "engine e { substage { a: \"x\" model m } }",
      "engine e { model m { model n } }",
      "use std.x as",
      "foo bar baz",
      "pattern a = \"x\" or \"y\"",
      "table t for d { a \"x\" | \"y\" }",
      "table t for d { a = \"x\" | \"y\" }",
      "table t for d { a: \"x\"; b: \"y\" }",
      "table t for d { a: otherwise keep }",
      "table t for d { otherwise }",
      "engine e { detect \"x\" }",
      "pattern a = \xe2\x80\x9cx\xe2\x80\x9d",
      "pattern a = 'x'",
      "/* a comment */ pattern a = \"x\"",
  };
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK(Parsed(text).sink.all().size() == 1);
  }
}
