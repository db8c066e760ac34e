#include "base/check.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/error.hpp"
#include "base/in_parallel.hpp"

TEST_CASE("a failed check throws and says where") {
  KR_CHECK(1 + 1 == 2);
  try {
    KR_CHECK(1 + 1 == 3);
    FAIL("nothing is thrown");
  } catch (const kr::InternalError& error) {
    CHECK(std::string(error.condition()) == "1 + 1 == 3");
    CHECK(std::string(error.file()).ends_with("check.cpp"));
    CHECK(error.line() > 0);
    const std::string text = error.what();
    CHECK(text.starts_with("internal error: `1 + 1 == 3` is false ("));
    CHECK(text.ends_with("); this is a defect of kr, please report it"));
  }
}

TEST_CASE("a failed check on another thread reaches the caller") {
  CHECK_THROWS_AS(kr::in_parallel(8, [](size_t i) { KR_CHECK(i != 5); }), kr::InternalError);
}
