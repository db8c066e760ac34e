#include <doctest/doctest.h>

#include <numeric>

#include "coverage/name_parts.hpp"

namespace kr {
namespace {

/// The expression that matches only the first `members` of the names.
std::string found(const std::vector<std::string_view>& names, size_t members) {
  const coverage::NameIndex index(names);
  std::vector<size_t> first(members);
  std::iota(first.begin(), first.end(), 0);
  const auto expression = coverage::find_expression(index, first);
  if (!expression) return "none";
  CHECK(index.matches_only(*expression, first));
  for (size_t i = 0; i < names.size(); ++i) CHECK(expression->matches(names[i]) == (i < members));
  return expression->spelled();
}

TEST_CASE("what the author chose is looked for, without numbers and types") {
  CHECK(found({"acme_gate_pick_v2", "gemm"}, 1) == R"("acme_gate_pick")");
  CHECK(found({"acme_topk_64_nn", "acme_topk_128_tt", "acme"}, 2) == R"("acme_topk")");
}

TEST_CASE("other names make it longer") {
  CHECK(found({"acme_gate", "acme_gated_gemm"}, 1) == R"(/\bacme_gate\b/)");
  CHECK(found({"acme_gate_1", "acme_gate_2", "acme_gated_gemm"}, 2) == R"("acme_gate_")");
  CHECK(found({"void one::scan_rows(int)", "void two::scan_rows(int)"}, 1) ==
        R"("one::scan_rows")");
}

TEST_CASE("a short name is looked for as a word") {
  CHECK(found({"void Fan2(int)", "Fan22", "xFan2"}, 1) == R"(/\bFan2\b/)");
}

TEST_CASE("instances of a template are identified by their argument") {
  CHECK(found({"void Kernel2<acme_conv_a>(int)", "void Kernel2<other_gemm>(int)"}, 1) ==
        R"("acme_conv_a")");
  CHECK(found({"void frame_of_all<Abc>(int)", "void frame_of_all<Xyz>(int)", "Abc_other"}, 1) ==
        R"("frame_of_all" & "Abc")");
}

TEST_CASE("the last resort is the begin of a name, or all of it") {
  CHECK(found({"1 op", "2 op"}, 1) == R"(^"1 op")");
  CHECK(found({"op", "op op"}, 1) == R"(^"op"$)");
  CHECK(found({"q\"\\\x01\xff", "q\"\\\x01\xff!"}, 1) == R"(^"q\"\\\x01\xff"$)");
  CHECK(found({"ab", "abc", "abd"}, 2) == "none");
  CHECK(found({"", "x"}, 1) == "none");
}

}  // namespace
}  // namespace kr
