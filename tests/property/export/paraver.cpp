// Runs written as one Paraver trace are the same runs when it is read, each on its clock; its
// records are in order, and a type has one value at a time on a row.
#include "export/paraver.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/file.hpp"
#include "base/integer.hpp"
#include "base/part_file.hpp"
#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"
#include "trace/open.hpp"

namespace {

using Runs = std::vector<std::unique_ptr<kr::analyze::LabelledTrace>>;

struct Name {
  const char* text;
  kr::OperationKind kind;
};
constexpr Name given_names[] = {{"gemm", kr::OperationKind::kernel},
                                {"ncclDevKernel", kr::OperationKind::kernel},
                                {"quote \" and : 0", kr::OperationKind::kernel},
                                {"[CUDA memcpy HtoD]", kr::OperationKind::memcpy},
                                {"[CUDA memset]", kr::OperationKind::memset}};

/// Operations and calls that overlap in any way; devices that no other run has.
kr::trace::Trace random_run(std::mt19937_64& random, int32_t run, int64_t base_ns) {
  const auto below = [&](uint64_t limit) { return static_cast<int64_t>(random() % limit); };
  kr::trace::TraceBuilder builder(fmt::format("run{}", run), "nsys-sqlite");
  kr::trace::HostTrace& host = builder.host();
  for (int64_t i = 0; i < below(30); ++i) {
    const uint32_t thread = builder.thread({"7", fmt::format("{}", below(2))});
    const uint32_t call =
        builder.call({below(2) == 0 ? "cudaLaunchKernel" : "cuLaunchKernel", false});
    host.launches.push_back({i, base_ns + below(40), below(3) == 0 ? 0 : below(20), call, thread});
    for (int64_t k = 0; k < below(4); ++k) {
      const int64_t correlation = below(5) == 0 ? kr::trace::Launch::no_correlation : i;
      const Name& name = given_names[static_cast<size_t>(below(5))];
      builder.add({base_ns + below(60), below(3) == 0 ? 0 : below(30),
                   builder.name(name.text, name.kind),
                   builder.track({run * 2 + static_cast<int32_t>(below(2)), below(2) - 1, ""})});
      builder.add_correlations(&correlation, 1);
    }
  }
  return std::move(builder).finish();
}

/// What is the same in whatever order.
std::vector<std::string> dump(const kr::trace::Trace& trace, int64_t offset_ns) {
  std::vector<std::string> lines;
  const kr::trace::HostTrace none;
  const kr::trace::HostTrace& host = trace.host ? *trace.host : none;
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const kr::trace::Operation& operation = trace.operations[i];
    const kr::trace::OperationName& name = trace.names.get(operation.name);
    const kr::trace::Track& track = trace.track(operation.track);
    const kr::trace::Launch* const launch = trace.host ? host.launch(i) : nullptr;
    lines.push_back(
        fmt::format("{} {} {} {} {} {} {}", operation.start_ns + offset_ns, operation.duration_ns,
                    name.text, to_string(name.kind), track.device, track.stream,
                    launch == nullptr ? "-" : fmt::format("{}", launch->start_ns + offset_ns)));
  }
  for (const kr::trace::Launch& launch : host.launches) {
    lines.push_back(fmt::format("{} {} {}", launch.start_ns + offset_ns, launch.duration_ns,
                                host.calls[launch.call].name));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<int64_t> fields(std::string_view line) {
  std::vector<int64_t> numbers;
  while (!line.empty()) {
    const size_t end = std::min(line.find(':'), line.size());
    numbers.push_back(kr::integer_from(line.substr(0, end)).value());
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return numbers;
}

void check_lines(std::string_view text) {
  int64_t last = 0;
  std::map<std::tuple<int64_t, int64_t, int64_t>, bool> open;  // by task, row and type
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.front() == '#') continue;
    const std::vector<int64_t> numbers = fields(line);
    CHECK(numbers[5] >= last);
    last = numbers[5];
    if (numbers[0] != 2) continue;
    for (size_t i = 6; i < numbers.size(); i += 2) {
      if (numbers[i] < 63000000) continue;
      bool& begun = open[{numbers[3], numbers[4], numbers[i]}];
      CHECK(begun == (numbers[i + 1] == 0));
      begun = !begun;
    }
  }
  for (const auto& [key, begun] : open) CHECK_FALSE(begun);
}

struct Written {
  std::string prv, pcf, row;
};

Written written(const kr::match::CompiledRules& rules, const Runs& runs,
                const std::map<std::string, int64_t>& shifts_ns, size_t memory) {
  kr::exports::ParaverTrace trace(rules, "t.prv", memory);
  for (const auto& run : runs) trace.add(*run);
  Written out;
  const auto to = [](std::string& text) {
    return [&text](std::string_view piece) { text += piece; };
  };
  trace.write({to(out.prv), to(out.pcf), to(out.row)}, shifts_ns);
  return out;
}

}  // namespace

