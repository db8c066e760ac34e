// A trace written for viewers is the same trace when it is read, whatever its names and times, and
// nothing in it overlaps as viewers do not take it.
#include "export/perfetto_trace.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/json.hpp"
#include "support/kineto_dump.hpp"
#include "support/labelled.hpp"
#include "support/perfetto_slices.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

using kr::test::dump_kineto;
using kr::test::PerfettoSlices;

const std::vector<std::string> names = {
    "gemm",
    "quote \" and \\ and </script>",
    "line\nbreak\tand \x1b[31m",
    "broken \xff\xc3 utf-8 \x80",
    "\xe2\x80\xae turned \xf0\x9f\x94\xa5",
    std::string("nul \0 inside", 12),
    "Memcpy HtoD (Pageable -> Device)",
    std::string(5000, 'k'),
};

template <class T>
uint32_t number(std::vector<T>& list, T value) {
  const auto at = std::find(list.begin(), list.end(), value);
  if (at != list.end()) return static_cast<uint32_t>(at - list.begin());
  list.push_back(std::move(value));
  return static_cast<uint32_t>(list.size() - 1);
}

/// Calls with what they launched, in modules and annotations that nest.
kr::trace::Trace random_trace(std::mt19937_64& random) {
  const auto below = [&](uint64_t limit) { return static_cast<int64_t>(random() % limit); };
  kr::trace::TraceBuilder builder("t.json", "kineto-json");
  kr::trace::HostTrace& host = builder.host();
  int64_t now = below(3) == 0 ? 1'700'000'000'000'000'000 + below(1000) : below(5000) - 2500;
  for (int64_t i = 0; i < below(30); ++i) {
    // Numbers that no device has: these are kept.
    const auto thread = number(
        host.threads,
        kr::trace::HostThread{fmt::format("{}", 7 + below(2)), fmt::format("{}", 100 + below(2))});
    const int64_t length = 10 + below(500);
    const auto kind =
        below(2) == 0 ? kr::trace::HostRange::Kind::module : kr::trace::HostRange::Kind::annotation;
    for (int64_t depth = 0; depth < below(3); ++depth) {
      host.ranges.push_back({now + depth, now + length - depth,
                             number(host.range_names, names[static_cast<size_t>(below(8))]), thread,
                             kr::trace::HostRange::none, kind});
    }
    host.launches.push_back(
        {i, now + 4, 1 + below(5),
         number(host.calls, kr::trace::HostCall{"cudaLaunchKernel", below(2) == 0}), thread});
    for (int64_t k = 0; k < below(4); ++k) {
      const int64_t correlation = below(5) == 0 ? kr::trace::Launch::no_correlation : i;
      builder.add({now + below(900), below(4) == 0 ? 0 : below(700),
                   builder.name(names[static_cast<size_t>(below(8))],
                                kr::operation_kinds[static_cast<size_t>(below(3))]),
                   builder.track({static_cast<int32_t>(below(2)) - 1, below(3) - 1, "GPU"})});
      builder.add_correlations(&correlation, 1);
    }
    now += length + below(100);
  }
  return std::move(builder).finish();
}

std::string written(const kr::match::CompiledRules& rules, const kr::analyze::LabelledTrace& run) {
  const kr::analyze::RunSummary summary =
      kr::analyze::summarize_run(rules, {"t.json", {}, {}, {}}, 0, run);
  std::string text;
  kr::exports::write_perfetto_trace(rules, run, summary, "substage",
                                    [&](std::string_view piece) { text += piece; });
  return text;
}

