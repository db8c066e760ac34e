// Remedies: each mistake is reported once, and its fix makes the text that was meant.
#include <doctest/doctest.h>

#include <algorithm>

#include "dump.hpp"

using namespace kr;
using namespace kr::syntax;

namespace {

/// The text with all fixes of its diagnostics.
std::string fixed(const std::string& text) {
  const Parsed parsed(text);
  std::vector<diag::Edit> edits;
  for (const diag::Diagnostic& one : parsed.sink.all()) {
    if (one.fix) edits.insert(edits.end(), one.fix->edits.begin(), one.fix->edits.end());
  }
  std::ranges::stable_sort(edits, {}, [](const diag::Edit& edit) { return edit.span.begin; });
  std::string made;
  size_t from = 0;
  for (const diag::Edit& edit : edits) {
    made += text.substr(from, edit.span.begin - from) + edit.text;
    from = edit.span.end;
  }
  return made + text.substr(from);
}

std::string as_pattern(const std::string& expression) {
  return "pattern p = " + expression + "\n";
}

std::string in_rules(const std::string& text) {
  return "engine e {\n  substage {\n" + text + "    misc: otherwise\n  }\n}\n";
}

struct Case {
  std::string wrong;
  std::string meant;
};

void check(const std::vector<Case>& cases, std::string (*around)(const std::string&)) {
  for (const Case& one : cases) {
    const std::string wrong = around(one.wrong);
    CAPTURE(wrong);
    CHECK(Parsed(wrong).sink.all().size() == 1);
    CHECK(fixed(wrong) == around(one.meant));
    CHECK(Parsed(around(one.meant)).sink.all().empty());
  }
}

}  // namespace