TEST_CASE("runs written for Paraver are read as the same runs") {
  const kr::match::CompiledRules rules = kr::test::compile(
      "engine e { substage { gemm: \"gemm\"  kernel: \"quote\"  misc: otherwise } }");
  std::mt19937_64 random(8);
  const kr::PartFolder folder(kr::temporary_folder() / "kr-paraver", "test");
  // All tasks are shifted like the first: found in round 2.
  for (uint64_t round = 0; round < kr::test::rounds(300, 2); ++round) {
    CAPTURE(round);
    // All clocks are known, or none is: then all runs begin at the same time.
    const bool clocks = random() % 2 == 0;
    Runs runs;
    std::map<std::string, int64_t> shifts_ns;
    std::vector<int64_t> offsets_ns;
    for (int32_t i = 0; i < static_cast<int32_t>(1 + random() % 3); ++i) {
      const auto base_ns = static_cast<int64_t>(random() % 5000) - 2500;
      kr::trace::Trace trace = random_run(random, i, base_ns);
      const int64_t utc_ns = 1'700'000'000'000'000'000 + static_cast<int64_t>(random() % 1000);
      if (clocks) trace.clock.utc_ns = utc_ns;
      const auto shift_ns = static_cast<int64_t>(random() % 100);
      shifts_ns[trace.source] = shift_ns;
      int64_t first_ns = INT64_MAX;
      if (!trace.operations.empty()) first_ns = trace.first_start_ns;
      for (const kr::trace::Launch& one : trace.host->launches) {
        first_ns = std::min(first_ns, one.start_ns);
      }
      offsets_ns.push_back((clocks ? utc_ns : -first_ns) + shift_ns);
      runs.push_back(kr::test::label(rules, std::move(trace)));
    }
    const Written files = written(rules, runs, shifts_ns, size_t{256} << 20);
    CHECK(written(rules, runs, shifts_ns, 3000).prv == files.prv);
    check_lines(files.prv);
    const std::string stem = (folder.path() / "t").string();
    kr::write_file(stem + ".prv", files.prv);
    kr::write_file(stem + ".pcf", files.pcf);
    kr::write_file(stem + ".row", files.row);
    kr::trace::OpenOptions options;
    options.host = kr::trace::HostDetail::all;
    const kr::trace::Trace again = kr::trace::open_trace(stem + ".prv", options);
    CHECK(again.dropped.empty());
    std::vector<std::string> wanted;
    int64_t first_ns = INT64_MAX;
    for (size_t i = 0; i < runs.size(); ++i) {
      const kr::trace::Trace& trace = runs[i]->trace;
      if (!trace.operations.empty()) {
        first_ns = std::min(first_ns, trace.first_start_ns + offsets_ns[i]);
      }
      for (const kr::trace::Launch& one : trace.host->launches) {
        first_ns = std::min(first_ns, one.start_ns + offsets_ns[i]);
      }
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs[i]->trace.operations.empty() && runs[i]->trace.host->launches.empty()) continue;
      const auto lines = dump(runs[i]->trace, offsets_ns[i] - first_ns);
      wanted.insert(wanted.end(), lines.begin(), lines.end());
    }
    std::sort(wanted.begin(), wanted.end());
    CHECK(dump(again, 0) == wanted);
  }
}
