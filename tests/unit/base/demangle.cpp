#include "base/demangle.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "support/kernel_names.hpp"
#include "support/rounds.hpp"

namespace {

std::string text_of(std::string_view name) {
  return kr::demangled(name).value_or("(not decoded)");
}

/// What `c++filt` prints for each line; nothing if there is none.
std::vector<std::string> decoded_by_binutils(const std::vector<std::string>& names) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("kr-mangled-" + std::to_string(std::random_device()()) + ".txt");
  std::ofstream out(file);
  for (const std::string& name : names) out << name << '\n';
  out.close();
  // -r: no limit of the recursion, which would refuse names over 1,024 bytes.
  FILE* pipe = popen(("c++filt -r < '" + file.string() + "' 2>/dev/null").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string all;
  std::array<char, 4096> piece{};
  while (const size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
    all.append(piece.data(), size);
  }
  pclose(pipe);
  std::filesystem::remove(file);
  std::vector<std::string> lines;
  for (size_t at = 0; at < all.size();) {
    const size_t end = all.find('\n', at);
    lines.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

TEST_CASE("names of C++ and Rust are decoded") {
  CHECK(text_of("_Z3fooIiEvPT_i") == "void foo<int>(int*, int)");
  CHECK(text_of("_ZN2at6native12_GLOBAL__N_13barEv") == "at::native::(anonymous namespace)::bar()");
  CHECK(text_of("_Z1fDF16b") == "f(std::bfloat16_t)");
  CHECK(text_of("_Z3addPfS_.kd") == "add(float*, float*) [clone .kd]");
  CHECK(text_of("_RNvC6_123foo3bar") == "123foo::bar");
  CHECK(text_of("_RNvNtCs1234_7mycrate3gpu6kernel") == "mycrate::gpu::kernel");
  CHECK(text_of("_ZN5crate6kernel17h0123456789abcdefE") == "crate::kernel");
}

TEST_CASE("other names are not decoded") {
  for (const char* name : {"", "gemm", "void f(int)", "_Z", "_R", "_Zzzz", "_ZN3fooE_junk!",
                           "Z3foov", "_Z3foo\x1bv"}) {
    INFO(name);
    CHECK(!kr::demangled(name));
  }
  using namespace std::string_literals;
  CHECK(!kr::demangled("_Z3foov\0bar"s));
  CHECK(!kr::demangled("_Z3f\xff\xffv"));
}

TEST_CASE("a name over a limit is not decoded, and takes no time") {
  const auto of_size = [](size_t size) {
    return "_Z" + std::to_string(size - 7) + std::string(size - 7, 'f') + 'v';
  };
  CHECK(kr::demangled(of_size(kr::longest_mangled)));
  CHECK(!kr::demangled(of_size(kr::longest_mangled + 1)));
  // Each argument is twice as long as the one before.
  const std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto doubled = [&](size_t times) {
    std::string name = "_Z1f1aIiiE";
    for (size_t i = 0; i < times; ++i) {
      name += std::string("S_IS") + digits[i] + "_S" + digits[i] + "_E";
    }
    return name;
  };
  CHECK(kr::demangled(doubled(8)));
  CHECK(!kr::demangled(doubled(34)));
  // Deep names fail within libiberty, or are decoded, and need little of the stack.
  for (const char* piece :
       {"P", "1aI", "F", "DTcl", "X", "ZN", "Nv", "I", "B", "L_Z", "JJ", "IXs"}) {
    for (const char* begin : {"_Z1f", "_ZN", "_R", "_RNv", "_Z"}) {
      std::string name = begin;
      while (name.size() + 8 < kr::longest_mangled) name += piece;
      kr::demangled(name);
    }
  }
}

TEST_CASE("what is decoded is what binutils decode") {
  std::vector<std::string> names;
  for (const std::string& name : kr::test::kernel_names()) {
    if (name.starts_with("_Z") || name.starts_with("_R")) names.push_back(name);
  }
  REQUIRE(names.size() > 50);
  const std::vector<std::string> expected = decoded_by_binutils(names);
  if (expected.empty()) {
    MESSAGE("skipped: there is no c++filt");
    return;
  }
  REQUIRE(expected.size() == names.size());
  size_t decoded = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto text = kr::demangled(names[i]);
    decoded += text ? 1 : 0;
    CHECK(text.value_or(names[i]) == expected[i]);
  }
  CHECK(decoded > 50);
}

TEST_CASE("changed names are decoded to text, or not at all") {
  std::mt19937 random(7);
  std::vector<std::string> names{"_RNvNtCs1234_7mycrate3gpu6kernel",
                                 "_RNqCs4fqI2P2rA04_11utf8_idents", "_RNvC1au8test_gya"};
  for (const std::string& name : kr::test::kernel_names()) {
    if (name.starts_with("_Z")) names.push_back(name);
  }
  constexpr std::string_view bytes = "_ZNRIELSTKPFJXDuv0123456789abcxyz\xc3\xa9\x01";
  size_t decoded = 0;
  // Names and what they are decoded to need not be text: found in round 131.
  const uint64_t rounds = kr::test::rounds(20000, 131);
  for (uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    std::string name = names[random() % names.size()];
    for (size_t changes = random() % 4; changes > 0; --changes) {
      const size_t at = 2 + random() % (name.size() - 2);
      switch (random() % 3) {
        case 0:
          name[at] = bytes[random() % bytes.size()];
          break;
        case 1:
          name.erase(at, 1 + random() % 4);
          break;
        default:
          name.insert(at, name.substr(random() % name.size(), random() % 8));
      }
      if (name.size() < 3) break;
    }
    const auto text = kr::demangled(name);
    if (!text) continue;
    ++decoded;
    CHECK(!text->empty());
    CHECK(kr::is_utf8(*text));
    CHECK(text->size() <= kr::longest_demangled);
  }
  CHECK(decoded > rounds / 60);
}
