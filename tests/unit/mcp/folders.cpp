// Which files clients may name.
#include "mcp/folders.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"

using kr::Error;
using kr::mcp::Folders;
namespace fs = std::filesystem;

namespace {

class Scratch {
 public:
  Scratch() { fs::create_directories(path_); }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_ = fs::temp_directory_path() / ("kr-mcp-" + std::to_string(getpid()));
};

}  // namespace

TEST_CASE("only files below the folders are named, however they are spelled") {
  const Scratch folder;
  const fs::path top = fs::canonical(folder.path());
  fs::create_directories(top / "open" / "deep");
  fs::create_directories(top / "open-not");
  for (const char* name : {"open/a", "open/deep/b", "open-not/c", "d"}) {
    std::ofstream(top / name) << "x";
  }
  fs::create_symlink(top / "d", top / "open" / "out");
  fs::create_symlink(top / "open" / "a", top / "open" / "in");
  const Folders folders({(top / "open").string()});

  CHECK(folders.existing("a") == (top / "open" / "a").string());
  CHECK(folders.existing("./deep/../deep//b") == (top / "open" / "deep" / "b").string());
  CHECK(folders.existing((top / "open" / "a").string()) == (top / "open" / "a").string());
  CHECK(folders.existing("in") == (top / "open" / "a").string());
  CHECK(folders.existing("deep") == (top / "open" / "deep").string());
  for (const std::string& name :
       {std::string("../d"), (top / "d").string(), std::string("../open-not/c"), std::string("out"),
        std::string("../nothing"), std::string("none"), std::string(), std::string("a\0b", 3)}) {
    CAPTURE(name);
    CHECK_THROWS_AS(folders.existing(name), Error);
  }

  CHECK(folders.to_write("new") == (top / "open" / "new").string());
  CHECK(folders.to_write("deep/new") == (top / "open" / "deep" / "new").string());
  for (const char* const name : {"a", "in", "out", "../new", "none/new", "deep/", "/new"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(folders.to_write(name), Error);
  }
  CHECK_THROWS_AS(Folders({(top / "open" / "a").string()}), Error);
  CHECK_THROWS_AS(Folders({(top / "none").string()}), Error);
}
