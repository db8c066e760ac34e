// Pages of ncu: random pages in both forms of which it is known what they say, in blocks so small
// that rows straddle them, on one thread and on several; then the same with bytes changed.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/pieces.hpp"
#include "support/rounds.hpp"
#include "trace/format.hpp"

namespace kr::test::ncu_test {
namespace {

using Lines = std::vector<std::string>;

std::string any(Random& random, const Lines& of) {
  return of[below(random, of.size())];
}

struct Kernel {
  int64_t id, duration_ns;
  int device, stream;
  std::string name;
};

struct Page {
  std::string text;
  Lines lines;  // an operation each, in order
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string grouped(int64_t value) {
  std::string out = std::to_string(value);
  for (size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

/// A duration and its unit, exactly.
std::pair<std::string, std::string> spelled(Random& random, int64_t ns, int unit) {
  if (unit == 0) return {grouped(ns), any(random, {"ns", "nsecond"})};
  return {fmt::format("{}.{:03}", grouped(ns / 1000), ns % 1000), any(random, {"us", "usecond"})};
}

std::vector<Kernel> random_kernels(Random& random) {
  std::vector<Kernel> out(below(random, 12));
  for (size_t i = 0; i < out.size(); ++i) {
    const auto duration = static_cast<int64_t>(random() % (uint64_t{1} << below(random, 34)));
    out[i] = {static_cast<int64_t>(i), duration, static_cast<int>(below(random, 2)),
              static_cast<int>(below(random, 3)),
              any(random, {"k", "f<1, 2>(x)", "a \"b\"", "\xff"})};
  }
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

void put(std::string& text, const Lines& cells, const std::string& newline) {
  for (size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + quoted(cells[i]);
  text += newline;
}

std::string details(Random& random, const std::vector<Kernel>& kernels,
                    const std::string& newline) {
  std::string text;
  put(text,
      {"ID", "Process ID", "Kernel Name", "Stream", "Device", "Section Name", "Metric Name",
       "Metric Unit", "Metric Value", "Rule Name", "Rule Type"},
      newline);
  for (const Kernel& kernel : kernels) {
    Lines metrics{"x__y.sum", "Duration", "L2 Hit Rate", ""};
    // Preferred where it is there, to one that is rounded.
    const bool both = below(random, 3) == 0;
    if (both) metrics.emplace_back("gpu__time_duration.sum");
    std::shuffle(metrics.begin(), metrics.end(), random);
    const auto [value, unit] =
        spelled(random, kernel.duration_ns, static_cast<int>(below(random, 2)));
    for (const std::string& metric : metrics) {
      const bool duration = metric == (both ? "gpu__time_duration.sum" : "Duration");
      Lines cells{
          std::to_string(kernel.id),     "9",       kernel.name, std::to_string(kernel.stream),
          std::to_string(kernel.device), "Section", metric,      duration ? unit : "%",
          duration ? value : "1,005.5",  ""};
      if (both && metric == "Duration") cells[7] = "ms", cells[8] = "7";
      if (metric.empty())
        cells = {cells[0], "9", cells[2], cells[3], cells[4], "", "", "", "", "Rule, x", "OPT"};
      put(text, cells, newline);
      if (below(random, 15) == 0) text += "==PROF== a \"line\", of ncu" + newline;
    }
  }
  return text;
}

std::string raw(Random& random, const std::vector<Kernel>& kernels, const std::string& newline) {
  const int unit = static_cast<int>(below(random, 2));
  std::string text;
  put(text, {"ID", "Kernel Name", "x__y.sum", "gpu__time_duration.sum", "Device", "Stream"},
      newline);
  put(text, {"", "", "byte", spelled(random, 0, unit).second, "", ""}, newline);
  for (const Kernel& kernel : kernels) {
    put(text,
        {std::to_string(kernel.id), kernel.name, "1,005",
         spelled(random, kernel.duration_ns, unit).first, std::to_string(kernel.device),
         std::to_string(kernel.stream)},
        newline);
  }
  return text;
}

Page random_page(Random& random) {
  Page page;
  const std::string newline = below(random, 3) == 0 ? "\r\n" : "\n";
  if (below(random, 2) == 0)
    page.text += "==PROF== Connected to process 9" + newline + "hello, world" + newline;
  int64_t now = 0;
  for (size_t pages = 1 + below(random, 2); pages-- > 0;) {
    std::vector<Kernel> kernels = random_kernels(random);
    page.text +=
        below(random, 2) == 0 ? details(random, kernels, newline) : raw(random, kernels, newline);
    std::sort(kernels.begin(), kernels.end(),
              [](const Kernel& a, const Kernel& b) { return a.id < b.id; });
    for (const Kernel& kernel : kernels) {
      page.lines.push_back(fmt::format("{} {} {} {} {}", now, kernel.duration_ns, kernel.device,
                                       kernel.stream, kernel.name));
      now += kernel.duration_ns;
    }
  }
  std::sort(page.lines.begin(), page.lines.end());
  return page;
}

struct Outcome {
  Lines lines, said;
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
    trace::TraceBuilder builder("t", "ncu-csv");
    trace::ncu_csv_format.read(input, builder);
    const trace::Trace trace = std::move(builder).finish();
    for (const trace::Operation& operation : trace.operations) {
      const trace::Track& track = trace.track(operation.track);
      out.lines.push_back(fmt::format("{} {} {} {} {}", operation.start_ns, operation.duration_ns,
                                      track.device, track.stream,
                                      trace.names.get(operation.name).text));
    }
    std::sort(out.lines.begin(), out.lines.end());
    for (const Warning& warning : trace.warnings) out.said.push_back(warning.text);
    out.said.push_back(trace.inexact);
    for (const trace::DroppedRecords& records : trace.dropped) {
      out.said.push_back(
          fmt::format("{} {} {}", records.what, records.count, records.first_offset));
    }
  } catch (const Error& error) {
    out.error = error.what();
  }
  return out;
}

}  // namespace

TEST_CASE("a page of ncu is read as what was written") {
  // `123,456` is no number: found in round 2.
  for (uint64_t seed = 1; seed <= rounds(200, 2); ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Page page = random_page(random);
    in_pieces({size_t{16}, 1 + below(random, 1000), size_t{1} << 18},
              [&](size_t block, unsigned threads) {
                const Outcome outcome = read(page.text, block, threads);
                CHECK(outcome.error == "");
                const bool same = outcome.lines == page.lines;
                CHECK(same);
              });
  }
}

TEST_CASE("what is wrong in a page of ncu does not depend on blocks and threads") {
  size_t errors = 0;
  // A quote that is open at the end of a block is a mistake: found in round 25.
  const uint64_t all = rounds(300, 25);
  for (uint64_t seed = 1; seed <= all; ++seed) {
    CAPTURE(seed);
    Random random(seed * 7919);
    std::string text = random_page(random).text;
    damage_csv(random, text);
    const bool truncated = below(random, 2) == 0;
    const bool error = same_in_pieces(
        {size_t{16}, 1 + below(random, 500)},
        [&](size_t block, unsigned threads) { return read(text, block, threads, truncated); });
    errors += error ? 1 : 0;
  }
  CHECK(errors > all / 6);
}

}  // namespace kr::test::ncu_test
