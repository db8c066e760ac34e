#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "match/database.hpp"
#include "support/program.hpp"

using namespace kr;
using test::ProgramBuilder;

namespace {

/// The atoms that match, as a text of 0 and 1.
std::string scanned(const sema::Program& program, match::Scanner& scanner, std::string_view name) {
  match::AtomSet set;
  scanner.scan(name, set);
  std::string text;
  for (uint32_t i = 0; i < program.atoms.size(); ++i) text += set.has({i}) ? '1' : '0';
  return text;
}

}  // namespace

TEST_CASE("texts match by anchors, case and bytes") {
  ProgramBuilder rules;
  rules.text("gemm");
  rules.text("gemm", true);
  rules.text("gemm", false, true);
  rules.text("gemm", false, false, true);
  rules.text("gemm", false, true, true);
  rules.text("a\nb");
  rules.text(std::string_view("\0", 1));
  rules.text("\xff\xfe");
  rules.text("\\E$.*{[(|)]}^+?#/ ");
  match::Scanner scanner(match::Database::compile(rules.program, std::nullopt));
  CHECK(scanned(rules.program, scanner, "a gemm b") == "110000000");
  CHECK(scanned(rules.program, scanner, "GEMM") == "010000000");
  CHECK(scanned(rules.program, scanner, "gemm") == "111110000");
  CHECK(scanned(rules.program, scanner, "gemm\n") == "111000000");
  CHECK(scanned(rules.program, scanner, "\ngemm") == "110100000");
  CHECK(scanned(rules.program, scanner, "xa\nbx") == "000001000");
  CHECK(scanned(rules.program, scanner, std::string_view("x\0y", 3)) == "000000100");
  CHECK(scanned(rules.program, scanner, "\xff\xfe") == "000000010");
  CHECK(scanned(rules.program, scanner, "x\\E$.*{[(|)]}^+?#/ ") == "000000001");
  CHECK(scanned(rules.program, scanner, "") == "000000000");
}

TEST_CASE("empty matches are answered exactly") {
  ProgramBuilder rules;
  rules.regex(".*");
  rules.regex("^");
  rules.regex("$");
  rules.regex("^$");
  rules.regex("^a*$");
  rules.regex("\\b");
  rules.regex("\\B");
  rules.regex("(^|a)b");
  rules.regex("\\b|-");
  rules.regex("a^b");  // matches nothing
  rules.regex("(?:\\b|x){2}");
  match::Scanner scanner(match::Database::compile(rules.program, std::nullopt));
  CHECK(scanned(rules.program, scanner, "") == "11111010000");
  CHECK(scanned(rules.program, scanner, "aa") == "11101110101");
  CHECK(scanned(rules.program, scanner, "-") == "11100010100");
  CHECK(scanned(rules.program, scanner, "b") == "11100101101");
  CHECK(scanned(rules.program, scanner, "a\n") == "11100110101");
}

TEST_CASE("named groups and laziness do no harm") {
  ProgramBuilder rules;
  rules.regex("my_(?<step>\\d+?)_(?<layer>\\d+)");
  rules.regex("my_(?<layer>\\d+?)_(?<step>\\d+)");
  rules.regex("(?<a>x)?");
  match::Scanner scanner(match::Database::compile(rules.program, std::nullopt));
  CHECK(scanned(rules.program, scanner, "is my_1_22") == "111");
  CHECK(scanned(rules.program, scanner, "my__2") == "001");
}

TEST_CASE("no atoms at all") {
  ProgramBuilder rules;
  match::Scanner scanner(match::Database::compile(rules.program, std::nullopt));
  CHECK(scanned(rules.program, scanner, "x").empty());
  CHECK(scanned(rules.program, scanner, "").empty());
}

