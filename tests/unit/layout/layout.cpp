// What goes in, and how it is laid out.
#include "layout/layout.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "unit/layout/support.hpp"

using namespace kr;

namespace {

using test::layout_of;

struct Case {
  const char* what;
  const char* before;
  const char* after;
};

void check(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    CAPTURE(one.what);
    CHECK(layout_of(one.before) == one.after);
    CHECK(layout_of(one.after) == one.after);
  }
}

}  // namespace

TEST_CASE("declarations") {
  check({
      {"an empty file", "", ""},
      {"blanks alone", "\n \n", ""},
      {"a comment alone", "\n# c  \n\n", "# c\n"},
      {"a byte order mark", "\xef\xbb\xbf## doc\nuse std.a", "## doc\nuse std.a\n"},
      {"a requirement and metadata",
       "## d\nrequires kr>=0.1 author \"a\"\nrequires\nkr # c\n0.0.2\nlink\n\"https://x/#y\"\nuse "
       "std.a",
       "## d\nrequires kr >= 0.1\nauthor \"a\"\nrequires kr  # c\n0.0.2\nlink \"https://x/#y\"\n"
       "use std.a\n"},
      {"metadata of a table and an engine",
       "table t for d { since \"2026-11\" since: \"x\" } engine e { link \"a\" link { a: \"b\" } }",
       "table t for d {\n  since \"2026-11\"\n  since: \"x\"\n}\nengine e {\n  link \"a\"\n"
       "  link { a: \"b\" }\n}\n"},
      {"CRLF", "use std.a\r\n\r\nuse std.b # c\r\n", "use std.a\n\nuse std.b  # c\n"},
      {"uses", "use  std.gemm use \"./a.kr\"  as\nb", "use std.gemm\nuse \"./a.kr\" as b\n"},
      {"a pattern", "pattern a=\"x\"i|^\"y\"$ &! /z/i", "pattern a = \"x\"i | ^\"y\"$ & !/z/i\n"},
      {"within", "pattern a=within\"x\"|within(\"y\"&c.d)",
       "pattern a = within \"x\" | within (\"y\" & c.d)\n"},
      {"order rules",
       "pattern p over d=a|\"t\" table t for e over d{ignore !a continue\"s\" x:a>[ b +>c]>( d|e ) "
       "*\n"
       "y:  [f]  otherwise keep}engine g{e over d{include t}}",
       "pattern p over d = a | \"t\"\ntable t for e over d {\n  ignore !a\n  continue \"s\"\n"
       "  x: a > [b+ > c] > (d | e)*\n  y: [f]\n  otherwise keep\n}\nengine g {\n"
       "  e over d { include t }\n}\n"},
      {"a test of several operations",
       "test e { \"a\">\"b\"within\"m\"=>part x,stage y>@memcpy\"c\" }",
       "test e {\n  \"a\" > \"b\" within \"m\" => part x, stage y > @memcpy \"c\"\n}\n"},
      {"labels in columns",
       "labels d extends e.d { a \"A\" color \"#4e79a7\" longer \"A longer one\" \"q r\" \"Q\"\n"
       "color \"#4e79a8\" }",
       "labels d extends e.d {\n"
       "  a      \"A\"            color \"#4e79a7\"\n"
       "  longer \"A longer one\"\n"
       "  \"q r\"  \"Q\"            color \"#4e79a8\"\n"
       "}\n"},
      {"labels without titles",
       "labels d {\n a color \"#4e79a7\"\n  bb \"B\" color \"#4e79a7\"\n c\n}\n",
       "labels d {\n  a      color \"#4e79a7\"\n  bb \"B\" color \"#4e79a7\"\n  c\n}\n"},
      {"an engine",
       "engine e \"E\" { detect:\"a\" fold A,(\"B\") abbreviate \"x\" as \"y\",\"z\" as \"w\"\n"
       "stage{layer:otherwise} model m \"M\" extends a.b { } }",
       "engine e \"E\" {\n"
       "  detect: \"a\"\n"
       "  fold A, (\"B\")\n"
       "  abbreviate \"x\" as \"y\", \"z\" as \"w\"\n"
       "  stage { layer: otherwise }\n"
       "  model m \"M\" extends a.b {}\n"
       "}\n"},
      {"tests", "test a / b { @memcpy \"x\" within \"o\",\"i\" => d l,e \"m n\" \"y\"=>d l }",
       "test a/b {\n  @memcpy \"x\" within \"o\", \"i\" => d l, e \"m n\"\n  \"y\" => d l\n}\n"},
      {"blank lines",
       "\n\nuse a\n\n\n\nuse b\nengine e {\n\n\n  detect: \"a\"\n\n\n  fold A\n\n}\n",
       "use a\n\nuse b\nengine e {\n  detect: \"a\"\n\n  fold A\n}\n"},
  });
}

