#include "classify/run_spec.hpp"

#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"

namespace {

kr::classify::RunSpec parse(std::string_view text, std::set<std::string> files = {}) {
  return kr::classify::parse_run_spec(
      text, [&](const std::string& path) { return files.contains(path); });
}

struct Case {
  const char* text;
  std::set<std::string> files;
  const char* path;
  const char* engine;
  const char* model;
  std::optional<int64_t> elapsed_ns;
};

}  // namespace

TEST_CASE("a run is read from the right, and a path that exists wins") {
  const Case cases[] = {
      {"a.csv", {}, "a.csv", "", "", {}},
      {"a.csv,vllm", {}, "a.csv", "vllm", "", {}},
      {"a.csv,vllm,llama", {}, "a.csv", "vllm", "llama", {}},
      {"a.csv,vllm,llama,12.5", {}, "a.csv", "vllm", "llama", 12'500'000'000},
      {"a.csv,vllm,llama,0", {}, "a.csv", "vllm", "llama", 0},
      {"a.csv,auto,auto,3", {}, "a.csv", "", "", 3'000'000'000},
      {"a.csv,,,3", {}, "a.csv", "", "", 3'000'000'000},
      {"a.csv,vllm,llama,", {}, "a.csv,vllm", "llama", "", {}},
      {"a.csv,vllm,llama,", {"a.csv"}, "a.csv", "vllm", "llama", {}},
      {"a,b.csv", {"a,b.csv"}, "a,b.csv", "", "", {}},
      {"a,b.csv,vllm", {"a,b.csv"}, "a,b.csv", "vllm", "", {}},
      {"a,b.csv,vllm,llama", {"a,b.csv"}, "a,b.csv", "vllm", "llama", {}},
      {"a,b.csv,vllm,llama,1", {"a,b.csv"}, "a,b.csv", "vllm", "llama", 1'000'000'000},
      {"a,b.csv,vllm,llama,1", {}, "a,b.csv", "vllm", "llama", 1'000'000'000},
      {"a.csv,vllm,llama", {"a.csv,vllm,llama"}, "a.csv,vllm,llama", "", "", {}},
      {"-,vllm,llama", {}, "-", "vllm", "llama", {}},
      {"-", {}, "-", "", "", {}},
      {"x.csv,e,m,.000000001", {}, "x.csv", "e", "m", 1},
      {"x.csv,e,m,0.0000000005", {}, "x.csv", "e", "m", 1},
      {"x.csv,e,m,0.0000000004", {}, "x.csv", "e", "m", 0},
      {"x.csv,e,m,9223372036.854775807", {}, "x.csv", "e", "m", INT64_MAX},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const kr::classify::RunSpec spec = parse(c.text, c.files);
    CHECK(spec.path == c.path);
    CHECK(spec.engine == c.engine);
    CHECK(spec.model == c.model);
    CHECK(spec.elapsed_ns == c.elapsed_ns);
  }
}

TEST_CASE("an invalid elapsed time is rejected, and the message contains it") {
  CHECK_THROWS_WITH_AS(parse("a.csv,vllm,llama,-1", {"a.csv"}),
                       doctest::Contains("`-1` of run `a.csv,vllm,llama,-1` is negative"),
                       kr::Error);
  CHECK_THROWS_WITH_AS(parse("a.csv,vllm,llama,9223372036.854775808"),
                       doctest::Contains("too large"), kr::Error);
  CHECK_THROWS_WITH_AS(parse("a.csv,vllm,llama,soon", {"a.csv"}),
                       doctest::Contains("`soon` of run `a.csv,vllm,llama,soon` is not a number"),
                       kr::Error);
  CHECK_THROWS_AS(parse(""), kr::Error);
}
