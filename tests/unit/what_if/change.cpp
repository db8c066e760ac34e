#include "what_if/change.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "support/rules.hpp"

namespace {

std::string change_error(const char* text) {
  const auto rules = kr::test::compile(R"(engine e { substage { gemm: "a" rest: otherwise } })");
  try {
    kr::what_if::parse_change(text, rules.program());
  } catch (const kr::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("changes as people write them") {
  const auto rules = kr::test::compile(R"(engine e { substage { gemm: "a" rest: otherwise } })");
  using What = kr::what_if::Change::What;
  const auto parsed = [&](const char* text) {
    return kr::what_if::parse_change(text, rules.program());
  };
  CHECK(parsed(" substage/gemm=roof ").what == What::roof);
  CHECK(parsed("substage/gemm = roof").key == "gemm");
  CHECK(parsed("substage/gemm = overlapped").what == What::overlapped);
  CHECK(parsed("substage/gemm = 0").factor == 0);
  CHECK(parsed("substage/gemm = 0.5x").factor == 0.5);
  CHECK(parsed("substage/gemm = 150%").factor == 1.5);
  CHECK(parsed("name/a = b = 12.5us").duration_ns == 12500);
  CHECK(parsed("name/a = b = 12.5us").key == "a = b");
  CHECK(parsed("host = 0").of_host());
  CHECK(change_error("substage/gem = 0").find("did you mean `gemm`?") != std::string::npos);
  for (const char* const text :
       {"substage/gemm", "gemm = 0", "/gemm = 0", "substage/ = 0",
        "substage/gemm = ", "substage/gemm = 5", "substage/gemm = -1x", "substage/gemm = x",
        "substage/gemm = 2000x", "substage/gemm = 5h", "substage/gemm = 2e3us", "host = roof",
        "host = 5us", "nothing/gemm = 0", "substage/gemm = 9999s"}) {
    CAPTURE(text);
    CHECK(!change_error(text).empty());
  }
}
