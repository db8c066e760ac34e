#include "prove/texts.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kr;
using prove::always_holds_in;
using prove::Texts;

namespace {

regex::Text text(std::string bytes, bool ignore_case = false, bool at_begin = false,
                 bool at_end = false) {
  return {std::move(bytes), ignore_case, at_begin, at_end};
}

std::vector<uint32_t> found(const Texts& texts, std::string_view name) {
  std::vector<uint32_t> numbers;
  texts.find(name, numbers);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

TEST_CASE("a text matches every name that a longer one matches") {
  CHECK(always_holds_in(text("gemm"), text("gemm_fp8")));
  CHECK(always_holds_in(text("gemm"), text("gemm")));
  CHECK(!always_holds_in(text("gemm_fp8"), text("gemm")));
  CHECK(always_holds_in(text("gemm"), text("gemm_fp8", false, true, true)));
  CHECK(!always_holds_in(text("gemm", false, true), text("gemm_fp8", false, true)));
  CHECK(!always_holds_in(text("fp8", false, false, true), text("gemm_fp8")));
  CHECK(always_holds_in(text("gemm", true), text("GEMM_fp8")));
  CHECK(always_holds_in(text("gemm", true), text("gemm_fp8", true)));
  CHECK(!always_holds_in(text("gemm"), text("gemm_fp8", true)));
}

TEST_CASE("texts in a name are found at once") {
  Texts texts;
  texts.add(0, text("gemm"));
  texts.add(1, text("Gemm"));
  texts.add(2, text("gemm", true));
  texts.add(3, text("mm"));
  texts.add(4, text("mm_f"));
  texts.add(5, text("m"));
  CHECK(found(texts, "gemm") == std::vector<uint32_t>{0, 2, 3, 5});
  CHECK(found(texts, "GeMM gemm_fp8") == std::vector<uint32_t>{0, 2, 3, 4, 5});
  CHECK(found(texts, "xGemmx") == std::vector<uint32_t>{1, 2, 3, 5});
  CHECK(found(texts, "gem") == std::vector<uint32_t>{5});
  CHECK(found(texts, "").empty());
}
