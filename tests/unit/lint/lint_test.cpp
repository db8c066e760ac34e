#include "lint/lint.hpp"

#include <doctest/doctest.h>

#include "lint/checks.hpp"
#include "lint/fix.hpp"
#include "match/database.hpp"
#include "sema/abbreviate.hpp"
#include "support/rules.hpp"

using namespace kr;

namespace {

struct Linted {
  match::CompiledRules rules;
  std::vector<diag::Diagnostic> findings;

  /// `KR309 KR310`, in the order of the text.
  std::string codes() const {
    std::string all;
    for (const diag::Diagnostic& one : findings) {
      if (one.code == diag::code::engine_without_detect.info()) continue;  // as most here
      all += (all.empty() ? "" : " ") + std::string(one.code->id);
    }
    return all;
  }
};

Linted lint_text(const std::string& text, const lint::LintOptions& options = {}) {
  diag::Sink loaded;
  std::vector<sema::SourceFile> files;
  files.push_back({"test.kr", text, true, {}});
  auto rules = sema::load_rules(std::move(files), loaded);
  for (const diag::Diagnostic& diagnostic : loaded.all()) INFO(diagnostic.message);
  REQUIRE(!loaded.has_errors());
  Linted linted{lint::compile_for_lint(std::move(rules), false, std::nullopt, loaded), {}};
  linted.findings = lint::lint_rules(linted.rules, options, loaded);
  return linted;
}

std::string codes_of(const std::string& text) {
  return lint_text(text).codes();
}

lint::LintFilesOptions options_of(bool unsafe) {
  lint::LintFilesOptions options;
  options.lint.infos = false;  // then no database is compiled
  if (unsafe) options.fixes = lint::LintFilesOptions::Fixes::all;
  return options;
}

/// The text after all fixes.
std::string fixed(const std::string& text, bool unsafe, size_t count) {
  Linted linted = lint_text(text);
  const lint::FixResult result = lint::fix(linted.rules, linted.findings, options_of(unsafe));
  CHECK(result.count == count);
  CHECK(result.notes.empty());
  return std::string(linted.rules.sources().text(source::FileId{0}));
}

}  // namespace

TEST_CASE("a module without an engine is checked") {
  CHECK(codes_of("pattern a = /gemm/") == "KR310");
  CHECK(codes_of("pattern a = \"gemm\"\ntable t for substage { x: a }") == "");
}

TEST_CASE("an allow applies to its line, to the next item, or to the file") {
  CHECK(codes_of("pattern a = /x/  # kr: allow(regex-is-literal) so be it\npattern b = /y/") ==
        "KR310");
  CHECK(codes_of("# kr: allow(KR310) so be it\npattern a = /x/\npattern b = /y/") == "KR310");
  CHECK(codes_of("# kr: allow-file(KR310) so be it\npattern a = /x/\npattern b = /y/") == "");
  // Over comments and blank lines.
  CHECK(codes_of("# kr: allow(KR310) so be it\n# more\n\n## Doc.\npattern a =\n  /x/") == "");
  // A documentation comment is none.
  CHECK(codes_of("## kr: allow(KR310) so be it\npattern a = /x/") == "KR310");
}

TEST_CASE("an allow before a block or engine applies to all of it") {
  const std::string inside =
      "{ substage { a: /x/  b: otherwise } }\n"
      "labels substage { a  b }\n"
      "test e { \"x\" => substage a  \"y\" => substage b }";
  CHECK(codes_of("engine e " + inside) == "KR310");
  CHECK(codes_of("# kr: allow(KR310) so be it\nengine e " + inside) == "");
}

TEST_CASE("findings about an allow can be allowed") {
  CHECK(codes_of("# kr: allow-file(KR330) lists of allows are kept elsewhere\n"
                 "# kr: allow(KR310)\npattern a = /x/") == "");
  CHECK(codes_of("# kr: allow(KR310)\npattern a = /x/") == "KR330");
  CHECK(codes_of("# kr: allow-file(KR331, KR310) generated\npattern a = \"x\"") == "");
  CHECK(codes_of("# kr: allow-file(KR310) generated\npattern a = \"x\"") == "KR331");
  CHECK(codes_of("# kr: allow(KR3100) typo\npattern a = /x/") == "KR332 KR310");
}

