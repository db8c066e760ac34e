// Every form that tests/data/make_traces.py writes one session in, against what it says.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "base/file.hpp"
#include "support.hpp"
#include "support/source_folder.hpp"
#include "trace/subprocess.hpp"

namespace kr::test::dialects_test {
namespace {

// Written once; null where there is no Python.
const Folder* session() {
  static const Folder folder;
  static const bool made = [] {
    const trace::Finished run = trace::run_program(
        {"python3", test::source_folder() + "/tests/data/make_traces.py", folder.path("")}, 0);
    if (run.how == trace::Finished::How::not_found) {
      MESSAGE("no python3: skipped");
      return false;
    }
    REQUIRE_MESSAGE(run.status == 0, run.output);
    return true;
  }();
  return made ? &folder : nullptr;
}

// Standard input from a file, until the object goes.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(::dup(STDIN_FILENO)) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ::dup2(file, STDIN_FILENO);
    ::close(file);
  }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

}  // namespace

TEST_CASE("each dialect and schema of a session is the same trace") {
  const Folder* folder = session();
  if (folder == nullptr) return;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder->path(""))) {
    const std::string path = entry.path().string();
    if (!std::filesystem::exists(path + ".expected")) continue;
    CAPTURE(path);
    const trace::Trace trace = trace::open_trace(path);
    const bool same = dump(trace) == read_file(path + ".expected");
    CHECK(same);
    const bool milliseconds = path.find("trace.ms") != path.npos;
    CHECK(trace.inexact.empty() != milliseconds);
    const bool others = path.find("other-reports") != path.npos;
    CHECK(trace.dropped.empty() != others);
    ++files;
  }
  CHECK(files == 30);
}

TEST_CASE("packed and piped traces are the same trace") {
  const Folder* folder = session();
  if (folder == nullptr) return;
  for (const char* name : {"trace.console.csv", "2026.sqlite"}) {
    CAPTURE(name);
    const std::string bytes = read_file(folder->path(name));
    const std::string expected = read_file(folder->path(std::string(name) + ".expected"));
    const size_t half = bytes.size() / 2;
    // The name does not tell how it is packed.
    const std::pair<const char*, std::string> forms[] = {
        {"one.gz", gzip(bytes)},
        {"two.txt", gzip(bytes.substr(0, half)) + gzip("") + gzip(bytes.substr(half))},
        {"padded.gz", gzip(bytes) + std::string(1024, '\0')},
        {"one.zst", zstd(bytes)},
        {"two.csv", zstd(bytes.substr(0, half)) + zstd(bytes.substr(half))},
        {"plain", bytes},
    };
    for (const auto& [form, packed] : forms) {
      const std::string name = form;  // clang 14 captures no structured binding
      CAPTURE(name);
      const std::string path = folder->write(form, packed);
      const bool same = dump(trace::open_trace(path)) == expected;
      CHECK(same);
      const StandardInput input(path);
      const trace::Trace piped = trace::open_trace("-");
      CHECK(piped.source == "-");
      const bool same_piped = dump(piped) == expected;
      CHECK(same_piped);
    }
  }
}

TEST_CASE("progress goes to the end") {
  const Folder* folder = session();
  if (folder == nullptr) return;
  for (const char* name : {"trace.2023.csv", "2026.sqlite"}) {
    trace::Progress progress;
    trace::OpenOptions options;
    options.progress = &progress;
    trace::open_trace(folder->path(name), options);
    CHECK(progress.total > 0);
    CHECK(progress.done == progress.total);
  }
}

TEST_CASE("packed files that are cut off are read to the cut when that is allowed") {
  const Folder* folder = session();
  if (folder == nullptr) return;
  const std::string bytes = read_file(folder->path("trace.2023.csv"));
  const size_t all = trace::open_trace(folder->path("trace.2023.csv")).operations.size();
  const size_t half = bytes.size() / 2;
  // A frame of zstd is unpacked in blocks that are larger than this file: here it has two frames.
  const std::string frames = zstd(bytes.substr(0, half)) + zstd(bytes.substr(half));
  CHECK(error_of(folder->write("cut", zstd(bytes).substr(0, 999)))
            .find("the compressed file is cut off") != std::string::npos);
  for (std::string packed : {gzip(bytes), frames}) {
    packed.resize(packed.size() * 2 / 3);
    const std::string path = folder->write("cut", packed);
    CHECK(error_of(path).find("the compressed file is cut off here") != std::string::npos);
    trace::OpenOptions options;
    options.allow_truncated = true;
    const trace::Trace trace = trace::open_trace(path, options);
    CHECK(trace.operations.size() < all);
    REQUIRE(trace.warnings.size() == 1);
    CHECK(trace.warnings[0].text.find("is cut off: its text ends at byte ") != std::string::npos);
  }
}

}  // namespace kr::test::dialects_test
