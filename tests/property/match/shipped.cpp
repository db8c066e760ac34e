// Rules that share patterns with the shipped ones: the shipped database with one for the rest
// against a single database.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "match/database.hpp"
#include "support/patterns.hpp"
#include "support/program.hpp"
#include "support/rounds.hpp"

using namespace kr;
namespace fs = std::filesystem;

namespace {

/// An installation and a cache, removed at the end.
class ShippedFolder {
 public:
  ShippedFolder() {
    std::string name = (fs::temp_directory_path() / "kr-shipped-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    fs::create_directory(path_ / "install");
    fs::permissions(path_ / "install", fs::perms::owner_all);
  }
  ~ShippedFolder() { fs::remove_all(path_); }
  ShippedFolder(const ShippedFolder&) = delete;
  ShippedFolder& operator=(const ShippedFolder&) = delete;

  fs::path databases() const { return path_ / "install" / "databases"; }
  match::Database::Cache cache() const {
    return {.folder = path_ / "cache", .install = {.folder = path_ / "install", .owner = {}}};
  }
  size_t cached() const {
    std::error_code none;
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(path_ / "cache", none), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

/// Different patterns, as a program has them.
std::vector<std::pair<std::string, regex::Regex>> different_patterns(std::mt19937& random,
                                                                     size_t count) {
  std::set<std::string> known;
  std::vector<std::pair<std::string, regex::Regex>> patterns;
  while (patterns.size() < count) {
    // Most are texts, which Hyperscan compiles in less time.
    const bool is_text = random() % 8 != 0;
    std::string pattern = is_text ? test::random_name(random, 6) : test::random_pattern(random, 2);
    if (pattern.empty()) continue;
    auto regex = is_text ? std::optional(regex::literal(pattern, random() % 4 == 0,
                                                        random() % 8 == 0, random() % 8 == 0))
                         : test::parsed(pattern, random() % 8 == 0);
    if (!regex || !known.insert(regex::to_hyperscan(*regex)).second) continue;
    patterns.emplace_back(std::move(pattern), std::move(*regex));
  }
  return patterns;
}

void compare(const sema::Program& program, const match::Database& got,
             const std::vector<std::string>& names) {
  const auto expected = match::Database::compile(program, std::nullopt);
  match::Scanner whole(expected);
  match::Scanner parts(std::shared_ptr<const match::Database>(&got, [](auto) {}));
  match::AtomSet one(program.atoms.size()), other(program.atoms.size());
  for (const std::string& name : names) {
    CAPTURE(name);
    whole.scan(name, one);
    parts.scan(name, other);
    CHECK(one == other);
  }
}

}  // namespace

TEST_CASE("patterns of the shipped rules and others match as in one database") {
  std::mt19937 random(83);
  constexpr size_t shipped_count = 260;
  size_t own = 0;
  // A pattern that Hyperscan refused in the shipped database is compiled again: found in round 1.
  for (uint64_t round = 0; round < test::rounds(10, 1); ++round) {
    CAPTURE(round);
    const ShippedFolder folder;
    const auto patterns = different_patterns(random, 300);
    test::ProgramBuilder shipped;
    for (size_t i = 0; i < shipped_count; ++i) shipped.add(patterns[i].second, patterns[i].first);
    const match::Database::Cache maker{.folder = {}, .install = {}, .any_processor = true};
    REQUIRE(match::Database::compile(shipped.program, maker)->write_shipped(folder.databases()));

    std::vector<std::string> names = test::small_names(2);
    for (int i = 0; i < 200; ++i) names.push_back(test::random_name(random, 30));
    test::ProgramBuilder rules;
    std::vector<size_t> chosen(patterns.size());
    for (size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
    std::ranges::shuffle(chosen, random);
    for (const size_t i : chosen) {
      if (i >= shipped_count || random() % 8 != 0) rules.add(patterns[i].second, patterns[i].first);
    }
    CHECK(match::Database::find(rules.program, folder.cache()) == nullptr);
    const auto first = match::Database::compile(rules.program, folder.cache());
    REQUIRE_FALSE(first->is_whole());
    own += first->impl().own_atoms.size();
    compare(rules.program, *first, names);
    CHECK(folder.cached() == 1);
    const auto again = match::Database::find(rules.program, folder.cache());
    REQUIRE(again != nullptr);
    CHECK_FALSE(again->is_whole());
    compare(rules.program, *again, names);

    // All of the shipped patterns in another order, and nothing else.
    test::ProgramBuilder all;
    for (size_t i = shipped_count; i-- > 0;) all.add(patterns[i].second, patterns[i].first);
    const auto found = match::Database::find(all.program, folder.cache());
    REQUIRE(found != nullptr);
    CHECK(found->impl().own_atoms.empty());
    compare(all.program, *found, names);

    // Few patterns are compiled whole.
    test::ProgramBuilder few;
    for (size_t i = 0; i < 60; ++i) few.add(patterns[i].second, patterns[i].first);
    CHECK(match::Database::compile(few.program, folder.cache())->is_whole());
  }
  CHECK(own >= 40 * test::rounds(10, 1));
}

TEST_CASE("a damaged database of the shipped rules is as none") {
  std::mt19937 random(84);
  const ShippedFolder folder;
  test::ProgramBuilder rules;
  for (auto& [pattern, regex] : different_patterns(random, 250)) {
    rules.add(std::move(regex), pattern);
  }
  const match::Database::Cache maker{.folder = {}, .install = {}, .any_processor = true};
  REQUIRE(match::Database::compile(rules.program, maker)->write_shipped(folder.databases()));
  REQUIRE(match::Database::find(rules.program, folder.cache()) != nullptr);
  for (const auto& entry : fs::directory_iterator(folder.databases())) {
    fs::resize_file(entry.path(), fs::file_size(entry.path()) - 1);
  }
  CHECK(match::Database::find(rules.program, folder.cache()) == nullptr);
  CHECK(match::Database::compile(rules.program, folder.cache())->is_whole());
}
