#include "base/file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <thread>
#include <vector>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/input_files.hpp"
#include "base/output_path.hpp"

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
  CHECK(said(folder.path / "y") == "no such file; check the spelling of its name");
  CHECK(said(folder.path / "link") ==
        "is a link to `gone.kr`, which does not exist; fix the link or remove it");
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

namespace {

template <class Act>
std::string why_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.why();
  }
  return "";
}

std::vector<fs::path> parts_in(const fs::path& folder) {
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".part") parts.push_back(entry.path());
  }
  return parts;
}

}  // namespace

TEST_CASE("links are followed, and permissions kept") {
  const Folder folder;
  const fs::path file = folder.path / "file", link = folder.path / "link";
  write_file(file, "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::group_read);
  fs::create_symlink("file", link);
  fs::create_symlink("made", folder.path / "dangling");
  {
    PendingFile pending(link);
    REQUIRE(parts_in(folder.path).size() == 1);
    struct stat info {};
    REQUIRE(::stat(parts_in(folder.path)[0].c_str(), &info) == 0);
    CHECK((info.st_mode & 07777) == 0600);  // as private as what it replaces may be
    pending.write("new");
    pending.commit();
  }
  CHECK(fs::is_symlink(link));
  CHECK(read_file(file) == "new");
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::group_read));
  write_file(folder.path / "dangling", "made");
  CHECK(fs::is_symlink(folder.path / "dangling"));
  CHECK(read_file(folder.path / "made") == "made");
  fs::create_symlink("loop", folder.path / "loop");
  CHECK(why_of([&] { write_file(folder.path / "loop", ""); }) ==
        "cannot be written: Too many levels of symbolic links");
}

TEST_CASE("what is not a regular file is written directly") {
  const Folder folder;
  const fs::path fifo = folder.path / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = read_file(fifo); });
  write_file(fifo, "through");
  reader.join();
  CHECK(got == "through");
  CHECK(fs::is_fifo(fifo));
  CHECK(count(folder.path) == 1);

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  {
    PendingFile pending("/proc/self/fd/" + std::to_string(ends[1]));
    const std::string aside = pending.aside().string();
    CHECK(fs::path(aside).parent_path() == temporary_folder());
    const int by_path = ::open(aside.c_str(), O_WRONLY);
    CHECK(write_all(by_path, "by path") == 0);
    ::close(by_path);
    pending.commit();
    CHECK_FALSE(fs::exists(aside));
  }
  ::close(ends[1]);
  CHECK(read_file(ends[0], "pipe") == "by path");
  ::close(ends[0]);
  CHECK(why_of([] { write_file("/dev/full", "x"); }) ==
        "cannot be written: No space left on device");
  CHECK(why_of([&] { replace_file(fifo, "x"); }) ==
        "is not a regular file, so it is not rewritten");
}

TEST_CASE("a file that was read is not replaced, whatever its name") {
  const Folder folder;
  const fs::path file = folder.path / "file", hard = folder.path / "hard";
  write_file(file, "old");
  fs::create_hard_link(file, hard);
  const std::string refused = "is a file that this run reads and would overwrite";
  {
    const InputFiles inputs;
    PendingFile early(hard);  // before it is read
    early.write("new");
    CHECK(read_file(file) == "old");
    CHECK(why_of([&] { early.commit(); }) == refused);
    PendingFile other(folder.path / "other");
    CHECK(why_of([&] { commit_all({&other, &early}); }) == refused);
    CHECK_FALSE(fs::exists(folder.path / "other"));
    CHECK(why_of([&] { write_file(file, "new"); }) == refused);
    CHECK(read_file(hard) == "old");
    replace_file(file, "rewritten");
    CHECK(read_file(file) == "rewritten");
  }
  write_file(hard, "new");  // another run
  CHECK(read_file(hard) == "new");
  CHECK(count(folder.path) == 2);
}