TEST_CASE("patterns that others use are used") {
  const std::string text =
      "pattern a = \"x\"\nengine e { stage { b: otherwise } }\n"
      "labels stage { b }\ntest e { \"x\" => stage b }";
  CHECK(lint_text(text).codes() == "KR311");
  lint::LintOptions options;
  options.used_elsewhere = {{"test.kr", sema::Noun::pattern, "a"}};
  CHECK(lint_text(text, options).codes() == "");
}

TEST_CASE("known names show the accidental matches of short texts") {
  const std::string text =
      "labels stage { a  b  c }\n"
      "engine e { stage { a: \"qq\"  b: \"qz\"  c: otherwise } }\n"
      "test e { \"qq\" => stage a  \"zq\" => stage c }\n"
      "# kr: allow-file(label-without-test) short\n";
  CHECK(lint_text(text).codes() == "");
  const Linted linted = lint_text(text, {true, {"zqqz"}, {}});
  REQUIRE(linted.codes() == "KR406");
  CHECK(linted.findings.back().witness == "zqqz");
}

TEST_CASE("fixes keep comments and layout in every round") {
  CHECK(fixed("pattern a = /.*gemm.*/   # all of them\n", false, 3) ==
        "pattern a = \"gemm\"   # all of them\n");
  CHECK(fixed("pattern a = \"ab\" | \"x\" | \"AB\"\n", false, 0) ==
        "pattern a = \"ab\" | \"x\" | \"AB\"\n");
  CHECK(fixed("pattern a = \"ab\" | \"x\" | \"AB\"\n", true, 1) == "pattern a = \"ab\"i | \"x\"\n");
  CHECK(fixed("pattern a = \"a\" | \"A\"\n", false, 1) == "pattern a = \"a\"i\n");
}

TEST_CASE("the fix of a fold does not make it a whole name") {
  CHECK(fixed("engine e { fold /Sampler/ }\n", false, 1) == "engine e { fold (\"Sampler\") }\n");
  CHECK(fixed("engine e { fold /^Sampler$/ }\n", false, 1) == "engine e { fold ^\"Sampler\"$ }\n");
}

TEST_CASE("otherwise is moved to the end with its comment") {
  CHECK(fixed("engine e {\n  stage {\n    b: otherwise  # the rest\n    a: \"a\"  # a\n  }\n}\n",
              false, 1) ==
        "engine e {\n  stage {\n    a: \"a\"  # a\n    b: otherwise  # the rest\n  }\n}\n");
  // Whose a comment above it is, is not known.
  const std::string above =
      "engine e {\n  stage {\n    # x\n    b: otherwise\n    a: \"a\"\n  }\n}\n";
  CHECK(fixed(above, false, 0) == above);
}

TEST_CASE("a safe fix that changes the meaning is taken back") {
  Linted linted = lint_text("pattern a = /x/ | /y[12]/\n");
  REQUIRE(linted.codes() == "KR310");
  diag::Diagnostic wrong = linted.findings[0];
  wrong.fix = diag::Fix{true, {{{source::FileId{0}, 18, 25}, "\"y\""}}};
  linted.findings.push_back(wrong);
  const lint::FixResult result = lint::fix(linted.rules, linted.findings, options_of(false));
  CHECK(result.count == 1);
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes[0] ==
        "test.kr:1: a fix was undone: it is not proven that the rules keep their meaning");
  CHECK(linted.rules.sources().text(source::FileId{0}) == "pattern a = \"x\" | /y[12]/\n");
}

TEST_CASE("a fix that does not load is taken back") {
  Linted linted = lint_text("pattern a = \"x\"\n");
  diag::Diagnostic wrong;
  wrong.code = diag::code::looks_literal.info();
  wrong.span = {source::FileId{0}, 12, 15};
  wrong.fix = diag::Fix{false, {{{source::FileId{0}, 12, 15}, "/(/"}}};
  linted.findings.push_back(wrong);
  const lint::FixResult result = lint::fix(linted.rules, linted.findings, options_of(true));
  CHECK(result.count == 0);
  CHECK(result.notes.size() == 1);
  CHECK(linted.rules.sources().text(source::FileId{0}) == "pattern a = \"x\"\n");
}

