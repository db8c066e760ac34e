#include <doctest/doctest.h>

#include <tao/pegtl/contrib/analyze.hpp>

#include "grammar/kr.hpp"

TEST_CASE("the grammar has no loop without progress") {
  CHECK(tao::pegtl::analyze<kr::syntax::grammar::file>(1) == 0);
}
