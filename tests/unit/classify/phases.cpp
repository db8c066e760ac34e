#include "classify/phases.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/rules.hpp"
#include "support/source_folder.hpp"

namespace {

kr::classify::Phase phase_of(const kr::match::CompiledRules& rules, std::string_view model,
                             std::string_view text) {
  const auto engine = rules.program().engine("e");
  kr::classify::PhaseReader reader(rules.program(), rules.database,
                                   *rules.program().model(*engine, model));
  return reader.read(text);
}

}  // namespace

TEST_CASE("phases take their numbers from the first alternative that matches") {
  const kr::match::CompiledRules rules = kr::test::compile(R"(
engine e {
  phases {
    prefill: ^"prefill" | /execute_context_[1-9]/
    decode:  /my_decode_(?<step>\d+)_(?<layer>\d+)/ | /^decode(_(?<step>[0-9]+))?/
           | "step" & /at (?<step>[0-9]+)/ & !"not"
  }
  model late { phases { decode: ^"decode" } }
}
)");
  CHECK(phase_of(rules, "default", "prefill").label == "prefill");
  const kr::classify::Phase both = phase_of(rules, "default", "x my_decode_12_3 my_decode_4_5");
  CHECK(both.label == "decode");
  CHECK(both.step == 12);
  CHECK(both.layer == 3);
  const kr::classify::Phase plain = phase_of(rules, "default", "decode");
  CHECK(plain.label == "decode");
  CHECK(!plain.step);
  CHECK(phase_of(rules, "default", "decode_7").step == 7);
  CHECK(phase_of(rules, "default", "step at 9").step == 9);
  CHECK(phase_of(rules, "default", "step at 9, not").label.empty());
  // A number of more than 64 bits is none.
  CHECK(!phase_of(rules, "default", "decode_99999999999999999999").step);
  CHECK(phase_of(rules, "late", "decode_7").label == "decode");
  CHECK(!phase_of(rules, "late", "decode_7").step);
  CHECK(phase_of(rules, "default", "anything").label.empty());
}

TEST_CASE("the parts of a number add up; if one is not a number, there is no sum") {
  const kr::match::CompiledRules rules = kr::test::compile(R"(
engine e {
  phases {
    both: /(?<batch_a>\d+)\+(?<batch_b>\d+) requests/ & /(?<tokens_a>\w+) and (?<tokens_b>\d+)/
    some: /(?<batch>\d+) requests(, (?<tokens>\d+))?(, (?<unknown>\d+))?/
  }
}
)");
  const kr::classify::Phase both = phase_of(rules, "default", "3+4 requests, 100 and 20");
  CHECK(both.label == "both");
  CHECK(both.batch == 7);
  CHECK(both.tokens == 120);
  CHECK(!both.step);
  CHECK(!phase_of(rules, "default", "3+4 requests, many and 20").tokens);
  const kr::classify::Phase much =
      phase_of(rules, "default", "1+9223372036854775807 requests, 9223372036854775807 and 0");
  CHECK(!much.batch);
  CHECK(much.tokens == INT64_MAX);
  const kr::classify::Phase some = phase_of(rules, "default", "5 requests");
  CHECK(some.batch == 5);
  CHECK(!some.tokens);
  CHECK(phase_of(rules, "default", "5 requests, 6, 7").tokens == 6);
}

