#include "match/krdb.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "match/compiled_rules.hpp"
#include "match/evaluate.hpp"

using namespace kr;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view common = R"(pattern gemm = "gemm" | /\bmm_\d+/
)";
constexpr std::string_view mine = R"(use "./common.kr" as c
engine mine "Mine" {
  model small {
    substage {
      gemm: c.gemm
      copy: @memcpy
      rest: otherwise
    }
  }
}
)";

/// A folder with rules, and a library without any.
struct KrdbFolder {
  KrdbFolder() {
    std::string name = (fs::temp_directory_path() / "kr-krdb-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
    write_file(path / "common.kr", common);
    write_file(path / "mine.kr", mine);
  }
  ~KrdbFolder() { fs::remove_all(path); }
  KrdbFolder(const KrdbFolder&) = delete;
  KrdbFolder& operator=(const KrdbFolder&) = delete;

  match::CompiledRules compile(const std::vector<std::string>& names) const {
    diag::Sink sink;
    const source::Library library({path / "share"});
    match::CompiledRules compiled = match::compile_rules(names, library, std::nullopt, sink);
    for (const diag::Diagnostic& diagnostic : sink.all()) MESSAGE(diagnostic.message);
    REQUIRE_FALSE(sink.has_errors());
    REQUIRE(compiled.database != nullptr);
    return compiled;
  }
  std::string mine_kr() const { return (path / "mine.kr").string(); }

  fs::path path;
};

std::string label(const match::CompiledRules& compiled, std::string_view name) {
  const sema::Program& program = compiled.program();
  const auto engine = program.engine("mine");
  REQUIRE(engine.has_value());
  const auto model = program.model(*engine, "small");
  REQUIRE(model.has_value());
  const sema::Table* table = program.models.get(*model).table(*program.dimension("substage"));
  REQUIRE(table != nullptr);
  match::Scanner scanner(compiled.database);
  match::AtomSet set;
  scanner.scan(name, set);
  const auto rule = match::TableMatcher(program, *table).match({.name = &set});
  return rule ? program.rules.get(*rule).label : "unclassified";
}

std::string error_of(const std::string& path, std::string_view bytes) {
  try {
    match::from_krdb(path, bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a .krdb replaces the rules it was made from, without their files") {
  KrdbFolder folder;
  const match::CompiledRules compiled = folder.compile({folder.mine_kr()});
  const std::string bytes = match::to_krdb(*compiled.rules, *compiled.database);
  CHECK(match::is_krdb(bytes));
  CHECK(match::is_krdb(bytes.substr(0, 16)));
  const fs::path file = folder.path / "mine.krdb";
  write_file(file, bytes);
  fs::remove(folder.path / "common.kr");
  fs::remove(folder.path / "mine.kr");

  const match::CompiledRules again = folder.compile({file.string()});
  CHECK(again.named);
  CHECK(label(again, "a gemm") == "gemm");
  CHECK(label(again, "mm_12") == "gemm");
  CHECK(label(again, "other") == "rest");
  CHECK(again.program().atoms.size() == compiled.program().atoms.size());
  CHECK(match::Database::deserialize(again.program(), match::from_krdb("", bytes).database) !=
        nullptr);
  // And it may be made from itself.
  CHECK(match::to_krdb(*again.rules, *again.database) == bytes);
}

TEST_CASE("a database for another processor is compiled again") {
  KrdbFolder folder;
  const match::CompiledRules compiled = folder.compile({folder.mine_kr()});
  sema::Program none;
  const auto foreign = match::Database::compile(none, std::nullopt);
  const fs::path file = folder.path / "mine.krdb";
  write_file(file, match::to_krdb(*compiled.rules, *foreign));
  CHECK(label(folder.compile({file.string()}), "a gemm") == "gemm");
}

TEST_CASE("a database that anybody may have written is not loaded") {
  KrdbFolder folder;
  const match::CompiledRules compiled = folder.compile({folder.mine_kr()});
  // The database of other rules, under the key of these: its checksums are right.
  write_file(folder.path / "common.kr", R"(pattern gemm = "gemv" | /\bmm_\d+/
)");
  const match::CompiledRules others = folder.compile({folder.mine_kr()});
  const std::string own = compiled.database->serialize(), foreign = others.database->serialize();
  ByteReader keys(own), bodies(foreign);
  ByteWriter forged;
  forged.text(*keys.text());
  forged.text(*keys.text());
  bodies.text();
  bodies.text();
  forged.number(*bodies.number());
  forged.number(*bodies.number());
  forged.text(*bodies.text());
  const auto database = match::Database::deserialize(compiled.program(), std::move(forged).take());
  REQUIRE(database != nullptr);
  const fs::path file = folder.path / "mine.krdb";
  write_file(file, match::to_krdb(*compiled.rules, *database));
  CHECK(label(folder.compile({file.string()}), "a gemm") == "gemm");
  CHECK(label(folder.compile({file.string()}), "a gemv") == "rest");
}

TEST_CASE("a .krdb cannot be combined with other rules") {
  KrdbFolder folder;
  const match::CompiledRules compiled = folder.compile({folder.mine_kr()});
  const std::string file = (folder.path / "mine.krdb").string();
  write_file(file, match::to_krdb(*compiled.rules, *compiled.database));
  CHECK_THROWS_AS(folder.compile({folder.mine_kr(), file}), Error);
}

TEST_CASE("the shipped generic is added to several engines") {
  KrdbFolder folder;
  fs::create_directories(folder.path / "share" / "rulesets");
  write_file(folder.path / "share" / "rulesets" / "generic.kr",
             "engine generic \"Generic\" { substage { rest: otherwise } }\n");
  write_file(folder.path / "other.kr", "engine other \"Other\" { substage { rest: otherwise } }\n");
  const std::string other = (folder.path / "other.kr").string();
  CHECK(folder.compile({folder.mine_kr(), other}).program().engine("generic").has_value());
  CHECK_FALSE(folder.compile({other}).program().engine("generic").has_value());
}

TEST_CASE("an incomplete .krdb is refused with a remedy") {
  KrdbFolder folder;
  const match::CompiledRules compiled = folder.compile({folder.mine_kr()});
  const std::string bytes = match::to_krdb(*compiled.rules, *compiled.database);
  CHECK(error_of("x.krdb", bytes) == "no error");
  CHECK(error_of("x.krdb", "SQLite format 3") ==
        "x.krdb: is not a .krdb file; create it again with `kr compile`");
  CHECK(error_of("x.krdb", bytes.substr(0, 100)) ==
        "x.krdb: at byte 100: is cut off here; create it again with `kr compile`");
  CHECK(error_of("x.krdb", bytes + "more") ==
        "x.krdb: is damaged: its checksum does not match; create it again with `kr compile`");
  std::string newer = bytes;
  newer[8] = 3;
  CHECK(error_of("x.krdb", newer) ==
        "x.krdb: has version 3 of the format, but this kr reads version 2; "
        "create it again with `kr compile`");
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 16) {
    CHECK(error_of("x.krdb", bytes.substr(0, size)) != "no error");
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    const bool refused = error_of("x.krdb", damaged) != "no error";
    if (!refused) CAPTURE(at);
    CHECK(refused);
  }
}
