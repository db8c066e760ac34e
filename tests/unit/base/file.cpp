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
  CHECK(names(folder.path, [&] { write_file(folder.path, "x"); }));
}

TEST_CASE("an error says where") {
  CHECK(std::string(Error("f.csv", Error::Place{12, {}}, "no number").what()) ==
        "f.csv:12: no number");
  CHECK(std::string(Error("f.db", Error::Place{{}, 77}, "cut off", "export it again").what()) ==
        "f.db: at byte 77: cut off; export it again");
  CHECK(std::string(Error("", "no space").what()) == "no space");
}
