// CSVs of CUPTI activity: random folders of which it is known what they say, spelled at random, in
// blocks so small that rows straddle them, on one thread and on several. Then the same with bytes
// changed: whatever is wrong, every block size and number of threads says the same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/pieces.hpp"
#include "support/rounds.hpp"
#include "trace/format.hpp"

namespace kr::test::cupti_test {
namespace {

using Cells = std::vector<std::string>;

std::string any(Random& random, const std::vector<std::string>& of) {
  return of[below(random, of.size())];
}

/// How one file is spelled.
struct Spelling {
  enum class Unit { none, ns, us } unit = Unit::none;
  bool end = true;
  bool duration = false;
  std::string newline = "\n";
};

struct Member {
  std::string name, text;
};

/// A folder, and what it says: a line an operation and a call.
struct Session {
  std::vector<Member> members;
  std::vector<std::string> lines;
};

std::string quoted(Random& random, const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && below(random, 20) != 0) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string random_name(Random& random) {
  const std::vector<std::string> parts{"gemm",  "void f<(int)4, x>", "\"",   ",",   "\n",
                                       "Memcp", "\xff\xfe",          "None", "1,2", "start"};
  if (below(random, 40) == 0) return std::string(1 + below(random, 700), 'x');
  std::string out = "k";
  for (size_t i = below(random, 5); i-- > 0;) out += any(random, parts);
  return out;
}

std::string spelled_title(Random& random, const std::string& word, Spelling::Unit unit) {
  const std::vector<std::string> units =
      unit == Spelling::Unit::none ? std::vector<std::string>{""}
      : unit == Spelling::Unit::ns ? std::vector<std::string>{"_ns", " (ns)", "[nsec]", " Ns"}
                                   : std::vector<std::string>{"_us", " (us)", "[usec]", "Us"};
  std::string out = word + any(random, units);
  if (below(random, 2) == 0 && out[0] >= 'a') out[0] = static_cast<char>(out[0] - 32);
  return out;
}

/// A time in the file's own unit: nanoseconds, or microseconds with as many decimals as it needs.
std::string spelled_time(int64_t ns, bool micro) {
  if (!micro) return std::to_string(ns);
  std::string out = fmt::format("{}.{:03}", ns / 1000, ns % 1000);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out;
}

class Writer {
 public:
  explicit Writer(Random& random) : random_(&random) {
    // Of the files that tell no unit, all have the same.
    untold_micro_ = below(random, 2) == 0;
  }

  Session write() {
    file("kernel", "kernel");
    if (below(*random_, 3) != 0) file("memcpy", "gpu_memcpy");
    if (below(*random_, 3) == 0) file("memset", "gpu_memset");
    if (below(*random_, 4) != 0) file("call", "cuda_runtime");
    settle_untold();
    std::sort(session_.lines.begin(), session_.lines.end());
    return std::move(session_);
  }

 private:
  struct Record {
    std::string kind, name;
    int64_t start, duration, correlation;
    int device, stream;
  };
  struct File {
    std::string kind, name;
    Spelling spelling;
    std::vector<Record> records;
  };

  void file(const std::string& kind, const std::string& word) {
    Random& random = *random_;
    File out{kind, any(random, {"", "rank0_", "cupti_"}) + word + ".csv", {}, {}};
    out.spelling.unit = static_cast<Spelling::Unit>(below(random, 3));
    out.spelling.duration = below(random, 2) == 0;
    out.spelling.end = !out.spelling.duration || below(random, 3) == 0;
    out.spelling.newline = below(random, 3) == 0 ? "\r\n" : "\n";
    for (size_t count = below(random, 60); count-- > 0;) {
      Record record{
          kind, kind == "call" ? "cuda" + std::to_string(below(random, 4)) : random_name(random), 0,
          0, static_cast<int64_t>(below(random, 50)), static_cast<int>(below(random, 3)),
          // Times at random are none that a stream allows.
          static_cast<int>(files_.size() * 1000 + count * 4 + below(random, 4))};
      record.start = static_cast<int64_t>(1 + random() % (uint64_t{1} << below(random, 40)));
      record.duration = static_cast<int64_t>(random() % (uint64_t{1} << below(random, 30)));
      out.records.push_back(record);
    }
    files_.push_back(std::move(out));
  }

