#include "tables/run_names.hpp"

#include <doctest/doctest.h>

#include "tables/source.hpp"

using kr::tables::distinct_parts;

namespace {

using Texts = std::vector<std::string>;

Texts parts(const Texts& paths) {
  return distinct_parts(paths);
}

kr::tables::Source runs_of(const Texts& paths) {
  kr::tables::Source source;
  for (size_t i = 0; i < paths.size(); ++i) {
    kr::tables::Run run;
    run.summary.id = "m_e_" + std::to_string(i);
    run.summary.source = paths[i];
    run.summary.engine = "e";
    run.summary.model = "m";
    source.runs.push_back(std::move(run));
  }
  return source;
}

Texts run_names(const kr::tables::Source& source) {
  Texts names;
  names.reserve(source.runs.size());
  for (const kr::tables::Run& run : source.runs) names.push_back(source.run_name(run.summary.id));
  return names;
}

}  // namespace

TEST_CASE("paths are named by the words that differ") {
  CHECK(parts({"a/llama_bf16.csv.gz", "a/llama_fp8.csv.gz"}) == Texts{"bf16", "fp8"});
  CHECK(parts({"x/old/t.json", "x/new/t.json", "x/old two/t.json"}) ==
        Texts{"old", "new", "old two"});
  CHECK(parts({"t-TP-0.json", "t-TP-1.json"}) == Texts{"TP-0", "TP-1"});
  CHECK(parts({"0.json", "1.json"}) == Texts{"0", "1"});
  CHECK(parts({"run.json", "run_2.json"}) == Texts{"run", "run_2"});
  CHECK(parts({"a.csv", "b.json"}) == Texts{"a.csv", "b.json"});
  CHECK(parts({"a.csv", "a.csv"}) == Texts{"", ""});
  CHECK(parts({"a.csv"}) == Texts{""});
  CHECK(parts({"-", "-"}) == Texts{"", ""});
}

TEST_CASE("runs have short names, and ranks are in their order") {
  CHECK(run_names(runs_of({"a/one.json"})) == Texts{"one"});
  CHECK(run_names(runs_of({"a/one.json", "a/two.json"})) == Texts{"one", "two"});
  CHECK(run_names(runs_of({"a.json", "a.json"})) == Texts{"a", "a (2)"});
  auto models = runs_of({"a.json", "a.json"});
  models.runs[1].summary.model = "n";
  CHECK(run_names(models) == Texts{"a e/m", "a e/n"});

  auto ranks = runs_of({"rank10.json", "rank2.json", "rank0.json"});
  CHECK(run_names(ranks) == Texts{"rank 10", "rank 2", "rank 0"});
  ranks.sort_by_rank();
  CHECK(run_names(ranks) == Texts{"rank 0", "rank 2", "rank 10"});
  CHECK(ranks.runs[2].summary.id == "m_e_0");
  CHECK(ranks.rank(2) == 10);

  auto two_jobs = runs_of({"x/rank1.json", "y/rank1.json"});
  CHECK(run_names(two_jobs) == Texts{"x", "y"});
  two_jobs.sort_by_rank();
  CHECK(two_jobs.runs[0].summary.id == "m_e_0");
}
