#include "diag/render.hpp"

#include <doctest/doctest.h>

#include "base/printable.hpp"

using namespace kr;

namespace {

struct RenderCase {
  source::SourceMap sources;
  source::FileId file;
  diag::Sink sink;

  explicit RenderCase(std::string text) : file(sources.add("rulesets/mine.kr", std::move(text))) {}
  diag::Diagnostic& say(uint32_t begin, uint32_t end) {
    return sink.add(diag::code::syntax, source::Span{file, begin, end}, "a label", "`x`");
  }
  std::string shown(bool color = false) const {
    return diag::render_human(sources, sink.all(), {color});
  }
  /// The lines below the place.
  std::string snippet() const {
    std::string all = shown();
    for (int lines = 0; lines < 3; ++lines) all.erase(0, all.find('\n') + 1);
    return all;
  }
};

}  // namespace

TEST_CASE("a diagnostic with the other party and help") {
  RenderCase one("labels d { gemm }\n\n  gem: \"x\"\n");
  one.say(21, 24).related({one.file, 7, 8}, "labels of `{}`", "d").help("did you mean `gemm`?");
  CHECK(one.shown() ==
        "error KR101 syntax: expected a label, found `x`\n"
        " --> rulesets/mine.kr:3:3\n"
        "  |\n"
        "3 |   gem: \"x\"\n"
        "  |   ^^^\n"
        "note: labels of `d`\n"
        " --> rulesets/mine.kr:1:8\n"
        "  |\n"
        "1 | labels d { gemm }\n"
        "  |        ^\n"
        "help: did you mean `gemm`?\n");
}

TEST_CASE("the other party in another file, and a witness") {
  RenderCase one("a\n");
  const source::FileId other = one.sources.add("other.kr", "b\nc d\n");
  diag::Diagnostic& said = one.say(0, 1).related({other, 4, 5}, "here");
  said.witness = "void f<\x1b[31m>()";
  CHECK(one.shown().ends_with(
      "note: here\n --> other.kr:2:3\n  |\n2 | c d\n  |   ^\nexample: void f<\\x1b[31m>()\n"));
}

TEST_CASE("a blank line separates diagnostics; no diagnostics give no text") {
  RenderCase one("a b\n");
  CHECK(one.shown().empty());
  one.say(0, 1);
  one.say(2, 3);
  CHECK(one.shown().find("^\n\nerror") != std::string::npos);
}

TEST_CASE("tabs, wide characters and control bytes keep the carets in place") {
  RenderCase tabs("\ta\tb\n");
  tabs.say(3, 4);
  CHECK(tabs.snippet() == "1 |     a   b\n  |         ^\n");
  RenderCase wide("\xe4\xb8\xad\xe6\x96\x87 x\n");
  wide.say(7, 8);
  CHECK(wide.snippet() == "1 | \xe4\xb8\xad\xe6\x96\x87 x\n  |      ^\n");
  RenderCase accents("caf\xc3\xa9 x\n");
  accents.say(6, 7);
  CHECK(accents.snippet() == "1 | caf\xc3\xa9 x\n  |      ^\n");
  RenderCase control("a\x1b[2Jb\xff x\r\n");
  control.say(1, 2);
  CHECK(control.snippet() == "1 | a\\x1b[2Jb\\xff x\n  |  ^^^^\n");
  RenderCase bidi(
      "a\xe2\x80\xae"
      "b\n");
  bidi.say(4, 5);
  CHECK(bidi.snippet() == "1 | a\\xe2\\x80\\xaeb\n  |              ^\n");
}

TEST_CASE("spans of several lines, of nothing, and at the end") {
  RenderCase lines("one {\n  two\n  three }\nfour\n");
  lines.say(4, 21);
  CHECK(lines.snippet() == "1 | one {\n  |     ^\n...\n3 |   three }\n  |   ^^^^^^^\n");
  RenderCase two("a {\n b }\n");
  two.say(2, 8);
  CHECK(two.snippet() == "1 | a {\n  |   ^\n2 |  b }\n  |  ^^^\n");
  RenderCase breaks("a b\nc\n");
  breaks.say(2, 4);
  CHECK(breaks.snippet() == "1 | a b\n  |   ^\n");
  RenderCase nothing("a b\n");
  nothing.say(1, 1);
  CHECK(nothing.snippet() == "1 | a b\n  |  ^\n");
  RenderCase end("a b");
  end.say(3, 3);
  CHECK(end.snippet() == "1 | a b\n  |    ^\n");
  RenderCase empty("");
  empty.say(0, 0);
  CHECK(empty.snippet() == "1 | \n  | ^\n");
}

TEST_CASE("a long line is cut near the span") {
  std::string text(5000, 'a');
  text.replace(3000, 4, "HERE");
  RenderCase one(text + "\n");
  one.say(3000, 3004);
  const std::string snippet = one.snippet();
  CHECK(snippet.size() < 400);
  const size_t here = snippet.find("HERE");
  REQUIRE(here != std::string::npos);
  const std::string below = snippet.substr(snippet.find('\n') + 1);
  // `…` is one column of three bytes.
  CHECK(below.find("^^^^\n") == here - 2);
  CHECK(snippet.starts_with("1 | …aaa"));
  CHECK(snippet.find("…\n") != std::string::npos);
  RenderCase whole(std::string(5000, 'a') + "\n");
  whole.say(0, 5000);
  CHECK(whole.snippet().size() < 400);
}

TEST_CASE("no line number is wider than the bar") {
  RenderCase one(std::string(99, '\n') + "x\n");
  one.say(99, 100);
  CHECK(one.shown().ends_with("   --> rulesets/mine.kr:100:1\n    |\n100 | x\n    | ^\n"));
}

TEST_CASE("colour on demand") {
  RenderCase one("a\n");
  one.say(0, 1);
  CHECK(one.shown().find('\x1b') == std::string::npos);
  CHECK(one.shown(true).find("\x1b[1;31merror KR101") != std::string::npos);
}

TEST_CASE("a diagnostic without a place has no snippet") {
  RenderCase one("a\n");
  one.sink.add(diag::code::syntax, source::Span{}, "a", "b");
  CHECK(one.shown() == "error KR101 syntax: expected a, found b\n");
}

TEST_CASE("printable and excerpt") {
  CHECK(printable("a\tb\nc\x7f\x80\xc3\xa9\xc0\xaf\xed\xa0\x80") ==
        "a\tb\\x0ac\\x7f\\x80\xc3\xa9\\xc0\\xaf\\xed\\xa0\\x80");
  CHECK(excerpt("abcdef", 6) == "abcdef");
  CHECK(excerpt("abcdefg", 6) == "abcdef…");
  CHECK(excerpt("abcd\xc3\xa9xx", 5) == "abcd…");
}