  bool untold(const File& file) const { return file.spelling.unit == Spelling::Unit::none; }

  // Microseconds without any fraction would be read as nanoseconds, which they then are.
  void settle_untold() {
    bool fraction = false;
    for (const File& file : files_) {
      if (!untold(file)) continue;
      for (const Record& record : file.records) {
        const bool here = record.start % 1000 != 0 || record.duration % 1000 != 0;
        fraction = fraction || here;
      }
    }
    if (!fraction) untold_micro_ = false;
    for (const File& file : files_) write_file(file);
  }

  void write_file(const File& file) {
    Random& random = *random_;
    const Spelling& spelling = file.spelling;
    const bool micro = untold(file) ? untold_micro_ : spelling.unit == Spelling::Unit::us;
    struct Column {
      std::string what, title;
    };
    std::vector<Column> columns{
        {"start",
         spelled_title(random, any(random, {"start", "begin", "start time"}), spelling.unit)},
        {"name", any(random, {"name", "Name", "NAME"})},
        {"correlation", any(random, {"correlation", "correlationId", "corr_id"})},
        {"device", any(random, {"device", "deviceId", "GPU"})},
        {"stream", any(random, {"stream", "Stream ID"})}};
    if (spelling.end) columns.push_back({"end", spelled_title(random, "end", spelling.unit)});
    if (spelling.duration) columns.push_back({"dur", spelled_title(random, "dur", spelling.unit)});
    if (below(random, 2) == 0) columns.push_back({"x", "grid"});
    if (below(random, 2) == 0) columns.push_back({"x", ""});
    std::shuffle(columns.begin(), columns.end(), random);
    std::string text = below(random, 4) == 0 ? "\xef\xbb\xbf" : "";
    const auto put = [&](const Cells& cells) {
      for (size_t i = 0; i < cells.size(); ++i)
        text += (i == 0 ? "" : ",") + quoted(random, cells[i]);
      text += spelling.newline;
    };
    Cells titles;
    titles.reserve(columns.size());
    for (const Column& column : columns) titles.push_back(column.title);
    put(titles);
    for (const Record& record : file.records) {
      if (below(random, 20) == 0) text += spelling.newline;
      if (below(random, 30) == 0) put(titles);
      Cells cells;
      cells.reserve(columns.size());
      for (const Column& column : columns) {
        const std::string& what = column.what;
        cells.push_back(what == "start"  ? spelled_time(record.start, micro)
                        : what == "end"  ? spelled_time(record.start + record.duration, micro)
                        : what == "dur"  ? spelled_time(record.duration, micro)
                        : what == "name" ? record.name
                        : what == "correlation" ? std::to_string(record.correlation)
                        : what == "device"      ? std::to_string(record.device)
                        : what == "stream"
                            ? std::to_string(record.stream) + (below(random, 5) == 0 ? ".0" : "")
                            : any(random, {"", "(1, 2)", "\"", "7"}));
      }
      put(cells);
      session_.lines.push_back(file.kind == "call"
                                   ? fmt::format("call {} {} {} {}", record.start, record.duration,
                                                 record.correlation, record.name)
                                   : fmt::format("{} {} {} {} {} {} {}", file.kind, record.start,
                                                 record.duration, record.correlation, record.device,
                                                 record.stream, record.name));
    }
    session_.members.push_back({file.name, std::move(text)});
  }

  Random* random_;
  bool untold_micro_;
  std::vector<File> files_;
  Session session_;
};

// --- The reader -----------------------------------------------------------------------------

struct Outcome {
  std::vector<std::string> lines;  // operations with the calls they are linked to, and calls
  std::vector<std::string> said;
  std::string error;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

class Place {
 public:
  Place() : path_((std::filesystem::temp_directory_path() / "kr-cupti-XXXXXX").string()) {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
  }
  ~Place() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  const std::string& write(const std::vector<Member>& members) const {
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      std::filesystem::remove(entry.path());
    }
    for (const Member& member : members) {
      std::ofstream(path_ + "/" + member.name, std::ios::binary) << member.text;
    }
    return path_;
  }