TEST_CASE("requirements and metadata change no compiled rule") {
  const auto key = [](const std::string& head, const std::string& own) {
    const match::CompiledRules rules =
        test::compile(head + "table t for substage {\n" + own + " a: \"x\"\n}\nengine e {\n" + own +
                      " substage { include t b: otherwise }\n model m {\n" + own + " } }\n");
    return match::database_key(rules.program(), match::Processor::any);
  };
  CHECK(key("requires kr >= 0.0.9\nlink \"https://a\"\n", "author \"A\"\nsince \"2026-11\"\n") ==
        key("", ""));
}

TEST_CASE("meaning is all that a user sees") {
  prove::Allowance allowance;
  const auto same = [&](const std::string& a, const std::string& b) {
    const match::CompiledRules one = test::compile(a);
    const match::CompiledRules other = test::compile(b);
    return lint::same_meaning(one.program(), other.program(), allowance);
  };
  CHECK(same("pattern a = /ab*/", "pattern a = /a/"));
  CHECK(!same("pattern a = /ab*/", "pattern a = /ab/"));
  CHECK(same("engine e { fold A }", "engine e { fold ^\"A\"$ }"));
  CHECK(!same("engine e { fold A }", "engine e { fold (\"A\") }"));
  CHECK(!same("engine e { abbreviate \"a\" as \"b\" }", "engine e { abbreviate \"a\" as \"c\" }"));
  CHECK(!same("engine e { detect: \"a\" }", "engine e { detect: \"b\" }"));
  CHECK(!same("engine e { phases { a: \"a\" } }", "engine e { phases { a: \"b\" } }"));
  // Of the same names, but the number is another.
  CHECK(!same("engine e { phases { a: /a+(?<step>[0-9]*)/ } }",
              "engine e { phases { a: /a(?<step>[0-9]*)/ } }"));
  CHECK(!same("table t for d { a: \"a\"  b: \"b\" }", "table t for d { b: \"b\"  a: \"a\" }"));
  CHECK(same("engine e { d { a: \"ab\"  a: \"a\" } }", "engine e { d { a: \"a\" } }"));
  CHECK(!same("engine e { d { a: \"ab\"  b: \"a\" } }", "engine e { d { b: \"a\" } }"));
  CHECK(!same("engine e { d { a: otherwise } }", "engine e { d { b: otherwise } }"));
  CHECK(!same("labels d { a \"x\" }\nengine e { d { a: otherwise } }",
              "labels d { a \"y\" }\nengine e { d { a: otherwise } }"));
}

TEST_CASE("edits that do not overlap are applied together") {
  source::SourceMap sources;
  const source::FileId file = sources.add("a", "0123456789");
  const auto finding = [&](uint32_t begin, uint32_t end, std::string text) {
    diag::Diagnostic made;
    made.fix = diag::Fix{true, {{{file, begin, end}, std::move(text)}}};
    return made;
  };
  const std::vector<diag::Diagnostic> all{finding(2, 4, "ab"), finding(3, 5, "no"),
                                          finding(4, 5, ""),   finding(9, 10, "cdef"),
                                          finding(0, 0, "<"),  finding(0, 1, "-")};
  const std::vector<diag::Fix> chosen = lint::compatible_fixes(all, file, false);
  CHECK(chosen.size() == 4);
  CHECK(lint::apply("0123456789", chosen) == "<01ab5678cdef");
}

TEST_CASE("texts are written so that they are read back") {
  CHECK(lint::written_text("a\"b\\c\x01", true, true, false) == "^\"a\\\"b\\\\c\\x01\"i");
  CHECK(lint::written_text("\xff\xc3\xa9", false, false, true) == "\"\\xff\xc3\xa9\"$");
}

TEST_CASE("abbreviations are applied one after another") {
  const std::vector<sema::Abbreviation> all{{"ab", "b", {}}, {"bb", "c", {}}};
  CHECK(sema::abbreviate("abab", all) == "c");
  CHECK(sema::abbreviate("aab", all) == "ab");
}