/// The lines in order, with names as viewers show them: what is alike up to its name may change
/// places.
std::vector<std::string> lines(const std::string& dump) {
  const std::string shown = kr::utf8_text(dump);
  std::vector<std::string> out;
  for (size_t at = 0; at < shown.size();) {
    const size_t end = shown.find('\n', at);
    out.push_back(shown.substr(at, end - at));
    at = end == shown.npos ? shown.size() : end + 1;
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// With all that a trace has.
kr::trace::Trace read(std::string_view bytes) {
  kr::trace::OpenOptions options;
  options.host = kr::trace::HostDetail::all;
  kr::trace::Input input(bytes, "t.pftrace", options);
  kr::trace::TraceBuilder builder("t.pftrace", "perfetto");
  kr::trace::perfetto_format.read(input, builder);
  return std::move(builder).finish();
}

/// A line an operation: as Perfetto pairs begins and ends.
std::vector<std::string> operations_of(const PerfettoSlices& slices) {
  std::vector<std::string> out;
  for (const PerfettoSlices::Slice& one : slices.slices) {
    constexpr std::string_view head = "gpu_operation.";
    if (!one.category.starts_with(head)) continue;
    out.push_back(fmt::format("{} {} {} {}", one.start_ns, one.end_ns,
                              one.category.substr(head.size()), one.name));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("a trace written for viewers is read as the same trace") {
  const kr::match::CompiledRules rules = kr::test::compile(
      "engine e { substage { gemm: \"gemm\"  kernel: \"quote\"  misc: \"k\"  keep: \"nul\" "
      "\n cuda_runtime: otherwise } }");
  std::mt19937_64 random(5);
  // An event lasts from the begin of the trace: found in round 1.
  for (uint64_t round = 0; round < kr::test::rounds(400, 1); ++round) {
    CAPTURE(round);
    const auto run = kr::test::label(rules, random_trace(random));
    const std::string text = written(rules, *run);
    kr::trace::Trace again = read(text);
    // Times before 0 are moved.
    int64_t first_ns = 0;
    for (const auto& one : run->trace.operations) first_ns = std::min(first_ns, one.start_ns);
    for (const auto& one : run->trace.host->launches) first_ns = std::min(first_ns, one.start_ns);
    for (const auto& one : run->trace.host->ranges) first_ns = std::min(first_ns, one.start_ns);
    for (kr::trace::Operation& operation : again.operations) operation.start_ns += first_ns;
    for (kr::trace::Launch& launch : again.host->launches) launch.start_ns += first_ns;
    for (kr::trace::HostRange& range : again.host->ranges) {
      range.start_ns += first_ns;
      range.end_ns += first_ns;
    }
    CHECK(lines(dump_kineto(again)) == lines(dump_kineto(run->trace)));
    CHECK(kr::test::dump_dropped(again).empty());

    std::vector<std::string> operations;
    for (const kr::trace::Operation& one : run->trace.operations) {
      const kr::trace::OperationName& name = run->trace.names.get(one.name);
      operations.push_back(fmt::format("{} {} {} {}", one.start_ns - first_ns,
                                       one.end_ns() - first_ns, to_string(name.kind),
                                       kr::utf8_text(name.text)));
    }
    std::ranges::sort(operations);
    const PerfettoSlices slices(text);
    CHECK(operations_of(slices) == operations);
    const size_t host = run->trace.host->ranges.size() + run->trace.host->launches.size();
    CHECK(slices.slices.size() >= 2 * operations.size() + host);
  }
}

TEST_CASE("the time of the slices of a label is that of the label") {
  const kr::match::CompiledRules rules =
      kr::test::compile("engine e { substage { gemm: \"gemm\"  kernel: otherwise } }");
  std::mt19937_64 random(6);
  // An event lasts from the begin of the trace: found in round 2.
  for (uint64_t round = 0; round < kr::test::rounds(50, 2); ++round) {
    CAPTURE(round);
    const auto run = kr::test::label(rules, random_trace(random));
    std::map<std::string, int64_t> by_label;
    for (const PerfettoSlices::Slice& one : PerfettoSlices(written(rules, *run)).slices) {
      if (one.category == "label") by_label[one.name] += one.end_ns - one.start_ns;
    }
    const kr::analyze::RunSummary summary =
        kr::analyze::summarize_run(rules, {"t.json", {}, {}, {}}, 0, *run);
    for (const kr::analyze::LabelSum& sum :
         summary.dimensions[*summary.dimension("substage")].labels) {
      CHECK(by_label[sum.label] == sum.total_ns);
      by_label.erase(sum.label);
    }
    CHECK(by_label.empty());
  }
}