TEST_CASE("kr's own automaton matches what Hyperscan refuses") {
  ProgramBuilder rules;
  rules.text("short");
  rules.text("a" + std::string(20'000, 'x'));  // longer than Hyperscan takes
  rules.regex("a.{1000}b.{1000}c");            // too many states
  rules.regex("(?:ab|cd){900}(?:x|y){900}$");
  rules.text("last");
  const auto database = match::Database::compile(rules.program, std::nullopt);
  CHECK(database->impl().refused.size() >= 1);
  for (const sema::AtomId id : database->impl().refused) {
    CHECK(match::may_leave_hyperscan(rules.program.atoms.get(id).regex));
  }
  match::Scanner scanner(database);
  CHECK(scanned(rules.program, scanner, "a short last name") == "10001");
  CHECK(scanned(rules.program, scanner, "a" + std::string(20'001, 'x')) == "01000");
  CHECK(scanned(rules.program, scanner, "a" + std::string(19'999, 'x')) == "00000");
  const std::string dots(1000, '.');
  CHECK(scanned(rules.program, scanner, "-a" + dots + "b" + dots + "c-") == "00100");
  CHECK(scanned(rules.program, scanner, "-a" + dots + "b" + dots + ".c") == "00000");
  // The refused ones are in the serialized form too.
  const auto again = match::Database::deserialize(rules.program, database->serialize());
  REQUIRE(again != nullptr);
  CHECK(again->impl().refused.size() == database->impl().refused.size());
  match::Scanner other(again);
  CHECK(scanned(rules.program, other, "a" + std::string(20'001, 'x') + "last") == "01001");
}

TEST_CASE("anchors inside an expression do not take it away from Hyperscan") {
  ProgramBuilder rules;
  rules.regex("^triton_.*(^|[^A-Za-z])add([^A-Za-z]|$)");
  rules.regex("(?:^|x)(?:a$|b)?(?:^|c)d");
  rules.regex("(?:x|y(?:$|z))*z$|(?:^a|b)(?:^|q)");
  const auto database = match::Database::compile(rules.program, std::nullopt);
  CHECK(database->impl().refused.empty());
  match::Scanner scanner(database);
  CHECK(scanned(rules.program, scanner, "triton_poi_add_0") == "100");
  CHECK(scanned(rules.program, scanner, "triton_poi_add") == "100");
  CHECK(scanned(rules.program, scanner, "triton_poi_addr") == "000");
  CHECK(scanned(rules.program, scanner, "d") == "010");
  CHECK(scanned(rules.program, scanner, "bqz") == "001");
}

TEST_CASE("long names") {
  ProgramBuilder rules;
  rules.text("needle");
  rules.regex("z$");
  rules.regex("\\bneedle\\b");
  match::Scanner scanner(match::Database::compile(rules.program, std::nullopt));
  std::string name(4 << 20, 'x');
  CHECK(scanned(rules.program, scanner, name) == "000");
  name += " needle z";
  CHECK(scanned(rules.program, scanner, name) == "111");
}

TEST_CASE("one database serves many threads") {
  ProgramBuilder rules;
  rules.text("gemm");
  rules.regex("\\d{3}");
  const auto database = match::Database::compile(rules.program, std::nullopt);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i] {
      match::Scanner scanner(database);
      for (int round = 0; round < 2000; ++round) {
        if (scanned(rules.program, scanner, "a gemm") != "10") ++wrong[i];
        if (scanned(rules.program, scanner, "12 345") != "01") ++wrong[i];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("bytes that are not a database of the program are refused") {
  ProgramBuilder rules;
  rules.text("gemm");
  ProgramBuilder others;
  others.text("gemv");
  const auto database = match::Database::compile(rules.program, std::nullopt);
  const std::string bytes = database->serialize();
  CHECK(match::Database::deserialize(rules.program, bytes) != nullptr);
  CHECK(match::Database::deserialize(others.program, bytes) == nullptr);
  CHECK(match::Database::deserialize(rules.program, "") == nullptr);
  CHECK(match::Database::deserialize(rules.program, bytes + "x") == nullptr);
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 8) {
    CHECK(match::Database::deserialize(rules.program, bytes.substr(0, size)) == nullptr);
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    const bool refused = match::Database::deserialize(rules.program, damaged) == nullptr;
    if (!refused) CAPTURE(at);
    CHECK(refused);
  }
}

// A database is found by its atoms. Where this fails, raise the number in database_magic
// (match/database_file.cpp), then write down what is compiled now.
TEST_CASE("databases are compiled from the same patterns as when their format got its number") {
  ProgramBuilder rules;
  rules.text("gemm", false, true);
  for (const char* text :
       {"a(^|[^a-z])b", "(^|x)a+$", "(a|$)b?c", "\\bx|^", "^a*$", "(?:a?$|b){2}"}) {
    rules.regex(text);
  }
  std::string all;
  for (const match::HyperscanPattern& pattern : match::hyperscan_patterns(rules.program)) {
    all += std::to_string(pattern.atom.index) + " " + pattern.text + "\n";
  }
  CHECK(all == "0 ^gemm\n1 a[^a-z]b\n2 (?:^|x)a+\\z\n3 ab?c\n5 ^a+\\z\n");
}
