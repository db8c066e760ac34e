// The cache of databases, and everything that can be wrong with its folder and files.
#include "match/cache.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>

#include "base/file.hpp"
#include "match/scanner.hpp"
#include "support/program.hpp"

using namespace kr;
using test::ProgramBuilder;
namespace fs = std::filesystem;

namespace {

/// A folder for one test, removed at its end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "kr-cache-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<fs::path> files(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
  return all;
}

bool works(const sema::Program& program, const std::shared_ptr<const match::Database>& database) {
  match::Scanner scanner(database);
  match::AtomSet set(program.atoms.size());
  scanner.scan("one gemm", set);
  const bool hit = set.has({0});
  scanner.scan("none", set);
  return hit && !set.has({0});
}

bool is_cached(const sema::Program& program, const match::Database::Cache& cache) {
  return match::Database::find(program, cache) != nullptr;
}

}  // namespace

TEST_CASE("a compiled database is read from the cache") {
  const Folder folder;
  const match::Database::Cache cache{folder.path() / "new" / "folder"};
  ProgramBuilder rules;
  rules.text("gemm");
  CHECK_FALSE(is_cached(rules.program, cache));
  const auto first = match::Database::compile(rules.program, cache);
  CHECK(is_cached(rules.program, cache));
  const auto second = match::Database::compile(rules.program, cache);
  CHECK(works(rules.program, second));
  CHECK(files(cache.folder).size() == 1);
  CHECK(second->serialize() == first->serialize());

  rules.text("more");
  CHECK_FALSE(is_cached(rules.program, cache));
  match::Database::compile(rules.program, std::nullopt);
  CHECK_FALSE(is_cached(rules.program, cache));
  match::Database::compile(rules.program, cache);
  CHECK(files(cache.folder).size() == 2);
}

TEST_CASE("a damaged, foreign or cut off file counts as absent and is replaced") {
  const Folder folder;
  const match::Database::Cache cache{folder.path()};
  ProgramBuilder rules;
  rules.text("gemm");
  match::Database::compile(rules.program, cache);
  const fs::path file = files(folder.path()).at(0);
  const std::string whole = read_file(file);
  std::vector<std::string> bad{"",
                               "x",
                               "SQLite format 3",
                               whole.substr(0, whole.size() / 2),
                               whole.substr(0, whole.size() - 1),
                               whole + "x",
                               std::string(whole.size(), '\0')};
  for (size_t at = 0; at < whole.size(); at += 37) {
    bad.push_back(whole);
    bad.back()[at] = static_cast<char>(~bad.back()[at]);
  }
  ProgramBuilder others;
  others.text("gemv");
  bad.push_back(match::Database::compile(others.program, std::nullopt)->serialize());
  for (const std::string& bytes : bad) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    CHECK_FALSE(is_cached(rules.program, cache));
    CHECK(works(rules.program, match::Database::compile(rules.program, cache)));
    CHECK(is_cached(rules.program, cache));
  }
}

TEST_CASE("an unusable folder is not changed") {
  ProgramBuilder rules;
  rules.text("gemm");
  const Folder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << "here";
  std::vector<fs::path> unusable{file, file / "below",        "/proc/kr", "/dev/null/kr",
                                 "",   std::string(5000, 'x')};
  for (const fs::path& path : unusable) {
    CHECK(works(rules.program,
                match::Database::compile(rules.program, match::Database::Cache{path})));
    CHECK_FALSE(is_cached(rules.program, match::Database::Cache{path}));
  }
  CHECK(read_file(file) == "here");
}

TEST_CASE("something else under the name of the file") {
  ProgramBuilder rules;
  rules.text("gemm");
  const Folder folder;
  const match::Database::Cache cache{folder.path()};
  match::Database::compile(rules.program, cache);
  const fs::path file = files(folder.path()).at(0);
  fs::remove(file);
  SUBCASE("a folder") {
    fs::create_directories(file / "inside");
  }
  SUBCASE("a device") {
    fs::create_symlink("/dev/zero", file);
  }
  SUBCASE("a link to nowhere") {
    fs::create_symlink("/nowhere/at/all", file);
  }
  SUBCASE("a loop of links") {
    fs::create_symlink(file, file);
  }
  CHECK_FALSE(is_cached(rules.program, cache));
  CHECK(works(rules.program, match::Database::compile(rules.program, cache)));
}

