#include "processes/job.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/file.hpp"
#include "base/part_file.hpp"
#include "saved/merge.hpp"
#include "support/rules.hpp"
#include "threads.hpp"

namespace fs = std::filesystem;
using namespace kr;
using classify::RunSpec;
using processes::JobResult;
using test::Team;

namespace {

constexpr size_t ranks = 9;
// Fewer than files, and one less than them.
constexpr std::array<size_t, 5> team_sizes{1, 2, 3, 5, 8};
constexpr const char* rules_text = R"(
engine e {
  substage { gemm: "gemm"  comm: "nccl"  misc: otherwise }
  kind { communication: "nccl" }
}
)";

/// A trace in Kineto's format. Those of 0, 3 and 6 are the largest, of one size; then 1, 4 and 7.
std::string trace_of(size_t rank) {
  std::string events;
  const size_t operations = 60 - rank % 3 * 20;
  for (size_t i = 0, now = 1000; i < operations; ++i) {
    const size_t length = 5 + (i * 7 + rank * 3) % 31;
    events +=
        fmt::format(R"({}{{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":{},)"
                    R"("args":{{"device":0,"stream":7,"correlation":{}}}}})",
                    i == 0 ? "" : ",", i % 3 == 2 ? "ncclAllReduce" : "gemm_a", now, length, i);
    now += length + 2;
  }
  std::string text = fmt::format(
      R"({{"distributedInfo":{{"backend":"nccl","rank":{},"world_size":{}}},"traceEvents":[{}]}})",
      rank, ranks, events);
  text.resize(operations * 200, ' ');
  return text;
}

/// The ranks of a job in a folder: traces, and what is to be saved of each.
class Ranks {
 public:
  Ranks() : folder_(temporary_folder() / "kr-test-processes", "the test") {
    ::setenv("TMPDIR", folder_.path().c_str(), 1);
    rules_ = test::compile(rules_text);
    const processes::SaveFile save = processes::file_saver(rules_, {});
    std::vector<std::string> parts;
    for (size_t rank = 0; rank < ranks; ++rank) {
      files.push_back({path(fmt::format("rank{}.json", rank))});
      write_file(files.back().path, trace_of(rank));
      save(files.back(), saved(files.back()));
      parts.push_back(saved(files.back()));
    }
    saved::merge(parts, path("whole.krun"), "whole.krun");
    whole = read_file(path("whole.krun"));
    // Equal sizes keep their order.
    largest_first = {0, 3, 6, 1, 4, 7, 2, 5, 8};
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string saved(const RunSpec& file) const { return file.path + ".krun"; }
  const match::CompiledRules& rules() const noexcept { return rules_; }
  /// In place of saving: what was saved before.
  void copy(const RunSpec& file, const std::string& location) const {
    fs::copy_file(saved(file), location);
  }
  /// A file more, which has what was saved of another.
  RunSpec add_copy(const std::string& name, const RunSpec& of) const {
    const RunSpec copy{path(name)};
    write_file(copy.path, "x");
    write_file(saved(copy), read_file(saved(of)));
    return copy;
  }

  std::vector<RunSpec> files;
  std::vector<size_t> largest_first;  // places in `files`
  std::string whole;                  // the merged runs

 private:
  PartFolder folder_;
  match::CompiledRules rules_;
};

const Ranks& job_ranks() {
  static const Ranks all;
  return all;
}

struct Outcome {
  bool killed = false;
  JobResult result;   // of process 0
  std::string error;  // of process 0
  std::vector<JobResult> others;
  std::string bytes;  // of what was written
};

Outcome run(Team& team, const std::vector<RunSpec>& files, const processes::SaveFile& save,
            bool keep_going = false, const std::string& name = "job.krun") {
  const std::string location = job_ranks().path(name);
  fs::remove(location);
  Outcome outcome;
  std::mutex mutex;
  team.run([&](processes::Processes& processes) {
    processes::Job job(files, save);
    try {
      JobResult result = job.run(processes, keep_going, location, "job.krun");
      const std::lock_guard lock(mutex);
      (processes.number() == 0 ? outcome.result : outcome.others.emplace_back()) = result;
    } catch (const std::exception& error) {
      CHECK(processes.number() == 0);
      outcome.error = error.what();
    }
  });
  outcome.killed = team.killed() > 0;
  if (fs::exists(location)) outcome.bytes = read_file(location);
  if (outcome.killed) {
    CHECK(team.killed() + team.ended() == team.count());
    return outcome;
  }
  CHECK(team.agrees());
  CHECK(outcome.others.size() == team.count() - 1);
  if (!outcome.error.empty()) return outcome;
  CHECK(outcome.result.written == !outcome.bytes.empty());
  for (const JobResult& other : outcome.others) {
    CHECK_FALSE(other.written);
    CHECK(other.failures.size() == outcome.result.failures.size());
  }
  return outcome;
}

void copy(const RunSpec& file, const std::string& location) {
  job_ranks().copy(file, location);
}

/// What is said of the files that failed, a line each.
std::string failures_of(const JobResult& result) {
  std::string lines;
  for (const processes::FileFailure& one : result.failures) {
    std::string what = one.what;
    const std::string folder = job_ranks().path("");
    for (size_t at = 0; (at = what.find(folder)) != std::string::npos;) {
      what.erase(at, folder.size());
    }
    lines += fmt::format("{}: {}\n", one.file, what);
  }
  return lines;
}

}  // namespace