TEST_CASE("operators that are words, refine and from") {
  check({
      {"operators",
       "pattern a=own\"x\"|own(word\"y\"i&!b)|within op/z/|phase(p|q)|op(\"a\"|b)([_,K],3)",
       "pattern a = own \"x\" | own (word \"y\"i & !b) | within op /z/ | phase (p | q)\n"
       "  | op (\"a\" | b) ([_, K], 3)\n"},
      {"names", "pattern a=own|word&op|phase", "pattern a = own | word & op | phase\n"},
      {"refine", "engine e{substage{refine a{b:\"x\"\ncd:own\"y\"}refine c{d:\"z\"}}}",
       "engine e {\n"
       "  substage {\n"
       "    refine a {\n"
       "      b:  \"x\"\n"
       "      cd: own \"y\"\n"
       "    }\n"
       "    refine c { d: \"z\" }\n"
       "  }\n"
       "}\n"},
      {"from", "table t for stage from substage{a:b c\ndef:\"g h\" i\ninclude u rest:otherwise}",
       "table t for stage from substage {\n"
       "  a:    b c\n"
       "  def:  \"g h\" i\n"
       "  include u\n"
       "  rest: otherwise\n"
       "}\n"},
      {"from on one line",
       "table t for d from e{a:b include u.v refine a{x:\"y\"}c:d otherwise keep}",
       "table t for d from e {\n"
       "  a: b\n"
       "  include u.v\n"
       "  refine a { x: \"y\" }\n"
       "  c: d\n"
       "  otherwise keep\n"
       "}\n"},
      {"tests", "test e{phase decode op\"m\"([4,8])@memcpy\"n\"=>a b}",
       "test e {\n  phase decode op \"m\" ([4, 8]) @memcpy \"n\" => a b\n}\n"},
  });
}

TEST_CASE("rules as a table") {
  check({
      {"one column",
       "table t for d {\n a: \"x\"\n refine a { bcd: \"y\" }\n include f.g\n \"h i\": \"z\"\n"
       "otherwise keep }",
       "table t for d {\n"
       "  a: \"x\"\n"
       "  refine a { bcd: \"y\" }\n"
       "  include f.g\n"
       "  \"h i\": \"z\"\n"
       "  otherwise keep\n"
       "}\n"},
      {"a blank line begins another", "table t for d {\n a: \"x\"\n bcd: \"y\"\n\n e: \"z\"\n}",
       "table t for d {\n  a:   \"x\"\n  bcd: \"y\"\n\n  e: \"z\"\n}\n"},
      {"comments do not", "table t for d {\n a: \"x\"\n## doc\n bcd: \"y\"\n}",
       "table t for d {\n  a:   \"x\"\n  ## doc\n  bcd: \"y\"\n}\n"},
      {"columns are characters, not bytes",
       "table t for d {\n \"\xc3\xa9\xc3\xa9\": \"x\"\n bcd: \"y\"\n}",
       "table t for d {\n  \"\xc3\xa9\xc3\xa9\": \"x\"\n  bcd:  \"y\"\n}\n"},
      {"a label that is too long stays out",
       "table t for d {\n a: \"x\"\n a_label_of_twenty_five_xx: \"y\"\n bcd: \"z\"\n}",
       "table t for d {\n  a:   \"x\"\n  a_label_of_twenty_five_xx: \"y\"\n  bcd: \"z\"\n}\n"},
      {"blocks on one line have their braces in a column",
       "engine e {\n stage {a:\"x\"}\n substage {\n b:\"y\" }\n\n phases { p: /z/ }\n}",
       "engine e {\n"
       "  stage    { a: \"x\" }\n"
       "  substage { b: \"y\" }\n"
       "\n"
       "  phases { p: /z/ }\n"
       "}\n"},
      {"a comment keeps a block open", "engine e { stage {\n # c\n a: \"x\" } }",
       "engine e {\n  stage {\n    # c\n    a: \"x\"\n  }\n}\n"},
  });
}

