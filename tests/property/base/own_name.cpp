// Own names of functions: random declarations of C++, whose own name is known as they are written.
#include "base/own_name.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "support/rounds.hpp"

using kr::own_name;

namespace {

class Declarations {
 public:
  explicit Declarations(uint32_t seed) : random_(seed) {}

  struct One {
    std::string text;
    std::string own;
  };

  One make() {
    One one;
    if (one_in(3)) one.text += "void ";
    const bool typed = one.text.empty() && one_in(2);
    if (typed) one.text += type(2) + any({" ", "* ", "& ", "& ", " "});
    for (size_t scopes = below(4); scopes > 0; --scopes) {
      if (one_in(5)) {
        one.text += any({"(anonymous namespace)::", "<unnamed>::"});
        continue;
      }
      const std::string scope = word();
      one.text += scope;
      if (one_in(3)) one.text += arguments(2);
      one.text += "::";
      one.own += scope + "::";
    }
    std::string function =
        one_in(8) ? any({"operator()", "operator[]", "operator+", "operator=="}) : word();
    one.text += function;
    one.own += function;
    const bool templated = one_in(2);
    if (templated) one.text += arguments(3);
    // A return type without parameters is no declaration.
    if (typed || !templated || one_in(2)) {
      one.text += parameters();
      one.text +=
          any({"", "", " const", " [clone .kd]", "::{lambda(int)#1}::operator()(int) const"});
    }
    return one;
  }

 private:
  size_t below(size_t limit) { return random_() % limit; }
  bool one_in(size_t count) { return below(count) == 0; }
  std::string any(const std::vector<std::string>& from) { return from[below(from.size())]; }
  std::string word() {
    return any({"at", "native", "foo", "gemm_kernel", "TopK", "b2", "_x", "ns", "Policy", "run"});
  }
  std::string type(size_t depth) {
    std::string text = any({"int", "float", "__half", "unsigned"});
    if (one_in(2)) {
      text = word();
      if (one_in(2)) text += "::" + word();
      if (depth > 0 && one_in(2)) text += arguments(depth - 1);
      if (one_in(4)) text += "::type";
    }
    return text;
  }
  std::string arguments(size_t depth) {
    std::string text = "<";
    for (size_t count = below(4); count > 0; --count) {
      switch (below(depth > 0 ? 6 : 3)) {
        case 0:
          text += any({"4", "(int)128", "true", "-1", "3ul"});
          break;
        case 1:
          text += type(0);
          break;
        case 2:
          text += any({"char*", "float const&", "(Kind)2", "int [3]"});
          break;
        case 3:
          text += type(depth - 1);
          break;
        case 4:
          text += type(depth - 1) + " (" + type(depth - 1) + ")";
          break;
        default:
          text += word() + "::{lambda(" + type(0) + ")#1}";
      }
      if (count > 1) text += ", ";
    }
    return text + any({">", " >"});
  }
  std::string parameters() {
    std::string text = "(";
    for (size_t count = below(4); count > 0; --count) {
      text += type(2) + any({"", "*", " const&", " const*"});
      if (count > 1) text += ", ";
    }
    return text + ")";
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("the own name of a random declaration is what it was made of") {
  for (uint32_t seed = 1; seed <= kr::test::rounds(20000, 1); ++seed) {
    const Declarations::One one = Declarations(seed).make();
    CAPTURE(seed);
    CAPTURE(one.text);
    REQUIRE(own_name(one.text) == one.own);
    // It is its own.
    REQUIRE(own_name(one.own) == one.own);
  }
}

TEST_CASE("own names of any bytes are not empty, and end") {
  std::mt19937 random(3);
  const std::string bytes = "ab:<>()[]{} *&~operator_Z1,.\x80";
  for (uint64_t round = 0; round < kr::test::rounds(20000, 1); ++round) {
    std::string name;
    for (size_t size = 1 + random() % 30; size > 0; --size) name += bytes[random() % bytes.size()];
    CAPTURE(name);
    REQUIRE(!own_name(name).empty());
  }
}