TEST_CASE("any number of processes writes the same bytes, in any order of files") {
  const Ranks& all = job_ranks();
  std::mt19937 random(7);
  for (const size_t count : team_sizes) {
    for (int round = 0; round < 3; ++round) {
      std::vector<RunSpec> files = all.files;
      std::shuffle(files.begin(), files.end(), random);
      std::vector<int> pauses;
      for (size_t i = 0; i < ranks; ++i) pauses.push_back(static_cast<int>(random() % 3000));
      Team team(count);
      const Outcome outcome =
          run(team, files, [&](const RunSpec& file, const std::string& location) {
            const auto at = std::find_if(files.begin(), files.end(),
                                         [&](const RunSpec& one) { return one.path == file.path; });
            std::this_thread::sleep_for(
                std::chrono::microseconds(pauses[static_cast<size_t>(at - files.begin())]));
            copy(file, location);
          });
      CHECK(outcome.result.runs == ranks);
      CHECK(failures_of(outcome.result).empty());
      CHECK(outcome.bytes == all.whole);
    }
  }
}

TEST_CASE("traces and saved runs may be files of one job") {
  const Ranks& all = job_ranks();
  const processes::SaveFile save = processes::file_saver(all.rules(), {});
  std::vector<RunSpec> files = all.files;
  files[4].path = all.saved(files[4]);
  files[0].path = all.saved(files[0]);
  Team team(1);
  CHECK(run(team, files, save).bytes == all.whole);
  files[4].engine = "e";
  Team again(1);
  CHECK(failures_of(run(again, files, save).result) ==
        "4: rank4.json.krun: has the engine, model and elapsed time that it was saved with; name "
        "only the file\n");
}

TEST_CASE("one process reads the largest file first") {
  const Ranks& all = job_ranks();
  std::vector<std::string> order, expected;
  for (const size_t file : all.largest_first) expected.push_back(all.files[file].path);
  Team team(1);
  run(team, all.files, [&](const RunSpec& file, const std::string& location) {
    order.push_back(file.path);
    copy(file, location);
  });
  CHECK(order == expected);
}

TEST_CASE("a process that is busy gets no other file; each is read once") {
  const Ranks& all = job_ranks();
  for (const size_t count : team_sizes) {
    if (count == 1) continue;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::thread::id, std::vector<std::string>> read;
    std::thread::id busy;
    size_t done = 0;
    Team team(count);
    const Outcome outcome =
        run(team, all.files, [&](const RunSpec& file, const std::string& location) {
          std::unique_lock lock(mutex);
          read[std::this_thread::get_id()].push_back(file.path);
          if (file.path == all.files[all.largest_first[0]].path) {
            busy = std::this_thread::get_id();
            changed.wait(lock, [&] { return done == ranks - 1; });
          }
          lock.unlock();
          copy(file, location);
          lock.lock();
          ++done;
          changed.notify_all();
        });
    CHECK(outcome.bytes == all.whole);
    CHECK(read[busy].size() == 1);
    std::vector<std::string> files;
    for (const auto& [thread, paths] : read) {
      files.insert(files.end(), paths.begin(), paths.end());
      // Each process by itself goes from large to small.
      CHECK(std::is_sorted(paths.begin(), paths.end(), [&](const auto& a, const auto& b) {
        return fs::file_size(a) > fs::file_size(b);
      }));
    }
    std::sort(files.begin(), files.end());
    CHECK(files.size() == ranks);
    CHECK(std::adjacent_find(files.begin(), files.end()) == files.end());
  }
}

TEST_CASE("a file that cannot be read ends the job, once each process is done with its file") {
  const Ranks& all = job_ranks();
  for (const size_t count : team_sizes) {
    std::atomic<size_t> read = 0;
    Team team(count);
    const Outcome outcome =
        run(team, all.files, [&](const RunSpec& file, const std::string& location) {
          ++read;
          if (file.path == all.files[0].path) {
            // So that each process has one.
            while (read < team.count()) std::this_thread::yield();
            throw Error(file.path, "is broken");
          }
          team.wait_until_stopped();
          copy(file, location);
        });
    CHECK(read == count);
    CHECK(failures_of(outcome.result) == "0: rank0.json: is broken\n");
    CHECK(outcome.bytes.empty());
  }
}

