#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "classify/classify.hpp"
#include "support/rules.hpp"
#include "support/traces.hpp"

using kr::test::compile;
using kr::test::Event;
using kr::test::make_trace;

namespace {

const char* const two_engines = R"(
engine alpha {
  detect: "alpha"
  substage { rest: otherwise }
  model one { detect: "_one" }
  model two { detect: "_two" | "deep"i }
  model three { }
}
engine beta {
  substage { rest: otherwise }
  model one { detect: "beta" }
}
engine generic { substage { rest: otherwise } }
)";

std::string chosen(const kr::match::CompiledRules& rules, const kr::trace::Trace& trace,
                   kr::classify::ChooseOptions options = {}) {
  const kr::classify::TraceSubjects subjects(rules.program(), rules.database, trace, options);
  const kr::classify::Choice choice = kr::classify::choose_model(rules.database, subjects, options);
  CHECK(choice.why.empty() == (!options.engine.empty() && !options.model.empty()));
  return rules.program().title(choice.model);
}

}  // namespace

TEST_CASE("detect chooses the engine, then the model, that matches most time") {
  const auto rules = compile(two_engines);
  CHECK(chosen(rules, make_trace({{0, 10, "alpha_one"}, {10, 5, "alpha_two"}, {20, 9, "beta"}})) ==
        "alpha/one");
  CHECK(chosen(rules, make_trace({{0, 10, "alpha_one"}, {10, 50, "beta"}})) == "beta/one");
  // An engine's expressions are its own and its models'.
  CHECK(chosen(rules, make_trace({{0, 10, "x_two"}})) == "alpha/two");
  // Context text counts for all time.
  CHECK(chosen(rules, make_trace({{0, 10, "gemm"}}, "DeepSeek")) == "alpha/two");
}

TEST_CASE("ties and nothing detected fall back") {
  const auto rules = compile(two_engines);
  CHECK(chosen(rules, make_trace({{0, 10, "gemm"}})) == "generic/default");
  CHECK(chosen(rules, make_trace({})) == "generic/default");
  CHECK(chosen(rules, make_trace({{0, 10, "alpha"}, {10, 10, "beta"}})) == "generic/default");
  CHECK(chosen(rules, make_trace({{0, 9, "alpha_one"}, {9, 9, "alpha_two"}})) == "alpha/default");
  CHECK(chosen(rules, make_trace({{0, 9, "alpha"}})) == "alpha/default");
  const auto only = compile("engine mine { substage { rest: otherwise } model m { } }");
  CHECK(chosen(only, make_trace({{0, 9, "x"}}), {.engine = "", .model = "", .rules_given = true}) ==
        "mine/default");
}

TEST_CASE("what the user names is taken, and what is unknown is refused") {
  const auto rules = compile(two_engines);
  const auto trace = make_trace({{0, 10, "beta"}});
  CHECK(chosen(rules, trace, {.engine = "alpha", .model = "three"}) == "alpha/three");
  CHECK(chosen(rules, trace, {.engine = "alpha", .model = ""}) == "alpha/default");
  CHECK(chosen(rules, trace, {.engine = "", .model = "three"}) == "alpha/three");
  CHECK(chosen(rules, trace, {.engine = "", .model = "one"}) == "beta/one");
  CHECK_THROWS_WITH_AS(chosen(rules, trace, {.engine = "alhpa", .model = ""}),
                       "unknown engine `alhpa`; did you mean `alpha`?", kr::Error);
  CHECK_THROWS_WITH_AS(chosen(rules, trace, {.engine = "alpha", .model = "thre"}),
                       "engine `alpha` has no model `thre`; did you mean `three`?", kr::Error);
  CHECK_THROWS_WITH_AS(chosen(rules, trace, {.engine = "", .model = "zzzzzz"}),
                       doctest::Contains("no engine has a model `zzzzzz`"), kr::Error);
}

TEST_CASE("names that no rule distinguishes are evaluated once") {
  const auto rules = compile(two_engines);
  std::vector<Event> events;
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i)
    names.push_back(fmt::format("kernel_{}_{}", i, i % 3 ? "one" : "x"));
  for (int i = 0; i < 3000; ++i) names.push_back(fmt::format("alpha {}", i));
  for (size_t i = 0; i < names.size(); ++i) {
    events.push_back({static_cast<int64_t>(i) * 10, 5, names[i]});
  }
  const kr::trace::Trace trace = make_trace(events);
  const kr::classify::TraceSubjects subjects(rules.program(), rules.database, trace, {});
  CHECK(subjects.size() == names.size());
  CHECK(subjects.classes() == 3);
}