TEST_CASE("parts that nobody writes are removed, and those of others are not") {
  const Folder folder;
  const fs::path left = folder.path / "x.aaaaaaaaaaaa.part",
                 held = folder.path / "x.bbbbbbbbbbbb.part";
  const fs::path other = folder.path / "y.aaaaaaaaaaaa.part",
                 linked = folder.path / "x.cccccccccccc.part";
  for (const fs::path& path : {left, held, other}) write_file(path, "");
  fs::create_symlink(other, linked);
  fs::create_directories(folder.path / "x.dddddddddddd.part" / "below");
  const int lock = ::open(held.c_str(), O_RDONLY);
  REQUIRE(::flock(lock, LOCK_EX) == 0);
  write_file(folder.path / "x", "x");
  CHECK_FALSE(fs::exists(left));
  CHECK_FALSE(fs::exists(folder.path / "x.dddddddddddd.part"));
  CHECK(fs::exists(held));
  CHECK(fs::exists(other));
  CHECK(fs::is_symlink(linked));
  ::close(lock);
  {
    const PartFile one(folder.path / "x", "x"), two(folder.path / "x", "x");
    CHECK(one.path() != two.path());
    CHECK(fs::exists(one.path()));
    CHECK(fs::exists(two.path()));
    CHECK_FALSE(fs::exists(held));
  }
  fs::remove(linked);
  CHECK(count(folder.path) == 2);
}

TEST_CASE("a name that is as long as can be has a part") {
  const Folder folder;
  write_file(folder.path / std::string(255, 'n'), "x");
  CHECK(read_file(folder.path / std::string(255, 'n')) == "x");
}

TEST_CASE("another user's link in a shared folder is not followed") {
  if (::geteuid() != 0) return;  // only root makes links for others
  const Folder folder;
  fs::permissions(folder.path, fs::perms::all | fs::perms::sticky_bit);
  const fs::path link = folder.path / "link";
  fs::create_symlink("elsewhere", link);
  CHECK(open_output(link).file == folder.path / "elsewhere");
  REQUIRE(::lchown(link.c_str(), 65534, 65534) == 0);
  CHECK(why_of([&] { write_file(link, "x"); }) ==
        "is a link of another user in a folder that everybody can write to");
  CHECK_FALSE(fs::exists(folder.path / "elsewhere"));
}

TEST_CASE("runs that begin at once do not take each other's folders") {
  const Folder folder;
  std::vector<std::thread> runs;
  std::atomic<size_t> failed = 0;
  for (int i = 0; i < 8; ++i) {
    runs.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        try {
          const PartFolder part(folder.path / "x", "x");
          if (!fs::is_directory(part.path())) ++failed;
        } catch (const Error&) {
          ++failed;
        }
      }
    });
  }
  for (std::thread& run : runs) run.join();
  CHECK(failed.load() == 0);
  CHECK(count(folder.path) == 0);
}

TEST_CASE("a checksum at the end of a file finds any bit that changes, and any cut") {
  const Folder folder;
  const fs::path path = folder.path / "file";
  const auto valid = [&](const std::string& bytes) {
    write_file(path, bytes);
    return has_valid_checksum(path.string());
  };
  write_file(path, "123456789");
  append_checksum(path.string(), "named");
  const std::string whole = read_file(path);
  CHECK(whole == "123456789\xcb\xf4\x39\x26");  // the check value of CRC-32
  CHECK(valid(whole));
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    CHECK_FALSE(valid(flipped));
  }
  for (size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(valid(whole.substr(0, size)));
  CHECK_FALSE(valid(whole + '\0'));

  std::string large(1'000'000, 'x');  // more than is read at a time
  write_file(path, large);
  append_checksum(path.string(), "named");
  large = read_file(path);
  CHECK(valid(large));
  large[600'000] = 'y';
  CHECK_FALSE(valid(large));

  CHECK(has_valid_checksum((folder.path / "missing").string()));  // whoever reads it says so
  CHECK_THROWS_WITH_AS(append_checksum((folder.path / "missing").string(), "named"),
                       "named: its checksum cannot be written", Error);
}