TEST_CASE("long lines") {
  check({
      {"alternatives",
       "pattern a = \"1234567890123456789012345\" | \"2234567890123456789012345\" | "
       "\"32345678901234567890123456789\" | \"4\" | \"5\"",
       "pattern a = \"1234567890123456789012345\" | \"2234567890123456789012345\"\n"
       "  | \"32345678901234567890123456789\" | \"4\" | \"5\"\n"},
      {"under each other in a table",
       "table t for d { abc: \"123456789012345678901234567890123456789012345\" | "
       "\"223456789012345678901234567890123456789012345\" e: \"x\" }",
       "table t for d {\n"
       "  abc: \"123456789012345678901234567890123456789012345\"\n"
       "     | \"223456789012345678901234567890123456789012345\"\n"
       "  e:   \"x\"\n"
       "}\n"},
      {"a conjunction that takes several lines is alone on them",
       "pattern a = \"1234567890123456789012345678901234567890\" & "
       "\"2234567890123456789012345678901234567890123456\" & \"32345678901234567890\" | \"4\" | "
       "\"5\"",
       "pattern a = \"1234567890123456789012345678901234567890\"\n"
       "    & \"2234567890123456789012345678901234567890123456\" & \"32345678901234567890\"\n"
       "  | \"4\" | \"5\"\n"},
      {"parentheses",
       "pattern a = \"1234567890\" & (\"1234567890123456789012345678901234567890\" | "
       "\"2234567890123456789012345678901234567890\" | \"323456789012345678901234567890\")",
       "pattern a = \"1234567890\"\n"
       "  & (\"1234567890123456789012345678901234567890\" | "
       "\"2234567890123456789012345678901234567890\"\n"
       "    | \"323456789012345678901234567890\")\n"},
      {"a test",
       "test e { "
       "\"123456789012345678901234567890123456789012345678901234567890123456789012345678901234\" "
       "=> substage label }",
       "test e {\n"
       "  "
       "\"123456789012345678901234567890123456789012345678901234567890123456789012345678901234\"\n"
       "    => substage label\n"
       "}\n"},
      {"abbreviations",
       "engine e { abbreviate \"1234567890123456789012345\" as \"x\", "
       "\"2234567890123456789012345\" as \"y\", \"32345678901234\" as \"z\" }",
       "engine e {\n"
       "  abbreviate \"1234567890123456789012345\" as \"x\", \"2234567890123456789012345\" as "
       "\"y\",\n"
       "    \"32345678901234\" as \"z\"\n"
       "}\n"},
  });
}

TEST_CASE("comments") {
  check({
      {"behind lines, in a column", "use a # 1\nuse bcd # 2\nuse e\nuse f #3\n",
       "use a    # 1\nuse bcd  # 2\nuse e\nuse f  #3\n"},
      {"behind an operator or before a comma they change places with it",
       "engine e { fold A # a\n , B\n detect: \"x\" | # x\n \"y\" }",
       "engine e {\n  fold A,  # a\n    B\n  detect: \"x\"  # x\n    | \"y\"\n}\n"},
      {"an expression with a comment keeps its lines",
       "pattern a = \"x\"\n | \"y\" |\n \"z\" # kr: allow(redundant-alternative) why\n",
       "pattern a = \"x\"\n  | \"y\"\n  | \"z\"  # kr: allow(redundant-alternative) why\n"},
      {"a line with a comment is not broken",
       "pattern a = \"123456789012345678901234567890123456789012345\" | "
       "\"22345678901234567890123456789012345678901234567890\" # c\n",
       "pattern a = \"123456789012345678901234567890123456789012345\" | "
       "\"22345678901234567890123456789012345678901234567890\"  # c\n"},
      {"before and behind braces",
       "engine e { # 1\n# 2\n stage { # 3\n a: \"x\" # 4\n # 5\n } # 6\n} # 7\n# 8",
       "engine e {  # 1\n"
       "  # 2\n"
       "  stage {   # 3\n"
       "    a: \"x\"  # 4\n"
       "    # 5\n"
       "  }  # 6\n"
       "}    # 7\n"
       "# 8\n"},
      {"in a head", "pattern # 1\n a # 2\n = \"x\"", "pattern  # 1\n  a      # 2\n  = \"x\"\n"},
      {"what is allowed on a line that is broken up is allowed before it",
       "use a\n\nlabels d { a \"A\" b \"B\" } # kr: allow(label-never-produced) later\n",
       "use a\n\n# kr: allow(label-never-produced) later\n"
       "labels d {\n  a \"A\"\n  b \"B\"\n}\n"},
      {"documentation keeps its distance",
       "## The file.\n\n\n## The pattern.\n# and a word\npattern a = \"x\"\n",
       "## The file.\n\n## The pattern.\n# and a word\npattern a = \"x\"\n"},
  });
}

TEST_CASE("files with mistakes") {
  check({
      {"the other declarations are laid out",
       "use   a\npattern b =   \"x\" \"y\"\n\n\n  engine e {stage{a:\"x\"}}\r\n",
       "use a\npattern b =   \"x\" \"y\"\n\n\nengine e {\n  stage { a: \"x\" }\n}\r\n"},
      {"those that do not begin a line are not", "pattern a = ; use   b\n",
       "pattern a = ; use   b\n"},
      {"a brace that never closes", "use   a\nengine e {  stage { a: \"x\" }\n",
       "use a\nengine e {  stage { a: \"x\" }\n"},
  });
  source::SourceMap sources;
  const layout::Layout layout =
      layout::lay_out(sources, sources.add("test.kr", "pattern a = \npattern b =   \"x\""));
  CHECK(layout.text == "pattern a = \npattern b = \"x\"");
  REQUIRE(layout.sink.all().size() == 1);
  CHECK(layout.sink.all()[0].code->name == "syntax");
}