TEST_CASE("operands of other languages") {
  check(
      {
          {R"~(r"^gemm_\d+")~", R"~(/^gemm_\d+/)~"},
          {R"~(r"a/b\d")~", R"~(/a\/b\d/)~"},
          {R"~(r"a\/b\d")~", R"~(/a\/b\d/)~"},
          {R"~(r"gemm")~", R"~("gemm")~"},
          {R"~(R"(x)")~", R"~("x")~"},
          {R"~(R"(x.y)")~", R"~(/x.y/)~"},
          {R"~(r#"a.b"#)~", R"~(/a.b/)~"},
          {R"~(r'a"b')~", R"~("a\"b")~"},
          {R"~(b"x" | "y")~", R"~("x" | "y")~"},
          {R"~(i"x")~", R"~("x"i)~"},
          {R"~('a"b'i)~", R"~("a\"b"i)~"},
          {"\xe2\x80\x9cx\xe2\x80\x9d$", R"~("x"$)~"},
          {"&quot;x&quot;", R"~("x")~"},
          {R"~(["a", "b"])~", R"~("a" | "b")~"},
          {R"~(["a", "b"] & "c")~", R"~(("a" | "b") & "c")~"},
          {R"~(!["a", /b/,])~", R"~(!("a" | /b/))~"},
          {R"~({"a", 'b'})~", R"~("a" | "b")~"},
          {"[\n  \"a\",\n  \"b\"\n]", R"~("a" | "b")~"},
          {"\n  - \"a\"\n  - \"b\"", "\n  \"a\" | \"b\""},
          {R"~(name.startswith("x"))~", R"~(^"x")~"},
          {R"~(name ends with "x")~", R"~("x"$)~"},
          {R"~(contains("x") & "y")~", R"~("x" & "y")~"},
          {R"~(name == "x")~", R"~(^"x"$)~"},
          {R"~(name =~ /x/)~", R"~(/x/)~"},
          {R"~(re.search(r"a.b"))~", R"~(/a.b/)~"},
          {R"~(aten::mm | "x")~", R"~("aten::mm" | "x")~"},
          {R"~(op aten::mm)~", R"~(op "aten::mm")~"},
          {R"~(op: "aten::mm")~", R"~(op "aten::mm")~"},
          {R"~(word("x"))~", R"~(word "x")~"},
          {R"~("y" & word ("a" | "b"i))~", R"~("y" & (word "a" | word "b"i))~"},
          {R"~(words "x"i)~", R"~(word "x"i)~"},
          {R"~(phase "decode")~", R"~(phase decode)~"},
          {R"~(phase == decode & "x")~", R"~(phase decode & "x")~"},
          {R"~(phase prefill | decode)~", R"~(phase (prefill | decode))~"},
          {R"~(cutlass" | "x")~", R"~("cutlass" | "x")~"},
          {R"~("cutlass | "x")~", R"~("cutlass" | "x")~"},
          {R"~("a.b\d")~", R"~(/a.b\d/)~"},
      },
      as_pattern);
}

TEST_CASE("words of other languages before an operand, and between two") {
  check(
      {
          {R"~(inside "x")~", R"~(within "x")~"},
          {R"~("a" & !in ("x" | "y"))~", R"~("a" & !within ("x" | "y"))~"},
          {R"~(under /x/)~", R"~(within /x/)~"},
          {R"~(inside of "x")~", R"~(within "x")~"},
          {R"~(witihn "x")~", R"~(within "x")~"},
          {R"~("a" inside "x")~", R"~("a" & within "x")~"},
          {R"~("a" within "x")~", R"~("a" & within "x")~"},
          {R"~(within_op "x")~", R"~(within op "x")~"},
          {R"~(own_name "x")~", R"~(own "x")~"},
          {R"~("a" & own: "x")~", R"~("a" & own "x")~"},
          {R"~("a" - "b")~", R"~("a" & ! "b")~"},
          {R"~("a" but not "b")~", R"~("a" & !"b")~"},
          {R"~("a" !"b")~", R"~("a" & !"b")~"},
          {R"~(/a/gi)~", R"~(/a/i)~"},
      },
      as_pattern);
  // Patterns may be called so.
  for (const std::string name : {"inside", "name", "contains", "r", "word", "phase", "own", "op"}) {
    CAPTURE(name);
    CHECK(Parsed("pattern " + name + " = \"x\"\npattern q = " + name + " | \"y\" & " + name + "\n")
              .codes()
              .empty());
  }
}

TEST_CASE("rules in another order") {
  check(
      {
          {"    gemm := \"x\"\n", "    gemm : \"x\"\n"},
          {"    gemm:: \"x\"\n", "    gemm: \"x\"\n"},
          {"    gemm == \"x\"\n", "    gemm: \"x\"\n"},
          {"    \"x\" => gemm\n", "    gemm: \"x\"\n"},
          {"    if \"x\" | /y/ then gemm\n", "    gemm: \"x\" | /y/\n"},
          {"    gemm \"Title\": \"x\"\n", "    gemm: \"x\"\n"},
          {"    dense gemm: \"x\"\n", "    \"dense gemm\": \"x\"\n"},
          {"    - gemm: \"x\"\n", "    gemm: \"x\"\n"},
          {"    gemm\": \"x\"\n", "    gemm: \"x\"\n"},
          {"    \"gemm: \"x\"\n", "    gemm: \"x\"\n"},
          {"    gemm: \"x\" // text\n", "    gemm: \"x\" # text\n"},
          {"    refine gemm: { a: \"a\" }\n", "    refine gemm { a: \"a\" }\n"},
          {"    refine gemm {\n      a: \"a\"\n", "    refine gemm {\n      a: \"a\"\n    }\n"},
      },
      in_rules);
}

TEST_CASE("heads of declarations") {
  check(
      {
          {"engine \"e\" { }", "engine e { }"},
          {"engine \"E\" e { }", "engine e \"E\" { }"},
          {"engine e = { }", "engine e { }"},
          {"engine e() { }", "engine e { }"},
          {"engine e { substage = { a: \"x\" } }", "engine e { substage { a: \"x\" } }"},
          {"engine e { a of b { x: y } }", "engine e { a from b { x: y } }"},
          {"engine e { a from \"b\" { x: y } }", "engine e { a from b { x: y } }"},
          {"engine e { a from b { x: y, z } }", "engine e { a from b { x: y z } }"},
          {"engine e { a over b { x: y -> [z] } }", "engine e { a over b { x: y > [z] } }"},
          {"engine e { model a : b { } }", "engine e { model a extends b { } }"},
          {"engine e { model a(v.b) { } }", "engine e { model a extends v.b { } }"},
          {"engine e { model a extends b \"A\" { } }", "engine e { model a \"A\" extends b { } }"},
          {"engine e { abbreviate \"a\" -> \"b\" }", "engine e { abbreviate \"a\" as \"b\" }"},
          {"engine e {\n  a:\n    b: \"x\"\n}\n", "engine e {\n  a {\n    b: \"x\"\n  }\n}\n"},
          {"table t d { a: \"x\" }", "table t for d { a: \"x\" }"},
          {"table t of d { a: \"x\" }", "table t for d { a: \"x\" }"},
          {"table t(d) { a: \"x\" }", "table t for d { a: \"x\" }"},
          {"labels for d { a }", "labels d { a }"},
          {"labels d { a color: \"#aabbcc\" }", "labels d { a color \"#aabbcc\" }"},
          {"labels d { a\" \"A\" }\n", "labels d { a \"A\" }\n"},
          {"test e.m { \"x\" => d a }", "test e/m { \"x\" => d a }"},
          {"test e m { \"x\" => d a }", "test e/m { \"x\" => d a }"},
          {"test engine e { \"x\" => d a }", "test e { \"x\" => d a }"},
          {"test e { \"x\" == d a }", "test e { \"x\" => d a }"},
          {"test e { \"x\" => \"d\" a }", "test e { \"x\" => d a }"},
          {"test e { \"x\" => d a and b c }", "test e { \"x\" => d a, b c }"},
          {"test e {\n  d a => \"x\"\n}", "test e {\n  \"x\" => d a\n}"},
          {"test e {\n  x\" => d a\n}", "test e {\n  \"x\" => d a\n}"},
          {"use std/llm", "use std.llm"},
          {"use std::llm", "use std.llm"},
          {"from std import llm", "use std.llm"},
          {"pattern a \"x\"", "pattern a = \"x\""},
          {"a = \"x\"", "pattern a = \"x\""},
      },
      [](const std::string& text) { return text; });
}

TEST_CASE("a missing brace is where the indentation shows it") {
  // The blocks of a file, and the file without one of its closing braces, each in turn.
  const std::string whole =
      "labels substage {\n  gemm\n}\ntable t for substage {\n  gemm: \"x\"\n}\n"
      "engine e {\n  stage {\n    all: \"x\"\n    refine all {\n      some: \"y\"\n    }\n"
      "    rest: \"z\"\n  }\n  model m {\n    substage {\n      gemm: \"x\"\n    }\n  }\n"
      "  substage {\n    gemm: \"x\"\n  }\n  model n {\n    substage {\n      gemm: \"y\"\n    "
      "}\n  }\n"
      "}\ntest e {\n  \"x\" => substage gemm\n}\nengine f {\n  stage {\n    all: \"x\"\n  "
      "}\n}\n";
  const Parsed right(whole);
  REQUIRE(right.sink.all().empty());
  size_t removed = 0;
  for (size_t at = whole.find('}'); at != whole.npos; at = whole.find('}', at + 1)) {
    const size_t line = whole.rfind('\n', at);
    const std::string without = whole.substr(0, line) + whole.substr(at + 1);
    CAPTURE(without);
    const Parsed parsed(without);
    CHECK(parsed.sink.all().size() == 1);
    CHECK(parsed.dump() == right.dump());
    CHECK(fixed(without) == whole);
    ++removed;
  }
  CHECK(removed == 13);
}

TEST_CASE("indentation alone is not a mistake") {
  const Parsed parsed(
      "engine e {\n    stage {\n        all: \"x\"\n    refine all {\n  some: \"y\"\n}\nrest: "
      "\"z\"\n"
      "}\n  model m {\nsubstage {\n   a: \"x\"\n }\n}\n}\n");
  CHECK(parsed.sink.all().empty());
}
