#include <doctest/doctest.h>

#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "diag/characters.hpp"
#include "diag/render.hpp"
#include "diag/xml.hpp"

using namespace kr;

namespace {

struct Case {
  source::SourceMap sources;
  source::FileId file;
  diag::Sink sink;

  explicit Case(std::string text, std::string path = "rulesets/mine.kr")
      : file(sources.add(std::move(path), std::move(text))) {}
  diag::Diagnostic& say(uint32_t begin, uint32_t end, std::string_view found = "`x`") {
    return sink.add(diag::code::syntax, source::Span{file, begin, end}, "a label", found);
  }
  std::string shown(diag::FindingFormat format) const {
    diag::FormatOptions options;
    options.title = "kr lint";
    return diag::render_findings(format, sources, sink.all(), options);
  }
};

// A control byte, a byte that is not UTF-8, a line break, and characters that a format escapes.
constexpr std::string_view hostile = "\x1b[1m\xff\r\n100%: a,b ]]> <x y=\"z\">&'";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("formats are found by name") {
  for (size_t i = 0; i < diag::format_names.size(); ++i) {
    CHECK(diag::format_from(diag::format_names[i]) == static_cast<diag::FindingFormat>(i));
  }
  CHECK_FALSE(diag::format_from("xml"));
}

TEST_CASE("descriptions have no placeholders") {
  CHECK(diag::description(*diag::find_code("KR101")) == "expected …, found …");
  CHECK(diag::description(*diag::find_code("KR116")) == "unmatched `}`");
}

TEST_CASE("concise: one line per finding") {
  Case one("a\n  b\n", "my file.kr");
  one.say(4, 5).related({one.file, 0, 1}, "here").help("help");
  one.say(0, 1, hostile);
  one.sink.add(diag::code::syntax, source::Span{}, "x", "y");
  CHECK(one.shown(diag::FindingFormat::concise) ==
        "my file.kr:2:3: error KR101 syntax: expected a label, found `x`\n"
        "my file.kr:1:1: error KR101 syntax: expected a label, found \\x1b[1m\\xff\\x0d\\x0a100%: "
        "a,b ]]> <x y=\"z\">&'\n"
        "error KR101 syntax: expected x, found y\n");
}

TEST_CASE("json: the shape of the command line's contract") {
  Case one("aé\n  b\n");
  diag::Diagnostic& said = one.say(3, 6);
  said.related({one.file, 0, 1}, "here");
  said.witness = "n\xff";
  said.fix = diag::Fix{true, {{{one.file, 5, 6}, "c\n"}}};
  one.say(0, 0);
  CHECK(
      one.shown(diag::FindingFormat::json) ==
      "[\n"
      R"({"code":"KR101","name":"syntax","severity":"error","message":"expected a label, found `x`",)"
      R"("file":"rulesets/mine.kr","line":1,"column":4,"end_line":2,"end_column":3,)"
      R"("related":[{"message":"here","file":"rulesets/mine.kr","line":1,"column":1}],)"
      R"("witness":"n\udcff","fix":{"safe":true,"edits":[{"start":5,"end":6,"text":"c\u000a"}]}},)"
      "\n"
      R"({"code":"KR101","name":"syntax","severity":"error","message":"expected a label, found `x`",)"
      R"("file":"rulesets/mine.kr","line":1,"column":1,"end_line":1,"end_column":1,)"
      R"("related":[],"witness":null,"fix":null}])"
      "\n");
  CHECK(Case("").shown(diag::FindingFormat::json) == "[]\n");
}

TEST_CASE("json: a finding without a place, and bytes of all kinds") {
  Case one("");
  one.sink.add(diag::code::syntax, source::Span{}, "x", hostile);
  const std::string text = one.shown(diag::FindingFormat::json);
  CHECK(has(text, R"("file":null,"line":null,"column":null,"end_line":null,"end_column":null)"));
  CHECK(has(text, R"(found \u001b[1m\udcff\u000d\u000a100%: a,b ]]> <x y=\"z\">&')"));
}

TEST_CASE("github: commands on one line, nothing read as something else") {
  Case one("a\nb\n", "50%,a:b\n.kr");
  one.say(0, 1, hostile).related({one.file, 2, 3}, "other").help("do: this, 1%%");
  one.say(0, 3);
  one.sink.add(diag::code::unused_pattern, source::Span{one.file, 2, 3}, "x");
  one.sink.add(diag::code::syntax, source::Span{}, "x", "y").severity = diag::Severity::info;
  CHECK(one.shown(diag::FindingFormat::github) ==
        "::error file=50%25%2Ca%3Ab\\x0a.kr,line=1,endLine=1,col=1,endColumn=2,title=KR101 "
        "syntax::expected a label, found \\x1b[1m\\xff\\x0d\\x0a100%25: a,b ]]> <x "
        "y=\"z\">&'%0Anote: other (50%25,a:b\\x0a.kr:2)%0Ahelp: do: this, 1%25%25\n"
        "::error file=50%25%2Ca%3Ab\\x0a.kr,line=1,endLine=2,title=KR101 syntax::expected a label, "
        "found `x`\n"
        "::warning file=50%25%2Ca%3Ab\\x0a.kr,line=2,endLine=2,col=1,endColumn=2,title=KR311 "
        "unused-pattern::pattern `x` is not used\n"
        "::notice title=KR101 syntax::expected x, found y\n");
}

TEST_CASE("junit: a suite a file, failures but for infos") {
  Case one("a\nb\n", "a<b>.kr");
  const source::FileId other = one.sources.add("b.kr", "c");
  one.say(0, 1, hostile).help("two\nlines");
  one.sink.add(diag::code::syntax, source::Span{other, 0, 1}, "p", "q");
  one.say(2, 3).severity = diag::Severity::info;
  CHECK(one.shown(diag::FindingFormat::junit) ==
        R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="kr lint" tests="3" failures="2">
  <testsuite name="a&lt;b&gt;.kr" tests="2" failures="1">
    <testcase classname="a&lt;b&gt;.kr" name="KR101 syntax" file="a&lt;b&gt;.kr" line="1">
      <failure type="error" message="expected a label, found \x1b[1m\xff\x0d\x0a100%: a,b ]]&gt; &lt;x y=&quot;z&quot;&gt;&amp;&apos;">a&lt;b&gt;.kr:1:1: error KR101 syntax: expected a label, found \x1b[1m\xff\x0d\x0a100%: a,b ]]&gt; &lt;x y=&quot;z&quot;&gt;&amp;&apos;
help: two\x0alines
</failure>
    </testcase>
    <testcase classname="a&lt;b&gt;.kr" name="KR101 syntax" file="a&lt;b&gt;.kr" line="2">
      <system-out>a&lt;b&gt;.kr:2:1: info KR101 syntax: expected a label, found `x`
</system-out>
    </testcase>
  </testsuite>
  <testsuite name="b.kr" tests="1" failures="1">
    <testcase classname="b.kr" name="KR101 syntax" file="b.kr" line="1">
      <failure type="error" message="expected p, found q">b.kr:1:1: error KR101 syntax: expected p, found q
</failure>
    </testcase>
  </testsuite>
</testsuites>
)");
  CHECK(has(Case("").shown(diag::FindingFormat::junit), "tests=\"1\" failures=\"0\""));
}