TEST_CASE("with keep_going the other files are merged") {
  const Ranks& all = job_ranks();
  std::vector<std::string> parts;
  for (size_t i = 0; i < ranks; ++i) {
    if (i != 2 && i != 5) parts.push_back(all.saved(all.files[i]));
  }
  saved::merge(parts, all.path("seven.krun"), "seven.krun");
  const std::string seven = read_file(all.path("seven.krun"));
  for (const size_t count : team_sizes) {
    Team team(count);
    std::vector<RunSpec> files = all.files;
    files[5].path = all.path("missing.json");
    const Outcome outcome = run(
        team, files,
        [&](const RunSpec& file, const std::string& location) {
          if (file.path == files[2].path) throw std::bad_alloc();
          copy(file, location);
        },
        true);
    CHECK(outcome.result.runs == ranks - 2);
    CHECK(failures_of(outcome.result)
              .starts_with("2: rank2.json: there is not enough memory to read it\n5: "));
    CHECK(outcome.bytes == seven);
    Team none(count);
    const Outcome nothing = run(
        none, all.files,
        [](const RunSpec& file, const std::string&) { throw Error(file.path, "is broken"); }, true);
    CHECK(nothing.result.failures.size() == ranks);
    CHECK(nothing.bytes.empty());
  }
}

TEST_CASE("a run that is there twice, and one of other rules, are failures of the later file") {
  const Ranks& all = job_ranks();
  const RunSpec copied = all.add_copy("copied.json", all.files[3]);
  const RunSpec other{all.path("other.json")};
  write_file(other.path, trace_of(ranks));
  const match::CompiledRules rules =
      test::compile(R"(engine e { substage { gemm: "gemm"  misc: otherwise } })");
  processes::file_saver(rules, {})(other, all.saved(other));
  fs::remove(all.path("linked.json"));
  fs::create_hard_link(all.files[1].path, all.path("linked.json"));
  std::vector<RunSpec> files = all.files;
  files.insert(files.begin() + 4, copied);
  files.insert(files.begin() + 6, other);
  files.push_back({all.path("linked.json")});
  for (const size_t count : team_sizes) {
    Team team(count);
    const Outcome outcome = run(team, files, copy, true);
    CHECK(failures_of(outcome.result) ==
          "4: copied.json: contains the same run as rank3.json; name each run once\n"
          "6: other.json: was labelled by other rules than rank0.json; save both with the same "
          "rules\n"
          "11: linked.json: is the same file as rank1.json; name each file once\n");
    CHECK(outcome.bytes == all.whole);
    Team strict(count);
    const Outcome refused = run(strict, files, copy);
    // Nothing is read: this is known before.
    CHECK(failures_of(refused.result) ==
          "11: linked.json: is the same file as rank1.json; name each file once\n");
    CHECK(refused.bytes.empty());
  }
}

TEST_CASE("a process that is killed ends the others, and nothing is written") {
  const Ranks& all = job_ranks();
  for (const size_t count : {size_t{1}, size_t{2}, size_t{3}, size_t{5}}) {
    // While it reads.
    Team reading(count);
    std::atomic<size_t> read = 0;
    const Outcome outcome =
        run(reading, all.files, [&](const RunSpec& file, const std::string& location) {
          if (++read == ranks / 2) throw test::Killed();
          copy(file, location);
        });
    CHECK(outcome.killed);
    CHECK(outcome.bytes.empty());

    // Before each of its calls, until it makes no more.
    for (size_t process = 0; process < count; ++process) {
      bool survived = false;
      for (size_t call = 0; !survived; ++call) {
        Team team(count, test::Death{process, call});
        const Outcome killed = run(team, all.files, copy);
        survived = !killed.killed;
        CHECK(killed.bytes == (survived ? all.whole : std::string()));
        REQUIRE(call < 3 * ranks);
      }
    }
  }
}

TEST_CASE("an error of merging, in any process, is thrown by process 0") {
  const Ranks& all = job_ranks();
  for (const size_t count : team_sizes) {
    Team unwritable(count);
    CHECK(run(unwritable, all.files, copy, false, "missing/job.krun").error.find("job.krun") !=
          std::string::npos);
    for (size_t process = 0; process < count; ++process) {
      std::mutex mutex;
      std::map<std::thread::id, std::vector<std::string>> locations;
      std::atomic<size_t> started = 0;
      Team team(count);
      // What it saved is lost before it is merged.
      team.after_exchange = [&](size_t number, size_t n) {
        if (number != process || n != 2) return;
        const std::lock_guard lock(mutex);
        for (const std::string& location : locations[std::this_thread::get_id()]) {
          fs::remove(location);
        }
      };
      const Outcome outcome =
          run(team, all.files, [&](const RunSpec& file, const std::string& location) {
            // Each process has a file.
            ++started;
            while (started < team.count()) std::this_thread::yield();
            {
              const std::lock_guard lock(mutex);
              locations[std::this_thread::get_id()].push_back(location);
            }
            copy(file, location);
          });
      CHECK_FALSE(outcome.error.empty());
      CHECK(outcome.bytes.empty());
    }
  }
}

TEST_CASE("standard input is not the file of a job") {
  CHECK_THROWS_AS(processes::Job({RunSpec{"-"}}, copy), Error);
}

TEST_CASE("nothing is left of the folders") {
  std::vector<std::string> left;
  for (const auto& one : fs::directory_iterator(fs::path(job_ranks().path("")))) {
    if (one.path().extension() == ".part") left.push_back(one.path().string());
  }
  CHECK(left == std::vector<std::string>{});
}