 private:
  std::string path_;
};

Outcome read(const std::string& path, size_t block_size, unsigned threads, bool truncated = false) {
  trace::OpenOptions options;
  options.allow_truncated = truncated;
  options.block_size = block_size;
  options.threads = threads;
  options.host = trace::HostDetail::all;
  Outcome out;
  try {
    trace::Input input(path, options);
    trace::TraceBuilder builder("t", "cupti-csv");
    trace::cupti_csv_format.read(input, builder);
    const trace::Trace trace = std::move(builder).finish();
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const trace::Operation& operation = trace.operations[i];
      const trace::OperationName& name = trace.names.get(operation.name);
      const trace::Track& track = trace.track(operation.track);
      const trace::Launch* launch = trace.host->launch(i);
      out.lines.push_back(fmt::format(
          "{} {} {} {} {} {} {}", to_string(name.kind), operation.start_ns, operation.duration_ns,
          launch == nullptr ? -1 : launch->correlation, track.device, track.stream, name.text));
    }
    for (const trace::Launch& launch : trace.host->launches) {
      out.lines.push_back(fmt::format("call {} {} {} {}", launch.start_ns, launch.duration_ns,
                                      launch.correlation, trace.host->calls[launch.call].name));
    }
    std::sort(out.lines.begin(), out.lines.end());
    for (const Warning& warning : trace.warnings) out.said.push_back(warning.text);
    for (const trace::DroppedRecords& records : trace.dropped) {
      out.said.push_back(
          fmt::format("{} {} {}", records.what, records.count, records.first_offset));
    }
  } catch (const Error& error) {
    out.error = error.what();
  }
  return out;
}

// Of operations without a call the reader knows no correlation.
std::vector<std::string> linked(const Session& session) {
  std::vector<std::string> calls;
  std::vector<std::string> out;
  const auto correlation = [](const std::string& line) {
    size_t at = 0;
    for (int i = 0; i < 3; ++i) at = line.find(' ', at) + 1;
    return line.substr(at, line.find(' ', at) - at);
  };
  for (const std::string& line : session.lines) {
    if (line.starts_with("call ")) calls.push_back(correlation(line));
  }
  for (std::string line : session.lines) {
    const std::string of = correlation(line);
    const bool known = std::find(calls.begin(), calls.end(), of) != calls.end();
    if (!line.starts_with("call ") && !known) {
      size_t at = 0;
      for (int i = 0; i < 3; ++i) at = line.find(' ', at) + 1;
      line.replace(at, of.size(), "-1");
    }
    out.push_back(std::move(line));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("a folder of activity is read as what was written") {
  const Place place;
  // A doubled quote is read as two: found in round 1.
  for (uint64_t seed = 1; seed <= rounds(80, 1); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Session session = Writer(random).write();
    const std::string& path = place.write(session.members);
    const std::vector<std::string> expected = linked(session);
    in_pieces({size_t{16}, 1 + below(random, 2000), size_t{1} << 18},
              [&](size_t block, unsigned threads) {
                const Outcome outcome = read(path, block, threads);
                CHECK(outcome.error == "");
                const bool same = outcome.lines == expected;
                CHECK(same);
              });
  }
}

TEST_CASE("what is wrong in activity does not depend on blocks and threads") {
  const Place place;
  size_t errors = 0;
  // A quote that is open at the end of a block is a mistake: found in round 2.
  const uint64_t all = rounds(100, 2);
  for (uint64_t seed = 1; seed <= all; ++seed) {
    CAPTURE(seed);
    Random random(seed * 7919);
    Session session = Writer(random).write();
    std::string& text = session.members[below(random, session.members.size())].text;
    damage_csv(random, text);
    const std::string& path = place.write(session.members);
    const bool truncated = below(random, 2) == 0;
    const bool error = same_in_pieces(
        {size_t{16}, 1 + below(random, 500)},
        [&](size_t block, unsigned threads) { return read(path, block, threads, truncated); });
    errors += error ? 1 : 0;
  }
  CHECK(errors > all / 5);
}

}  // namespace kr::test::cupti_test
