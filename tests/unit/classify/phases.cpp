#include "classify/phases.hpp"

#include <doctest/doctest.h>

#include "support/rules.hpp"

namespace {

kr::Phase phase_of(const kr::CompiledRules& rules, std::string_view model, std::string_view text) {
  const auto engine = rules.program().engine("e");
  kr::PhaseReader reader(rules.program(), rules.database, *rules.program().model(*engine, model));
  return reader.read(text);
}

}  // namespace

TEST_CASE("phases take their numbers from the first alternative that holds") {
  const kr::CompiledRules rules = kr::test::compile(R"(
engine e {
  phases {
    prefill: ^"prefill" | /execute_context_[1-9]/
    decode:  /my_decode_(?<step>\d+)_(?<layer>\d+)/ | /^decode(_(?<step>[0-9]+))?/
           | "step" & /at (?<step>[0-9]+)/ & !"not"
  }
  model late { phases { replace decode: ^"decode" } }
}
)");
  CHECK(phase_of(rules, "default", "prefill").label == "prefill");
  const kr::Phase both = phase_of(rules, "default", "x my_decode_12_3 my_decode_4_5");
  CHECK(both.label == "decode");
  CHECK(both.step == 12);
  CHECK(both.layer == 3);
  const kr::Phase plain = phase_of(rules, "default", "decode");
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
