#include "base/nearest.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace kr;

TEST_CASE("edit distance") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("model", "modle") == 1);
  CHECK(edit_distance("gemm", "gem") == 1);
  CHECK(edit_distance("gemm", "GEMM") == 0);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the nearest word is one that may be meant") {
  const std::vector<std::string> words{"model", "engine", "fold", "table"};
  CHECK(nearest("modle", words) == "model");
  CHECK(nearest("Engin", words) == "engine");
  CHECK(nearest("flod", words) == "fold");
  CHECK_FALSE(nearest("xyz", words));
  CHECK_FALSE(nearest("", words));
  CHECK(nearest("model", words) == "model");
  const std::vector<std::string> ties{"ab", "ac"};
  CHECK(nearest("aa", ties) == "ab");
}