TEST_CASE("colours differ as the eye sees it") {
  CHECK(lint::color_distance("#4e79a7", "#4e79a7") == doctest::Approx(0));
  CHECK(lint::color_distance("#000000", "#ffffff") == doctest::Approx(100).epsilon(0.001));
  CHECK(lint::color_distance("#ff0000", "#00ff00") ==
        doctest::Approx(lint::color_distance("#00ff00", "#ff0000")));
  CHECK(lint::color_distance("#4e79a7", "#4f7aa8") < 1);
  CHECK(lint::color_distance("#4e79a7", "#f28e2b") > 40);
}

namespace {

/// An engine with order rules, and tests of the names.
std::string with_order(const std::string& rules, const std::string& more = "") {
  return "labels substage { gemm norm attn other }\nlabels part { a b }\n"
         "engine e { substage { gemm: \"gemm\" \n norm: \"rms\" \n attn: \"flash\" \n"
         "other: otherwise }\npart over substage {\n" +
         rules +
         "\n otherwise keep } }\n"
         "test e { \"gemm\" => substage gemm \n \"rms\" => substage norm \n"
         "\"flash\" => substage attn \n \"x\" => substage other\n" +
         more + "}";
}

std::string witness_of(const std::string& text, const diag::CodeInfo* code) {
  for (const diag::Diagnostic& one : lint_text(text).findings) {
    if (one.code == code) return one.witness.value_or("-");
  }
  return "no finding";
}

}  // namespace

TEST_CASE("order rules that all label something have no finding") {
  CHECK(codes_of(with_order("a: attn > norm? > [gemm] \n b: gemm & \"x\" \n b: [gemm] > end",
                            "\"flash\" > \"gemm\" => part a \n \"gemmx\" => part b \n"
                            "\"gemm\" => part b")) == "");
}

TEST_CASE("covered order rules are shown with a shortest sequence of names") {
  const std::string text = with_order("a: attn > [gemm] \n b: attn > [gemm & \"big\"] > norm",
                                      "\"flash\" > \"gemm\" => part a");
  CHECK(codes_of(text) == "KR334");
  CHECK(witness_of(text, diag::code::chain_covered.info()) == "\"flash\" > [\"bigemm\"] > \"rms\"");
}

TEST_CASE("which names have a label decides whether order rules match") {
  // Every name with both texts is a `gemm`.
  const std::string test = "\"flash\" > \"gemm\" => part a";
  CHECK(codes_of(with_order("a: attn > [gemm] \n b: gemm > [norm & \"gemm\"]", test)) == "KR333");
  CHECK(codes_of(with_order("a: attn > [gemm] \n b: gemm > [gemm & \"big\"]",
                            test + "\n \"gemm\" > \"big_gemm\" => part b")) == "");
  // In a table by itself, any name can have any label.
  CHECK(codes_of("labels substage { gemm norm }\n"
                 "table t for part over substage { b: gemm > [norm & \"gemm\"] }") == "");
}

TEST_CASE("order rules are part of the meaning that a fix keeps") {
  const auto program = [](const std::string& rules) {
    diag::Sink sink;
    return sema::load_rules({{"test.kr", with_order(rules), true, {}}}, sink);
  };
  const auto same = [&](const std::string& before, const std::string& after) {
    prove::Allowance allowance;
    return lint::same_meaning(program(before)->program, program(after)->program, allowance);
  };
  CHECK(same("a: attn > [gemm]", "a: attn > [gemm | gemm & \"x\"]"));
  CHECK_FALSE(same("a: attn > [gemm]", "a: attn > [gemm | norm & \"x\"]"));
  CHECK_FALSE(same("a: attn > [gemm]", "ignore norm \n a: attn > [gemm]"));
}

TEST_CASE("unused patterns and tables of order rules are found") {
  const std::string tested = "\"flash\" > \"gemm\" => part a";
  CHECK(codes_of("pattern p over substage = gemm | norm\n" +
                 with_order("a: attn > [gemm]", tested)) == "KR311");
  CHECK(codes_of("pattern p over substage = gemm | norm\n" + with_order("a: attn > [p]", tested)) ==
        "");
  CHECK(codes_of("table t for part over substage { b: norm > [gemm] }\n" +
                 with_order("a: attn > [gemm]", tested)) == "KR313");
}