TEST_CASE("the shipped rulesets know the spellings of steps") {
  const kr::source::Library library({kr::test::source_folder()});
  kr::diag::Sink sink;
  kr::match::CompiledRules rules;
  rules.rules =
      kr::sema::load_rules({"vllm", "sglang", "atom", "trtllm", "generic"}, library, sink);
  REQUIRE(!sink.has_errors());
  rules.database = kr::match::Database::compile(rules.program(), std::nullopt);
  struct Step {
    const char* engine;
    const char* text;
    const char* phase;
    std::optional<int64_t> batch, tokens, step;
  };
  const std::optional<int64_t> none;
  const std::vector<Step> steps{
      {"vllm", "execute_context_1(888_788544)_generation_0(0)", "prefill", 1, 888, none},
      {"vllm", "execute_context_2(512)_generation_30(30)", "mixed", 32, 542, none},
      {"vllm", "execute_context_0(0)_generation_8(8)", "decode", 8, 8, none},
      {"vllm", "execute_context_0(0_0)_generation_8(8_64)", "decode", 8, 8, none},
      {"vllm", "execute_context_3", "prefill", 3, none, none},
      {"vllm", "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)",
       "decode", 32, 32, none},
      {"vllm", "execute_41_context_1(sq9sk9sqsq81sqsk81)_generation_32(sq32sk5sqsq32sqsk5)",
       "mixed", 33, 41, none},
      {"vllm", "execute_new_1_cached_3", "mixed", 4, none, none},
      {"vllm", "execute_new_2_cached_0", "prefill", 2, none, none},
      {"vllm", "execute_new_0_cached_3", "decode", 3, none, none},
      {"vllm", "capture_32_FULL", "capture", none, 32, none},
      {"vllm", "decode_7", "decode", none, none, 7},
      {"sglang", "step[DECODE bs=32]", "decode", 32, none, none},
      {"sglang", "step[EXTEND bs=15 toks=15360]", "prefill", 15, 15360, none},
      {"sglang", "step[MIXED bs=3 toks=70]", "mixed", 3, 70, none},
      {"sglang", "step[TARGET_VERIFY bs=4]", "verify", 4, none, none},
      {"sglang", "capture_32_DECODE", "capture", 32, none, none},
      {"sglang",
       "execute_15360_context_15(sq15360sk15360sqsq15728640sqsk15728640)_generation_0("
       "sq0sk0sqsq0sqsk0)",
       "prefill", 15, 15360, none},
      {"atom", "prefill[bs=2 tok=14721 ctx=[7803, 6918]]", "prefill", 2, 14721, none},
      {"atom", "prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3]", "prefill", 6, 17408, none},
      {"atom", "prefill[bs=1 tok=1024 ctx=1024 sqsq=1048576 sqsk=1048576 sk=1024]", "prefill", 1,
       1024, none},
      {"atom", "decode[bs=117/128 tok=117 d=117]", "decode", 117, 117, none},
      {"atom", "decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]", "decode", 32, 128,
       none},
      {"atom", "eager_decode[bs=300 tok=300 ctx=[9, 9, 9]...+297]", "decode", 300, 300, none},
      {"atom", "decode[bs=128 tok=384 p=2 d=126 sqsq=132612 sqsk=1114112 sk=258048 tbo=1]", "mixed",
       128, 384, none},
      {"atom", "dummy_decode[bs=1 tok=1 d=1]", "dummy", 1, 1, none},
      {"atom", "propose_eagle[1/3 tok=64 bs=44/44 graph]", "draft", 44, 64, none},
      {"atom", "draft[0/3 bs=64]", "draft", 64, none, none},
      {"trtllm", "[Executor] _forward_step 9: 2 ctx reqs, 30 gen reqs", "mixed", 32, none, 9},
      {"trtllm", "[Executor] _forward_step 10: 0 ctx reqs, 30 gen reqs", "decode", 30, none, 10},
      {"generic", "ProfilerStep#551", "step", none, none, 551},
      {"generic", "step[DECODE bs=2]", "decode", 2, none, none},
      {"generic", "execute_context_2(512)_generation_30(30)", "mixed", 32, 542, none},
  };
  for (const Step& step : steps) {
    CAPTURE(step.text);
    const auto engine = rules.program().engine(step.engine);
    kr::classify::PhaseReader reader(rules.program(), rules.database,
                                     *rules.program().model(*engine, "default"));
    const kr::classify::Phase phase = reader.read(step.text);
    CHECK(phase.label == step.phase);
    CHECK(phase.batch == step.batch);
    CHECK(phase.tokens == step.tokens);
    CHECK(phase.step == step.step);
  }
}
