// The CSV reader against an obvious one: whole text in memory, one byte after the other, no
// threads. Random reports with everything that a report may hold; blocks so small that rows
// straddle them. Then the same with bytes changed: whatever is wrong, every block size and number
// of threads says the same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/pieces.hpp"
#include "support/rounds.hpp"
#include "trace/format.hpp"

namespace kr::test::csv_test {
namespace {

template <size_t N>
std::string_view any(Random& random, const std::array<std::string_view, N>& of) {
  return of[below(random, N)];
}

// --- The obvious reader ---------------------------------------------------------------------

using Record = std::vector<std::string>;

struct SlowReader {
  std::string_view text;
  size_t at = 0;
  std::vector<std::string> out;

  std::string line() const {
    const size_t end = text.find('\n', at);
    return std::string(text.substr(at, end == text.npos ? end : end - at));
  }
  void skip_line() {
    const size_t end = text.find('\n', at);
    at = end == text.npos ? text.size() : end + 1;
  }
  Record record() {
    Record cells(1);
    bool inside = false;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (inside) {
        if (c != '"') {
          cells.back() += c;
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          cells.back() += text[++at];
        } else {
          inside = false;
        }
      } else if (c == '"') {
        inside = true;
      } else if (c == ',') {
        cells.emplace_back();
      } else if (c == '\n') {
        ++at;
        break;
      } else if (c != '\r' || (at + 1 < text.size() && text[at + 1] != '\n')) {
        cells.back() += c;
      }
    }
    return cells;
  }
  static int64_t ns(const std::string& text, int digits) {
    const size_t point = text.find('.');
    std::string fraction = point == text.npos ? "" : text.substr(point + 1);
    fraction.resize(static_cast<size_t>(digits), '0');
    return std::stoll(text.substr(0, point) + fraction);
  }
  void section() {
    Record titles = record();
    std::array<size_t, 5> place{};
    std::array<int, 2> digits{};
    constexpr std::array<std::string_view, 5> wanted{"Start", "Duration", "Device", "Strm", "Name"};
    for (size_t i = 0; i < titles.size(); ++i) {
      for (size_t j = 0; j < wanted.size(); ++j) {
        if (titles[i].substr(0, titles[i].find(" (")) == wanted[j]) place[j] = i;
      }
    }
    for (size_t j = 0; j < 2; ++j) {
      digits[j] = titles[place[j]].find("(us)") != std::string::npos ? 3 : 0;
    }
    while (at < text.size()) {
      const std::string head = line();
      if (head.empty() || head == "\r") {
        skip_line();
        continue;
      }
      if (head.starts_with("Processing") || head.find("Start (") != head.npos) return;
      const Record row = record();
      const std::string& stream = row[place[3]];
      out.push_back(fmt::format("{} {} {} {} {}", ns(row[place[0]], digits[0]),
                                ns(row[place[1]], digits[1]), row[place[2]],
                                stream.empty() || stream == "None" ? "0" : stream, row[place[4]]));
    }
  }
  std::vector<std::string> read() {
    if (text.starts_with("\xef\xbb\xbf")) at = 3;
    while (at < text.size()) {
      if (line().find("Start (") != std::string::npos) {
        section();
      } else {
        skip_line();
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }
};

// --- Random reports -------------------------------------------------------------------------

std::string random_name(Random& random) {
  constexpr std::array<std::string_view, 16> parts{
      "gemm", "void f<(int)4, x>", "\"",  ",", "\n",  "\r\n",  " ",    "[CUDA memcpy HtoD]",
      "None", "\xff\xfe",          "kv_", "",  "1,2", "Start", "NVTX", "\r"};
  if (below(random, 40) == 0) return std::string(below(random, 700), 'x');
  std::string out;
  for (size_t i = below(random, 6); i-- > 0;) out += any(random, parts);
  while (out.ends_with('\r')) out.pop_back();
  return out;
}

std::string cell(Random& random, std::string_view text) {
  const bool needed = text.find_first_of(",\"\n\r") != text.npos;
  if (!needed && below(random, 25) != 0) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string random_time(Random& random, bool microseconds) {
  // All within a day, and none at 0.
  const size_t value = 1 + random() % (size_t{1} << below(random, 36));
  if (!microseconds) return std::to_string(value);
  constexpr std::array<std::string_view, 4> fractions{".000", ".125", ".999", ".5"};
  return std::to_string(value) + std::string(any(random, fractions));
}

std::string random_section(Random& random) {
  std::array<bool, 2> micro{below(random, 3) == 0, below(random, 3) == 0};
  std::vector<std::string> titles{micro[0] ? "Start (us)" : "Start (ns)",
                                  micro[1] ? "Duration (us)" : "Duration (ns)",
                                  "CorrId",
                                  "GrdX",
                                  "Device",
                                  "Ctx",
                                  "Strm",
                                  "Name"};
  if (below(random, 3) == 0) titles.insert(titles.begin() + 6, "GreenCtx");
  if (below(random, 3) == 0) std::shuffle(titles.begin(), titles.end(), random);
  const std::string newline = below(random, 3) == 0 ? "\r\n" : "\n";
  constexpr std::array<std::string_view, 5> devices{"H100 (0)", "H100 (1)", "A \"x\" (2)",
                                                    "B, C (12)", "GPU (3)"};
  constexpr std::array<std::string_view, 4> streams{"7", "13", "", "None"};
  std::string out;
  const auto put = [&](const Record& row) {
    for (size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : ",") + cell(random, row[i]);
    out += newline;
  };
  put(titles);
  for (size_t count = below(random, 60); count-- > 0;) {
    if (below(random, 20) == 0) out += newline;
    Record row;
    for (const std::string& title : titles) {
      if (title.starts_with("Start"))
        row.push_back(random_time(random, micro[0]));
      else if (title.starts_with("Duration"))
        row.push_back(random_time(random, micro[1]));
      else if (title == "Device")
        row.emplace_back(any(random, devices));
      else if (title == "Strm")
        row.emplace_back(any(random, streams));
      else if (title == "Name")
        row.push_back(random_name(random));
      else
        row.emplace_back(below(random, 2) == 0 ? "" : "12");
    }
    put(row);
  }
  return out;
}

std::string random_report(Random& random) {
  std::string out = below(random, 4) == 0 ? "\xef\xbb\xbf" : "";
  for (size_t sections = 1 + below(random, 3); sections-- > 0;) {
    if (below(random, 2) == 0) out += "Processing [it's a.sqlite] with [x.py]... \n";
    out += random_section(random);
  }
  return out;
}

// --- The reader -----------------------------------------------------------------------------

struct Outcome {
  std::vector<std::string> rows;
  std::string error;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome read(std::string_view text, size_t block_size, unsigned threads, bool truncated = false) {
  trace::OpenOptions options;
  options.allow_truncated = truncated;
  options.block_size = block_size;
  options.threads = threads;
  Outcome out;
  try {
    trace::Input input(text, "t", options);
    trace::TraceBuilder builder("t", "csv");
    trace::gpu_trace_csv_format.read(input, builder);
    const trace::Trace trace = std::move(builder).finish();
    for (const trace::Operation& operation : trace.operations) {
      const trace::Track& track = trace.track(operation.track);
      out.rows.push_back(fmt::format("{} {} {} ({}) {} {}", operation.start_ns,
                                     operation.duration_ns, track.device_name, track.device,
                                     track.stream, trace.names.get(operation.name).text));
    }
    std::sort(out.rows.begin(), out.rows.end());
    for (const Warning& warning : trace.warnings) out.rows.push_back(warning.text);
  } catch (const Error& error) {
    out.error = error.what();
  }
  return out;
}

// With warnings left out, as the obvious reader gives none.
std::vector<std::string> rows_of(Outcome outcome) {
  std::erase_if(outcome.rows, [](const std::string& row) {
    return row.starts_with("t contains") || row.starts_with("The report");
  });
  return outcome.rows;
}

}  // namespace

TEST_CASE("the reader reads what an obvious one reads") {
  // A doubled quote is read as two: found in round 1.
  for (uint64_t seed = 1; seed <= rounds(150, 1); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::string text = random_report(random);
    const std::vector<std::string> expected = SlowReader{text, 0, {}}.read();
    in_pieces({size_t{16}, size_t{64}, 1 + below(random, 2000), size_t{1} << 18},
              [&](size_t block, unsigned threads) {
                const Outcome outcome = read(text, block, threads);
                CHECK(outcome.error == "");
                const bool same = rows_of(outcome) == expected;
                CHECK(same);
              });
  }
}

TEST_CASE("what is wrong does not depend on blocks and threads") {
  size_t errors = 0;
  // A quote that is open at the end of a block is a mistake: found in round 1.
  const uint64_t all = rounds(200, 1);
  for (uint64_t seed = 1; seed <= all; ++seed) {
    CAPTURE(seed);
    Random random(seed * 7919);
    std::string text = random_report(random);
    damage_csv(random, text);
    const bool truncated = below(random, 2) == 0;
    const bool error = same_in_pieces(
        {size_t{16}, 1 + below(random, 500), size_t{100000}},
        [&](size_t block, unsigned threads) { return read(text, block, threads, truncated); });
    errors += error ? 1 : 0;
  }
  CHECK(errors > all / 15);
}

}  // namespace kr::test::csv_test
