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

kr::classify::Choice choice(const kr::match::CompiledRules& rules, const kr::trace::Trace& trace,
                            kr::classify::ChooseOptions options = {}) {
  const kr::classify::TraceSubjects subjects(rules.program(), rules.database, trace, options);
  kr::classify::Choice made = kr::classify::choose_model(rules.database, subjects, options);
  CHECK(made.why.empty() == (!options.engine.empty() && !options.model.empty()));
  return made;
}

std::string title(const kr::match::CompiledRules& rules, const kr::classify::Choice& choice) {
  return rules.program().title(choice.model);
}

std::string chosen(const kr::match::CompiledRules& rules, const kr::trace::Trace& trace,
                   kr::classify::ChooseOptions options = {}) {
  return title(rules, choice(rules, trace, std::move(options)));
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

TEST_CASE("an engine that is detected for less than 8 % of the time is not chosen, and is named") {
  const auto rules = compile(two_engines);
  const auto choose = [&](int64_t alpha_ns, int64_t beta_ns) {
    return choice(rules, make_trace({{0, alpha_ns, "alpha"},
                                     {1000, beta_ns, "beta"},
                                     {2000, 1000 - alpha_ns - beta_ns, "gemm"}}));
  };
  CHECK(choose(80, 0).why.starts_with("engine alpha is detected for 8.0 % of GPU time"));
  CHECK(
      choose(79, 0).why.starts_with("no engine is detected for 8 % of GPU time (alpha 7.9 %): "
                                    "using generic, which uses only the stdlib"));
  CHECK(choose(30, 68).why.starts_with(
      "no engine is detected for 8 % of GPU time (beta 6.8 %, alpha 3.0 %): using generic"));
  CHECK(choose(0, 0).why.starts_with("no engine is detected: using generic"));
  // An annotation of the engine is enough, whether it is known what it encloses or not.
  const auto named = compile(R"(
engine alpha { detect: "alpha" | within "alpha_step" substage { rest: otherwise } }
engine generic { substage { rest: otherwise } }
)");
  const auto trace = make_trace({{0, 10, "alpha"}, {10, 990, "gemm"}});
  CHECK(chosen(named, trace) == "generic/default");
  const kr::classify::TraceSubjects subjects(named.program(), named.database, trace, {});
  kr::classify::RangeNames ranges(named.program(), named.database,
                                  kr::classify::detection(named.program(), {}));
  const auto with_ranges = [&] {
    const kr::classify::Choice made =
        kr::classify::choose_model(named.database, subjects, {}, ranges.sets());
    CHECK(made.certain);
    return title(named, made);
  };
  ranges.add("beta_step");
  CHECK(with_ranges() == "generic/default");
  ranges.add("alpha_step 1");
  CHECK(with_ranges() == "alpha/default");
  // Models have no such limit: their kernels are often few.
  CHECK(chosen(rules, make_trace({{0, 990, "alpha"}, {1000, 10, "deep"}})) == "alpha/two");
  // The user's own engine is used although it is seen in little time.
  const auto mine = compile(R"(engine mine { detect: "mine" substage { rest: otherwise } })");
  CHECK(chosen(mine, make_trace({{0, 1, "mine"}, {1, 99, "gemm"}}),
               {.engine = "", .model = "", .rules_given = true}) == "mine/default");
}

TEST_CASE("the only model that the class of a module names is chosen, whatever the kernels") {
  const auto rules = compile(R"(
engine alpha {
  detect: "alpha"
  substage { rest: otherwise }
  model llama { detect: "llama"i }
  model qwen { detect: "qwen"i | "_moe" }
}
engine generic { substage { rest: otherwise } }
)");
  const auto choose = [&](const std::vector<std::string>& names, const std::string& text = "") {
    kr::trace::Trace trace = make_trace({{0, 9, "alpha"}, {10, 1, "llama_rope"}}, text);
    trace.range_names = names;
    return choice(rules, trace);
  };
  CHECK(title(rules, choose({})) == "alpha/llama");
  const auto by_modules = choose({"Linear_3", "Qwen3DecoderLayer_12", "Qwen3DecoderLayer_0"});
  CHECK(title(rules, by_modules) == "alpha/qwen");
  CHECK(by_modules.certain);
  CHECK(by_modules.why.ends_with("; model qwen is detected by the modules (Qwen3DecoderLayer)"));
  CHECK(title(rules, choose({"Qwen3MoeForCausalLM"})) == "alpha/qwen");
  CHECK(title(rules, choose({"Qwen2VLForConditionalGeneration_0"})) == "alpha/qwen");
  // Two models, as of a draft and its target; what the trace says of its model; other names.
  CHECK(title(rules, choose({"Qwen3ForCausalLM", "LlamaForCausalLM"})) == "alpha/llama");
  CHECK(title(rules, choose({"Qwen3ForCausalLM"}, "my-llama")) == "alpha/llama");
  CHECK(title(rules, choose({"Qwen3MLP_0", "qwen warm-up", "run of Qwen3DecoderLayer",
                             "DecoderLayer_1", "shared_moe"})) == "alpha/llama");
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