TEST_CASE("a home that can only be read") {
  if (::geteuid() == 0) {
    // The superuser may write anywhere: be somebody else for this one.
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(3);
      ProgramBuilder rules;
      rules.text("gemm");
      const auto database =
          match::Database::compile(rules.program, match::Database::Cache{"/usr/kr-cache"});
      ::_exit(works(rules.program, database) && !fs::exists("/usr/kr-cache") ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    return;
  }
  const Folder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  ProgramBuilder rules;
  rules.text("gemm");
  CHECK(works(rules.program,
              match::Database::compile(rules.program, match::Database::Cache{folder.path()})));
  CHECK(files(folder.path()).empty());
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST_CASE("many processes at once") {
  const Folder folder;
  const match::Database::Cache cache{folder.path()};
  ProgramBuilder rules;
  rules.text("gemm");
  for (int i = 0; i < 50; ++i) rules.regex("\\bname_" + std::to_string(i) + "\\d+_[a-f]*x");
  constexpr int processes = 6;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 5; ++round) {
        good = good && works(rules.program, match::Database::compile(rules.program, cache));
        // Some take it away under the others' hands.
        std::error_code error;
        if (i % 2 == 0) {
          for (const auto& entry : fs::directory_iterator(folder.path(), error)) {
            if (entry.path().extension() == ".krhs") fs::remove(entry.path(), error);
          }
        }
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
  CHECK(files(folder.path()).size() <= 1);
  match::Database::compile(rules.program, cache);
  CHECK(is_cached(rules.program, cache));
}

TEST_CASE("the folder does not grow without end") {
  const Folder folder;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(48);
  for (int i = 0; i < 100; ++i) {
    const fs::path file = folder.path() / (std::to_string(i) + ".krhs");
    std::ofstream(file) << i;
    fs::last_write_time(file, old + std::chrono::minutes(i));
  }
  const fs::path left_behind = folder.path() / "1.krhs.77-0.part";
  std::ofstream(left_behind) << "half";
  fs::last_write_time(left_behind, old);
  const fs::path at_work = folder.path() / "2.krhs.78-0.part";
  std::ofstream(at_work) << "half";
  const fs::path foreign = folder.path() / "notes.txt";
  std::ofstream(foreign) << "mine";
  fs::last_write_time(foreign, old);

  const match::CacheFile cache(folder.path(), "key", ".krhs");
  cache.write("bytes");
  CHECK(cache.read() == "bytes");
  CHECK(fs::exists(foreign));
  CHECK(fs::exists(at_work));
  CHECK_FALSE(fs::exists(left_behind));
  CHECK_FALSE(fs::exists(folder.path() / "36.krhs"));
  CHECK(fs::exists(folder.path() / "99.krhs"));
  CHECK(files(folder.path()).size() == match::CacheFile::max_files + 2);
}

TEST_CASE("a file that is used stays young") {
  const Folder folder;
  const match::CacheFile cache(folder.path(), "key", ".krhs");
  cache.write("bytes");
  const fs::path file = files(folder.path()).at(0);
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(48);
  fs::last_write_time(file, old);
  CHECK(cache.read() == "bytes");
  CHECK(fs::last_write_time(file) > old + std::chrono::hours(24));
}

TEST_CASE("the folder of the cache") {
  const auto set = [](const char* name, const char* value) {
    if (value != nullptr) {
      ::setenv(name, value, 1);
    } else {
      ::unsetenv(name);
    }
  };
  const auto folder = [&](const char* kr, const char* xdg, const char* home) {
    set("KR_CACHE_DIR", kr);
    set("XDG_CACHE_HOME", xdg);
    set("HOME", home);
    const auto cache = match::Database::Cache::of_process();
    return cache ? cache->folder.string() : "none";
  };
  const char* home = std::getenv("HOME");
  const std::string old_home = home != nullptr ? home : "";
  CHECK(folder("/a", "/b", "/c") == "/a");
  CHECK(folder("", "/b", "/c") == "none");
  CHECK(folder(nullptr, "/b", "/c") == "/b/kr");
  CHECK(folder(nullptr, "relative", "/c") == "/c/.cache/kr");
  CHECK(folder(nullptr, "", "/c") == "/c/.cache/kr");
  CHECK(folder(nullptr, nullptr, "") == "none");
  CHECK(folder(nullptr, nullptr, nullptr) == "none");
  ::setenv("HOME", old_home.c_str(), 1);
}