TEST_CASE("xml: characters that XML 1.0 cannot express are escaped") {
  CHECK(diag::xml_text("\t\n\r\x01\x7f") == "\\x09\\x0a\\x0d\\x01\\x7f");
  CHECK(diag::xml_text("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd") ==
        "\\xef\\xbf\\xbe\\xef\\xbf\\xbf\xef\xbf\xbd");
  CHECK(diag::xml_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(diag::xml_text("é\xc3") == "é\\xc3");
  CHECK(diag::xml_lines("a\nb\r\n<") == "a\nb\\x0d\n&lt;");
}

TEST_CASE("sarif: regions count characters, byte offsets bytes") {
  Case one("## é→𝄞\n  \"é\xff\" b\n", "a dir/ü#.kr");
  diag::Diagnostic& said = one.say(21, 22);  // b
  said.witness = "w\xff";
  said.fix = diag::Fix{false, {{{one.file, 16, 16}, "x"}}};
  said.related({one.file, 3, 12}, "the other\nparty").help("fix it");
  diag::FormatOptions options;
  options.version = "1.2.3";
  options.page = [](const diag::CodeInfo& info) {
    return info.id == "KR101" ? std::string_view("# a page\n") : std::string_view();
  };
  const std::string text =
      diag::render_findings(diag::FindingFormat::sarif, one.sources, one.sink.all(), options);
  CHECK(has(text, R"("driver":{"name":"kr","semanticVersion":"1.2.3","rules":[)"));
  CHECK(has(text,
            R"({"id":"KR101","name":"syntax","shortDescription":{"text":"expected …, found …"},)"
            R"("help":{"text":"# a page\u000a","markdown":"# a page\u000a"},)"
            R"("defaultConfiguration":{"level":"error"}})"));
  CHECK(has(text, R"("columnKind":"unicodeCodePoints")"));
  CHECK(has(
      text,
      R"({"ruleId":"KR101","ruleIndex":0,"level":"error","message":{"text":"expected a label, found `x`\u000afix it"},)"));
  CHECK(has(text, R"("artifactLocation":{"uri":"a%20dir/%C3%BC%23.kr"})"));
  CHECK(has(text, R"("region":{"startLine":2,"startColumn":8,"endLine":2,"endColumn":9,)"
                  R"("charOffset":14,"charLength":1,"byteOffset":21,"byteLength":1})"));
  CHECK(has(text, R"("region":{"startLine":1,"startColumn":4,"endLine":1,"endColumn":7,)"
                  R"("charOffset":3,"charLength":3,"byteOffset":3,"byteLength":9})"));
  CHECK(has(
      text,
      R"("deletedRegion":{"startLine":2,"startColumn":4,"endLine":2,"endColumn":4,)"
      R"("charOffset":10,"charLength":0,"byteOffset":16,"byteLength":0},"insertedContent":{"text":"x"})"));
  CHECK(has(text, R"("properties":{"safe":false})"));
  CHECK(has(text, R"("properties":{"witness":"w\\xff"})"));
  CHECK(has(text, R"("message":{"text":"the other\u000aparty"})"));
}

TEST_CASE("sarif: paths as URIs") {
  const auto uri = [](std::string path) {
    Case one("a", std::move(path));
    one.say(0, 1);
    const std::string text = one.shown(diag::FindingFormat::sarif);
    const size_t at = text.find("\"uri\":\"") + 7;
    return text.substr(at, text.find('"', at) - at);
  };
  CHECK(uri("./a/b.kr") == "a/b.kr");
  CHECK(uri("/tmp/a.kr") == "file:///tmp/a.kr");
  CHECK(uri("../a:b%.kr") == "../a%3Ab%25.kr");
  CHECK(uri("\xff\n.kr") == "%FF%0A.kr");
}

TEST_CASE("characters are counted alike near and far into a file") {
  std::string text = "\xef\xbb\xbf";
  const std::string_view pieces[] = {"a", "é", "→", "\xff", "𝄞", "\n", "\xf0\x9d"};
  for (size_t i = 0; i < 6000; ++i) text += pieces[i * i % 7];
  source::SourceMap sources;
  const source::FileId file = sources.add("f", text);
  diag::Characters characters(sources);
  // One by one: a byte order mark is none, a byte that begins nothing is one.
  uint32_t count = 0;
  uint32_t column = 1;
  for (uint32_t at = 3; at <= text.size();) {
    REQUIRE(characters.before(file, at) == count);
    REQUIRE(characters.position(file, at).column == column);
    if (at == text.size()) break;
    const size_t length = std::max<size_t>(1, utf8_length(std::string_view(text).substr(at)));
    for (uint32_t inside = 1; inside < length; ++inside) {
      REQUIRE(characters.before(file, at + inside) == count);
    }
    column = text[at] == '\n' ? 1 : column + 1;
    at += static_cast<uint32_t>(length);
    ++count;
  }
  CHECK(characters.before(file, 0) == 0);
  CHECK(characters.before(file, 2) == 0);
}
