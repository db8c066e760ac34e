// Which files a call about traces may name, and when it is about the same runs.
#include "mcp/traces.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "base/json_read.hpp"

namespace kr::test::mcp_traces_test {

namespace fs = std::filesystem;
using mcp::Arguments;
using mcp::Folders;
using mcp::RunsAsked;

class Scratch {
 public:
  Scratch() {
    fs::create_directories(path_ / "open");
    for (const char* name : {"open/run.csv", "open/peaks.tsv", "outside.tsv"}) write(name, "x");
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  RunsAsked asked(const std::string& json) const {
    const JsonValue value = parse_json(json, "");
    Arguments arguments(value);
    RunsAsked runs = RunsAsked::of(arguments, Folders({(path_ / "open").string()}));
    arguments.check_all_known();
    return runs;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_ = fs::temp_directory_path() / ("kr-mcp-traces-" + std::to_string(getpid()));
};

TEST_CASE("a file of peaks is below the folders, and a part of what is asked") {
  const Scratch folder;
  const RunsAsked with = folder.asked(R"({"runs":["run.csv"],"peaks":"peaks.tsv"})");
  CHECK(with.options.peaks == fs::canonical(folder.path() / "open" / "peaks.tsv").string());
  const std::string key = with.key();
  CHECK(key != folder.asked(R"({"runs":["run.csv"]})").key());
  CHECK(key == folder.asked(R"({"runs":["run.csv"],"peaks":"./peaks.tsv"})").key());
  // Other peaks in the file are other results.
  folder.write("open/peaks.tsv", "more");
  CHECK(key != folder.asked(R"({"runs":["run.csv"],"peaks":"peaks.tsv"})").key());

  REQUIRE(mkfifo((folder.path() / "open" / "pipe").c_str(), 0600) == 0);
  for (const char* const peaks : {"../outside.tsv", "none.tsv", ".", "pipe", "/etc/passwd"}) {
    CAPTURE(peaks);
    CHECK_THROWS_AS(folder.asked(std::string(R"({"runs":["run.csv"],"peaks":")") + peaks + "\"}"),
                    Error);
  }
  CHECK_THROWS_AS(folder.asked(R"({"runs":["run.csv"],"peaks":["peaks.tsv"]})"), Error);
}

}  // namespace kr::test::mcp_traces_test
