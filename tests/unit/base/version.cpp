#include "base/version.hpp"

#include <doctest/doctest.h>

using kr::parse_least_version;
using kr::parse_version;
using kr::Version;

TEST_CASE("versions: two or three numbers, compared as numbers") {
  CHECK(parse_version("0.2") == Version{0, 2, 0});
  CHECK(parse_version("10.20.30") == Version{10, 20, 30});
  CHECK(*parse_version("0.10") > *parse_version("0.9.9"));
  CHECK(parse_least_version(">= 0.2") == Version{0, 2, 0});
  CHECK(parse_least_version(">=0.2.1") == Version{0, 2, 1});
  CHECK(parse_least_version("0.2") == Version{0, 2, 0});
  for (const char* wrong : {"", "1", "1.", ".1", "1.2.3.4", "1.2.", "1.x", "-1.2", "1.2 ", "+1.2",
                            "1.1000000", "99999999999.1", "v1.2"}) {
    CHECK_MESSAGE(!parse_version(wrong), wrong);
    CHECK_MESSAGE(!parse_least_version(wrong), wrong);
  }
  for (const char* wrong : {"> 0.2", "== 0.2", "<= 0.2", ">=", ">= "}) {
    CHECK_MESSAGE(!parse_least_version(wrong), wrong);
  }
}
