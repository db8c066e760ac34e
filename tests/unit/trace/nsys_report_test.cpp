// Reports of nsys, through programs that stand in for it.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "base/file.hpp"
#include "base/sqlite.hpp"
#include "support.hpp"

namespace kr::test::nsys_report_test {
namespace {

namespace fs = std::filesystem;

// A folder with a report, an export to hand out, and an nsys.
class Bench {
 public:
  Bench() {
    folder.write("run 1.nsys-rep", std::string("\x00\x01\x02report", 9));
    const auto base = sqlite::Database::write(folder.path("export"));
    base.execute(
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES (3, 'three');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 3);");
  }
  // `body` sees the folder as $here; $7 is the export to write, $8 the report.
  void nsys(const std::string& body) {
    options.nsys_command = folder.path("my nsys");
    folder.write("my nsys", "#!/bin/sh\nhere='" + folder.path("") +
                                "'\necho \"$@\" >> \"$here/called\"\n" + body + "\n");
    fs::permissions(options.nsys_command, fs::perms::owner_all);
  }
  std::string error() const { return error_of(report(), options); }
  std::string report() const { return folder.path("run 1.nsys-rep"); }
  std::string beside() const { return folder.path("run 1.sqlite"); }
  size_t calls() const {
    if (!fs::exists(folder.path("called"))) return 0;
    const std::string text = read_file(folder.path("called"));
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  Folder folder;
  trace::OpenOptions options;
};

const char* const copy_export = "cp \"$here/export\" \"$7\"";

}  // namespace

TEST_CASE("a report is exported beside itself, and not again while that is newer") {
  Bench bench;
  bench.nsys(copy_export);
  const trace::Trace trace = trace::open_trace(bench.report(), bench.options);
  CHECK(trace.format == "nsys-rep");
  CHECK(trace.source == bench.report());
  CHECK(dump(trace) == "1 1 kernel GPU (0) 0 three\n");
  CHECK(fs::exists(bench.beside()));
  const std::string call = read_file(bench.folder.path("called"));
  CHECK(call.starts_with("export --type sqlite --force-overwrite true -o "));
  CHECK(call.ends_with("run 1.nsys-rep\n"));
  CHECK(bench.calls() == 1);

  fs::last_write_time(bench.beside(),
                      fs::last_write_time(bench.report()) + std::chrono::seconds(1));
  trace::open_trace(bench.report(), bench.options);
  CHECK(bench.calls() == 1);

  // Of the same time, older, or empty: exported again.
  fs::last_write_time(bench.beside(), fs::last_write_time(bench.report()));
  trace::open_trace(bench.report(), bench.options);
  CHECK(bench.calls() == 2);
  bench.folder.write("run 1.sqlite", "");
  fs::last_write_time(bench.beside(),
                      fs::last_write_time(bench.report()) + std::chrono::seconds(9));
  trace::open_trace(bench.report(), bench.options);
  CHECK(bench.calls() == 3);
}

TEST_CASE("a packed report and one with an older ending") {
  Bench bench;
  bench.nsys(copy_export);
  const std::string bytes = read_file(bench.report());
  const std::string packed = bench.folder.write("p.nsys-rep.gz", gzip(bytes));
  CHECK(trace::open_trace(packed, bench.options).operations.size() == 1);
  CHECK(!fs::exists(bench.folder.path("p.sqlite")));
  const std::string old = bench.folder.write("old.qdrep", bytes);
  CHECK(trace::open_trace(old, bench.options).operations.size() == 1);
}

TEST_CASE("somebody's own file beside a report is left alone") {
  Bench bench;
  bench.nsys(copy_export);
  bench.folder.write("run 1.sqlite", "my notes");
  fs::last_write_time(bench.beside(),
                      fs::last_write_time(bench.report()) - std::chrono::seconds(9));
  CHECK(trace::open_trace(bench.report(), bench.options).operations.size() == 1);
  CHECK(read_file(bench.beside()) == "my notes");
}

TEST_CASE("an nsys that is not there, fails, is killed, hangs or writes nothing") {
  Bench bench;
  const std::string path = bench.report();
  bench.options.nsys_command = "no-such-nsys";
  CHECK(bench.error() == path +
                             ": an nsys report is read through `no-such-nsys export`, which cannot "
                             "be run: No such file or directory; name the program with --nsys-cmd, "
                             "or export the report where nsys is: `nsys export --type sqlite`");

  bench.nsys("echo one; echo two >&2; echo three; echo 'cannot open \033[1mfile' >&2; exit 3");
  const std::string command = bench.options.nsys_command;
  CHECK(bench.error() ==
        fmt::format("{}: `{} export` failed with exit status 3: two / three / cannot open "
                    "\\x1b[1mfile; a report can be read by the nsys that wrote it, or a newer one",
                    path, command));

  bench.nsys("kill -9 $$");
  CHECK(bench.error() ==
        fmt::format("{}: `{} export` was killed by signal 9 (Killed), silently", path, command));

  bench.nsys("echo done");
  CHECK(bench.error() == fmt::format("{}: `{} export` succeeded, but wrote no file: done; "
                                     "run it manually: `nsys export --type sqlite`",
                                     path, command));

  // Its child is ended with it.
  bench.nsys("(sleep 3; touch \"$here/late\") & sleep 60");
  bench.options.nsys_timeout_seconds = 1;
  const auto begin = std::chrono::steady_clock::now();
  CHECK(bench.error() == fmt::format("{}: `{} export` did not finish and was stopped; run it "
                                     "manually: `nsys export --type sqlite`",
                                     path, command));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  ::sleep(3);
  CHECK(!fs::exists(bench.folder.path("late")));

  // One that goes on talking does not hang.
  bench.nsys(std::string("for i in 1 2 3 4; do sleep 0.4; echo $i; done; ") + copy_export);
  CHECK(bench.error().empty());
}

TEST_CASE("a failed export leaves nothing behind and harms nothing") {
  Bench bench;
  bench.nsys(copy_export);
  trace::open_trace(bench.report(), bench.options);
  const std::string before = read_file(bench.beside());
  fs::last_write_time(bench.beside(),
                      fs::last_write_time(bench.report()) - std::chrono::seconds(9));
  bench.nsys("echo partial > \"$7\"; exit 1");
  CHECK(!bench.error().empty());
  CHECK(read_file(bench.beside()) == before);
  for (const auto& entry : fs::directory_iterator(bench.folder.path(""))) {
    CHECK(entry.path().filename().string().front() != '.');
  }
}

TEST_CASE("an export that is no nsys export is refused by its own name") {
  Bench bench;
  bench.nsys("echo hello > \"$7\"");
  CHECK(bench.error().find("is not an SQLite database") != std::string::npos);
}

}  // namespace kr::test::nsys_report_test
