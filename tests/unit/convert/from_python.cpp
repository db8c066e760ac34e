#include "convert/from_python.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace kr;

namespace {

/// The atoms joined by `|`, `always`, or `no: why`.
std::string ported(std::string_view pattern) {
  std::string why;
  std::string help;
  const auto rule = convert::port_rule(pattern, why, help);
  if (!rule) {
    CHECK_FALSE(why.empty());
    return "no";
  }
  if (rule->always) return "always";
  return fmt::format("{}", fmt::join(rule->atoms, " | "));
}

}  // namespace

TEST_CASE("what is a text is written as one") {
  CHECK(ported("gemm") == R"("gemm")");
  CHECK(ported("gemm|nvjet") == R"("gemm" | "nvjet")");
  CHECK(ported("^gemm|gemm$|^gemm$") == R"(^"gemm" | "gemm"$ | ^"gemm"$)");
  CHECK(ported("a\\.b\\_c\\-") == R"("a.b_c-")");
  CHECK(ported("(?i)Flash|_mla_") == R"("Flash"i | "_mla_"i)");
  CHECK(ported("(?i)123|_") == R"("123" | "_")");
  CHECK(ported("(?i:FLASH)|fmha") == R"("FLASH"i | "fmha")");
  CHECK(ported("[fF][lL]a") == "/[fF][lL]a/");
  CHECK(ported("[fF][lL]") == R"("fl"i)");
  CHECK(ported("a/b") == R"("a/b")");
  CHECK(ported("\"q\"\\\\") == R"("\"q\"\\")");
  CHECK(ported("a\tb\\n") == R"("a\x09b\x0a")");
  CHECK(ported("\\x41\\101") == "no");
  CHECK(ported("\\x41\\0") == R"("A\x00")");
  CHECK(ported("\xc3\xa9|\\xe9|\\u00e9") == "\"\xc3\xa9\" | \"\xc3\xa9\" | \"\xc3\xa9\"");
  CHECK(ported("end\\Z") == R"("end"$)");
}

TEST_CASE("groups around alternatives are removed, and `.*` at either end") {
  CHECK(ported("(a|b)|(?:c|(?P<x>d))") == R"("a" | "b" | "c" | "d")");
  CHECK(ported("(^(hip)?Memcpy)|(^dma)") == R"(/^(hip)?Memcpy/ | ^"dma")");
  CHECK(ported("(a)(b)|(a|b)c") == R"("ab" | /(a|b)c/)");
  CHECK(ported("\\(a|b\\)|[(]x[)]|[|]") == R"~("(a" | "b)" | "(x)" | "|")~");
  CHECK(ported("(^nccl.*)|(.*ncclKernel.*)|^.*x|y.*?$") == R"(^"nccl" | "ncclKernel" | "x" | "y")");
  CHECK(ported(".*a.b.*") == "/a.b/");
  CHECK(ported("a.*b") == "/a.*b/");
  CHECK(ported("a\\.*|[.]*b") == R"(/a\.*/ | /[.]*b/)");
}

TEST_CASE("spellings of Python that the dialect lacks") {
  CHECK(ported("(?P<n>a+)b") == "/(?:a+)b/");
  CHECK(ported("a{,3}b") == "/a{0,3}b/");
  CHECK(ported("a{,}b") == "/a{0,}b/");
  CHECK(ported("(?s)a.b|(?u:c+)") == "/a.b/ | /c+/");
  CHECK(ported("a(?#why)b") == R"("ab")");
  CHECK(ported("x+/y") == "/x+\\/y/");
  CHECK(ported("[/]+") == "/[\\/]+/");
  CHECK(ported("\\bx\\Z|\\/+") == "/\\bx$/ | /\\/+/");
}

TEST_CASE("what matches every name") {
  for (const char* pattern : {"", ".*", "^.*$", "(.*)", "a*", "a|", "gemm|.*", "^", "x?|y", "(|a)",
                              "[\\s\\S]*", "(?i)", ".*?", "^(?:.*)$"}) {
    CAPTURE(pattern);
    CHECK(ported(pattern) == "always");
  }
  CHECK(ported(".+") == "/.+/");
  CHECK(ported("^$") == "/^$/");
}

TEST_CASE("what the dialect cannot say") {
  for (const char* pattern : {"^(?!a)",   "a(?=b)",  "(?<!a)b",    "(a)\\1",    "(?P<n>a)(?P=n)",
                              "(?>a)",    "a++",     "[\xc3\xa9]", "\xc3\xa9+", "[\\xe9]",
                              "(?m)^a",   "(?x)a b", "(?-i:a)",    "a(",        "a)",
                              "[a",       "*a",      "a**",        "\\",        "a{2,1}",
                              "[z-a]",    "(?P<n",   "(?#",        "(?P<",      "\\8",
                              "(?(1)a|b)"}) {
    CAPTURE(pattern);
    CHECK(ported(pattern) == "no");
  }
}
