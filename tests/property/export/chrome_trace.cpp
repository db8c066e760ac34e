// A trace written for viewers is the same trace when it is read, whatever its names and times, and
// nothing in it overlaps as viewers do not take it.
#include "export/chrome_trace.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/json.hpp"
#include "base/json_read.hpp"
#include "support/kineto_dump.hpp"
#include "support/labelled.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"

namespace {

using kr::test::dump_kineto;

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
  kr::exports::write_chrome_trace(rules, run, summary, "substage",
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

int64_t ns_of(const kr::JsonValue& event, const char* key) {
  const kr::JsonValue* value = event.find(key);
  REQUIRE(value != nullptr);
  return static_cast<int64_t>(value->number * 1000 + 0.5);
}

void check_tracks(const kr::JsonValue& file) {
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<int64_t, int64_t>>> tracks;
  for (const kr::JsonValue& event : file.find("traceEvents")->items) {
    if (event.find("ph")->string != "X") continue;
    const int64_t start = ns_of(event, "ts");
    tracks[{event.find("pid")->integer, event.find("tid")->integer}].emplace_back(
        start, -(start + ns_of(event, "dur")));
  }
  for (auto& [place, slices] : tracks) {
    std::stable_sort(slices.begin(), slices.end());
    std::vector<int64_t> open;
    for (const auto& [start, end] : slices) {
      while (!open.empty() && open.back() <= start) open.pop_back();
      CHECK((open.empty() || -end <= open.back()));
      open.push_back(-end);
    }
  }
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
    const kr::JsonValue file = kr::parse_json(text, "t.json");
    check_tracks(file);
    const int64_t base_ns = file.find("baseTimeNanoseconds")->integer;

    kr::trace::Trace again = kr::test::read_kineto(text, {}, false, kr::trace::HostDetail::all);
    for (kr::trace::Operation& operation : again.operations) operation.start_ns += base_ns;
    for (kr::trace::Launch& launch : again.host->launches) launch.start_ns += base_ns;
    for (kr::trace::HostRange& range : again.host->ranges) {
      range.start_ns += base_ns;
      range.end_ns += base_ns;
    }
    CHECK(lines(dump_kineto(again)) == lines(dump_kineto(run->trace)));
    CHECK(kr::test::dump_dropped(again).empty());
  }
}

TEST_CASE("the time of a category is that of its label") {
  const kr::match::CompiledRules rules =
      kr::test::compile("engine e { substage { gemm: \"gemm\"  kernel: otherwise } }");
  std::mt19937_64 random(6);
  // An event lasts from the begin of the trace: found in round 2.
  for (uint64_t round = 0; round < kr::test::rounds(50, 2); ++round) {
    CAPTURE(round);
    const auto run = kr::test::label(rules, random_trace(random));
    std::map<std::string, int64_t> by_category;
    const kr::JsonValue file = kr::parse_json(written(rules, *run), "t.json");
    for (const kr::JsonValue& event : file.find("traceEvents")->items) {
      const kr::JsonValue* args = event.find("args");
      if (args == nullptr || args->find("gpu_operation") == nullptr) continue;
      by_category[event.find("cat")->string] += ns_of(event, "dur");
    }
    const kr::analyze::RunSummary summary =
        kr::analyze::summarize_run(rules, {"t.json", {}, {}, {}}, 0, *run);
    for (const kr::analyze::LabelSum& sum :
         summary.dimensions[*summary.dimension("substage")].labels) {
      CHECK(by_category[sum.label] == sum.total_ns);
      by_category.erase(sum.label);
    }
    CHECK(by_category.empty());
  }
}
