#include "base/file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include "base/error.hpp"

using namespace kr;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("kr-file-test-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

size_t count(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("a file is read as it was written") {
  const Folder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  write_file(folder.path / "x", bytes);
  CHECK(read_file(folder.path / "x") == bytes);
  write_file(folder.path / "x", "");
  CHECK(read_file(folder.path / "x").empty());
  CHECK(count(folder.path) == 1);
}

TEST_CASE("an earlier file stays until the new one is whole") {
  const Folder folder;
  write_file(folder.path / "x", "old");
  {
    PendingFile pending(folder.path / "x");
    pending.write("half");
    CHECK(read_file(folder.path / "x") == "old");
  }
  CHECK(read_file(folder.path / "x") == "old");
  CHECK(count(folder.path) == 1);
}

TEST_CASE("what cannot be read or written names its path") {
  const Folder folder;
  const auto names = [](const fs::path& path, auto act) {
    try {
      act();
    } catch (const Error& error) {
      return error.path() == path.string() && !error.why().empty();
    }
    return false;
  };
  const fs::path missing = folder.path / "none" / "x";
  CHECK(names(missing, [&] { read_file(missing); }));
  CHECK(names(missing, [&] { write_file(missing, "x"); }));
  CHECK(names(folder.path, [&] { read_file(folder.path); }));
  const auto said = [](const fs::path& path) {
    try {
      read_file(path);
    } catch (const Error& error) {
      return error.why() + "; " + error.remedy();
    }
    return std::string();
  };
  write_file(folder.path / "rules.kr", "x");
  fs::create_symlink("gone.kr", folder.path / "link");
  CHECK(said(folder.path / "ruels.kr") ==
        "no such file; did you mean `" + (folder.path / "rules.kr").string() + "`?");
  CHECK(said(missing) ==
        "no such file; there is no folder `" + missing.parent_path().string() + "`");
  CHECK(said(folder.path / "y") == "no such file; check how its name is written");
  CHECK(said(folder.path / "link") ==
        "is a link to `gone.kr`, which is not there; mend the link or remove it");
  fs::remove(folder.path / "rules.kr");
  fs::remove(folder.path / "link");
  CHECK(names(folder.path, [&] { write_file(folder.path, "x"); }));
}

TEST_CASE("an error says where") {
  CHECK(std::string(Error("f.csv", Error::Place{12, {}}, "no number").what()) ==
        "f.csv:12: no number");
  CHECK(std::string(Error("f.db", Error::Place{{}, 77}, "cut off", "export it again").what()) ==
        "f.db: at byte 77: cut off; export it again");
  CHECK(std::string(Error("", "no space").what()) == "no space");
}
