#include "source/library.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.hpp"

using namespace kr;
namespace fs = std::filesystem;

namespace {

/// Two roots, of which the first has the say.
struct Roots {
  fs::path path = fs::temp_directory_path() / ("kr-library-test-" + std::to_string(::getpid()));
  Roots() {
    for (const char* file : {"one/stdlib/gemm.kr", "one/rulesets/mine.kr", "two/stdlib/gemm.kr",
                             "two/stdlib/deep/er.kr", "two/rulesets/theirs.kr"}) {
      fs::create_directories((path / file).parent_path());
      write_file(path / file, "");
    }
  }
  ~Roots() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("modules and rulesets are found in the first root that has them") {
  const Roots roots;
  const source::Library library({roots.path / "one", roots.path / "two"});
  CHECK(library.module("std.gemm") == roots.path / "one/stdlib/gemm.kr");
  CHECK(library.module("std.deep.er") == roots.path / "two/stdlib/deep/er.kr");
  CHECK(library.module("rulesets.theirs") == roots.path / "two/rulesets/theirs.kr");
  CHECK_FALSE(library.module("std.none"));
  CHECK_FALSE(library.module("other.gemm"));
  CHECK_FALSE(library.module("gemm"));
  CHECK(library.ruleset("mine") == roots.path / "one/rulesets/mine.kr");
  CHECK_FALSE(library.ruleset("mine.kr"));
  CHECK_FALSE(library.ruleset("../stdlib/gemm"));
  CHECK(library.rulesets() == std::vector<std::string>{"mine", "theirs"});
  CHECK(library.modules() ==
        std::vector<std::string>{"rulesets.mine", "rulesets.theirs", "std.deep.er", "std.gemm"});
  CHECK(library.display(roots.path / "two/rulesets/theirs.kr") == "rulesets/theirs.kr");
  CHECK(library.display("elsewhere.kr") == "elsewhere.kr");
}

TEST_CASE("KR_PATH comes first; folders that are not roots are ignored") {
  const Roots roots;
  const std::string path = (roots.path / "two").string() + ":" + roots.path.string() + "::/nowhere";
  ::setenv("KR_PATH", path.c_str(), 1);
  const source::Library library = source::Library::of_process();
  ::unsetenv("KR_PATH");
  REQUIRE_FALSE(library.roots().empty());
  CHECK(library.roots().front() == roots.path / "two");
  for (const fs::path& root : library.roots()) CHECK(root != roots.path);
}

TEST_CASE("known names are the first columns of the lists of the first root that has any") {
  const Roots roots;
  const source::Library library({roots.path / "one", roots.path / "two"});
  CHECK(library.known_names().empty());
  fs::create_directories(roots.path / "two/names");
  write_file(roots.path / "two/names/a.tsv", "name\tlabel\ngemm_b\tgemm\r\ngemm_a\r\n\n");
  write_file(roots.path / "two/names/b.tsv", "name\nvoid f<int>(float*, int)\tx\ngemm_b");
  write_file(roots.path / "two/names/c.txt", "name\nnot_a_list\n");
  CHECK(library.known_names() ==
        std::vector<std::string>{"gemm_a", "gemm_b", "void f<int>(float*, int)"});
  fs::create_directories(roots.path / "one/names");
  write_file(roots.path / "one/names/own.tsv", "name\nown");
  CHECK(library.known_names() == std::vector<std::string>{"own"});
}

TEST_CASE("an installation has the given folder and trusts files that others cannot write") {
  const Roots roots;
  const fs::path file = roots.path / "one/stdlib/gemm.kr";
  const auto close = [](const fs::path& path) {
    fs::permissions(path, fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove);
  };
  for (const fs::path& path : {file, file.parent_path(), roots.path / "one"}) close(path);
  const source::Install install{roots.path / "one"};
  CHECK(install.trusts(file));
  CHECK(install.trusts(roots.path / "one/rulesets/../stdlib/gemm.kr"));
  CHECK_FALSE(install.trusts(roots.path / "two/stdlib/gemm.kr"));
  CHECK_FALSE(install.trusts(roots.path / "one/stdlib/none.kr"));
  CHECK_FALSE(source::Install{}.trusts(file));
  CHECK(install.databases().empty());
  fs::create_directory(roots.path / "one/databases");
  CHECK(install.databases() == roots.path / "one/databases");
  for (const fs::path& path : {file, file.parent_path(), roots.path / "one"}) {
    fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
    CHECK_FALSE(install.trusts(file));
    close(path);
  }
  const std::vector<fs::path> roots_found = source::Library::of_process(install).roots();
  CHECK(roots_found.back() == roots.path / "one");
  CHECK(source::Library::of_process(source::Install{}).install().folder.empty());
}
